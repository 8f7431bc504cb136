// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/entries.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "input/bpftool/entry.h"
#include "input/stacks/stack_store.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

enum {
	KERNEL_ENOTSUPP = 524,	   /* ENOTSUPP of the kernel's errno.h, not in ours */
	BATCH_BYTES = 1 << 20,	   /* bytes of values per batch */
	BATCH_MIN = 64,		   /* entries per batch: more than a bucket usually has */
	BATCH_MAX = 64 << 20,	   /* bytes of values per batch, if a bucket is large */
	TRIES = 100,		   /* attempts at an interrupted batch */
	CPUS_BYTES_MAX = 64 << 20, /* bytes of one entry's values on all CPUs */
};

struct entries_reader {
	const struct live_map *map;
	struct live_entries *entries;
	size_t value_bytes; /* of one entry, on all CPUs */
	uint8_t *keys, *values;
	size_t room; /* number of entries that fit in KEYS and in VALUES */
};

static void reader_cleanup(struct entries_reader *reader)
{
	free(reader->keys);
	free(reader->values);
}

static void make_room(struct entries_reader *reader, size_t n)
{
	reader->keys = xreallocarray(reader->keys, n, reader->map->key_size);
	reader->values = xreallocarray(reader->values, n, reader->value_bytes);
	reader->room = n;
}

static void give(struct entries_reader *reader, size_t i)
{
	const uint8_t *value = reader->values + i * reader->value_bytes;

	if (reader->map->is_array && scan_is_zero(value, reader->value_bytes))
		return;
	reader->entries->entry(
		reader->entries->context, reader->keys + i * reader->map->key_size, value);
}

bool live_not_supported(int errnum)
{
	return errnum == EINVAL || errnum == EOPNOTSUPP || errnum == KERNEL_ENOTSUPP;
}

static struct error *cannot(const struct entries_reader *reader, int errnum, const char *what)
{
	const char *label = reader->map->label;

	if (errnum != EPERM)
		return error_errno(errnum, "%s: cannot %s it", label, what);
	if (reader->map->flags & BPF_F_WRONLY)
		return error_create(
			ERROR_SYSTEM, "%s: created with BPF_F_WRONLY: it cannot be read", label);
	return error_create(ERROR_SYSTEM, "%s: no permission to read it: run as root", label);
}

/* ---- many at a time ---- */

struct batch_state {
	uint8_t *at, *next; /* starts of this and the next batch: a bucket (4 bytes) or a key */
	bool begun;
	unsigned int tries;
};

static void batch_cleanup(struct batch_state *state)
{
	free(state->at);
	free(state->next);
}

/*
 * Reads a batch of up to reader->room entries. Returns 0, ENOENT with the last batch, or another
 * errno. Unless it failed otherwise, N_RET is the number of entries read.
 */
static int lookup_batch(struct entries_reader *reader, struct batch_state *state, uint32_t *n_ret)
{
	void *at = state->begun ? state->at : NULL;

	*n_ret = (uint32_t)reader->room;
	errno = 0;
	return bpf_map_lookup_batch(
		       reader->map->fd, at, state->next, reader->keys, reader->values, n_ret, NULL)
		       ? errno
		       : 0;
}

/* Returns false if the batch that failed with ERRNUM should be retried; otherwise sets RET. */
static bool batch_failed(
	struct entries_reader *reader, struct batch_state *state, int errnum, struct error **ret)
{
	size_t more = reader->room * 2;

	if (errnum == ENOSPC && more * reader->value_bytes <= BATCH_MAX) {
		make_room(reader, more); /* the entries of a bucket did not fit */
		return false;
	}
	if ((errnum == EINTR || errnum == EAGAIN) && ++state->tries < TRIES)
		return false;
	*ret = cannot(reader, errnum, "read");
	return true;
}

/*
 * Returns true if batches give each key at most once. Batches of a hash are whole buckets, each
 * copied under its lock, and a key never changes its bucket (kernel/bpf/hashtab.c,
 * __htab_map_lookup_and_delete_batch()). Batches of other maps step from key to key.
 */
static bool batches_are_distinct(const struct live_map *map)
{
	return map->type == BPF_MAP_TYPE_HASH || map->type == BPF_MAP_TYPE_LRU_HASH ||
	       map->type == BPF_MAP_TYPE_PERCPU_HASH || map->type == BPF_MAP_TYPE_LRU_PERCPU_HASH;
}

/* Reads MAP in batches. Does not set RET_DONE, and reads nothing, if they are not supported. */
static struct error *read_batches(struct entries_reader *reader, bool *ret_done)
{
	size_t cursor = reader->map->key_size > 4 ? reader->map->key_size : 4;
	scope_guard(batch_cleanup) struct batch_state state = {
		.at = xcalloc(1, cursor), .next = xcalloc(1, cursor)};
	struct error *error = NULL;

	for (;;) {
		uint32_t n;
		int errnum = lookup_batch(reader, &state, &n);

		if (live_not_supported(errnum) && !state.begun)
			return NULL;
		*ret_done = true;
		reader->entries->distinct = batches_are_distinct(reader->map);
		if (errnum && errnum != ENOENT) {
			if (batch_failed(reader, &state, errnum, &error))
				return error;
			continue;
		}
		for (size_t i = 0; i < n && i < reader->room; i++)
			give(reader, i);
		if (errnum == ENOENT) /* the end */
			return NULL;
		memcpy(state.at, state.next, cursor);
		state.begun = true;
		state.tries = 0;
	}
}

/* ---- one by one ---- */

/*
 * Looks up the stack ID after KEY and stores the ID in NEXT. Returns false if it is not in use. It
 * usually is, which saves asking the kernel for the next key.
 */
static bool next_of_stacks(struct entries_reader *reader, const uint8_t *key, uint8_t *next)
{
	uint32_t id;

	memcpy(&id, key, sizeof(id));
	id++;
	memcpy(next, &id, sizeof(id));
	return !bpf_map_lookup_elem(reader->map->fd, next, reader->values);
}

static int look_up(struct entries_reader *reader)
{
	if (!bpf_map_lookup_elem(reader->map->fd, reader->keys, reader->values))
		give(reader, 0);
	else if (errno == ENOENT)
		reader->entries->vanished++;
	else
		return errno;
	return 0;
}

/*
 * Reads the map key by key. If the last key has vanished, the kernel starts over. Repeated keys do
 * no harm, but STEPS must bound the loop.
 */
static struct error *read_keys(struct entries_reader *reader)
{
	bool stacks = reader->map->kind == LIVE_STACKS;
	uint64_t steps = 4 * (uint64_t)reader->map->max_entries + 1024;
	int fd = reader->map->fd, failed = 0;
	uint32_t next = UINT32_MAX;

	if (stacks && live_walk_pays(reader->map, reader->values))
		failed = live_walk(reader->map, reader->entries, &next);
	if (failed)
		return cannot(reader, failed, "read");
	/* after live_walk() only stacks that were added meanwhile are left */
	failed = bpf_map_get_next_key(fd, next == UINT32_MAX ? NULL : &next, reader->keys);
	while (!failed && --steps) {
		int errnum = look_up(reader);

		if (errnum)
			return cannot(reader, errnum, "read");
		while (stacks && next_of_stacks(reader, reader->keys, (uint8_t *)&next) &&
			--steps) {
			memcpy(reader->keys, &next, sizeof(next));
			give(reader, 0);
		}
		failed = bpf_map_get_next_key(fd, reader->keys, reader->keys);
	}
	return failed && errno != ENOENT ? cannot(reader, errno, "read") : NULL;
}

/* ---- both ---- */

static struct error *peek_queue(struct entries_reader *reader)
{
	if (!bpf_map_lookup_elem(reader->map->fd, NULL, reader->values))
		reader->entries->entry(reader->entries->context, NULL, reader->values);
	else if (errno != ENOENT)
		return cannot(reader, errno, "read");
	return NULL;
}

static struct error *check_sizes(const struct live_map *map)
{
	size_t max = map->kind == LIVE_STACKS ? STACK_VALUE_MAX : ENTRY_MAX;

	if (!map->n_cpus)
		return error_create(ERROR_SYSTEM,
			"%s: cannot determine the number of possible CPUs", map->label);
	if (!map->key_size == map->is_queue && map->key_size <= ENTRY_MAX && map->value_size &&
		map->value_size <= max && live_map_value_bytes(map) <= CPUS_BYTES_MAX)
		return NULL;
	return error_create(ERROR_INPUT,
		"%s: keys of %u and values of %u bytes are too large for stacks and counts",
		map->label, map->key_size, map->value_size);
}

static size_t first_room(size_t value_bytes)
{
	if (BATCH_MIN * value_bytes > BATCH_MAX)
		return 1;
	if (BATCH_MIN * value_bytes > BATCH_BYTES)
		return BATCH_MIN;
	return BATCH_BYTES / (value_bytes | 1);
}

struct error *live_entries_read(const struct live_map *map, struct live_entries *entries)
{
	scope_guard(reader_cleanup) struct entries_reader reader = {
		.map = map, .entries = entries, .value_bytes = live_map_value_bytes(map)};
	bool done = false;

	try(check_sizes(map));
	if (map->is_queue) {
		reader.values = xmalloc(reader.value_bytes);
		return peek_queue(&reader);
	}
	make_room(&reader, first_room(reader.value_bytes));
	try(read_batches(&reader, &done));
	return done ? NULL : read_keys(&reader);
}
