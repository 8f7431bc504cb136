// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/walk.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <stdlib.h>

#include "input/live/fill.h"
#include "util/thread.h"
#include "util/xalloc.h"

enum {
	CHUNK_IDS = 64,
	CHUNK_BYTES = CHUNK_IDS * 1024, /* about: of a chunk that has more than one ID */
	CHUNKS = 8,			/* being read, or read and not given yet */
	HELPERS_MAX = 3,
	ENTRIES_MIN = 1024, /* a smaller map is read before a thread has begun */
	PROBES = 32,
};

/* The stacks of a row of IDs. */
struct chunk {
	bool done;
	int errnum; /* why it ends early, 0: it does not */
	size_t n;
	uint32_t id[CHUNK_IDS];
	uint8_t *values; /* chunk_ids */
};

/*
 * Each thread takes the first chunk that no thread has taken. The main thread gives them in their
 * order, and reads one itself when the next one to be given is not done yet.
 */
struct stack_walk {
	const struct live_map *map;
	uint32_t end, chunk_ids;
	uint8_t *values;      /* of all chunks */
	pthread_mutex_t lock; /* of all below, but for a claimed chunk until it is done */
	pthread_cond_t done;  /* a chunk is */
	pthread_cond_t room;  /* there is some for another chunk, or this is the end */
	bool stop;
	uint32_t claimed, given; /* chunks; number I is chunks[I % CHUNKS] */
	struct chunk chunks[CHUNKS];
};

static bool may_claim(const struct stack_walk *walk)
{
	return walk->claimed - walk->given < CHUNKS &&
	       (uint64_t)walk->claimed * walk->chunk_ids < walk->end;
}

static void read_chunk(const struct stack_walk *walk, uint32_t first, struct chunk *chunk)
{
	const struct live_map *map = walk->map;

	for (uint32_t i = 0; i < walk->chunk_ids && i < walk->end - first; i++) {
		uint32_t id = first + i;
		uint8_t *value = chunk->values + chunk->n * map->value_size;

		if (!bpf_map_lookup_elem(map->fd, &id, value)) {
			chunk->id[chunk->n++] = id;
		} else if (errno != ENOENT) {
			chunk->errnum = errno;
			return;
		}
	}
}

/* Called with the lock, which is released meanwhile. */
static void read_next(struct stack_walk *walk)
{
	uint32_t number = walk->claimed++;
	struct chunk *chunk = &walk->chunks[number % CHUNKS];

	chunk->done = false;
	chunk->errnum = 0;
	chunk->n = 0;
	pthread_mutex_unlock(&walk->lock);
	read_chunk(walk, number * walk->chunk_ids, chunk);
	pthread_mutex_lock(&walk->lock);
	chunk->done = true;
}

static void *help(void *context)
{
	struct stack_walk *walk = context;

	pthread_mutex_lock(&walk->lock);
	while (!walk->stop) {
		if (may_claim(walk)) {
			read_next(walk);
			pthread_cond_signal(&walk->done);
		} else {
			pthread_cond_wait(&walk->room, &walk->lock);
		}
	}
	pthread_mutex_unlock(&walk->lock);
	return NULL;
}

static void give(
	const struct stack_walk *walk, const struct chunk *chunk, struct live_entries *entries)
{
	for (size_t i = 0; i < chunk->n; i++)
		entries->entry(entries->context, (const uint8_t *)&chunk->id[i],
			chunk->values + i * walk->map->value_size);
}

/* Called with the lock. */
static int give_all(struct stack_walk *walk, struct live_entries *entries, uint32_t *last)
{
	for (;;) {
		const struct chunk *next = &walk->chunks[walk->given % CHUNKS];
		bool waiting = walk->given < walk->claimed;

		if (waiting && next->done) {
			pthread_mutex_unlock(&walk->lock);
			give(walk, next, entries);
			if (next->n)
				*last = next->id[next->n - 1];
			pthread_mutex_lock(&walk->lock);
			if (next->errnum)
				return next->errnum;
			walk->given++;
			pthread_cond_signal(&walk->room);
		} else if (may_claim(walk)) {
			read_next(walk);
		} else if (waiting) {
			pthread_cond_wait(&walk->done, &walk->lock);
		} else {
			return 0;
		}
	}
}

static void walk_init(struct stack_walk *walk, const struct live_map *map)
{
	walk->map = map;
	/* The kernel has a power of two of IDs (stack_map_alloc() in kernel/bpf/stackmap.c). */
	walk->end = (uint32_t)live_fill_power_of_two(map->max_entries);
	walk->chunk_ids = CHUNK_BYTES / (map->value_size | 1);
	if (walk->chunk_ids > CHUNK_IDS)
		walk->chunk_ids = CHUNK_IDS;
	if (!walk->chunk_ids)
		walk->chunk_ids = 1;
	walk->values = xreallocarray(NULL, CHUNKS * walk->chunk_ids, map->value_size);
	for (size_t i = 0; i < CHUNKS; i++)
		walk->chunks[i].values = walk->values + i * walk->chunk_ids * map->value_size;
	pthread_mutex_init(&walk->lock, NULL);
	pthread_cond_init(&walk->done, NULL);
	pthread_cond_init(&walk->room, NULL);
}

static void walk_deinit(struct stack_walk *walk)
{
	free(walk->values);
	pthread_mutex_destroy(&walk->lock);
	pthread_cond_destroy(&walk->done);
	pthread_cond_destroy(&walk->room);
}

bool live_walk_pays(const struct live_map *map, uint8_t *value)
{
	uint32_t step = (uint32_t)live_fill_power_of_two(map->max_entries) / PROBES;
	unsigned int found = 0;

	if (map->max_entries < ENTRIES_MIN)
		return false;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t id = i * step;

		found += !bpf_map_lookup_elem(map->fd, &id, value);
	}
	return found > PROBES / 2 && thread_spare_cpus();
}

int live_walk(const struct live_map *map, struct live_entries *entries, uint32_t *last)
{
	unsigned int spare = thread_spare_cpus(), n = 0;
	pthread_t helpers[HELPERS_MAX];
	struct stack_walk walk = {};

	walk_init(&walk, map);
	while (n < spare && n < HELPERS_MAX && thread_start(help, &walk, &helpers[n]))
		n++;
	pthread_mutex_lock(&walk.lock);
	int errnum = give_all(&walk, entries, last);
	walk.stop = true;
	pthread_cond_broadcast(&walk.room);
	pthread_mutex_unlock(&walk.lock);
	while (n)
		pthread_join(helpers[--n], NULL);
	walk_deinit(&walk);
	return errnum;
}
