// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/follow.h"

#include <string.h>

#include "util/xalloc.h"

enum { CODE_MAX = 1 << 16 };

void code_history_deinit(struct code_history *history)
{
	vec_free_each(&history->all, name);
	vec_deinit(&history->all);
	*history = (struct code_history){};
}

/* ---- adding --------------------------------------------------------------------------------- */

/* Returns the position for code that starts at START and was loaded at the time CAME. */
static size_t position(const struct code_history *history, uint64_t start, uint64_t came)
{
	const struct loaded_code *all = history->all.data;
	size_t at = sorted_count(all, history->all.len, .start < start);

	while (at < history->all.len && all[at].start == start && all[at].came <= came)
		at++;
	return at;
}

static bool insert(struct code_history *history, const struct ksymbol_event *event, uint64_t seq)
{
	uint64_t came = event->gone ? 0 : event->time;
	size_t at = position(history, event->start, came);

	if (history->all.len == CODE_MAX)
		return false;
	vec_reserve(&history->all, 1);
	struct loaded_code *code = history->all.data + at;
	memmove(code + 1, code, (history->all.len++ - at) * sizeof(*code));
	*code = (struct loaded_code){.start = event->start,
		.end = event->end,
		.came = came,
		.gone = event->gone ? event->time : 0,
		.seq = seq,
		.number = ++history->numbers,
		.name = xstrdup(event->name),
		.bpf = event->kind == KSYMBOL_BPF};
	history->n_gone += event->gone;
	if (event->end - event->start > history->longest)
		history->longest = event->end - event->start;
	return true;
}

bool code_history_add(struct code_history *history, const struct ksymbol_event *event, uint64_t seq)
{
	struct loaded_code *all = history->all.data, *code = NULL;

	/*
	 * Find the entry that EVENT completes. On different CPUs, the report of an unload may be
	 * read before the report of the load.
	 */
	for (size_t i = position(history, event->start, event->time);
		!code && i-- && all[i].start == event->start;) {
		bool same = all[i].end == event->end && !strcmp(all[i].name, event->name);
		bool half = event->gone ? !all[i].gone : !all[i].came && all[i].gone > event->time;

		if (same && half)
			code = &all[i];
	}
	if (!code)
		return insert(history, event, seq);
	code->seq = seq;
	if (event->gone) {
		code->gone = event->time;
		history->n_gone++;
		return true;
	}
	const struct loaded_code moved = *code;
	size_t at = (size_t)(code - all), to = position(history, moved.start, event->time) - 1;
	memmove(code, code + 1, (to - at) * sizeof(*code));
	all[to] = moved;
	all[to].came = event->time;
	return true;
}

/* ---- queries -------------------------------------------------------------------------------- */

/*
 * Returns true if A was loaded before B. Both cover an address in common, so A was unloaded by
 * then.
 */
static bool comes_before(const struct loaded_code *a, const struct loaded_code *b)
{
	return a->came != b->came ? a->came < b->came : a->number < b->number;
}

/*
 * Returns the last code at ADDRESS that was loaded up to TIME. Sets ANY if there is code loaded
 * later.
 */
static const struct loaded_code *last_at(
	const struct code_history *history, uint64_t address, uint64_t time, bool *any)
{
	const struct loaded_code *all = history->all.data, *last = NULL;

	for (size_t i = sorted_count(all, history->all.len, .start <= address);
		i-- && address - all[i].start <= history->longest;) {
		if (address >= all[i].end)
			continue;
		if (all[i].came > time)
			*any = true;
		else if (!last || comes_before(last, &all[i]))
			last = &all[i];
	}
	return last;
}

bool code_history_choose(const struct code_history *history, uint64_t address,
	const struct sample_time *time, struct code_choice *ret)
{
	bool later = false, ignored;
	const struct loaded_code *last = last_at(history, address, time->to, &later);

	*ret = (struct code_choice){.later = !last && later};
	if (!last)
		return later;
	ret->number = last->number;
	ret->over = last->gone && last->gone < time->ended;
	/* go back to the code that was there at first */
	for (const struct loaded_code *code = last; code && code->came > time->from;) {
		const struct loaded_code *before =
			last_at(history, address, code->came - 1, &ignored);

		if (before ? strcmp(before->name, last->name) != 0 : code->forgotten) {
			ret->other = before ? before->number : last->number;
			break;
		}
		code = before;
	}
	return true;
}

const struct loaded_code *code_history_find(
	const struct code_history *history, uint64_t address, uint64_t number)
{
	const struct loaded_code *all = history->all.data;

	for (size_t i = sorted_count(all, history->all.len, .start <= address);
		i-- && address - all[i].start <= history->longest;)
		if (all[i].number == number)
			return &all[i];
	return NULL;
}

/* ---- forgetting ----------------------------------------------------------------------------- */

static void remove_marked(struct code_history *history)
{
	size_t kept = 0;

	vec_each(code, &history->all) {
		if (code->number) {
			history->all.data[kept++] = *code;
			continue;
		}
		history->n_gone -= code->gone != 0;
		free(code->name);
	}
	history->all.len = kept;
}

size_t code_history_prune(struct code_history *history, uint64_t settled, uint64_t horizon)
{
	struct loaded_code *all = history->all.data;
	size_t left = 0;

	vec_each(code, &history->all) {
		struct loaded_code *next = NULL; /* covers all of CODE and replaced it in time */

		if (!code->gone || code->gone >= horizon)
			continue;
		for (size_t i = sorted_count(all, history->all.len, .start <= code->start);
			!next && i-- && code->start - all[i].start <= history->longest;)
			if (all[i].number && &all[i] != code && all[i].end >= code->end &&
				all[i].came <= horizon && comes_before(code, &all[i]))
				next = &all[i];
		if (next)
			next->forgotten = true;
		if (next || code->seq <= settled)
			code->number = 0;
		else
			left++;
	}
	remove_marked(history);
	return left;
}

void code_history_forget(struct code_history *history, uint64_t seq)
{
	vec_each(code, &history->all)
		if (code->seq <= seq)
			code->number = 0;
	remove_marked(history);
}
