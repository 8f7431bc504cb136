// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/bpf.h"

#include "kernel/bpf/prog.h"
#include "kernel/follow/ksymbol.h"
#include "record/state.h"
#include "util/cleanup.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { BYTES_MAX = 128 << 20, CHANGES_MAX = 1 << 14 /* between two looks; more are lost */ };

/* Code that came or went. */
struct change {
	uint64_t start, end, time;
	char *name; /* owned */
	bool bpf, gone;
};

/* What was said since the last look. */
struct changes {
	struct VEC(struct change) all;
	bool lost; /* and this is not all */
};

struct record_bpf {
	struct ksymbols *ksymbols; /* NULL: nobody tells what changes */
	uint32_t last_id;          /* of the programs seen; the kernel counts them up */
	uint64_t bytes;            /* written */
};

void record_bpf_deinit(struct record_state *state)
{
	if (state->bpf)
		ksymbols_close(state->bpf->ksymbols);
	free(take(state->bpf));
}

/* False: there is too much of it already. */
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
	struct record_state *state, const struct bpf_function *function, uint64_t time)
{
	uint64_t before = written(state);
	struct text name = {};
	const struct bpf_line *lines;

	if (!has_room(state))
		return;
	bpf_function_symbol(function, &name);
	recorder_bpf(&state->recorder, time, function->start, function->end, name.data);
	text_deinit(&name);
	size_t n = bpf_function_lines(function, &lines);
	for (size_t i = 0; i < n; i++)
		recorder_bpf_line(&state->recorder, lines[i].address, lines[i].line,
			lines[i].column, lines[i].file);
	state->bpf->bytes += written(state) - before;
}

/*
 * Writes the programs that are new; TIMES (start → ns) says when, as far as that was heard. Others were
 * there at OTHERWISE (ns, 0: before the recording).
 */
static void write_programs(struct record_state *state, struct table *times, uint64_t otherwise)
{
	struct bpf_programs programs = {.after = state->bpf->last_id};
	size_t n = bpf_programs_list(&programs);

	for (size_t i = 0; i < n; i++) {
		const struct bpf_function *function = &programs.functions.data[i];
		uint64_t *time = table_find(times, &function->start, sizeof(function->start));

		write_function(state, function, time ? *time : otherwise);
		if (time)
			*time = 0;
		if (function->program->id > state->bpf->last_id)
			state->bpf->last_id = function->program->id;
	}
	bpf_programs_deinit(&programs);
}

void record_bpf_begin(struct record_state *state)
{
	struct table none = {};

	if (!state->options->kernel)
		return;
	state->bpf = xcalloc(1, sizeof(*state->bpf));
	state->bpf->ksymbols = state->options->once ? NULL : ksymbols_open();
	write_programs(state, &none, 0);
}

void record_bpf_again(struct record_state *state, uint64_t time)
{
	struct table none = {};

	if (!state->bpf)
		return;
	state->bpf->last_id = 0;
	state->bpf->bytes = 0;
	write_programs(state, &none, time);
}

static void hear(void *context, const struct ksymbol_event *event)
{
	struct changes *changes = context;

	changes->lost |= event->kind == KSYMBOL_LOST || changes->all.len == CHANGES_MAX;
	if (event->kind != KSYMBOL_LOST && changes->all.len < CHANGES_MAX)
		vec_push(&changes->all, (struct change){event->start, event->end, event->time,
						xstrdup(event->name), event->kind == KSYMBOL_BPF,
						event->gone});
}

static void changes_deinit(struct changes *changes)
{
	for (size_t i = 0; i < changes->all.len; i++)
		free(changes->all.data[i].name);
	vec_deinit(&changes->all);
}

static int compare_changes(const void *a_ptr, const void *b_ptr)
{
	const struct change *a = a_ptr, *b = b_ptr;

	return a->time < b->time ? -1 : a->time > b->time;
}

/* What was gone before it could be asked, and what is no program, has a name only. */
static void write_change(
	struct record_state *state, const struct change *change, struct table *times)
{
	uint64_t *time = table_find(times, &change->start, sizeof(change->start));

	if (!change->bpf || !has_room(state))
		return;
	uint64_t before = written(state);
	if (change->gone)
		recorder_bpf_gone(&state->recorder, change->time, change->start);
	else if (time && *time)
		recorder_bpf(&state->recorder, change->time, change->start, change->end,
			change->name);
	state->bpf->bytes += written(state) - before;
}

static void write_changes(struct record_state *state, struct changes *changes)
{
	struct table times = {};

	vec_sort(&changes->all, compare_changes);
	for (size_t i = 0; i < changes->all.len; i++) {
		const struct change *change = &changes->all.data[i];

		if (change->bpf && !change->gone)
			*table_at(&times, &change->start, sizeof(change->start), NULL) =
				change->time;
	}
	if (times.len || changes->lost)
		write_programs(state, &times, 0);
	for (size_t i = 0; i < changes->all.len; i++)
		write_change(state, &changes->all.data[i], &times);
	table_deinit(&times);
}

void record_bpf_update(struct record_state *state)
{
	scope_guard(changes_deinit) struct changes changes = {};

	if (!state->bpf || !state->bpf->ksymbols)
		return;
	ksymbols_read(state->bpf->ksymbols, hear, &changes);
	write_changes(state, &changes);
}
