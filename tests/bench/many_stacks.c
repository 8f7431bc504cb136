// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Writes what `bpftool -j map dump` prints of a map of counts and of a stack map with STACKS stacks of
 * this process, and stays so that they can be resolved: many_stacks STACKS LIBRARY FILE. The stacks are
 * paths of one call tree, 16 to 44 frames deep, whose functions lie in LIBRARY; every eighth entry has one
 * of 512 kernel stacks too. Says "ready" and ends with stdin.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { SLOTS = 48, DEPTH_MIN = 16, DEPTH_SPAN = 29, ADDRESSES = 6000, KERNEL_STACKS = 512 };

struct code {
	uint64_t addresses[ADDRESSES];
	size_t n;
};

/* splitmix64 */
static uint64_t mix(uint64_t x)
{
	x += 0x9e3779b97f4a7c15U;
	x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9U;
	x = (x ^ x >> 27) * 0x94d049bb133111ebU;
	return x ^ x >> 31;
}

/* Behind what looks like calls of x86-64, all over the code of the library NAME. */
static void find_user_code(const char *name, struct code *code)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	uint64_t start, end;
	char line[4096];

	while (maps && code->n < ADDRESSES && fgets(line, sizeof(line), maps)) {
		if (!strstr(line, name) || !strstr(line, " r-xp ") ||
			sscanf(line, "%" SCNx64 "-%" SCNx64, &start, &end) != 2)
			continue;
		uint64_t step = (end - start) / ADDRESSES;
		for (uint64_t at = start + 5; at < end && code->n < ADDRESSES; at += step) {
			while (at < end && *(const uint8_t *)(uintptr_t)(at - 5) != 0xe8)
				at++;
			if (at < end)
				code->addresses[code->n++] = at;
		}
	}
	if (maps)
		fclose(maps);
}

static void find_kernel_code(struct code *code)
{
	FILE *symbols = fopen("/proc/kallsyms", "r");
	uint64_t address;
	char line[4096], type;

	for (size_t i = 0; symbols && code->n < ADDRESSES && fgets(line, sizeof(line), symbols);)
		if (sscanf(line, "%" SCNx64 " %c", &address, &type) == 2 && type == 'T' &&
			address && i++ % 16 == 0)
			code->addresses[code->n++] = address + 4;
	if (symbols)
		fclose(symbols);
}

/* Path number I of the tree, leaf first; near the root there are few ways to go on. */
static void make_stack(const struct code *code, uint64_t i, uint64_t *slots)
{
	uint64_t random = mix(i), path = 0;
	size_t depth = DEPTH_MIN + random % DEPTH_SPAN;

	memset(slots, 0, SLOTS * sizeof(*slots));
	random = mix(random);
	for (size_t level = 0; level < depth; level++, random = random >> 2 | random << 62) {
		uint64_t ways = level < depth - 4 ? 2 : 4;

		path = mix(path * 8 + random % ways);
		slots[depth - 1 - level] = code->addresses[path % code->n];
	}
}

static void print_bytes(FILE *file, const char *name, const void *p, size_t len)
{
	static const char digits[] = "0123456789abcdef";
	const uint8_t *bytes = p;

	fprintf(file, "\"%s\":[", name);
	for (size_t i = 0; i < len; i++) {
		const char byte[] = {
			'"', '0', 'x', digits[bytes[i] >> 4], digits[bytes[i] & 15], '"', ','};

		fwrite(byte, 1, sizeof(byte) - (i + 1 == len), file);
	}
	fputc(']', file);
}

/* Stack IDs are hashes: they come in no order. */
static uint32_t stack_id(uint64_t i)
{
	return (uint32_t)(i * 2654435761U) & INT32_MAX;
}

static void print_counts(FILE *file, uint64_t n)
{
	struct {
		uint32_t pid;
		int32_t user, kernel;
		char comm[16];
	} key = {.pid = (uint32_t)getpid(), .comm = "many_stacks"};

	for (uint64_t i = 0; i < n; i++) {
		uint64_t count = 1 + mix(i) % 9;

		key.user = (int32_t)stack_id(i);
		key.kernel = i % 8 ? -14 : (int32_t)stack_id(n + i / 8 % KERNEL_STACKS);
		fputs(i ? ",{" : "[{", file);
		print_bytes(file, "key", &key, sizeof(key));
		fputc(',', file);
		print_bytes(file, "value", &count, sizeof(count));
		fprintf(file,
			",\"formatted\":{\"key\":{\"pid\":%" PRIu32 ",\"user\":%" PRId32
			",\"kernel\":%" PRId32 ",\"comm\":\"%s\"},\"value\":%" PRIu64 "}}",
			key.pid, key.user, key.kernel, key.comm, count);
	}
	fputs("]\n", file);
}

static void print_stacks(FILE *file, uint64_t n, const struct code *user, const struct code *kernel)
{
	uint64_t slots[SLOTS];

	for (uint64_t i = 0; i < n + KERNEL_STACKS; i++) {
		uint32_t id = stack_id(i);

		make_stack(i < n ? user : kernel, i, slots);
		fputs(i ? ",{" : "[{", file);
		print_bytes(file, "key", &id, sizeof(id));
		fputc(',', file);
		print_bytes(file, "value", slots, sizeof(slots));
		fputc('}', file);
	}
	fputs("]\n", file);
}

int main(int argc, char **argv)
{
	static struct code user, kernel;
	FILE *file;
	char byte;

	if (argc != 4 || !dlopen(argv[2], RTLD_LAZY) || !(file = fopen(argv[3], "w")))
		return 1;
	find_user_code(argv[2], &user);
	find_kernel_code(&kernel);
	if (!user.n || !kernel.n)
		return 1;
	uint64_t n = strtoull(argv[1], NULL, 0);
	print_counts(file, n);
	print_stacks(file, n, &user, &kernel);
	if (fclose(file))
		return 1;
	puts("ready");
	fflush(stdout);
	while (read(STDIN_FILENO, &byte, 1) == 1)
		;
	return 0;
}
