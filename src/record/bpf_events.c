// SPDX-License-Identifier: GPL-2.0-or-later

#include <string.h>

#include "kernel/bpf/prog.h"
#include "kernel/follow/reports.h"
#include "record/record_state.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/sort.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { BYTES_MAX = 128 << 20, CHANGES_MAX = 1 << 14 /* between two updates; more are lost */ };

/* Code that was added or removed, at TIME (ns). */
struct change {
	uint64_t start, end, time;
	char *name; /* owned */
	bool bpf, gone;
	const struct s2l_bpf_function *function; /* the function added; NULL: unknown */
};

/* Changes since the last update. */
struct changes {
	struct VEC(struct change) all;
	bool lost; /* some changes are missing */
};

/*
 * Writes CHANGE of BPF code, with the lines of its function if that is known: code that was
 * unloaded before it could be read has only a name.
 */
static void write_change(struct record_state *state, const struct change *change)
{
	uint64_t before = recorder_given(&state->recorder);
	const struct s2l_bpf_line *lines = NULL;

	if (state->bpf_bytes >= BYTES_MAX) {
		state->bpf_left_out++;
		return;
	}
	if (change->gone)
		recorder_row(&state->recorder, ROW_BPFGONE, "", change->time, change->start);
	else
		recorder_row(&state->recorder, ROW_BPF, change->name, change->time, change->start,
			change->end - change->start);
	size_t n = change->function ? bpf_function_lines(change->function, &lines) : 0;
	array_each(line, lines, n)
		recorder_row(&state->recorder, ROW_BPFLINE, line->file, line->address, line->line,
			line->column);
	state->bpf_bytes += recorder_given(&state->recorder) - before;
}

static void see(struct record_state *state, const struct s2l_bpf_function *function)
{
	if (function->program->id > state->bpf_last_id)
		state->bpf_last_id = function->program->id;
}

/*
 * Writes the programs loaded now, as of TIME (ns). LOST: changes were lost, so earlier code may
 * have been replaced; the buffer was empty at LOOKED_BEFORE, so the loss came later.
 */
static void write_programs(struct record_state *state, uint64_t time, bool lost)
{
	scope_guard(bpf_programs_deinit) struct s2l_bpf_programs programs = {};

	(void)bpf_programs_list(&programs);
	if (lost) {
		time = clock_ns(CLOCK_MONOTONIC);
		recorder_row(&state->recorder, ROW_BPFLOST, "", time, state->bpf_looked_before);
	}
	vec_each(function, &programs.functions) {
		auto_text struct text name = {};

		bpf_function_symbol(function, &name);
		write_change(state, &(struct change){.start = function->start,
					    .end = function->end,
					    .time = time,
					    .name = name.data,
					    .function = function});
		see(state, function);
	}
}

void record_bpf_begin(struct record_state *state)
{
	if (!state->options->kernel)
		return;
	state->ksymbols = state->options->once ? NULL : ksymbols_open();
	state->bpf_looked = state->bpf_looked_before = clock_ns(CLOCK_MONOTONIC);
	write_programs(state, 0, false);
}

void record_bpf_again(struct record_state *state, uint64_t time)
{
	if (!state->options->kernel)
		return;
	state->bpf_bytes = 0;
	write_programs(state, time, false);
}

static void add_change(void *context, const struct ksymbol_event *event)
{
	struct changes *changes = context;

	changes->lost |= event->kind == KSYMBOL_LOST || changes->all.len == CHANGES_MAX;
	if (event->kind != KSYMBOL_LOST && changes->all.len < CHANGES_MAX)
		vec_push(&changes->all, (struct change){
						.start = event->start,
						.end = event->end,
						.time = event->time,
						.name = xstrdup(event->name),
						.bpf = event->kind == KSYMBOL_BPF,
						.gone = event->gone,
					});
}

COMPARE(compare_changes, struct change, order_of(a->time, b->time))

/*
 * Lists the programs that were added, if any, in RET, and finds the change that added each of their
 * functions: the last one at its start. Programs without a change yet come with the next changes.
 */
static void find_functions(
	struct record_state *state, struct changes *changes, struct s2l_bpf_programs *ret)
{
	scope_guard(table_deinit) struct table starts = {}; /* → index of the change */

	for (size_t i = 0; i < changes->all.len; i++) {
		const struct change *change = &changes->all.data[i];

		if (change->bpf && !change->gone)
			*table_at(&starts, &change->start, sizeof(change->start), NULL) = i;
	}
	if (!starts.len)
		return;
	(void)bpf_programs_list(ret);
	vec_each(function, &ret->functions) {
		const uint64_t *index =
			table_find(&starts, &function->start, sizeof(function->start));
		auto_text struct text name = {};

		if (!index)
			continue;
		struct change *change = &changes->all.data[*index];
		bpf_function_symbol(function, &name);
		if (strcmp(name.data, change->name))
			continue; /* the code was replaced after the changes were read */
		see(state, function);
		change->end = function->end;
		change->function = function;
	}
}

void record_bpf_update(struct record_state *state)
{
	struct changes changes = {};
	uint64_t left_out = state->bpf_left_out;

	if (!state->ksymbols)
		return;
	scope_guard(bpf_programs_deinit) struct s2l_bpf_programs programs = {
		.after = state->bpf_last_id};
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	ksymbols_read(state->ksymbols, add_change, &changes);
	vec_sort(&changes.all, compare_changes);
	find_functions(state, &changes, &programs);
	vec_each(change, &changes.all) {
		if (change->bpf)
			write_change(state, change);
		free(change->name);
	}
	vec_deinit(&changes.all);
	if (changes.lost)
		write_programs(state, 0, true);
	if (state->bpf_left_out != left_out)
		recorder_row(&state->recorder, ROW_BPFLOST, "", clock_ns(CLOCK_MONOTONIC),
			state->bpf_looked_before);
	state->bpf_looked_before = state->bpf_looked;
	state->bpf_looked = now;
}
