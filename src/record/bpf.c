// SPDX-License-Identifier: GPL-2.0-or-later

#include <string.h>
#include <time.h>

#include "kernel/bpf/prog.h"
#include "kernel/follow/reports.h"
#include "record/state.h"
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

struct record_bpf {
	struct ksymbols *ksymbols;	/* NULL: changes are not followed */
	uint32_t last_id;		/* highest ID seen; the kernel counts up */
	uint64_t bytes;			/* bytes written in this segment */
	uint64_t looked, looked_before; /* ns: the last two times that changes were read */
};

void record_bpf_deinit(struct record_state *state)
{
	if (state->bpf)
		ksymbols_close(state->bpf->ksymbols);
	free(take(state->bpf));
}

/* Returns false, and counts what is left out, if the limit is reached. */
static bool has_room(struct record_state *state)
{
	if (state->bpf->bytes < BYTES_MAX)
		return true;
	state->bpf_left_out++;
	return false;
}

static uint64_t written(const struct record_state *state)
{
	return recorder_given(&state->recorder);
}

static void write_function(
	struct record_state *state, const struct s2l_bpf_function *function, uint64_t time)
{
	uint64_t before = written(state);
	struct text name = {};
	const struct s2l_bpf_line *lines;

	if (!has_room(state))
		return;
	bpf_function_symbol(function, &name);
	recorder_row(&state->recorder, ROW_BPF, name.data, time, function->start,
		function->end - function->start);
	text_deinit(&name);
	size_t n = bpf_function_lines(function, &lines);
	array_each(line, lines, n)
		recorder_row(&state->recorder, ROW_BPFLINE, line->file, line->address, line->line,
			line->column);
	state->bpf->bytes += written(state) - before;
}

static void see(struct record_state *state, const struct s2l_bpf_function *function)
{
	if (function->program->id > state->bpf->last_id)
		state->bpf->last_id = function->program->id;
}

static void write_listed(
	struct record_state *state, const struct s2l_bpf_programs *programs, uint64_t time)
{
	vec_each(function, &programs->functions) {
		write_function(state, function, time);
		see(state, function);
	}
}

static void write_programs(struct record_state *state, uint64_t time)
{
	scope_guard(bpf_programs_deinit) struct s2l_bpf_programs programs = {};

	(void)bpf_programs_list(&programs);
	write_listed(state, &programs, time);
}

/*
 * Writes that changes were lost, and lists the programs loaded now: earlier code may have been
 * replaced. The buffer was empty at LOOKED_BEFORE, so the loss came later.
 */
static void write_lost(struct record_state *state)
{
	scope_guard(bpf_programs_deinit) struct s2l_bpf_programs programs = {};

	(void)bpf_programs_list(&programs);
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	recorder_row(&state->recorder, ROW_BPFLOST, "", now, state->bpf->looked_before);
	write_listed(state, &programs, now);
}

void record_bpf_begin(struct record_state *state)
{
	if (!state->options->kernel)
		return;
	state->bpf = xnew(state->bpf);
	state->bpf->ksymbols = state->options->once ? NULL : ksymbols_open();
	state->bpf->looked = state->bpf->looked_before = clock_ns(CLOCK_MONOTONIC);
	write_programs(state, 0);
}

void record_bpf_again(struct record_state *state, uint64_t time)
{
	if (!state->bpf)
		return;
	state->bpf->bytes = 0;
	write_programs(state, time);
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

static void changes_deinit(struct changes *changes)
{
	vec_each(change, &changes->all)
		free(change->name);
	vec_deinit(&changes->all);
}

COMPARE(compare_changes, struct change, order_of(a->time, b->time))

/*
 * Returns the change that added FUNCTION: the last one at its start (STARTS: start → index).
 * Returns NULL if there is none or its name differs, because the code was replaced after the
 * changes were read.
 */
static struct change *coming_of(struct changes *changes, const struct table *starts,
	const struct s2l_bpf_function *function)
{
	const uint64_t *index = table_find(starts, &function->start, sizeof(function->start));
	struct change *change = index ? &changes->all.data[*index] : NULL;
	auto_text struct text name = {};

	if (!change)
		return NULL;
	bpf_function_symbol(function, &name);
	return strcmp(name.data, change->name) ? NULL : change;
}

/*
 * Finds the functions of added programs, for their lines. Programs without a change yet come with
 * the next changes.
 */
static void find_functions(struct record_state *state, struct changes *changes,
	const struct s2l_bpf_programs *programs)
{
	scope_guard(table_deinit) struct table starts = {};

	for (size_t i = 0; i < changes->all.len; i++) {
		const struct change *change = &changes->all.data[i];

		if (change->bpf && !change->gone)
			*table_at(&starts, &change->start, sizeof(change->start), NULL) = i;
	}
	vec_each(function, &programs->functions) {
		struct change *change = coming_of(changes, &starts, function);

		if (!change)
			continue;
		see(state, function);
		change->function = function;
	}
}

/* Writes a change. Code that was unloaded before it could be read has only a name. */
static void write_change(struct record_state *state, const struct change *change)
{
	uint64_t before = written(state);

	if (change->function) {
		write_function(state, change->function, change->time);
		return;
	}
	if (!has_room(state))
		return;
	if (change->gone)
		recorder_row(&state->recorder, ROW_BPFGONE, "", change->time, change->start);
	else
		recorder_row(&state->recorder, ROW_BPF, change->name, change->time, change->start,
			change->end - change->start);
	state->bpf->bytes += written(state) - before;
}

static void write_changes(struct record_state *state, struct changes *changes)
{
	scope_guard(bpf_programs_deinit) struct s2l_bpf_programs programs = {
		.after = state->bpf->last_id};
	bool came = false;

	vec_sort(&changes->all, compare_changes);
	vec_each(change, &changes->all)
		came |= change->bpf && !change->gone;
	if (came) {
		(void)bpf_programs_list(&programs);
		find_functions(state, changes, &programs);
	}
	vec_each(change, &changes->all)
		if (change->bpf)
			write_change(state, change);
	if (changes->lost)
		write_lost(state);
}

void record_bpf_update(struct record_state *state)
{
	scope_guard(changes_deinit) struct changes changes = {};
	uint64_t left_out = state->bpf_left_out;

	if (!state->bpf || !state->bpf->ksymbols)
		return;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	ksymbols_read(state->bpf->ksymbols, add_change, &changes);
	write_changes(state, &changes);
	if (state->bpf_left_out != left_out)
		recorder_row(&state->recorder, ROW_BPFLOST, "", clock_ns(CLOCK_MONOTONIC),
			state->bpf->looked_before);
	state->bpf->looked_before = state->bpf->looked;
	state->bpf->looked = now;
}
