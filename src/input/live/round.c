// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/round.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/live/type.h"
#include "util/cleanup.h"
#include "util/number.h"
#include "util/xalloc.h"

enum {
	TAKE_MAX = 4096,	 /* entries per batch */
	TRIES = 100,		 /* attempts at an entry whose bucket is locked */
	MEMORY_SPARE = 32 << 20, /* bytes that the output of a batch may need */
	ID_END = 1 << 26,	 /* limit on tracked stack IDs: a bit each; larger ones are kept */
};

/* ---- what is held --------------------------------------------------------------------------- */

static void held_destroy(struct live_held *held)
{
	vec_deinit(&held->keys);
	vec_deinit(&held->values);
	vec_deinit(&held->changed);
	table_deinit(&held->numbers);
	free(held);
}

void live_round_clear(struct live *live)
{
	vec_destroy(&live->held, held_destroy);
}

void live_look_up_now(struct live *live, struct collector *collector)
{
	free(live->stacks.value);
	live_stacks_init(&live->maps, &live->stacks);
	collector_live_stacks(collector, &(struct join_live){live_stacks_find, &live->stacks});
}

static uint8_t *value_at(const struct live_held *held, size_t i)
{
	return held->values.data + i * live_map_value_bytes(held->map);
}

static const uint8_t *key_at(const struct live_held *held, size_t i)
{
	return held->map->key_size ? held->keys.data + i * held->map->key_size : NULL;
}

void live_held_add(struct live_held *held, const uint8_t *key, const uint8_t *value)
{
	bool stacks = held->map->kind == LIVE_STACKS;
	size_t key_size = held->map->key_size;
	uint64_t *number = stacks ? NULL : table_at(&held->numbers, key, key_size, NULL);

	if (number && *number) {
		memcpy(value_at(held, *number - 1), value, live_map_value_bytes(held->map));
		return;
	}
	vec_append(&held->keys, key, key_size);
	vec_append(&held->values, value, stacks ? 0 : live_map_value_bytes(held->map));
	held->n++;
	if (number)
		*number = held->n;
}

/* ---- taking entries ------------------------------------------------------------------------- */

/*
 * Reads and deletes an entry, or zeroes an array element. Returns 0 or an errno. There is no atomic
 * call for array elements, and before Linux 5.14 none for hashes: what is counted between the two
 * calls is lost.
 */
static int take_once(const struct live_map *map, const uint8_t *key, uint8_t *value)
{
	if (map->is_array) {
		auto_free uint8_t *zero = xcalloc(1, live_map_value_bytes(map));

		return bpf_map_lookup_elem(map->fd, key, value) ||
				       bpf_map_update_elem(map->fd, key, zero, BPF_ANY)
			       ? errno
			       : 0;
	}
	if (!bpf_map_lookup_and_delete_elem(map->fd, key, value))
		return 0;
	if (!live_not_supported(errno))
		return errno;
	if (bpf_map_lookup_elem(map->fd, key, value) || bpf_map_delete_elem(map->fd, key))
		return errno;
	return 0;
}

/* Fails if memory may not suffice to print a batch that was deleted. */
static struct error *check_memory(const struct live_held *held)
{
	void *spare = mmap(
		NULL, MEMORY_SPARE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (spare == MAP_FAILED)
		return error_errno(ENOMEM, "%s: nothing more is deleted", held->map->label);
	munmap(spare, MEMORY_SPARE);
	return NULL;
}

/*
 * Deletes the next entries, at most TAKE_MAX, and updates their values in HELD to those that they
 * had then. Array elements are set to zero. The error says how many entries are left.
 */
static struct error *take_batch(struct live_held *held)
{
	size_t size = live_map_value_bytes(held->map);
	auto_free uint8_t *value = xmalloc(size);
	size_t end = held->n - held->done < TAKE_MAX ? held->n : held->done + TAKE_MAX;

	held->changed.len = 0;
	vec_reserve(&held->changed, TAKE_MAX);
	try(check_memory(held));
	for (; held->done < end; held->done++) {
		size_t i = held->done;
		int errnum, tries = TRIES;

		do
			errnum = take_once(held->map, key_at(held, i), value);
		while ((errnum == EBUSY || errnum == EAGAIN || errnum == EINTR) && --tries);
		if (errnum == ENOENT)
			continue;
		if (errnum)
			return error_errno(errnum,
				"%s: cannot delete its entries: %zu printed but not deleted",
				held->map->label, held->n - held->done);
		if (!memcmp(value, value_at(held, i), size))
			continue;
		memcpy(value_at(held, i), value, size);
		vec_push(&held->changed, i);
	}
	return NULL;
}

/* Moves up to TAKE_MAX entries from a queue or stack to HELD, where they begin at `done`. */
static struct error *take_from_queue(struct live_held *held)
{
	size_t size = live_map_value_bytes(held->map), end = held->n + TAKE_MAX;

	held->done = held->n;
	vec_reserve(&held->values, TAKE_MAX * size);
	try(check_memory(held));
	for (; held->n < end; held->n++, held->values.len += size)
		if (bpf_map_lookup_and_delete_elem(
			    held->map->fd, NULL, held->values.data + held->values.len))
			break;
	if (held->n > held->done || errno == ENOENT)
		return NULL;
	return error_errno(errno, "%s: cannot read it", held->map->label);
}

/* ---- printing what was added meanwhile ------------------------------------------------------- */

/* What to delete, and where to print what was added since it was read. */
struct taking {
	struct live *live;
	struct collector *collector;
	struct input_sink *sink;
	bool changed; /* something was added: the dump differs from what was deleted */
};

static struct error *persist(const struct taking *taking)
{
	try(collector_flush(taking->collector));
	return taking->sink->persist(taking->sink->context);
}

/*
 * Passes on what was added to entry I since it was read. If other fields of the entry changed, that
 * is unknown: nothing is passed on, and the entry is put back into its map. An array's element
 * would replace what the program wrote since, so a warning says that it is left out.
 */
static struct error *give_change(
	struct taking *taking, struct live_held *held, const struct live_shape *shape, size_t i)
{
	size_t room = live_shape_room(shape), n = held->map->n_cpus;
	auto_free struct field *fields = xcalloc(n * room + 1, sizeof(*fields));
	auto_free struct row *records = xcalloc(n, sizeof(*records));
	auto_free struct map_entry *entries = xcalloc(n, sizeof(*entries));
	const struct live_map *map = held->map;
	bool other;

	for (size_t cpu = 0; cpu < n; cpu++) {
		const uint8_t *key = key_at(held, i);
		const uint8_t *value = value_at(held, i) + cpu * map->stride;
		struct field *own = fields + cpu * room;

		entries[cpu] = live_shape_entry(shape, key, value, map->per_cpu ? (int)cpu : -1,
			live_shape_key(shape, key, own), own, &records[cpu]);
	}
	try(collector_changed(taking->collector, map->label, entries, n, &other));
	if (!other)
		return NULL;
	/* BPF_NOEXIST: the program may have added the key again */
	if (!map->is_array)
		(void)bpf_map_update_elem(map->fd, key_at(held, i), value_at(held, i), BPF_NOEXIST);
	else
		log_add(taking->live->log, LOG_WARNING, 1,
			"%s: the stack of an element changed after it was read: its count since "
			"then is left out (--save-dump keeps it)",
			map->label);
	return NULL;
}

static struct error *give_changes(
	struct taking *taking, struct live_held *held, const struct live_shape *shape)
{
	vec_each_value(i, &held->changed)
		try(give_change(taking, held, shape, i));
	if (!held->changed.len)
		return NULL;
	taking->changed = true;
	return persist(taking);
}

static struct error *take_map(struct taking *taking, struct live_held *held)
{
	scope_guard(live_shape_deinit) struct live_shape shape = {};

	try(live_shape_find(held->map, taking->live->wanted, &shape));
	while (held->done < held->n) {
		struct error *error = take_batch(held);

		try(error_first(error, give_changes(taking, held, &shape)));
	}
	return NULL;
}

/* Returns true if a signal to stop is pending: it is blocked until what was taken is printed. */
static bool is_interrupted(void)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT};
	sigset_t pending;

	if (sigpending(&pending))
		return false;
	array_each(signal, signals, array_len(signals))
		if (sigismember(&pending, *signal) == 1)
			return true;
	return false;
}

/*
 * Takes and prints the entries of a queue. Their stacks are looked up now, because they may have
 * been added since the stack maps were read. LEFT ends the loop if the queue is filled faster than
 * it is emptied.
 */
static struct error *take_queue(struct taking *taking, struct live_held *held)
{
	uint64_t left = 2 * (uint64_t)held->map->max_entries + 1024;

	live_look_up_now(taking->live, taking->collector);
	while (left && !is_interrupted()) {
		if (!taking->live->options->save)
			held->n = held->values.len = 0;
		try(take_from_queue(held));
		size_t n = held->n - held->done;
		if (!n)
			return NULL;
		taking->changed = true;
		auto_free struct map_entry *entries = xcalloc(n, sizeof(*entries));
		for (size_t i = 0; i < n; i++)
			entries[i] = (struct map_entry){.value = value_at(held, held->done + i),
				.value_len = held->map->value_size,
				.cpu = -1};
		try(collector_taken(taking->collector, held->map->label, entries, n));
		try(persist(taking));
		left -= n < left ? n : left;
	}
	return NULL;
}

/*
 * Returns true if MAP was used in this round or an earlier one: in later rounds, all stacks to
 * which it refers may be missing, because they were deleted after the program got their IDs and
 * before it counted them.
 */
static bool is_used(const struct taking *taking, const struct live_map *map)
{
	struct table *used = &taking->live->used;

	if (!collector_used(taking->collector, map->label))
		return table_find(used, &map->id, sizeof(map->id));
	*table_at(used, &map->id, sizeof(map->id), NULL) = 1;
	return true;
}

static struct error *take_all(struct taking *taking)
{
	vec_each_value(held, &taking->live->held) {
		if (held->map->kind == LIVE_STACKS)
			continue;
		if (!is_used(taking, held->map))
			log_add(taking->live->log,
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

/* ---- stacks --------------------------------------------------------------------------------- */

/* The set of the stack IDs to which counts still refer. */
struct named {
	uint8_t *bits;		    /* one bit per ID */
	uint32_t end;		    /* IDs below it have a bit */
	const struct live_map *map; /* the map being read */
};

static void named_cleanup(struct named *named)
{
	free(named->bits);
}

/* Adds every number, at any byte offset, that could be an ID: the layout does not matter. */
static void add_numbers(struct named *named, const uint8_t *bytes, size_t len)
{
	for (size_t i = 0; i + sizeof(uint32_t) <= len; i++) {
		uint32_t id = load_u32(bytes + i);

		if (id < named->end)
			named->bits[id / 8] |= (uint8_t)(1 << id % 8);
	}
}

static void add_entry(void *context, const uint8_t *key, const uint8_t *value)
{
	struct named *named = context;
	const struct live_map *map = named->map;

	add_numbers(named, key, map->key_size);
	for (size_t i = 0; i < map->n_cpus; i++)
		add_numbers(named, value + i * map->stride, map->value_size);
}

/* Deletes the stacks to which no count refers. */
static struct error *clear_stacks(const struct taking *taking)
{
	const struct live *live = taking->live;
	scope_guard(named_cleanup) struct named named = {};
	struct live_entries entries = {.entry = add_entry, .context = &named};
	struct error *error = NULL;
	uint64_t kept = 0;

	vec_each_value(held, &live->held) {
		const struct live_map *map = held->map;
		uint64_t end = live_fill_power_of_two(map->max_entries);

		if (map->kind == LIVE_STACKS && end > named.end)
			named.end = end < ID_END ? (uint32_t)end : ID_END;
	}
	named.bits = xcalloc(1, named.end / 8 + 1);
	vec_each(map, &live->maps) {
		named.map = map;
		if (map->kind == LIVE_COUNTS)
			try(live_entries_read(map, &entries));
	}
	vec_each_value(held, &live->held) {
		if (error || held->map->kind != LIVE_STACKS || !is_used(taking, held->map))
			continue;
		for (size_t i = 0; !error && i < held->n; i++) {
			uint32_t id = load_u32(key_at(held, i));

			if (id >= named.end || named.bits[id / 8] >> id % 8 & 1)
				kept++;
			else if (bpf_map_delete_elem(held->map->fd, &id) && errno != ENOENT)
				error = error_errno(errno, "%s: cannot clear it", held->map->label);
		}
	}
	log_add(live->log, LOG_DETAIL, kept, "a stack is kept, because newer entries refer to it");
	return error;
}

/* ---- the dump again ------------------------------------------------------------------------- */

/* Writes the entries that were deleted from MAP. Stacks are still in MAP, and read from there. */
static struct error *dump_map(struct live *live, const struct live_map *map, struct live_dump *dump)
{
	scope_guard(live_shape_deinit) struct live_shape shape = {};
	struct live_entries entries = {.entry = live_dump_entry, .context = dump};
	const struct live_held *held = NULL;
	struct error *error = NULL;

	vec_each_value(one, &live->held)
		if (one->map == map && map->kind != LIVE_STACKS)
			held = one;
	try(live_shape_find(map, live->wanted, &shape));
	live_dump_map(dump, &shape);
	for (size_t i = 0; held && i < held->n; i++)
		live_dump_entry(dump, key_at(held, i), value_at(held, i));
	if (!held)
		error = live_entries_read(map, &entries);
	live_dump_map_end(dump);
	return error;
}

/* Replaces the dump, which was written before anything was deleted. */
static struct error *dump_again(struct live *live)
{
	FILE *file = live->options->save;
	struct error *error = NULL;
	struct live_dump dump;

	live->saved = false;
	rewind(file);
	live_dump_begin(&dump, file);
	vec_each(map, &live->maps)
		if (!error && map->kind != LIVE_MAPS)
			error = dump_map(live, map, &dump);
	error = error_first(error, live_dump_end(&dump));
	if (!error && (fflush(file) || ftruncate(fileno(file), ftello(file))))
		error = error_errno(errno, "cannot write the dump");
	live->saved = !error;
	return error;
}

struct error *live_clear(
	struct live *live, struct collector *collector, struct input_sink *sink, bool *saved_ret)
{
	struct taking taking = {live, collector, sink, false};

	try(persist(&taking));
	struct error *error = take_all(&taking);
	if (taking.changed && live->options->save)
		error = error_first(error, dump_again(live));
	/* the stack IDs in a queue cannot be read without taking its entries */
	bool has_queue = false;
	vec_each(map, &live->maps)
		has_queue |= map->is_queue;
	if (!error && !has_queue)
		error = clear_stacks(&taking);
	collector_live_stacks(collector, &(struct join_live){});
	collector_report(collector);
	live_round_clear(live);
	*saved_ret = live->saved;
	return error;
}
