// SPDX-License-Identifier: GPL-2.0-or-later
/* tracer.c's samples by BPF, of sampler.bpf.o in the current directory. */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "sampler.h"

/* Nanoseconds between two ticks, while the process runs. */
enum { PERIOD = 25000 };

static struct ring_buffer *ring;
static const struct sampled *last;

static void die(const char *what)
{
	perror(what);
	exit(1);
}

static int keep(void *context, void *data, size_t size)
{
	(void)context;
	(void)size;
	last = data;
	return 1; /* ends ring_buffer__consume() */
}

static void attach(struct bpf_program *program, pid_t pid)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.config = PERF_COUNT_SW_CPU_CLOCK,
		.size = sizeof(attr),
		.sample_period = PERIOD,
		.inherit = 1, /* by threads */
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, pid, -1, -1, 0);

	if (fd < 0 || !bpf_program__attach_perf_event(program, fd))
		die("sampler: clock");
}

void sampler_open(pid_t pid);
void sampler_open(pid_t pid)
{
	struct bpf_object *object = bpf_object__open_file("sampler.bpf.o", NULL);
	__u32 zero = 0, tgid = (__u32)pid;

	if (!object || bpf_object__load(object))
		die("sampler: sampler.bpf.o");
	bpf_map_update_elem(
		bpf_object__find_map_fd_by_name(object, "target"), &zero, &tgid, BPF_ANY);
	ring = ring_buffer__new(
		bpf_object__find_map_fd_by_name(object, "samples"), keep, NULL, NULL);
	if (!ring)
		die("sampler: ring buffer");
	attach(bpf_object__find_program_by_name(object, "on_clock"), pid);
}

/* Returns the next sample; NULL: none yet. It is valid until more samples fill the buffer. */
const struct sampled *sampler_next(void);
const struct sampled *sampler_next(void)
{
	last = NULL;
	ring_buffer__consume(ring);
	return last;
}
