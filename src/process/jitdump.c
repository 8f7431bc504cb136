// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jitdump.h"

#include <stdlib.h>
#include <string.h>

#include "util/scan.h"
#include "util/table.h"

enum { MAGIC = 0x4a695444, VERSION = 1, LINES_MAX = 1 << 22 };
enum { RECORD_LOAD = 0, RECORD_MOVE = 1, RECORD_DEBUG_INFO = 2 };

struct file_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct record_header {
	uint32_t id, size; /* with this header */
	uint64_t time;
};

struct load_record {
	uint32_t pid, tid;
	uint64_t vma, address, size, index; /* then the name with a NUL, then the code */
};

struct move_record {
	uint32_t pid, tid;
	uint64_t vma, old_address, address, size, index;
};

struct debug_record {
	uint64_t address, n; /* then N times a debug_entry and a file name with a NUL */
};

struct debug_entry {
	uint64_t address;
	uint32_t line, discriminator;
};

struct reader {
	struct jit_map *map;
	struct table by_address; /* start of code → the newest symbol there */
	/* Lines come before the code they are about. */
	uint64_t lines_address;
	size_t first_line, n_lines;
};

static bool read_bytes(struct scan *s, void *ret, size_t size)
{
	if (scan_left(s) < size)
		return false;
	memcpy(ret, s->at, size);
	s->at += size;
	return true;
}

static bool read_string(struct scan *s, struct scan *ret)
{
	const char *end = memchr(s->at, '\0', scan_left(s));

	if (!end)
		return false;
	*ret = (struct scan){s->at, end};
	s->at = end + 1;
	return true;
}

static void attach_lines(struct reader *reader, uint64_t address)
{
	struct jit_symbol *symbol = &reader->map->symbols.data[reader->map->symbols.len - 1];

	if (reader->n_lines && reader->lines_address == address) {
		symbol->first_line = reader->first_line;
		symbol->n_lines = reader->n_lines;
	}
	reader->n_lines = 0;
}

/* Remembers the symbol that was added last as the one at ADDRESS. */
static void remember(struct reader *reader, uint64_t address)
{
	*table_at(&reader->by_address, &address, sizeof(address), NULL) =
		reader->map->symbols.len - 1;
}

static void read_load(struct reader *reader, struct scan s)
{
	struct load_record load;
	struct scan name;

	if (!read_bytes(&s, &load, sizeof(load)) || !read_string(&s, &name) ||
		!jit_map_add(reader->map, load.address, load.size, name.at, scan_left(&name)))
		return;
	attach_lines(reader, load.address);
	remember(reader, load.address);
}

/* The code that was last made at the old place is at the new one too; its lines stay behind. */
static void read_move(struct reader *reader, struct scan s)
{
	struct move_record move;

	if (!read_bytes(&s, &move, sizeof(move)))
		return;
	const uint64_t *symbol = table_find(
		&reader->by_address, &move.old_address, sizeof(move.old_address));
	if (symbol && jit_map_add_again(reader->map, move.address, move.size, *symbol))
		remember(reader, move.address);
}

static int compare_lines(const void *a_ptr, const void *b_ptr)
{
	const struct jit_line *a = a_ptr, *b = b_ptr;

	return a->address < b->address ? -1 : a->address > b->address;
}

/* A name of the one byte 0xff says: the same file as before. */
static const char *file_name(struct jit_map *map, struct scan name, const char *before)
{
	if (scan_left(&name) == 1 && (unsigned char)*name.at == 0xff)
		return before;
	if (before && strlen(before) == scan_left(&name) &&
		!memcmp(before, name.at, scan_left(&name)))
		return before;
	return arena_copy(&map->strings, name.at, scan_left(&name));
}

static void read_debug_info(struct reader *reader, struct scan s)
{
	struct jit_map *map = reader->map;
	const char *file = NULL;
	struct debug_record debug;
	struct debug_entry entry;
	struct scan name;

	reader->first_line = map->lines.len;
	reader->n_lines = 0;
	if (!read_bytes(&s, &debug, sizeof(debug)))
		return;
	reader->lines_address = debug.address;
	for (uint64_t i = 0; i < debug.n && map->lines.len < LINES_MAX; i++) {
		if (!read_bytes(&s, &entry, sizeof(entry)) || !read_string(&s, &name))
			break;
		file = file_name(map, name, file);
		const struct jit_line line = {entry.address, file, entry.line, 0};
		vec_push(&map->lines, line);
		reader->n_lines++;
	}
	if (reader->n_lines)
		qsort(map->lines.data + reader->first_line, reader->n_lines,
			sizeof(*map->lines.data), compare_lines);
}

static void read_record(struct reader *reader, uint32_t id, struct scan body)
{
	if (id == RECORD_LOAD)
		read_load(reader, body);
	else if (id == RECORD_MOVE)
		read_move(reader, body);
	else if (id == RECORD_DEBUG_INFO)
		read_debug_info(reader, body);
}

bool jitdump_parse(const void *bytes, size_t len, struct jit_map *ret)
{
	struct scan s = {bytes, (const char *)bytes + len};
	struct reader reader = {.map = ret};
	struct file_header file;
	struct record_header record;

	if (!read_bytes(&s, &file, sizeof(file)) || file.magic != MAGIC ||
		file.version != VERSION || file.size < sizeof(file) ||
		file.size - sizeof(file) > scan_left(&s))
		return false;
	s.at += file.size - sizeof(file);
	while (read_bytes(&s, &record, sizeof(record))) {
		if (record.size < sizeof(record) || record.size - sizeof(record) > scan_left(&s))
			break;
		struct scan body = {s.at, s.at + (record.size - sizeof(record))};
		read_record(&reader, record.id, body);
		s.at = body.end;
	}
	table_deinit(&reader.by_address);
	return true;
}
