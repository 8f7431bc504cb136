// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Loads frames.bpf.c and samples it while it runs.
 *
 *	frames --object F on_printk|on_leaf|on_clock
 *
 * It talks in lines. On stdout: "map NAME ID" for each map, "program NAME ID" for each program,
 * "pid N", then "ready". It waits for a line on stdin, runs frames_target (once, or for a second
 * with on_clock) and prints "done". Everything stays loaded up to the end of stdin.
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static void die(const char *what) __attribute__((noreturn));

static void die(const char *what)
{
	perror(what);
	exit(1);
}

/* Only the named program of the object file F; TARGET is what a tracing program is attached to. */
static struct bpf_object *load(const char *file, const char *name, int target)
{
	struct bpf_object *object = bpf_object__open_file(file, NULL);
	struct bpf_program *program;

	if (!object)
		die(file);
	bpf_object__for_each_program(program, object)
		bpf_program__set_autoload(program, !strcmp(bpf_program__name(program), name));
	program = bpf_object__find_program_by_name(object, name);
	if (target >= 0 && bpf_program__set_attach_target(
				   program, target, "frames_leaf_with_a_name_of_many_characters"))
		die("attach target");
	if (bpf_object__load(object))
		die(name);
	return object;
}

static int program_fd(struct bpf_object *object, const char *name)
{
	return bpf_program__fd(bpf_object__find_program_by_name(object, name));
}

static void print_ids(struct bpf_object *object, const char *name, const char *const *maps)
{
	struct bpf_prog_info program = {};
	__u32 len = sizeof(program);

	if (bpf_obj_get_info_by_fd(program_fd(object, name), &program, &len))
		die("program info");
	printf("program %s %u\n", name, program.id);
	for (; *maps; maps++) {
		struct bpf_map_info map = {};

		len = sizeof(map);
		if (bpf_obj_get_info_by_fd(
			    bpf_object__find_map_fd_by_name(object, *maps), &map, &len))
			die("map info");
		printf("map %s %u\n", *maps, map.id);
	}
}

static void set_wanted(struct bpf_object *object, __u64 pid)
{
	__u32 zero = 0;

	if (bpf_map_update_elem(
		    bpf_object__find_map_fd_by_name(object, "wanted"), &zero, &pid, BPF_ANY))
		die("wanted");
}

/* A clock on this thread, wherever it runs. */
static int open_clock(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.sample_freq = 999,
		.freq = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);

	if (fd < 0)
		die("perf_event_open");
	return fd;
}

/* The size of the packet is the number that the program works with. */
static void run_target(int fd, int repeat, __u32 size)
{
	char packet[128] = {};
	LIBBPF_OPTS(
		bpf_test_run_opts, opts, .data_in = packet, .data_size_in = size, .repeat = repeat);

	if (bpf_prog_test_run_opts(fd, &opts))
		die("test run");
}

static struct bpf_link *attach(struct bpf_object *sampler, const char *probe, bool clock)
{
	struct bpf_program *program = bpf_object__find_program_by_name(sampler, probe);
	struct bpf_link *link = clock ? bpf_program__attach_perf_event(program, open_clock())
				      : bpf_program__attach(program);

	if (!link)
		die("attach");
	return link;
}

int main(int argc, char **argv)
{
	static const char *const no_maps[] = {NULL}, *const maps[] = {"stacks", "counts", NULL};

	if (argc != 4 || strcmp(argv[1], "--object") != 0)
		exit(64);
	const char *probe = argv[3];
	bool clock = !strcmp(probe, "on_clock");
	struct bpf_object *target = load(argv[2], "frames_target", -1);
	int target_fd = program_fd(target, "frames_target");
	struct bpf_object *sampler =
		load(argv[2], probe, !strcmp(probe, "on_leaf") ? target_fd : -1);
	struct bpf_link *link = attach(sampler, probe, clock);

	print_ids(target, "frames_target", no_maps);
	print_ids(sampler, probe, maps);
	printf("pid %d\nready\n", getpid());
	fflush(stdout);
	if (getchar() == EOF)
		return 0;
	set_wanted(sampler, (__u64)getpid());
	for (time_t end = time(NULL) + 2; clock && time(NULL) < end;)
		run_target(target_fd, 10000, 64);
	if (!clock)
		run_target(target_fd, 1, 65);
	set_wanted(sampler, 0);
	puts("done");
	fflush(stdout);
	while (getchar() != EOF)
		;
	bpf_link__destroy(link);
	bpf_object__close(sampler);
	bpf_object__close(target);
	return 0;
}
