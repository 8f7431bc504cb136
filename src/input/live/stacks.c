// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/entries.h"

#include <bpf/bpf.h>
#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <semaphore.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "input/live/live_map.h"
#include "input/stacks/stack_store.h"
#include "util/vec.h"
#include "util/xalloc.h"

void live_stacks_init(const struct live_maps *maps, struct live_stacks *ret)
{
	size_t size = 0;

	vec_each(map, maps)
		if (map->kind == LIVE_STACKS && map->value_size > size)
			size = map->value_size;
	*ret = (struct live_stacks){.maps = maps, .value = xmalloc(size)};
}

static bool is_same(const struct stack *a, const struct stack *b)
{
	if (a->depth != b->depth || !a->origins != !b->origins ||
		memcmp(a->values, b->values, a->depth * sizeof(*a->values)))
		return false;
	for (size_t i = 0; a->origins && i < a->depth; i++)
		if (!build_id_equal(&a->origins[i].build_id, &b->origins[i].build_id))
			return false;
	return true;
}

enum stack_found live_stacks_find(void *context, const struct address_halves *halves, uint32_t id,
	enum address_side side, struct arena *memory, struct stack *ret)
{
	const struct live_stacks *stacks = context;
	struct stack found = {.state = STACK_ABSENT};

	vec_each(map, stacks->maps) {
		if (map->kind != LIVE_STACKS || bpf_map_lookup_elem(map->fd, &id, stacks->value))
			continue;
		struct stack stack = stack_of_bytes(memory, stacks->value, map->value_size,
			map->flags & BPF_F_STACK_BUILD_ID ? INPUT_SHAPE_BUILD_IDS
							  : INPUT_SHAPE_ADDRESSES);
		enum address_side leaf = address_leaf_side(halves, &stack);
		stack.id = id;
		if (stack.state == STACK_ABSENT ||
			(side != SIDE_UNKNOWN && leaf != SIDE_UNKNOWN && leaf != side))
			continue;
		if (found.state != STACK_ABSENT && !is_same(&found, &stack))
			return STACK_DOUBTFUL;
		found = stack;
	}
	if (found.state == STACK_ABSENT)
		return STACK_NOT_FOUND;
	*ret = found;
	return STACK_FOUND;
}

/* ---- all stacks, by several threads ---------------------------------------------------------- */

enum {
	CHUNK_IDS = 64,			/* limit on the IDs of a chunk */
	CHUNK_BYTES = CHUNK_IDS * 1024, /* limit on a chunk with more than one ID */
	CHUNKS = 8, /* limit on chunks being read, or read and not passed on yet */
	HELPERS_MAX = 3,
	ENTRIES_MIN = 1024, /* smaller maps are read before a thread has started */
	PROBES = 32,	    /* IDs looked up to estimate how many are in use */
};

/* The stacks of consecutive IDs. */
struct chunk {
	sem_t done; /* 1 if it was read and not passed on yet */
	int errnum; /* errno that ended reading early; 0: none */
	size_t n;   /* number of stacks */
	uint32_t id[CHUNK_IDS];
	uint8_t *values; /* room for chunk_ids stacks */
};

/*
 * Each thread takes the first chunk that no thread has taken. The main thread passes the chunks on
 * in order, and reads chunks itself while the next one to pass on is not read yet.
 */
struct stack_walk {
	const struct live_map *map;
	uint32_t end, chunk_ids; /* number of IDs of the map, of a chunk */
	uint8_t *values;	 /* memory of all chunks */
	sem_t room;		 /* number of chunks neither taken nor waiting to be passed on */
	uint32_t claimed;	 /* number of chunks taken; atomic. Chunk I is chunks[I % CHUNKS] */
	struct chunk chunks[CHUNKS];
};

/* Waits for SEMAPHORE, also if signals interrupt sem_wait(). */
static void wait_for(sem_t *semaphore)
{
	while (sem_wait(semaphore))
		;
}

/* Reads the next chunk, for which the caller has taken ROOM. Returns false if none is left. */
static bool read_next(struct stack_walk *walk)
{
	const struct live_map *map = walk->map;
	uint64_t number = __atomic_fetch_add(&walk->claimed, 1, __ATOMIC_RELAXED);
	struct chunk *chunk = &walk->chunks[number % CHUNKS];

	if (number * walk->chunk_ids >= walk->end)
		return false;
	uint32_t first = (uint32_t)number * walk->chunk_ids;
	chunk->errnum = 0;
	chunk->n = 0;
	for (uint32_t i = 0; i < walk->chunk_ids && i < walk->end - first; i++) {
		uint32_t id = first + i;
		uint8_t *value = chunk->values + chunk->n * map->value_size;

		if (!bpf_map_lookup_elem(map->fd, &id, value)) {
			chunk->id[chunk->n++] = id;
		} else if (errno != ENOENT) {
			chunk->errnum = errno;
			break;
		}
	}
	sem_post(&chunk->done);
	return true;
}

static void *help(void *context)
{
	struct stack_walk *walk = context;

	do
		wait_for(&walk->room);
	while (read_next(walk));
	return NULL;
}

static int give_all(struct stack_walk *walk, struct live_entries *entries, uint32_t *last)
{
	for (uint64_t number = 0; number * walk->chunk_ids < walk->end; number++) {
		struct chunk *chunk = &walk->chunks[number % CHUNKS];

		while (sem_trywait(&chunk->done)) {
			/* read other chunks meanwhile */
			if (!sem_trywait(&walk->room) && read_next(walk))
				continue;
			wait_for(&chunk->done);
			break;
		}
		for (size_t i = 0; i < chunk->n; i++)
			entries->entry(entries->context, (const uint8_t *)&chunk->id[i],
				chunk->values + i * walk->map->value_size);
		if (chunk->n)
			*last = chunk->id[chunk->n - 1];
		if (chunk->errnum)
			return chunk->errnum;
		sem_post(&walk->room);
	}
	return 0;
}

/*
 * Returns how many threads besides the calling one are worth it: as many as there are spare CPUs if
 * most IDs of MAP are in use. VALUE has room for a stack.
 */
static unsigned int useful_helpers(const struct live_map *map, uint8_t *value)
{
	uint32_t step = (uint32_t)live_fill_power_of_two(map->max_entries) / PROBES;
	unsigned int found = 0;
	cpu_set_t cpus;

	if (map->max_entries < ENTRIES_MIN)
		return 0;
	for (uint32_t i = 0; i < PROBES; i++) {
		uint32_t id = i * step;

		found += !bpf_map_lookup_elem(map->fd, &id, value);
	}
	if (found <= PROBES / 2)
		return 0;
	/* unknown if the machine has more CPUs than fit into the set */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return 1;
	unsigned int spare = (unsigned int)CPU_COUNT(&cpus) - 1;
	return spare < HELPERS_MAX ? spare : HELPERS_MAX;
}

int live_walk(
	const struct live_map *map, struct live_entries *entries, uint8_t *value, uint32_t *last)
{
	unsigned int wanted = useful_helpers(map, value), n = 0;
	pthread_t helpers[HELPERS_MAX];
	sigset_t all, before;
	/* the number of IDs is a power of two (stack_map_alloc() in kernel/bpf/stackmap.c) */
	struct stack_walk walk = {.map = map,
		.end = (uint32_t)live_fill_power_of_two(map->max_entries),
		.chunk_ids = CHUNK_BYTES / (map->value_size | 1)};

	if (!wanted)
		return 0;
	if (walk.chunk_ids > CHUNK_IDS)
		walk.chunk_ids = CHUNK_IDS;
	if (!walk.chunk_ids)
		walk.chunk_ids = 1;
	walk.values = xreallocarray(NULL, CHUNKS * walk.chunk_ids, map->value_size);
	sem_init(&walk.room, 0, CHUNKS);
	for (size_t i = 0; i < CHUNKS; i++) {
		sem_init(&walk.chunks[i].done, 0, 0);
		walk.chunks[i].values = walk.values + i * walk.chunk_ids * map->value_size;
	}
	/* signals are for the calling thread */
	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	while (n < wanted && !pthread_create(&helpers[n], NULL, help, &walk))
		n++;
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	int errnum = give_all(&walk, entries, last);
	__atomic_store_n(&walk.claimed, walk.end, __ATOMIC_RELAXED);
	for (unsigned int i = 0; i < n; i++)
		sem_post(&walk.room);
	while (n)
		pthread_join(helpers[--n], NULL);
	free(walk.values);
	return errnum;
}
