// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/kernel_fit.h"

enum { OUTERMOST_MAX = 1 << 12 };

void kernel_fit_deinit(struct kernel_fit *fit)
{
	table_deinit(&fit->outermost);
}

void kernel_fit_look(struct kernel_fit *fit, const struct trace *trace)
{
	const struct stack *stack = &trace->sample->kernel;

	if (!trace->n_kernel || stack->state != STACK_PRESENT || stack->exact || stack->truncated ||
		fit->outermost.len == OUTERMOST_MAX)
		return;
	const struct location *last = trace->kernel[trace->n_kernel - 1];
	bool outside = last->status == FRAME_KALLSYMS_OUTSIDE && !last->object, added;
	if (last->kind != LOCATION_KERNEL || (last->status != FRAME_NAMED && !outside))
		return;
	(void)table_at(&fit->outermost, &last->address, sizeof(last->address), &added);
	fit->outside += added && outside;
	fit->inside += added && !outside;
}

static bool contradicts(const struct kernel_fit *fit)
{
	return fit->outside > fit->inside;
}

void kernel_fit_doubt(const struct kernel_fit *fit, const struct trace *trace, uint64_t *serials)
{
	for (size_t i = 0; contradicts(fit) && i < trace->n_kernel; i++) {
		/* the resolver keeps this location between batches: all later traces share the mark */
		struct location *location = (struct location *)(uintptr_t)trace->kernel[i];

		if (location->kind != LOCATION_KERNEL || location->status != FRAME_NAMED ||
			location->doubtful)
			continue;
		location->doubtful = true;
		location->detail = "the kernel symbols are of another boot or build";
		location->serial = ++*serials;
	}
}

void kernel_fit_notes(const struct kernel_fit *fit, struct log *log)
{
	log_add(log, LOG_WARNING, contradicts(fit) ? 1 : 0,
		"the kernel symbols are of another boot or build than the stacks, most of which begin "
		"outside all symbols: use --kallsyms with those of the time, or a recording");
}
