// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Maps for clear.test, whose entries hold their stacks, so that nobody has to sample: entry I (from 1)
 * has the user stack {0x1000 + I} and counts 1.
 *
 *	clear_maps make hash|percpu|array|queue PIN N
 *	clear_maps list PIN		the I of each entry that is there, a line each
 *	clear_maps set PIN I COUNT
 */
#include <bpf/bpf.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { FIRST = 0x1000, CPUS = 1024 };

struct key {
	uint32_t pid, unused;
	uint64_t ustack[2];
};

/* Of an array, or a queue. */
struct value {
	uint64_t count;
	uint64_t ustack[2];
};

static struct key key_of(uint64_t i)
{
	return (struct key){.pid = 1, .ustack = {FIRST + i}};
}

static int make(const char *kind, const char *pin, uint32_t n)
{
	const int percpu = !strcmp(kind, "percpu"), keyless = !strcmp(kind, "queue");
	const int array = !strcmp(kind, "array");
	enum bpf_map_type type = keyless  ? BPF_MAP_TYPE_QUEUE
				 : array  ? BPF_MAP_TYPE_ARRAY
				 : percpu ? BPF_MAP_TYPE_PERCPU_HASH
					  : BPF_MAP_TYPE_HASH;
	uint32_t key_size = keyless ? 0 : array ? 4 : sizeof(struct key);
	int fd = bpf_map_create(
		type, "s2l_clear", key_size, array || keyless ? sizeof(struct value) : 8, n, NULL);
	static uint64_t ones[CPUS];

	ones[0] = 1;
	for (uint32_t i = 1; fd >= 0 && i <= n; i++) {
		struct value value = {1, {FIRST + i}};
		struct key key = key_of(i);
		uint32_t index = i - 1;
		const void *k = keyless ? NULL : array ? (void *)&index : (void *)&key;

		if (bpf_map_update_elem(fd, k, array || keyless ? (void *)&value : ones, BPF_ANY))
			return perror("update"), 1;
	}
	return fd < 0 || bpf_obj_pin(fd, pin) ? perror(pin), 1 : 0;
}

static int list(int fd)
{
	struct bpf_map_info info = {};
	uint32_t len = sizeof(info), index, *last = NULL;
	struct key key, *at = NULL;
	struct value value;

	if (bpf_obj_get_info_by_fd(fd, &info, &len))
		return perror("info"), 1;
	if (info.type == BPF_MAP_TYPE_ARRAY)
		for (; !bpf_map_get_next_key(fd, last, &index); last = &index) {
			if (!bpf_map_lookup_elem(fd, &index, &value) && value.count)
				printf("%u\n", index + 1);
		}
	else if (info.type == BPF_MAP_TYPE_QUEUE)
		while (!bpf_map_lookup_and_delete_elem(fd, NULL, &value))
			printf("%llu\n", (unsigned long long)value.ustack[0] - FIRST);
	else
		for (; !bpf_map_get_next_key(fd, at, &key); at = &key)
			printf("%llu\n", (unsigned long long)key.ustack[0] - FIRST);
	return 0;
}

static int set(int fd, uint64_t i, uint64_t count)
{
	struct key key = key_of(i);

	return bpf_map_update_elem(fd, &key, &count, BPF_ANY) ? perror("set"), 1 : 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && !strcmp(argv[1], "make"))
		return make(argv[2], argv[3], (uint32_t)strtoul(argv[4], NULL, 10));
	int fd = argc > 2 ? bpf_obj_get(argv[2]) : -1;
	if (fd >= 0 && argc == 3 && !strcmp(argv[1], "list"))
		return list(fd);
	if (fd >= 0 && argc == 5 && !strcmp(argv[1], "set"))
		return set(fd, strtoull(argv[3], NULL, 10), strtoull(argv[4], NULL, 10));
	fprintf(stderr, "wrong arguments, or no such map\n");
	return 2;
}
