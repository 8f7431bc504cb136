// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/jit.h"

#include <time.h>

#include "util/cleanup.h"
#include "util/clock.h"

#define MS 1000000ULL /* in ns */
/*
 * Minimum time between two reads of a process's files: if an address was not found, if it was
 * found, and if there are no files.
 */
enum { MISS_MS = 2, HIT_MS = 200, NONE_MS = 20 };

/* Opens the perf map again: another file may have been renamed to its name. */
static void reopen_map(const struct space *space, struct jit *jit)
{
	scope_guard(jit_owner_deinit) struct jit_owner owner = {.tmp = -1};

	if (jit_owner_read(space_dir(space), &owner))
		jit_file_use(&jit->perf_map, jit_owner_open_map(&owner, &jit->refused), false);
}

/* Opens the jitdump. Uses the mappings first read: compilers map their dump when they start. */
static void open_dump(const struct space *space, struct jit *jit)
{
	size_t i = 0;

	while (i < space->maps.len && !jit_is_dump(&space->maps.data[i]))
		i++;
	if (jit->dump.fd < 0 && i < space->maps.len)
		jit_file_use(&jit->dump,
			jit_open_dump(space_dir(space), &space->maps.data[i], &jit->refused), true);
}

/* Reads FILE. A limit is a reason for missing names too. */
static void update(struct jit *jit, struct jit_file *file, const char *kind)
{
	if (jit_file_read(file) != JIT_SAME) {
		jit_map_finish(&file->map);
		jit->version++;
	}
	if (file->error)
		jit_refuse(&jit->refused, kind, file->error);
}

static void look(const struct space *space, struct jit *jit)
{
	text_clear(&jit->refused);
	reopen_map(space, jit);
	open_dump(space, jit);
	update(jit, &jit->perf_map, "perf map");
	update(jit, &jit->dump, "jitdump");
	jit->looked = clock_ns(CLOCK_MONOTONIC);
}

static void look_if_due(const struct space *space, uint64_t wait_ms)
{
	struct jit *jit = space->jit;

	if (!jit->looked || clock_ns(CLOCK_MONOTONIC) - jit->looked >= wait_ms * MS)
		look(space, jit);
}

/* Finds the symbol at ADDRESS. Prefers the jitdump, which has more information. */
static const struct jit_symbol *find_live(
	const struct jit *jit, uint64_t address, const struct jit_line **line_ret)
{
	const struct jit_map *map = &jit->dump.map;
	const struct jit_symbol *symbol = jit_map_find(map, address);

	if (!symbol)
		symbol = jit_map_find(map = &jit->perf_map.map, address);
	*line_ret = symbol ? jit_map_line(map, symbol, address) : NULL;
	return symbol;
}

static const struct jit_symbol *find_recorded(const struct space *space, uint64_t time,
	uint64_t address, const struct jit_line **line_ret, bool *ambiguous)
{
	struct jit *jit = space->jit;

	if (!jit->looked)
		recorded_jit_read(space->record, &jit->recorded);
	jit->looked = 1;
	return recorded_jit_find(&jit->recorded, address,
		recorded_time(space->record->recording, time), line_ret, ambiguous);
}

const struct jit_symbol *jit_find(const struct space *space, uint64_t time, uint64_t address,
	const struct jit_line **line_ret, bool *ambiguous)
{
	*ambiguous = false;
	if (space->record)
		return find_recorded(space, time, address, line_ret, ambiguous);
	look_if_due(space, HIT_MS);
	const struct jit_symbol *symbol = find_live(space->jit, address, line_ret);
	if (symbol)
		return symbol;
	bool has_files = space->jit->perf_map.inode || space->jit->dump.inode;
	look_if_due(space, has_files ? MISS_MS : NONE_MS);
	return find_live(space->jit, address, line_ret);
}

bool jit_replaced(const struct space *space, uint64_t address)
{
	const struct jit *jit = space->jit;

	if (space->record)
		return false;
	return jit_map_find(&jit->dump.map, address)
		       ? jit_map_replaced(&jit->dump.map, address)
		       : jit_map_replaced(&jit->perf_map.map, address);
}

uint64_t jit_version(const struct space *space)
{
	if (!space->record)
		look_if_due(space, HIT_MS);
	return space->jit->version;
}

const char *jit_refused(const struct space *space)
{
	return space->jit->refused.len ? space->jit->refused.data : NULL;
}

bool jit_is_limited(const struct space *space)
{
	return space->jit->perf_map.limited || space->jit->dump.limited;
}
