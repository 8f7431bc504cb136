// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/entries.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <string.h>

#include "input/bpftool/entry.h"
#include "input/stacks/stack_store.h"
#include "util/cleanup.h"
#include "util/number.h"
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

static struct error *cannot_read(const struct entries_reader *reader, int errnum)
{
	const char *label = reader->map->label;

	if (errnum != EPERM)
		return error_errno(errnum, "%s: cannot read it", label);
	if (reader->map->flags & BPF_F_WRONLY)
		return error_create(
			ERROR_SYSTEM, "%s: created with BPF_F_WRONLY: it cannot be read", label);
	return error_create(ERROR_SYSTEM, "%s: no permission to read it: run as root", label);
}

/* ---- many at a time ---- */

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
	const struct live_map *map = reader->map;
	size_t cursor = map->key_size > 4 ? map->key_size : 4;
	/* starts of this and the next batch: a bucket (4 bytes) or a key */
	auto_free uint8_t *at = xcalloc(1, cursor), *next = xcalloc(1, cursor);
	unsigned int tries = 0;
	bool begun = false;

	for (;;) {
		uint32_t n = (uint32_t)reader->room;
		size_t more = reader->room * 2;
		bool failed = bpf_map_lookup_batch(
			map->fd, begun ? at : NULL, next, reader->keys, reader->values, &n, NULL);
		int errnum = failed ? errno : 0; /* ENOENT with the last batch */

		if (live_not_supported(errnum) && !begun)
			return NULL;
		*ret_done = true;
		reader->entries->distinct = batches_are_distinct(map);
		if (errnum == ENOSPC && more * reader->value_bytes <= BATCH_MAX) {
			make_room(reader, more); /* the entries of a bucket did not fit */
			continue;
		}
		if ((errnum == EINTR || errnum == EAGAIN) && ++tries < TRIES)
			continue;
		if (errnum && errnum != ENOENT)
			return cannot_read(reader, errnum);
		for (size_t i = 0; i < n && i < reader->room; i++)
			give(reader, i);
		if (errnum == ENOENT)
			return NULL;
		memcpy(at, next, cursor);
		begun = true;
		tries = 0;
	}
}

/* ---- one by one ---- */

/*
 * Reads the map key by key. If the last key has vanished, the kernel starts over. Repeated keys do
 * no harm, but STEPS must bound the loop.
 */
static struct error *read_keys(struct entries_reader *reader)
{
	bool stacks = reader->map->kind == LIVE_STACKS;
	int64_t steps = 4 * (int64_t)reader->map->max_entries + 1024;
	int fd = reader->map->fd;
	uint32_t next = UINT32_MAX;

	int failed = stacks ? live_walk(reader->map, reader->entries, reader->values, &next) : 0;
	if (failed)
		return cannot_read(reader, failed);
	/* after live_walk() only stacks that were added meanwhile are left */
	failed = bpf_map_get_next_key(fd, next == UINT32_MAX ? NULL : &next, reader->keys);
	while (!failed && --steps > 0) {
		if (!bpf_map_lookup_elem(fd, reader->keys, reader->values))
			give(reader, 0);
		else if (errno == ENOENT)
			reader->entries->vanished++;
		else
			return cannot_read(reader, errno);
		/* the next stack ID usually is in use, which saves asking for the next key */
		while (stacks) {
			next = load_u32(reader->keys) + 1;
			if (bpf_map_lookup_elem(fd, &next, reader->values) || --steps <= 0)
				break;
			memcpy(reader->keys, &next, sizeof(next));
			give(reader, 0);
		}
		failed = bpf_map_get_next_key(fd, reader->keys, reader->keys);
	}
	return failed && errno != ENOENT ? cannot_read(reader, errno) : NULL;
}

/* ---- both ---- */

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

struct error *live_entries_read(const struct live_map *map, struct live_entries *entries)
{
	scope_guard(reader_cleanup) struct entries_reader reader = {
		.map = map, .entries = entries, .value_bytes = live_map_value_bytes(map)};
	bool done = false;

	try(check_sizes(map));
	if (map->is_queue) {
		reader.values = xmalloc(reader.value_bytes);
		if (!bpf_map_lookup_elem(map->fd, NULL, reader.values))
			entries->entry(entries->context, NULL, reader.values);
		else if (errno != ENOENT)
			return cannot_read(&reader, errno);
		return NULL;
	}
	size_t room = BATCH_BYTES / (reader.value_bytes | 1);
	if (BATCH_MIN * reader.value_bytes > BATCH_BYTES)
		room = BATCH_MIN * reader.value_bytes > BATCH_MAX ? 1 : BATCH_MIN;
	make_room(&reader, room);
	try(read_batches(&reader, &done));
	return done ? NULL : read_keys(&reader);
}
