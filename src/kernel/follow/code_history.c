// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/code_history.h"

#include <string.h>

#include "util/vec.h"
#include "util/xalloc.h"

enum { LIVES_MAX = 1 << 16 };

void code_history_deinit(struct code_history *history)
{
	for (size_t i = 0; i < history->all.len; i++)
		free(history->all.data[i].name);
	vec_deinit(&history->all);
	*history = (struct code_history){};
}

/* ---- adding --------------------------------------------------------------------------------- */

static bool is_life_of(const struct code_life *life, const struct ksymbol_event *event)
{
	return life->start == event->start && life->end == event->end &&
	       !strcmp(life->name, event->name);
}

/* Returns the position for code that starts at START and was loaded at the time CAME. */
static size_t position(const struct code_history *history, uint64_t start, uint64_t came)
{
	const struct code_life *all = history->all.data;
	size_t at = sorted_count(all, history->all.len, .start < start);

	while (at < history->all.len && all[at].start == start && all[at].came <= came)
		at++;
	return at;
}

static bool insert(struct code_history *history, const struct ksymbol_event *event, uint64_t seq)
{
	uint64_t came = event->gone ? 0 : event->time;
	size_t at = position(history, event->start, came);

	if (history->all.len == LIVES_MAX)
		return false;
	vec_reserve(&history->all, 1);
	struct code_life *life = history->all.data + at;
	memmove(life + 1, life, (history->all.len++ - at) * sizeof(*life));
	*life = (struct code_life){.start = event->start,
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

/*
 * Finds the entry that EVENT completes. On different CPUs, the report of an unload may be read
 * before the report of the load.
 */
static struct code_life *other_half(struct code_history *history, const struct ksymbol_event *event)
{
	struct code_life *all = history->all.data;

	for (size_t i = position(history, event->start, event->time);
		i-- && all[i].start == event->start;)
		if (is_life_of(&all[i], event) &&
			(event->gone ? !all[i].gone : !all[i].came && all[i].gone > event->time))
			return &all[i];
	return NULL;
}

bool code_history_add(struct code_history *history, const struct ksymbol_event *event, uint64_t seq)
{
	struct code_life *life = other_half(history, event);

	if (!life)
		return insert(history, event, seq);
	life->seq = seq;
	if (event->gone) {
		life->gone = event->time;
		history->n_gone++;
		return true;
	}
	const struct code_life moved = *life;
	size_t at = (size_t)(life - history->all.data),
	       to = position(history, moved.start, event->time) - 1;
	memmove(life, life + 1, (to - at) * sizeof(*life));
	history->all.data[to] = moved;
	history->all.data[to].came = event->time;
	return true;
}

/* ---- queries -------------------------------------------------------------------------------- */

/*
 * Returns true if A was loaded before B. Both cover an address in common, so A was unloaded by
 * then.
 */
static bool comes_before(const struct code_life *a, const struct code_life *b)
{
	return a->came != b->came ? a->came < b->came : a->number < b->number;
}

/*
 * Returns the last code at ADDRESS that was loaded up to TIME. Sets ANY if there is code loaded
 * later.
 */
static const struct code_life *last_at(
	const struct code_history *history, uint64_t address, uint64_t time, bool *any)
{
	const struct code_life *all = history->all.data, *last = NULL;

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

/*
 * Goes back from LAST to the code that was there at the time FROM. Returns the number of code with
 * another name, LAST's own number if there may have been unknown code, or 0.
 */
static uint64_t other_than(const struct code_history *history, uint64_t address, uint64_t from,
	const struct code_life *last)
{
	bool ignored;

	for (const struct code_life *life = last; life && life->came > from;) {
		const struct code_life *before =
			last_at(history, address, life->came - 1, &ignored);

		if (before ? strcmp(before->name, last->name) != 0 : life->forgotten)
			return before ? before->number : last->number;
		life = before;
	}
	return 0;
}

bool code_history_choose(const struct code_history *history, uint64_t address,
	const struct sample_time *time, struct code_choice *ret)
{
	bool later = false;
	const struct code_life *last = last_at(history, address, time->to, &later);

	*ret = (struct code_choice){.later = !last && later};
	if (last) {
		ret->number = last->number;
		ret->over = last->gone && last->gone < time->ended;
		ret->other = other_than(history, address, time->from, last);
	}
	return last || later;
}

const struct code_life *code_history_life(
	const struct code_history *history, uint64_t address, uint64_t number)
{
	const struct code_life *all = history->all.data;

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

	vec_each(life, &history->all) {
		if (life->number) {
			history->all.data[kept++] = *life;
			continue;
		}
		history->n_gone -= life->gone != 0;
		free(life->name);
	}
	history->all.len = kept;
}

/* Returns the code that covers all of LIFE and replaced it up to HORIZON, or NULL. */
static struct code_life *successor(
	struct code_history *history, const struct code_life *life, uint64_t horizon)
{
	struct code_life *all = history->all.data;

	for (size_t i = sorted_count(all, history->all.len, .start <= life->start);
		i-- && life->start - all[i].start <= history->longest;)
		if (all[i].number && &all[i] != life && all[i].end >= life->end &&
			all[i].came <= horizon && comes_before(life, &all[i]))
			return &all[i];
	return NULL;
}

size_t code_history_prune(struct code_history *history, uint64_t settled, uint64_t horizon)
{
	size_t left = 0;

	vec_each(life, &history->all) {
		if (!life->gone || life->gone >= horizon)
			continue;
		struct code_life *next = successor(history, life, horizon);
		if (next)
			next->forgotten = true;
		if (next || life->seq <= settled)
			life->number = 0;
		else
			left++;
	}
	remove_marked(history);
	return left;
}

void code_history_forget(struct code_history *history, uint64_t seq)
{
	for (size_t i = 0; i < history->all.len; i++)
		if (history->all.data[i].seq <= seq)
			history->all.data[i].number = 0;
	remove_marked(history);
}
