// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/perf_map.h"

#include <string.h>

#include "model/name_limit.h"
#include "util/scan.h"

/*
 * Parses a hexadecimal number. Java writes "0x" before it (jcmd Compiler.perfmap), others do not.
 */
static bool parse_number(struct scan *s, uint64_t *ret)
{
	struct scan at = *s;

	(void)scan_literal(&at, "0x");
	if (!scan_hex(&at, ret))
		return false;
	*s = at;
	return true;
}

static bool is_node_name(struct scan name)
{
	static const char *const kinds[] = {"JS:", "LazyCompile:", "Function:", "Script:", "Eval:"};

	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		if (scan_literal(&name, kinds[i]))
			return true;
	return false;
}

/* Removes ":NUMBER" from the end of S. */
static bool cut_number(struct scan *s, uint32_t *ret)
{
	const char *digits = s->end;
	uint64_t number;

	while (digits > s->at && digits[-1] >= '0' && digits[-1] <= '9')
		digits--;
	struct scan scan = {digits, s->end};
	if (digits == s->at || digits[-1] != ':' || !scan_decimal(&scan, &number) ||
		number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	s->end = digits - 1;
	return true;
}

/*
 * Returns the blank before the file name: the first one before a path or URL, as paths may contain
 * blanks.
 */
static const char *find_file(struct scan name)
{
	static const char *const starts[] = {"/", "file:", "node:"};

	for (const char *at = name.at; at < name.end; at++) {
		struct scan rest = {at + 1, name.end};

		for (size_t i = 0; *at == ' ' && i < sizeof(starts) / sizeof(starts[0]); i++)
			if (scan_literal(&rest, starts[i]))
				return at;
	}
	return NULL;
}

/*
 * Splits "LazyCompile:*tick /app/x.js:3:9" into function and source location. A function without a
 * name keeps the location as its name.
 */
static bool split_node_name(struct scan *name, struct scan *file, struct jit_line *ret)
{
	const char *blank = is_node_name(*name) ? find_file(*name) : NULL;

	if (!blank || strchr(":*~^+", blank[-1]))
		return false;
	*file = (struct scan){blank + 1, name->end};
	if (!cut_number(file, &ret->column) || !cut_number(file, &ret->line))
		return false;
	name->end = blank;
	return true;
}

static void add_line(struct jit_map *map, struct scan file, struct jit_line line)
{
	struct jit_symbol *symbol = vec_last(&map->symbols);

	line.address = symbol->start;
	line.file = name_limit_copy(&map->strings, file.at, scan_left(&file));
	vec_push(&map->lines, line);
	symbol->n_lines = 1;
}

/*
 * 7f2c40a01b20 1a0 JS:*tick /app/x.js:3:9
 * (1)          (2) (3)
 * start and size (hex), name up to the end of the line
 */
static bool parse_line(struct scan s, struct jit_map *map)
{
	struct jit_line line = {};
	struct scan file;
	uint64_t start, size;

	if (!parse_number(&s, &start) || !scan_char(&s, ' ') || !parse_number(&s, &size) ||
		!scan_char(&s, ' ') || !scan_left(&s))
		return false;
	bool split = split_node_name(&s, &file, &line);
	if (!jit_map_add(map, start, size, s.at, scan_left(&s)))
		return false;
	if (split)
		add_line(map, file, line);
	return true;
}

size_t perf_map_parse(const char *text, size_t len, struct jit_map *ret)
{
	struct scan all = {text, text ? text + len : text}, line;
	size_t odd = 0;

	while (scan_line(&all, &line))
		odd += !parse_line(line, ret);
	return odd;
}
