// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/jit_map.h"

#include "model/frame.h"
#include "util/scan.h"
#include "util/sort.h"

void jit_map_deinit(struct jit_map *map)
{
	vec_deinit(&map->symbols);
	vec_deinit(&map->lines);
	history_deinit(&map->history);
	arena_deinit(&map->strings);
}

void jit_map_clear(struct jit_map *map)
{
	map->symbols.len = map->lines.len = 0;
	history_deinit(&map->history);
}

static bool fits(const struct jit_map *map, uint64_t start, uint64_t size)
{
	return size && size <= UINT64_MAX - start && map->symbols.len < JIT_SYMBOLS_MAX;
}

/*
 * Adds a symbol. At the limit, makes all code unknown, because the symbols that are left out may
 * have replaced any of it.
 */
static void add(struct jit_map *map, uint64_t start, uint64_t size, const char *name)
{
	bool last = map->symbols.len == JIT_SYMBOLS_MAX - 1;
	struct jit_symbol symbol = {last ? "" : name, .first_line = (uint32_t)map->lines.len};
	struct history_span span = {.start = last ? 0 : start,
		.end = last ? UINT64_MAX : start + size,
		.what = table_hash(table_seed(), symbol.name, strlen(symbol.name))};

	vec_push(&map->symbols, symbol);
	history_add(&map->history, span);
}

bool jit_map_add(struct jit_map *map, uint64_t start, uint64_t size, const char *name, size_t len)
{
	if (!fits(map, start, size))
		return false;
	add(map, start, size, name_limit_copy(&map->strings, name, len));
	return true;
}

struct history_span *jit_map_last(struct jit_map *map)
{
	return vec_last(&map->history.spans);
}

struct jit_code jit_map_find(const struct jit_map *map, uint64_t address, uint64_t time)
{
	struct jit_code ret = {};
	const struct history_span *span = history_at(&map->history, address, time, &ret.ambiguous);
	const struct jit_symbol *symbol = span ? &map->symbols.data[span->item] : NULL;

	if (!symbol || !*symbol->name)
		return ret;
	ret.name = symbol->name;
	ret.span = span;
	if (!symbol->n_lines)
		return ret;
	const struct jit_line *lines = map->lines.data + symbol->first_line;
	size_t n = sorted_count(lines, symbol->n_lines, .address <= address);
	ret.line = n ? &lines[n - 1] : NULL;
	return ret;
}

/* ---- perf maps ------------------------------------------------------------------------------ */

/* Reads a hexadecimal number. Java writes "0x" before it (jcmd Compiler.perfmap), others do not. */
static bool read_number(struct scan *s, uint64_t *ret)
{
	(void)scan_literal(s, "0x");
	return scan_hex(s, ret);
}

/* Removes ":NUMBER" from the end of S. */
static bool cut_number(struct scan *s, uint32_t *ret)
{
	struct scan digits;
	uint64_t number;

	if (!scan_cut_last(s, ':', &digits) || !scan_all_decimal(digits, &number) ||
		number > UINT32_MAX)
		return false;
	*ret = (uint32_t)number;
	return true;
}

/*
 * Returns the blank before the file name: the first one before a path or URL, as paths may contain
 * blanks.
 */
static const char *find_file(struct scan name)
{
	for (struct scan rest = name; (rest.at = scan_first(rest, ' '));) {
		rest.at++;
		if (scan_starts(rest, "/") || scan_starts(rest, "file:") ||
			scan_starts(rest, "node:"))
			return rest.at - 1;
	}
	return NULL;
}

/*
 * Splits "LazyCompile:*tick /app/x.js:3:9" into function and source location. A function without a
 * name keeps the location as its name.
 */
static bool split_node_name(struct scan *name, struct scan *file, struct jit_line *ret)
{
	static const char *const kinds[] = {"JS", "LazyCompile", "Function", "Script", "Eval"};
	struct scan rest = *name, kind;

	if (!scan_to(&rest, ':', &kind) || !scan_is_one_of(kind, kinds, array_len(kinds)))
		return false;
	const char *blank = find_file(*name);
	if (!blank || strchr(":*~^+", blank[-1]))
		return false;
	*file = (struct scan){blank + 1, name->end};
	if (!cut_number(file, &ret->column) || !cut_number(file, &ret->line))
		return false;
	name->end = blank;
	return true;
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

	if (!read_number(&s, &start) || !scan_char(&s, ' ') || !read_number(&s, &size) ||
		!scan_char(&s, ' ') || !scan_left(&s))
		return false;
	bool split = split_node_name(&s, &file, &line);
	if (!jit_map_add(map, start, size, s.at, scan_left(&s)))
		return false;
	if (!split)
		return true;
	line.address = jit_map_last(map)->start;
	line.file = name_limit_copy(&map->strings, file.at, scan_left(&file));
	vec_push(&map->lines, line);
	vec_last(&map->symbols)->n_lines = 1;
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

/* ---- jitdumps ------------------------------------------------------------------------------- */

enum { MAGIC = 0x4a695444, VERSION = 1, LINES_MAX = 1 << 22 };
enum { FLAG_ARCH_TIMESTAMP = 1 }; /* times are of a CPU counter */
enum { RECORD_LOAD = 0, RECORD_MOVE = 1, RECORD_DEBUG_INFO = 2 };

struct file_header {
	uint32_t magic, version, size, machine, pad, pid;
	uint64_t time, flags;
};

struct record_header {
	uint32_t id, size; /* size includes this header */
	uint64_t time;
};

struct load_record {
	uint32_t pid, tid;
	uint64_t vma, address, size, index; /* followed by the name with NUL, and the code */
};

struct move_record {
	uint32_t pid, tid;
	uint64_t vma, old_address, address, size, index;
};

struct debug_record {
	uint64_t address, n; /* followed by N times a debug_entry and a file name with NUL */
};

struct debug_entry {
	uint64_t address;
	uint32_t line, discriminator;
};

void jitdump_deinit(struct jitdump *dump)
{
	table_deinit(&dump->by_address);
}

static bool read_bytes(struct scan *s, void *ret, size_t size)
{
	if (scan_left(s) < size)
		return false;
	memcpy(ret, s->at, size);
	s->at += size;
	return true;
}

/* Records the last symbol of MAP as the one at ADDRESS. */
static void remember(struct jitdump *dump, struct jit_map *map, uint64_t address)
{
	*table_at(&dump->by_address, &address, sizeof(address), NULL) = map->symbols.len - 1;
}

static void read_load(struct jitdump *dump, struct jit_map *map, struct scan s)
{
	struct load_record load;
	struct scan name;

	if (!read_bytes(&s, &load, sizeof(load)) || !scan_to(&s, '\0', &name) ||
		!jit_map_add(map, load.address, load.size, name.at, scan_left(&name)))
		return;
	if (dump->n_lines && dump->lines_address == load.address) {
		vec_last(&map->symbols)->first_line = dump->first_line;
		vec_last(&map->symbols)->n_lines = dump->n_lines;
	}
	dump->n_lines = 0;
	remember(dump, map, load.address);
}

/* Adds the latest code at the old address at its new address too, without its lines. */
static void read_move(struct jitdump *dump, struct jit_map *map, struct scan s)
{
	struct move_record move;

	if (!read_bytes(&s, &move, sizeof(move)))
		return;
	const uint64_t *symbol =
		table_find(&dump->by_address, &move.old_address, sizeof(move.old_address));
	if (!symbol || !fits(map, move.address, move.size))
		return;
	add(map, move.address, move.size, map->symbols.data[*symbol].name);
	remember(dump, map, move.address);
}

COMPARE(compare_lines, struct jit_line, order_of(a->address, b->address))

static void read_debug_info(struct jitdump *dump, struct jit_map *map, struct scan s)
{
	const char *file = NULL;
	struct debug_record debug;
	struct debug_entry entry;
	struct scan name;

	dump->first_line = map->lines.len;
	dump->n_lines = 0;
	if (!read_bytes(&s, &debug, sizeof(debug)))
		return;
	dump->lines_address = debug.address;
	for (uint64_t i = 0; i < debug.n && map->lines.len < LINES_MAX; i++) {
		if (!read_bytes(&s, &entry, sizeof(entry)) || !scan_to(&s, '\0', &name))
			break;
		/* a name that is the single byte 0xff means the file before */
		if (!scan_equals(name, "\xff") && (!file || !scan_equals(name, file)))
			file = name_limit_copy(&map->strings, name.at, scan_left(&name));
		const struct jit_line line = {entry.address, file, entry.line, 0};
		vec_push(&map->lines, line);
		dump->n_lines++;
	}
	if (dump->n_lines)
		qsort(map->lines.data + dump->first_line, dump->n_lines, sizeof(*map->lines.data),
			compare_lines);
}

bool jitdump_read(
	struct jitdump *dump, const void *bytes, size_t len, struct jit_map *map, size_t *used_ret)
{
	struct scan s = {bytes, (const char *)bytes + len};
	struct file_header file;
	struct record_header record;

	if (!dump->begun) {
		if (!read_bytes(&s, &file, sizeof(file)) || file.magic != MAGIC ||
			file.version != VERSION || file.size < sizeof(file) ||
			file.size - sizeof(file) > scan_left(&s))
			return false;
		dump->timed = !(file.flags & FLAG_ARCH_TIMESTAMP);
		s.at += file.size - sizeof(file);
		dump->begun = true;
	}
	for (*used_ret = len - scan_left(&s); read_bytes(&s, &record, sizeof(record));) {
		if (record.size < sizeof(record) || record.size - sizeof(record) > scan_left(&s))
			break;
		struct scan body = {s.at, s.at + (record.size - sizeof(record))};
		size_t n = map->symbols.len;
		if (record.id == RECORD_LOAD)
			read_load(dump, map, body);
		else if (record.id == RECORD_MOVE)
			read_move(dump, map, body);
		else if (record.id == RECORD_DEBUG_INFO)
			read_debug_info(dump, map, body);
		if (dump->timed && map->symbols.len > n)
			jit_map_last(map)->since = jit_map_last(map)->begin = record.time;
		s.at = body.end;
		*used_ret = len - scan_left(&s);
	}
	return true;
}
