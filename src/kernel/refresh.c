// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/refresh.h"

#include <time.h>

#include "kernel/follow/follow.h"
#include "kernel/follow/listener.h"
#include "kernel/follow/recent_code.h"
#include "util/clock.h"

#define SECOND 1000000000ULL /* ns */
#define MILLISECOND (SECOND / 1000)

uint64_t kernel_now(void)
{
	return clock_ns(CLOCK_MONOTONIC_COARSE);
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

/* True if the kernel said something since the last time that leaves no other trace in an answer. */
static bool take_changes(struct kernel *kernel)
{
	struct kernel_changes changes = {};

	if (listener_hear(kernel->listener) && kernel->follow)
		follow_wake(kernel->follow);
	listener_take(kernel->listener, CLIENT_NAMER, &changes);
	bool modules = changes.modules.len || changes.modules_lost;
	bool programs = changes.programs;
	bool first = programs && !kernel->heard_programs;
	bool changed = modules || changes.programs_lost || first || (programs && kernel->recording);
	kernel->heard_programs |= programs;
	if (modules) {
		modules_forget(&kernel->modules);
		table_deinit(&kernel->labels); /* a module may be of another build now */
	}
	if (programs)
		bpf_programs_forget(&kernel->bpf);
	recent_code_add(&kernel->recent, &changes);
	return changed;
}

static void forget_names(struct kernel *kernel)
{
	kernel->generation++;
	kernel->ambiguous_names_read = false;
	bpf_programs_forget(&kernel->bpf);
	modules_forget(&kernel->modules);
	table_deinit(&kernel->labels);
}

/*
 * Stacks without a time that are still to be named were taken since the last batch, or shortly
 * before: some time passes between a sample and its arrival here.
 */
static void note_time(struct kernel *kernel)
{
	uint64_t last = kernel->refreshed_at;

	kernel->refreshed_at = clock_ns(CLOCK_MONOTONIC);
	kernel->before = last > SECOND ? last - SECOND : 0;
}

/* The symbols have all changes up to SEQ. */
static bool settle(struct kernel *kernel, uint64_t seq)
{
	uint64_t lost = kernel->recent.programs_lost;
	bool caught_up = lost && lost <= seq;

	if (kernel->recent.settled == seq)
		return false;
	(void)recent_code_settle(&kernel->recent, seq);
	listener_settle(kernel->listener, seq, caught_up ? lost : 0);
	if (caught_up) {
		kernel->recent.programs_lost = 0;
		kernel->known_since = kernel->refreshed_at;
	}
	return true;
}

enum kernel_news kernel_refresh(struct kernel *kernel)
{
	uint64_t seq = kernel->recent.settled;

	if (kernel->kallsyms.status != KALLSYMS_READ || !kernel->path)
		return KERNEL_AS_BEFORE;
	bool changed = take_changes(kernel), misses = listener_misses_programs(kernel->listener);
	note_time(kernel);
	if (!kernel->follow_tried && kernel_now() - kernel->read_at >= SECOND) {
		start_following(kernel);
		changed |= misses; /* from here on names of programs are doubtful */
	}
	if (kernel->follow && misses)
		follow_miss(kernel->follow);
	bool read = kernel->follow && follow_take(kernel->follow, &kernel->kallsyms, &seq);
	changed |= settle(kernel, seq);
	if (read)
		forget_names(kernel);
	return read ? KERNEL_SYMBOLS_READ : changed ? KERNEL_CODE_CHANGED : KERNEL_AS_BEFORE;
}

/* ---- when a stack was taken ----------------------------------------------------------------- */

/* TIME of perf's clock as one of CLOCK_MONOTONIC. */
static bool from_perf_clock(struct kernel *kernel, uint64_t time, uint64_t *ret)
{
	if (!kernel->perf_clock_tried)
		kernel->perf_clock = perf_clock_open();
	kernel->perf_clock_tried = true;
	if (kernel->perf_clock && (!kernel->perf_clock_at ||
					  kernel->refreshed_at - kernel->perf_clock_at >= SECOND)) {
		kernel->perf_clock_at = kernel->refreshed_at;
		kernel->perf_clock_known =
			perf_clock_ahead(kernel->perf_clock, &kernel->perf_clock_ahead);
	}
	*ret = time - (uint64_t)kernel->perf_clock_ahead;
	return kernel->perf_clock_known;
}

/* A program that runs when it is unloaded runs on until an RCU grace period has passed. */
static uint64_t ended_at(uint64_t time)
{
	return time > SECOND ? time - SECOND : 0;
}

struct moment kernel_moment(struct kernel *kernel, const struct sample *sample)
{
	const struct moment present = {UINT64_MAX, UINT64_MAX, ended_at(kernel->refreshed_at)},
			    unknown = {kernel->before, UINT64_MAX, ended_at(kernel->before)};
	uint64_t time = sample->time, doubt = sample->perf_clock ? MILLISECOND : 0;

	if (!kernel->listener || sample->kernel.exact)
		return present;
	/* What lies ahead is of another clock, or none. */
	if (!time || (sample->perf_clock && !from_perf_clock(kernel, time, &time)) ||
		time > kernel->refreshed_at + MILLISECOND || time <= doubt)
		return unknown;
	return (struct moment){time - doubt, time + doubt, ended_at(time - doubt)};
}

void kernel_notes(const struct kernel *kernel, struct log *log)
{
	if (kernel->follow)
		follow_notes(kernel->follow, log);
}
