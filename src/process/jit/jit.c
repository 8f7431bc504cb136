// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/jit.h"

#include <sys/stat.h>

#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/clock.h"

#define MS 1000000ULL /* in ns */
/*
 * Minimum time between two searches for a process's files, and between two reads in vain. Reading
 * takes at most 1/SHARE of the time.
 */
enum { SEARCH_MS = 200, NONE_MS = 20, SHARE = 5 };

static void search_files(const struct space *space, struct jit *jit)
{
	scope_guard(jit_owner_deinit) struct jit_owner owner = {.tmp = -1};

	text_clear(&jit->refused);
	/* open the perf map again: another file may have been renamed to its name */
	if (jit_owner_read(space_dir(space), &owner))
		jit_file_use(&jit->perf_map, jit_owner_open_map(&owner, &jit->refused), false);
	/* uses the mappings first read: compilers map their dump when they start */
	vec_each(mapping, &space->maps)
		if (jit->dump.fd < 0 && jit_is_dump(mapping)) {
			jit_file_use(&jit->dump,
				jit_open_dump(space_dir(space), mapping, &jit->refused), true);
			break;
		}
}

static void update(struct jit *jit, struct jit_file *file)
{
	if (jit_file_read(file, jit->looked) == JIT_SAME)
		return;
	history_finish(&file->map.history);
	jit->version++;
}

/* Returns true if there was a file that is closed now, or has another name or none. */
static bool is_lost(const struct jit_file *file)
{
	struct stat st;

	return file->inode && (file->fd < 0 || fstat(file->fd, &st) || !st.st_nlink);
}

bool jit_has_files(const struct space *space)
{
	return space->jit && (space->jit->perf_map.inode || space->jit->dump.inode);
}

/* Reads the files if they were not read after UNTIL (ns; 0 if unknown), or not for long. */
static void look_if_due(const struct space *space, uint64_t until)
{
	struct jit *jit = space->jit;
	uint64_t now = clock_ns(CLOCK_MONOTONIC), passed = now - jit->looked;
	bool due = jit_has_files(space) ? passed > SHARE * jit->took &&
						  (jit->looked < until || passed > SEARCH_MS * MS)
					: passed > NONE_MS * MS;

	if (jit->looked && !due)
		return;
	const uint64_t began = clock_ns(CLOCK_THREAD_CPUTIME_ID);
	bool search = now - jit->opened >= SEARCH_MS * MS || is_lost(&jit->perf_map) ||
		      is_lost(&jit->dump);
	jit->looked = now;
	if (search) {
		jit->opened = now;
		search_files(space, jit);
	}
	update(jit, &jit->perf_map);
	update(jit, &jit->dump);
	/* a limit is a reason for missing names too */
	if (search && jit->perf_map.error)
		jit_refuse(&jit->refused, "perf map", jit->perf_map.error);
	if (search && jit->dump.error)
		jit_refuse(&jit->refused, "jitdump", jit->dump.error);
	jit->took = clock_ns(CLOCK_THREAD_CPUTIME_ID) - began;
}

/* ---- recorded code -------------------------------------------------------------------------- */

static void add_line(struct jit_map *map, const struct recorded_row *row)
{
	struct jit_symbol *last = map->symbols.len ? vec_last(&map->symbols) : NULL;

	/* lines must ascend, for binary search */
	if (!last || row->line.address < jit_map_last(map)->start ||
		row->line.address >= jit_map_last(map)->end ||
		(last->n_lines && vec_last(&map->lines)->address > row->line.address))
		return;
	/* the recording may free its rows; most lines repeat the last file */
	const char *file = map->lines.len ? vec_last(&map->lines)->file : "";
	if (strcmp(file, row->text.at) != 0)
		file = arena_string(&map->strings, row->text.at);
	const struct jit_line line = {
		row->line.address, file, (uint32_t)row->line.line, (uint32_t)row->line.column};
	if (!last->n_lines)
		last->first_line = (uint32_t)map->lines.len;
	vec_push(&map->lines, line);
	last->n_lines++;
}

/* Adds the code in ROW. SINCE: ns before which it did not exist; 0 if unknown. */
static void add_symbol(const struct process_record *record, const struct recorded_row *row,
	uint64_t since, struct jit_map *map)
{
	if (!jit_map_add(map, row->code.start, row->code.size, row->text.at, scan_left(&row->text)))
		return;
	/* the code belongs to the program that ran then: from one exec to the next */
	const uint64_t *programs = record->programs.data;
	size_t n = sorted_count(programs, record->programs.len, <= row->time);
	uint64_t begin = n ? programs[n - 1] : record->begin;
	struct history_span *span = jit_map_last(map);

	span->since = since > begin ? since : begin;
	span->begin = row->time;
	span->gone = n < record->programs.len ? programs[n] - 1 : 0;
}

void recorded_jit_read(const struct process_record *record, struct jit_map *ret)
{
	const struct recorded_row *rows;
	size_t n = recording_rows(record->recording, record->pid, ROW_JIT, &rows);
	uint64_t since = 0;

	array_each(row, rows, n) {
		if (row->kind == ROW_JITLOOK)
			since = row->time + 1;
		else if (row->time < record->begin || (record->until && row->time >= record->until))
			continue;
		else if (row->kind == ROW_JITLINE)
			add_line(ret, row);
		else
			add_symbol(record, row, row->kind == ROW_JIT ? since : row->time, ret);
	}
	history_finish(&ret->history);
}

/* ---- queries -------------------------------------------------------------------------------- */

/* As jit_find(), in MAP as it is. */
static struct jit_code find_during(
	const struct jit_map *map, uint64_t since, uint64_t until, uint64_t address)
{
	struct jit_code code = jit_map_find(map, address, until), before;

	if (code.name && since < code.span->begin) {
		before = jit_map_find(map, address, since);
		code.ambiguous |= before.ambiguous || (before.name && before.span != code.span);
	}
	return code;
}

/* Finds the code at ADDRESS. Prefers the jitdump, which has more information. */
struct jit_code jit_find(
	const struct space *space, uint64_t since, uint64_t until, uint64_t address)
{
	struct jit *jit = space->jit;
	const struct jit_file *file = &jit->dump;

	if (space->record) {
		if (!jit->looked)
			recorded_jit_read(space->record, &jit->recorded);
		jit->looked = 1;
		return find_during(&jit->recorded, since, until, address);
	}
	look_if_due(space, until);
	struct jit_code code = find_during(&file->map, since, until, address);
	if (!code.name) {
		file = &jit->perf_map;
		code = find_during(&file->map, since, until, address);
	}
	code.ambiguous |= until > jit->looked || since < file->anew;
	return code;
}

uint64_t jit_version(const struct space *space)
{
	if (!space->record)
		look_if_due(space, 0);
	return space->jit->version;
}
