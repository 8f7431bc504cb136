// SPDX-License-Identifier: GPL-2.0-or-later
#include <time.h>

#include "kernel/follow.h"
#include "kernel/kernel.h"
#include "kernel/listener.h"
#include "kernel/recent_code.h"

#define SECOND 1000000000ULL /* ns */

uint64_t kernel_now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC_COARSE, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

static void start_following(struct kernel *kernel)
{
	const struct follow_options options = {
		.path = kernel->path,
		.listener = kernel->listener,
		.interval = SECOND,
	};

	kernel->follow_tried = true;
	kernel->follow = follow_start(&options, &kernel->kallsyms);
}

/* True if the kernel said something since the last time. */
static bool hear(struct kernel *kernel)
{
	struct heard heard = {};

	if (listener_hear(kernel->listener) && kernel->follow)
		follow_wake(kernel->follow);
	listener_take(kernel->listener, HEARER_NAMER, &heard);
	bool modules = heard.modules.len || heard.modules_lost;
	bool programs = heard.codes.len || heard.programs_lost;
	if (modules) {
		modules_forget(&kernel->modules);
		table_deinit(&kernel->labels); /* a module may be of another build now */
	}
	if (programs)
		bpf_programs_forget(&kernel->bpf);
	recent_code_add(&kernel->recent, &heard);
	return modules || programs;
}

static void forget_names(struct kernel *kernel)
{
	kernel->generation++;
	kernel->namesakes_read = false;
	bpf_programs_forget(&kernel->bpf);
	modules_forget(&kernel->modules);
	table_deinit(&kernel->labels);
}

/*
 * Stacks that are still to be named were taken since the last batch, or shortly before: some time
 * passes between a sample and its arrival here.
 */
static uint64_t horizon(struct kernel *kernel)
{
	uint64_t before = kernel->refreshed_at;

	kernel->refreshed_at = kernel_now();
	return before > SECOND ? before - SECOND : 0;
}

enum kernel_news kernel_refresh(struct kernel *kernel)
{
	uint64_t seq = kernel->recent.settled;

	if (kernel->kallsyms.status != KALLSYMS_READ || !kernel->path)
		return KERNEL_AS_BEFORE;
	bool changed = hear(kernel), deaf = listener_deaf_to_programs(kernel->listener);
	if (!kernel->follow_tried && kernel_now() - kernel->read_at >= SECOND) {
		start_following(kernel);
		changed |= deaf; /* from here on names of programs are doubtful */
	}
	if (kernel->follow && deaf)
		follow_miss(kernel->follow);
	bool read = kernel->follow && follow_take(kernel->follow, &kernel->kallsyms, &seq);
	changed |= recent_code_settle(&kernel->recent, seq, horizon(kernel));
	if (read)
		forget_names(kernel);
	return read ? KERNEL_SYMBOLS_READ : changed ? KERNEL_CODE_CHANGED : KERNEL_AS_BEFORE;
}

void kernel_notes(const struct kernel *kernel, struct log *log)
{
	if (kernel->follow)
		follow_notes(kernel->follow, log);
}
