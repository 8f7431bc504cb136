// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/lines.h"

#include <stdlib.h>
#include <string.h>

#include "util/vec.h"
#include "util/xalloc.h"

void id_table_deinit(struct id_table *table)
{
	vec_free_each(&table->columns, name);
	vec_deinit(&table->columns);
}

/*
 * Splits LINE into at most MAX cells, and returns their number. The last one gets the rest of the
 * line. If SEPARATOR is ' ', cells are separated by runs of blanks and tabs.
 */
static size_t split(struct scan line, char separator, size_t max, struct scan *cells)
{
	char other = separator == ' ' ? '\t' : separator;
	size_t n = 0;

	line = scan_trimmed(line);
	while (n + 1 < max) {
		struct scan cell = line;

		while (line.at < line.end && *line.at != separator && *line.at != other)
			line.at++;
		cell.end = line.at;
		cells[n++] = scan_trimmed(cell);
		if (line.at == line.end)
			return n;
		line.at++;
		if (separator == ' ')
			scan_blanks(&line);
	}
	cells[n++] = scan_trimmed(line);
	return n;
}

/* Splits a header or --columns into CELLS, which has room for one more than a table has columns. */
static size_t split_names(struct scan line, struct scan *cells)
{
	return split(line, scan_first(line, ',') ? ',' : ' ', ID_TABLE_COLUMNS_MAX + 1, cells);
}

/*
 * Returns true if CELL can be a column's name. A word of hex digits is taken for a number, unless
 * it is a known name.
 */
static bool is_name(struct scan cell)
{
	bool all_hex = true;

	if (cell.at == cell.end || scan_left(&cell) > 64)
		return false;
	for (const char *p = cell.at; p < cell.end; p++) {
		char lower = *p | 0x20;
		bool letter = (lower >= 'a' && lower <= 'z') || *p == '_';

		if (!letter && (p == cell.at || (*p != '-' && !(*p >= '0' && *p <= '9'))))
			return false;
		all_hex &= scan_hex_digit(*p) >= 0;
	}
	return !all_hex || role_of_name(cell) < ROLE_COUNT;
}

static bool set_columns(struct id_table *table, const struct scan *cells, size_t n)
{
	bool has_stack = false;

	vec_free_each(&table->columns, name);
	table->columns.len = 0;
	array_each(cell, cells, n) {
		struct table_column column = {
			.name = xstrndup(cell->at, scan_left(cell)),
			.role = role_of_name(*cell),
		};

		has_stack |= role_is_stack(column.role);
		vec_push(&table->columns, column);
	}
	return has_stack;
}

struct error *id_table_columns(struct id_table *table, const char *text, bool any)
{
	struct scan cells[ID_TABLE_COLUMNS_MAX + 1];
	size_t n = split_names(scan_of(text), cells);

	if (n > ID_TABLE_COLUMNS_MAX)
		return error_create(
			ERROR_USAGE, "--columns: more than %d columns", ID_TABLE_COLUMNS_MAX);
	table->given = true;
	if (set_columns(table, cells, n) || any)
		return NULL;
	return error_create(ERROR_USAGE,
		"--columns: none of them is a stack: call it user, kernel or stack, as in "
		"pid,kernel,user,count,comm");
}

bool id_table_header(struct id_table *table, struct scan line)
{
	struct scan cells[ID_TABLE_COLUMNS_MAX + 1];
	size_t n = split_names(line, cells);
	bool has_stack = false;

	if (n > ID_TABLE_COLUMNS_MAX)
		return false;
	for (size_t i = 0; i < n; i++) {
		if (!is_name(cells[i]))
			return false;
		has_stack |= role_is_stack(role_of_name(cells[i]));
	}
	if (has_stack && !table->given)
		set_columns(table, cells, n);
	return has_stack;
}

static size_t row_split_by(
	const struct id_table *table, struct scan line, char separator, struct field *fields)
{
	struct scan cells[ID_TABLE_COLUMNS_MAX];
	size_t columns = table->columns.len, n = 0;
	size_t found = split(line, separator, columns, cells);

	/* an empty comm at the end of the line has no cell */
	if (found != columns &&
		(found + 1 != columns || table->columns.data[columns - 1].role != ROLE_COMM))
		return 0;
	for (size_t i = 0; i < found; i++) {
		const struct table_column *column = &table->columns.data[i];
		struct scan cell = cells[i], rest = cell;
		struct field field = {.name = column->name, .kind = FIELD_NUMBER};
		bool comm = column->role == ROLE_COMM;

		if (!scan_left(&cell) || (!comm && scan_equals(cell, "-")))
			continue;
		if (comm || !scan_number(&rest, &field.number) || scan_left(&rest)) {
			if (!comm && column->role != ROLE_COUNT)
				return 0; /* the column needs a number */
			field = (struct field){.name = column->name,
				.kind = FIELD_TEXT,
				.bytes = cell.at,
				.len = scan_left(&cell)};
		}
		fields[n++] = field;
	}
	return n;
}

size_t id_table_row(const struct id_table *table, struct scan line, struct field *fields)
{
	size_t n = 0;

	for (const char *separator = ",\t "; !n && *separator; separator++)
		n = row_split_by(table, line, *separator, fields);
	return n;
}
