// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/jit.h"

#include <time.h>

#include "process/jit/owner.h"
#include "process/recording/jit.h"
#include "util/cleanup.h"
#include "util/clock.h"

#define MS 1000000ULL /* in ns */
/*
 * Minimum time between two reads of a process's files: if an address was not found, if it was
 * found, and if there are no files.
 */
enum { MISS_MS = 2, HIT_MS = 200, NONE_MS = 20 };

/*
 * Replaces KNOWN by FOUND, unless both are the same file. Takes ownership of FOUND. Returns true if
 * KNOWN was replaced.
 */
static bool take_file(struct jit_file *known, struct jit_file *found)
{
	bool same = known->inode == found->inode && known->device == found->device && known->inode;

	if (same && known->fd < 0)
		known->fd = take_fd(found->fd);
	if (same) {
		jit_file_deinit(found);
		return false;
	}
	jit_file_deinit(known);
	*known = *found;
	return true;
}

/* Opens the perf map again: another file may have been renamed to its name. */
static void reopen_map(const struct space *space, struct jit *jit)
{
	scope_guard(jit_owner_deinit) struct jit_owner owner = {.tmp = -1};
	struct jit_file file;

	if (!jit_owner_read(space_dir(space), &owner))
		return;
	jit_file_init(&file, jit_owner_open_map(&owner, &jit->refused), false);
	if (file.fd >= 0 && take_file(&jit->perf_map, &file))
		jit_map_clear(&jit->map);
}

/* Opens the jitdump. Uses the mappings first read: compilers map their dump when they start. */
static void open_dump(const struct space *space, struct jit *jit)
{
	for (size_t i = 0; jit->dump.fd < 0 && i < space->maps.len; i++)
		if (jit_owner_is_jitdump(&space->maps.data[i])) {
			struct jit_file file;

			jit_file_init(&file,
				jit_owner_open_dump(
					space_dir(space), &space->maps.data[i], &jit->refused),
				true);
			if (file.fd >= 0 && take_file(&jit->dump, &file))
				jit_map_clear(&jit->dump_map);
			return;
		}
}

static void update(struct jit *jit, struct jit_file *file, struct jit_map *map)
{
	if (jit_file_read(file, map) == JIT_SAME)
		return;
	jit_map_finish(map);
	jit->version++;
}

/* Adds ERROR to `refused`: a limit is a reason for missing names too. */
static void say_error(struct jit *jit, const char *kind, const char *error)
{
	if (error)
		text_printf(&jit->refused, "%s%s: %s", jit->refused.len ? "; " : "", kind, error);
}

static void look(const struct space *space, struct jit *jit)
{
	text_clear(&jit->refused);
	reopen_map(space, jit);
	open_dump(space, jit);
	update(jit, &jit->perf_map, &jit->map);
	update(jit, &jit->dump, &jit->dump_map);
	say_error(jit, "perf map", jit->perf_map.error);
	say_error(jit, "jitdump", jit->dump.error);
	jit->looked = clock_ns(CLOCK_MONOTONIC);
}

static void look_if_due(const struct space *space, struct jit *jit, uint64_t wait_ms)
{
	if (!jit->looked || clock_ns(CLOCK_MONOTONIC) - jit->looked >= wait_ms * MS)
		look(space, jit);
}

static bool has_files(const struct jit *jit)
{
	return jit->perf_map.inode || jit->dump.inode || jit->perf_map.fd >= 0 || jit->dump.fd >= 0;
}

static const struct jit_symbol *find_in(
	const struct jit_map *map, uint64_t address, const struct jit_line **line_ret)
{
	const struct jit_symbol *symbol = jit_map_find(map, address);

	*line_ret = symbol ? jit_map_line(map, symbol, address) : NULL;
	return symbol;
}

/* Finds the symbol at ADDRESS. Prefers the jitdump, which has more information. */
static const struct jit_symbol *find_live(
	const struct jit *jit, uint64_t address, const struct jit_line **line_ret)
{
	const struct jit_symbol *symbol = find_in(&jit->dump_map, address, line_ret);

	return symbol ? symbol : find_in(&jit->map, address, line_ret);
}

static const struct jit_symbol *find_recorded(const struct space *space, uint64_t time,
	uint64_t address, const struct jit_line **line_ret, bool *ambiguous)
{
	struct jit *jit = space->jit;

	if (!jit->looked)
		recorded_jit_read(space->life, &jit->recorded);
	jit->looked = 1;
	return recorded_jit_find(&jit->recorded, address,
		recorded_time(space->life->recording, time), line_ret, ambiguous);
}

const struct jit_symbol *jit_find(const struct space *space, uint64_t time, uint64_t address,
	const struct jit_line **line_ret, bool *ambiguous)
{
	*ambiguous = false;
	if (space->life)
		return find_recorded(space, time, address, line_ret, ambiguous);
	look_if_due(space, space->jit, HIT_MS);
	const struct jit_symbol *symbol = find_live(space->jit, address, line_ret);
	if (symbol)
		return symbol;
	look_if_due(space, space->jit, has_files(space->jit) ? MISS_MS : NONE_MS);
	return find_live(space->jit, address, line_ret);
}

bool jit_replaced(const struct space *space, uint64_t address)
{
	const struct jit *jit = space->jit;

	if (space->life)
		return false;
	return jit_map_find(&jit->dump_map, address) ? jit_map_replaced(&jit->dump_map, address)
						     : jit_map_replaced(&jit->map, address);
}

uint64_t jit_version(const struct space *space)
{
	if (!space->life)
		look_if_due(space, space->jit, HIT_MS);
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
