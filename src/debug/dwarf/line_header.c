// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/line_header.h"

#include <dwarf.h>

#include "debug/source_path.h"
#include "util/cleanup.h"

/* columns (DW_LNCT_*) of an entry; valid tables have fewer */
enum { COLUMNS_MAX = 64 };

void line_header_deinit(struct line_header *header)
{
	vec_deinit(&header->dirs);
	vec_deinit(&header->files);
}

/* Reads the directories and files before DWARF 5: lists of strings, each ended by an empty one. */
static void read_old_entries(struct line_header *header, struct cursor *cursor)
{
	for (;;) {
		const char *dir = cursor_string(cursor);

		if (!*dir)
			break;
		vec_push(&header->dirs, dir);
	}
	while (!cursor->failed) {
		struct line_file file = {.name = cursor_string(cursor)};

		if (!*file.name)
			break;
		file.dir = cursor_uleb(cursor);
		cursor_uleb(cursor);
		cursor_uleb(cursor);
		vec_push(&header->files, file);
	}
}

struct columns {
	size_t n;
	struct {
		uint64_t content;
		unsigned form;
	} all[COLUMNS_MAX];
};

static bool read_columns(struct cursor *cursor, struct columns *columns)
{
	columns->n = cursor_u8(cursor);
	if (columns->n > COLUMNS_MAX)
		return false;
	for (size_t i = 0; i < columns->n; i++) {
		columns->all[i].content = cursor_uleb(cursor);
		columns->all[i].form = (unsigned)cursor_uleb(cursor);
	}
	return !cursor->failed;
}

static struct line_file read_entry(const struct unit *unit, const struct line_header *header,
	const struct columns *columns, struct cursor *cursor)
{
	struct line_file file = {};

	for (size_t i = 0; i < columns->n; i++) {
		struct form_value value =
			form_read(cursor, columns->all[i].form, 0, &header->encoding);

		if (columns->all[i].content == DW_LNCT_path)
			file.name = unit_string(unit, &value);
		else if (columns->all[i].content == DW_LNCT_directory_index)
			file.dir = value.number;
	}
	if (!file.name)
		file.name = "";
	return file;
}

/* Reads one of the two lists of DWARF 5, each of which has its own columns. */
static bool read_entries(
	const struct unit *unit, struct line_header *header, struct cursor *cursor, bool dirs)
{
	struct columns columns;

	if (!read_columns(cursor, &columns))
		return false;
	uint64_t n = cursor_uleb(cursor);
	/* each entry takes at least one byte */
	if (n > cursor_left(cursor))
		return false;
	if (dirs)
		vec_reserve(&header->dirs, n);
	else
		vec_reserve(&header->files, n);
	for (uint64_t i = 0; i < n && !cursor->failed; i++) {
		struct line_file file = read_entry(unit, header, &columns, cursor);

		if (dirs)
			vec_push(&header->dirs, file.name);
		else
			vec_push(&header->files, file);
	}
	return !cursor->failed;
}

/* Reads the fields from header_length to the opcode lengths. */
static bool read_parameters(struct line_header *header, struct cursor *cursor)
{
	uint64_t len = cursor_number(cursor, header->encoding.offset_size);

	if (len > cursor_left(cursor))
		return false;
	header->program = (struct cursor){cursor->at + len, cursor->end, false};
	cursor->end = cursor->at + len;
	header->min_instruction = cursor_u8(cursor);
	header->max_operations = header->encoding.version >= 4 ? cursor_u8(cursor) : 1;
	if (!header->max_operations)
		header->max_operations = 1;
	cursor_u8(cursor); /* default_is_stmt: all rows are used */
	header->line_base = (int8_t)cursor_u8(cursor);
	header->line_range = cursor_u8(cursor);
	header->opcode_base = cursor_u8(cursor);
	header->opcode_lengths = cursor->at;
	cursor_skip(cursor, header->opcode_base ? header->opcode_base - 1u : 0);
	if (cursor->failed || !header->line_range || !header->opcode_base)
		return false;
	header->per_range = 65536 / header->line_range + 1u;
	return true;
}

/* Returns UNIT's line table, from its length on. All of its bytes are inflated. */
static struct cursor line_table_bytes(const struct unit *unit)
{
	struct sections *sections = unit->dwarf->sections;
	uint64_t at = unit->line_offset;
	struct cursor cursor = cursor_at(sections_part(sections, SECTION_LINE, at, 12), at);
	uint8_t offset_size;

	cursor_enter_unit(&cursor, &offset_size);
	return cursor_at(sections_part(sections, SECTION_LINE, at, 12 + cursor_left(&cursor)), at);
}

void line_header_want(const struct unit *unit)
{
	line_table_bytes(unit);
}

bool line_header_read(struct unit *unit, struct line_header *ret)
{
	struct cursor cursor = line_table_bytes(unit);
	struct encoding *encoding = &ret->encoding;

	*ret = (struct line_header){.encoding.address_size = unit->encoding.address_size};
	cursor_enter_unit(&cursor, &encoding->offset_size);
	uint16_t version = cursor_u16(&cursor);
	if (cursor.failed || version < 2 || version > 5 ||
		cursor_left(&cursor) > unit->dwarf->line_budget)
		return false;
	unit->dwarf->line_budget -= cursor_left(&cursor);
	encoding->version = (uint8_t)version;
	if (version >= 5) {
		encoding->address_size = cursor_u8(&cursor);
		cursor_u8(&cursor); /* segment_selector_size, not used */
	}
	if (!read_parameters(ret, &cursor))
		return false;
	if (version < 5) {
		read_old_entries(ret, &cursor);
		return true;
	}
	return read_entries(unit, ret, &cursor, true) && read_entries(unit, ret, &cursor, false);
}

static const char *directory(
	const struct line_header *header, const struct unit *unit, uint64_t index)
{
	if (header->encoding.version < 5 && !index--)
		return unit->comp_dir;
	return index < header->dirs.len ? header->dirs.data[index] : NULL;
}

static const char *make_path(const struct line_header *header, const struct unit *unit,
	const struct line_file *file, struct arena *arena)
{
	scope_guard(source_paths_deinit) struct source_paths paths = {};
	const char *dir = directory(header, unit, file->dir), *path = file->name;

	if (dir && *dir && *path != '/')
		path = source_path_join(arena, dir, path);
	return source_path(&paths, arena, unit->comp_dir, path);
}

const char *line_header_path(
	struct line_header *header, const struct unit *unit, uint64_t index, struct arena *arena)
{
	if (header->encoding.version < 5 && !index--)
		return NULL;
	if (index >= header->files.len || !*header->files.data[index].name)
		return NULL;
	struct line_file *file = &header->files.data[index];
	if (!file->path)
		file->path = make_path(header, unit, file, arena);
	return file->path;
}
