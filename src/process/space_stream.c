// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/space_stream.h"

#include "process/fits.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/sort.h"

static bool same_maps(const struct maps *a, const struct maps *b)
{
	for (size_t i = 0; i < a->len && i < b->len; i++) {
		const struct mapping *x = &a->data[i], *y = &b->data[i];

		if (!maps_same_code(x, y) || x->executable != y->executable ||
			x->deleted != y->deleted)
			return false;
	}
	return a->len == b->len;
}

/* Returns true if PID may have run another program after TIME (ns), or was another process. */
static bool ran_another(const struct space_cache *cache, int64_t pid, uint64_t time)
{
	return !cache->follower ||
	       follower_moved(cache->follower, pid, time, UINT64_MAX, UINT64_MAX);
}

/*
 * Reads the process again. If it has exited, keeps what was known, unless its ID was reused. MOVED:
 * it may have mapped something, so equal mappings may have other content. Returns true if it
 * changed.
 */
static bool space_refresh(struct space *space, struct space_cache *cache, bool moved)
{
	struct space now;

	space->used = false;
	space_init(&now, space->pid);
	now.status = space_read(&now, cache);
	now.used = false;
	bool read = now.status == SPACE_READ;
	bool changed = read && (moved || space->status != SPACE_READ ||
				       now.start_ticks != space->start_ticks ||
				       !same_maps(&now.maps, &space->maps));
	if (!changed) {
		if (read)
			memcpy(space->read, now.read, sizeof(now.read));
		space_deinit(&now);
		return false;
	}
	now.version = ++cache->versions;
	now.last_use = space->last_use;
	/* JIT code stays if the process runs the same program */
	if (space->status == SPACE_READ && !ran_another(cache, now.process, space->read[0])) {
		struct jit *jit = now.jit;

		now.files->jit = now.jit = space->jit;
		space->files->jit = space->jit = jit;
	}
	space_deinit(space);
	*space = now;
	space_tell(space, cache);
	return true;
}

/*
 * Reads all spaces again that were used since the last time, except, unless MOVED (as above), those
 * without a process: the follower reports new processes. Returns true if any changed.
 */
static bool refresh_used(struct space_cache *cache, bool moved)
{
	bool changed = false;

	cache->refreshed = clock_ns(CLOCK_MONOTONIC);
	cache->counted = 0;
	vec_each_value(space, &cache->spaces) {
		/* only these were read from /proc */
		if (space->used && !space->record && space->known == SPACE_READ &&
			(moved || space->status == SPACE_READ || !cache->follower))
			changed |= space_refresh(space, cache, moved);
	}
	return changed;
}

/* Reads the spaces again that are used and may have changed. Returns true if any did. */
static bool refresh_changed(struct space_cache *cache)
{
	struct follower *follower = cache->follower;
	const bool lost = follower->lost_some;

	follower->lost_some = false; /* what is lost from here on is for the next call */
	bool changed = lost && refresh_used(cache, true);
	/* it grows meanwhile, as processes that are read again are heard of */
	for (size_t i = 0; i < follower->changed.len; i++) {
		const uint32_t pid = follower->changed.data[i];
		const uint64_t key[] = {pid, SPACE_READ, 0};
		const uint64_t *index = table_find(&cache->by_pid, key, sizeof(key));

		if (index && !lost && cache->spaces.data[*index]->used)
			changed |= space_refresh(cache->spaces.data[*index], cache, true);
		follower_shorten(follower, pid);
	}
	follower->changed.len = 0;
	return changed;
}

/*
 * Drops the spaces from the follower's records: the next batch creates them again, with newer
 * events.
 */
static bool forget_past(struct space_cache *cache)
{
	size_t left = 0;

	if (!cache->past)
		return false;
	table_clear(&cache->by_pid);
	vec_each_value(space, &cache->spaces) {
		if (space->record && space->record->recording != cache->recording) {
			space_destroy(space);
			continue;
		}
		*space_index(cache, space->pid, space->record, space->known, NULL) = left;
		cache->spaces.data[left++] = space;
	}
	cache->spaces.len = left;
	cache->past = cache->counted = 0;
	return true;
}

bool space_cache_refresh(struct space_cache *cache, uint64_t time)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC);
	bool changed = false;

	cache->round++;
	cache->begun = now;
	cache->last = NULL;
	if (cache->recording && recording_await(cache->recording, time)) {
		space_cache_clear(cache);
		changed = true;
	}
	if (cache->follower) {
		changed |= forget_past(cache);
		process_records_forget(cache->follower->recording, NULL);
		follower_update(cache->follower);
		changed |= refresh_changed(cache);
	}
	if (!cache->refreshed)
		cache->refreshed = now;
	/* munmap is not reported, nor memory that becomes executable later */
	if (now - cache->refreshed >= SECOND || (cache->streams && !cache->follower))
		changed |= refresh_used(cache, false);
	return changed;
}

/* ---- samples taken earlier ------------------------------------------------------------------ */

void space_cache_stream(struct space_cache *cache)
{
	cache->streams = true;
	/* read all again: what happened since they were read is unknown */
	cache->refreshed = 1;
	vec_each_value(space, &cache->spaces)
		space->used = true;
}

void space_cache_take(struct space_cache *cache, struct space_cache *old)
{
	vec_each_value(space, &old->spaces) {
		if (space->record) {
			space_destroy(space);
			continue;
		}
		*space_index(cache, space->pid, NULL, space->known, NULL) = cache->spaces.len;
		vec_push(&cache->spaces, space);
	}
	old->spaces.len = 0;
	cache->pool = take(old->pool);
	cache->follower = take(old->follower);
	cache->versions = old->versions;
	if (old->streams)
		space_cache_stream(cache);
}

bool space_covers(const struct space_cache *cache, const struct space *space, struct taken taken,
	uint64_t address)
{
	struct follower *follower = cache->follower;
	const struct mapping *program =
		fits_is_program(address) ? maps_find(&space->maps, address) : NULL;
	/* it cannot have been mapped after the sample */
	bool fixed = program && program->inode;

	if (space->status != SPACE_READ)
		return true;
	if (space->record)
		return space->record->recording == cache->recording ||
		       !follower_misses(follower, taken.since);
	if (!cache->streams)
		return fixed || !taken.since || taken.since >= space->read[0];
	if (!follower)
		return fixed;
	uint64_t begin = follower->recording->begin;
	uint64_t since = taken.since ?: follower->marks[0];

	since = since < begin && fixed ? begin : since;
	return !follower_moved(follower, space->process,
		since < space->read[0] ? since : space->read[0],
		taken.until > space->read[1] ? taken.until : space->read[1], address);
}

struct taken space_taken(const struct space_cache *cache, struct taken taken)
{
	if (!cache->streams || !cache->follower)
		return (struct taken){};
	return (struct taken){
		.since = taken.since ?: cache->follower->marks[0],
		.until = taken.until && taken.until < cache->begun ? taken.until : cache->begun,
	};
}

struct space *space_then(
	struct space_cache *cache, struct space *space, struct taken taken, uint64_t address)
{
	/* munmap is not reported: what was mapped then may be gone */
	bool mapped = !address || maps_find(&space->maps, address);

	if (!taken.since || !cache->follower ||
		(mapped && space_covers(cache, space, taken, address)) ||
		follower_moved(cache->follower, space->process, taken.since, taken.until, address))
		return space;
	struct space *past = space_of_past(cache, space->pid, taken.since);
	if (!past)
		return space;
	past->live = ran_another(cache, space->process, taken.since) ? NULL : space;
	return past;
}

bool space_has_moved(const struct space_cache *cache, const struct space *space, uint64_t address)
{
	return cache->streams && cache->follower &&
	       follower_moved(cache->follower, space->process, space->read[0], UINT64_MAX, address);
}

/* ---- spaces that a long run keeps ------------------------------------------------------------ */

enum { SPACES_MAX = 1 << 14, SPACE_BYTES_MAX = 256 << 20 };
/* recompute BYTES after so many new spaces, besides once a second */
enum { COUNT_AFTER = 1 << 8 };

static size_t space_bytes(const struct space *space)
{
	const struct mountinfo *mounts = space->mounts;

	return sizeof(*space) + sizeof(*mounts) + (space->jit ? jit_bytes(space->jit) : 0) +
	       space->maps.cap * sizeof(*space->maps.data) + space->strings.bytes +
	       mounts->mounts.cap * sizeof(*mounts->mounts.data) + mounts->strings.bytes +
	       space->threads->all.cap * sizeof(*space->threads->all.data);
}

static void count(struct space_cache *cache)
{
	cache->counted = cache->spaces.len;
	cache->bytes = 0;
	vec_each_value(space, &cache->spaces)
		cache->bytes += space_bytes(space);
}

bool space_cache_is_full(struct space_cache *cache)
{
	if (!cache->counted || cache->spaces.len - cache->counted >= COUNT_AFTER)
		count(cache);
	if (!cache->bytes_max)
		cache->bytes_max = SPACE_BYTES_MAX;
	return cache->spaces.len > SPACES_MAX || cache->bytes > cache->bytes_max;
}

/*
 * Sorts the spaces to be dropped first to the front: those without mappings, which are cheap to
 * read again, then the least recently used.
 */
COMPARE(compare_worth, struct space *,
	order_of((*a)->status == SPACE_READ, (*b)->status == SPACE_READ)
		?: order_of((*a)->last_use, (*b)->last_use))

void space_cache_forget(struct space_cache *cache)
{
	scope_guard(table_deinit) struct table records = {}; /* process records in use */
	size_t left = cache->spaces.len, kept = 0;

	cache->last = NULL;
	vec_sort(&cache->spaces, compare_worth);
	table_deinit(&cache->by_pid);
	vec_each_value(space, &cache->spaces) {
		size_t bytes = space_bytes(space);
		bool many = left > SPACES_MAX / 2 || cache->bytes > SPACE_BYTES_MAX / 2;

		if (many && space->last_use + 1 < cache->round) {
			left--;
			cache->bytes -= bytes < cache->bytes ? bytes : cache->bytes;
			space_destroy(space);
			continue;
		}
		if (space->jit)
			jit_tidy(space->jit);
		*space_index(cache, space->pid, space->record, space->known, NULL) = kept;
		cache->spaces.data[kept++] = space;
	}
	cache->spaces.len = kept;
	for (size_t i = 0; i < kept; i++) {
		const uint64_t record = (uintptr_t)cache->spaces.data[i]->record;

		(void)table_at(&records, &record, sizeof(record), NULL);
	}
	if (cache->recording)
		process_records_forget(cache->recording, &records);
	count(cache);
	/* keep everything that is in use, however large */
	cache->bytes_max = cache->bytes > SPACE_BYTES_MAX / 2 ? 2 * cache->bytes : SPACE_BYTES_MAX;
}
