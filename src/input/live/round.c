// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/round.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <unistd.h>

#include "input/live/entries.h"
#include "input/live/shape.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

void live_round_clear(struct live_round *round)
{
	for (size_t i = 0; i < round->held.len; i++) {
		live_held_deinit(round->held.data[i]);
		free(round->held.data[i]);
	}
	round->held.len = 0;
	live_clear_deinit(&round->clear);
}

void live_round_deinit(struct live_round *round)
{
	live_round_clear(round);
	vec_deinit(&round->held);
	table_deinit(&round->used);
}

struct live_held *live_round_hold(struct live_round *round, const struct live_map *map)
{
	struct live_held *held = xcalloc(1, sizeof(*held));

	held->map = map;
	vec_push(&round->held, held);
	return held;
}

struct error *live_round_end_dump(struct live_round *round, struct live_dump *dump)
{
	live_dump_end(dump);
	round->saved = dump->file && !dump->errnum;
	return dump->errnum ? error_errno(dump->errnum, "cannot write the dump") : NULL;
}

/* What is to be deleted, and who prints what came since it was read. */
struct taking {
	struct live_round *round;
	struct live_stacks *stacks;
	struct collector *collector;
	struct error *(*persist)(void *context);
	void *context;
	bool changed; /* something came: the dump is not what was deleted */
};

/* Gives what was added to entry I since it was read; what cannot be told apart stays where it was. */
static struct error *give_change(
	struct taking *taking, struct live_held *held, const struct live_shape *shape, size_t i)
{
	size_t room = live_shape_room(shape), n = held->n_cpus;
	auto_free struct field *fields = xcalloc(n * room + 1, sizeof(*fields));
	auto_free struct row *records = xcalloc(n, sizeof(*records));
	auto_free struct map_entry *entries = xcalloc(n, sizeof(*entries));
	const struct live_map *map = held->map;
	bool other;

	for (size_t cpu = 0; cpu < n; cpu++) {
		const uint8_t *key = live_held_key(held, i);
		const uint8_t *value = live_held_value(held, i) + cpu * held->stride;
		struct field *own = fields + cpu * room;

		entries[cpu] = live_shape_entry(shape, key, value, map->per_cpu ? (int)cpu : -1,
			live_shape_key(shape, key, own), own, &records[cpu]);
	}
	try(collector_changed(taking->collector, map->label, entries, n, &other));
	if (other)
		live_take_back(held, i);
	return NULL;
}

static struct error *give_changes(
	struct taking *taking, struct live_held *held, const struct live_shape *shape)
{
	for (size_t i = 0; i < held->changed.len; i++)
		try(give_change(taking, held, shape, held->changed.data[i]));
	if (!held->changed.len)
		return NULL;
	taking->changed = true;
	return taking->persist(taking->context);
}

static struct error *take_map(struct taking *taking, struct live_held *held)
{
	scope_guard(live_shape_deinit) struct live_shape shape = {};

	try(live_shape_find(held->map, taking->round->wanted, &shape));
	while (held->done < held->n) {
		struct error *error = live_take_batch(held);

		try(error_first(error, give_changes(taking, held, &shape)));
	}
	return NULL;
}

/* Ctrl-C and the like wait until what was taken is printed. */
static bool is_interrupted(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t pending;

	if (sigpending(&pending))
		return false;
	for (size_t i = 0; i < array_len(signals); i++)
		if (sigismember(&pending, signals[i]) == 1)
			return true;
	return false;
}

static struct error *give_taken(struct taking *taking, struct live_held *held)
{
	size_t n = held->n - held->done;
	auto_free struct map_entry *entries = xcalloc(n + 1, sizeof(*entries));

	for (size_t i = 0; i < n; i++) {
		entries[i] = (struct map_entry){.value = live_held_value(held, held->done + i),
			.value_len = held->map->value_size,
			.cpu = -1};
	}
	try(collector_taken(taking->collector, held->map->label, entries, n));
	return taking->persist(taking->context);
}

/*
 * What is taken may name stacks that came since the stack maps were read. A queue that is filled
 * faster than it is emptied must have an end, too: what it can hold, and what came meanwhile.
 */
static struct error *take_queue(struct taking *taking, struct live_held *held)
{
	uint64_t left = 2 * (uint64_t)held->map->max_entries + 1024;

	live_stacks_deinit(taking->stacks);
	live_stacks_init(taking->round->maps, taking->stacks);
	collector_live_stacks(
		taking->collector, &(struct join_live){live_stacks_find, taking->stacks});
	while (left && !is_interrupted()) {
		if (!taking->round->options->save)
			held->n = held->values.len = 0;
		try(live_take_queue(held));
		size_t n = held->n - held->done;
		if (!n)
			return NULL;
		taking->changed = true;
		try(give_taken(taking, held));
		left -= n < left ? n : left;
	}
	return NULL;
}

/*
 * Whether counts and stacks belong together, as a round has shown: in a later one the stacks of all
 * entries may be missing, since they were deleted between their look-up and their counting.
 */
static bool is_used(const struct taking *taking, const struct live_map *map)
{
	struct table *used = &taking->round->used;

	if (!collector_used(taking->collector, map->label))
		return table_find(used, &map->id, sizeof(map->id));
	*table_at(used, &map->id, sizeof(map->id), NULL) = 1;
	return true;
}

static struct error *take_all(struct taking *taking)
{
	for (size_t i = 0; i < taking->round->held.len; i++) {
		struct live_held *held = taking->round->held.data[i];

		if (!is_used(taking, held->map))
			log_add(taking->round->log,
				held->n && !held->map->automatic ? LOG_WARNING : LOG_DETAIL, 1,
				"%s: not used, or none of its stacks was found: nothing is deleted "
				"from it",
				held->map->label);
		else
			try(held->map->is_queue ? take_queue(taking, held)
						: take_map(taking, held));
	}
	return NULL;
}

/* Which stacks the entries of a queue name cannot be seen before they are taken. */
static bool has_queue(const struct live_maps *maps)
{
	for (size_t i = 0; i < maps->all.len; i++)
		if (maps->all.data[i].is_queue)
			return true;
	return false;
}

static struct error *clear_stacks(const struct taking *taking)
{
	struct live_round *round = taking->round;
	scope_guard(live_clear_deinit) struct live_clear used = {};
	uint64_t kept = 0;

	for (size_t i = 0; i < round->clear.stacks.len; i++)
		if (is_used(taking, round->clear.stacks.data[i].map))
			vec_push(&used.stacks, round->clear.stacks.data[i]);
	struct error *error = live_clear_stacks(&used, round->maps, &kept);
	log_add(round->log, LOG_DETAIL, kept,
		"a stack is kept: what was counted since refers "
		"to it");
	return error;
}

struct dumping {
	struct live_dump *dump;
	struct live_entries entries;
};

static void dump_entry(void *context, const uint8_t *key, const uint8_t *value)
{
	const struct dumping *dumping = context;

	live_dump_entry(
		dumping->dump, key, value, dumping->entries.n_cpus, dumping->entries.stride);
}

static struct live_held *find_held(const struct live_round *round, const struct live_map *map)
{
	for (size_t i = 0; i < round->held.len; i++)
		if (round->held.data[i]->map == map)
			return round->held.data[i];
	return NULL;
}

/* What was deleted is here; stacks are still in their maps. */
static struct error *dump_map(
	struct live_round *round, const struct live_map *map, struct live_dump *dump)
{
	scope_guard(live_shape_deinit) struct live_shape shape = {};
	struct dumping dumping = {.dump = dump};
	const struct live_held *held = find_held(round, map);
	struct error *error = NULL;

	dumping.entries = (struct live_entries){.entry = dump_entry, .context = &dumping};
	try(live_shape_find(map, round->wanted, &shape));
	live_dump_map(dump, &shape);
	for (size_t i = 0; held && i < held->n; i++)
		live_dump_entry(dump, live_held_key(held, i), live_held_value(held, i),
			held->n_cpus, held->stride);
	if (!held)
		error = live_entries_read(map, &dumping.entries);
	live_dump_map_end(dump);
	return error;
}

/* In the place of what was written before anything was deleted. */
static struct error *dump_again(struct live_round *round)
{
	FILE *file = round->options->save;
	struct error *error = NULL;
	struct live_dump dump;

	round->saved = false;
	rewind(file);
	live_dump_begin(&dump, file);
	for (size_t i = 0; !error && i < round->maps->all.len; i++)
		if (round->maps->all.data[i].kind != LIVE_MAPS)
			error = dump_map(round, &round->maps->all.data[i], &dump);
	error = error_first(error, live_round_end_dump(round, &dump));
	if (!error && (fflush(file) || ftruncate(fileno(file), ftello(file))))
		error = error_errno(errno, "cannot write the dump");
	round->saved = !error;
	return error;
}

struct error *live_round_delete(struct live_round *round, struct live_stacks *stacks,
	struct collector *collector, struct error *(*persist)(void *context), void *context)
{
	struct taking taking = {round, stacks, collector, persist, context, false};
	struct error *error = take_all(&taking);

	if (taking.changed && round->options->save)
		error = error_first(error, dump_again(round));
	if (!error && !has_queue(round->maps))
		error = clear_stacks(&taking);
	collector_live_stacks(collector, &(struct join_live){});
	collector_report(collector);
	live_round_clear(round);
	return error;
}
