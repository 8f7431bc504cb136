// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Counts kernel stacks with kernel.bpf.c while a shell command runs, then lets another one dump
 * the maps, whose IDs are in $STACKS and $COUNTS.
 *
 *	capture OBJECT WORK DUMP FUNCTION...
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { HZ = 997, LINKS_MAX = 256 };

struct links {
	struct bpf_link *all[LINKS_MAX];
	int n;
};

static void add(struct links *links, struct bpf_link *link, const char *what)
{
	if (!link)
		fprintf(stderr, "capture: cannot attach to %s\n", what);
	else if (links->n < LINKS_MAX)
		links->all[links->n++] = link;
}

static void attach_clock(struct links *links, const struct bpf_program *program)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = HZ,
		.freq = 1,
	};

	for (int cpu = 0; cpu < sysconf(_SC_NPROCESSORS_ONLN); cpu++) {
		int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, 0);

		add(links, fd < 0 ? NULL : bpf_program__attach_perf_event(program, fd),
			"the clock");
	}
}

static void set_id(const struct bpf_object *object, const char *map, const char *variable)
{
	struct bpf_map_info info = {};
	__u32 size = sizeof(info);
	char id[16];

	bpf_obj_get_info_by_fd(
		bpf_map__fd(bpf_object__find_map_by_name(object, map)), &info, &size);
	snprintf(id, sizeof(id), "%u", info.id);
	setenv(variable, id, 1);
}

int main(int argc, char **argv)
{
	struct links links = {};

	if (argc < 4)
		return 64;
	libbpf_set_strict_mode(LIBBPF_STRICT_ALL);
	struct bpf_object *object = bpf_object__open_file(argv[1], NULL);
	if (!object || bpf_object__load(object))
		return 1;
	attach_clock(&links, bpf_object__find_program_by_name(object, "at_clock"));
	for (int i = 4; i < argc; i++)
		add(&links,
			bpf_program__attach_kprobe(
				bpf_object__find_program_by_name(object, "at_function"), false,
				argv[i]),
			argv[i]);
	if (system(argv[2]))
		fputs("capture: the work failed\n", stderr);
	while (links.n)
		bpf_link__destroy(links.all[--links.n]);
	set_id(object, "stacks", "STACKS");
	set_id(object, "counts", "COUNTS");
	int status = system(argv[3]);
	bpf_object__close(object);
	return status != 0;
}
