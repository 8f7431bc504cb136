// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/reader.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "arch/marker.h"
#include "kernel/kallsyms/table.h"
#include "util/cleanup.h"
#include "util/order.h"
#include "util/scan.h"
#include "util/table.h"
#include "util/text.h"

/* Bounds for files that are no kernel's: the largest have a million symbols, names of 512 bytes. */
enum {
	LINE_LEN_MAX = 1 << 20,
	SYMBOLS_MAX = 1 << 23,
	MODULES_MAX = 1 << 16,
	POOL_MAX = 1 << 29,
	CHUNK = 1 << 16,
	NARROW_DIGITS = 8,
};

struct kallsyms_reading {
	struct text carry; /* the beginning of a line */
	bool too_long;	   /* the line is skipped up to its end */
	bool any_address;
	bool wide; /* an address has more than 8 digits */
	uint64_t lines, skipped;
	struct VEC(struct kallsyms_symbol) symbols;
	struct text pool;     /* their names, and those of modules */
	struct table modules; /* name → index in the pool */
	uint32_t last_module; /* index in the pool */
};

static void reader_deinit(struct kallsyms_reading *reader)
{
	text_deinit(&reader->carry);
	text_deinit(&reader->pool);
	vec_deinit(&reader->symbols);
	table_deinit(&reader->modules);
}

/* ---- lines ---------------------------------------------------------------------------------- */

static uint32_t add_name(struct kallsyms_reading *reader, struct scan name)
{
	size_t at = reader->pool.len;

	text_add(&reader->pool, name.at, scan_left(&name));
	text_add_char(&reader->pool, '\0');
	return (uint32_t)at;
}

/* The index of a module's name in the pool; false: it is one too many. */
static bool module_name(struct kallsyms_reading *reader, struct scan s, uint32_t *ret)
{
	size_t len = scan_left(&s);
	bool added;

	*ret = 0;
	if (!len)
		return true;
	if (memchr(s.at, '\0', len))
		return false;
	const char *last = reader->pool.data + reader->last_module;
	if (strlen(last) != len || memcmp(last, s.at, len) != 0) {
		if (reader->modules.len > MODULES_MAX || reader->pool.len >= POOL_MAX)
			return false;
		uint64_t *name = table_at(&reader->modules, s.at, len, &added);

		if (added)
			*name = add_name(reader, s);
		reader->last_module = (uint32_t)*name;
	}
	*ret = reader->last_module;
	return true;
}

static bool is_code(char type)
{
	return type == 't' || type == 'T' || type == 'w' || type == 'W';
}

/*
 * ffffffffc0a12340 t nf_conntrack_in	[nf_conntrack]
 * (1)              (2)(3)            (4)
 * address (hex), type as in nm(1), name, module after a tab
 *
 * False: not a line of kallsyms.
 */
static bool read_line(struct kallsyms_reading *reader, struct scan line, bool whole)
{
	struct kallsyms_symbol symbol = {.order = (uint32_t)reader->symbols.len};
	struct scan name, module = {};

	const char *start = line.at;

	if (!scan_hex(&line, &symbol.address) || !scan_char(&line, ' ') || scan_left(&line) < 3 ||
		line.at[1] != ' ')
		return false;
	reader->wide |= line.at - start > NARROW_DIGITS + 1;
	symbol.type = line.at[0];
	line.at += 2;
	if (!scan_word(&line, &name) || memchr(name.at, '\0', scan_left(&name)))
		return false;
	scan_blanks(&line);
	if (scan_char(&line, '[') && scan_left(&line) > 1 && line.end[-1] == ']')
		module = (struct scan){line.at, line.end - 1};
	reader->any_address |= symbol.address != 0;
	/* Absolute symbols (A) are numbers, undefined ones (U) have no place. */
	enum marker marker = marker_of(name.at, scan_left(&name));
	if (!symbol.address || strchr("aAU", symbol.type) || marker == MARKER_INSIDE ||
		!module_name(reader, module, &symbol.module))
		return true;
	if (reader->symbols.len >= SYMBOLS_MAX || reader->pool.len >= POOL_MAX)
		return false;
	/* A name that was cut is none. */
	if (is_code(symbol.type) && marker == MARKER_NONE && whole) {
		symbol.name = add_name(reader, name);
		symbol.len = (uint32_t)scan_left(&name);
	}
	vec_push(&reader->symbols, symbol);
	return true;
}

static void take_line(struct kallsyms_reading *reader, struct scan line, bool whole)
{
	if (reader->too_long || !read_line(reader, line, whole))
		reader->skipped++;
	else
		reader->lines++;
	reader->too_long = false;
}

static struct scan carried(const struct kallsyms_reading *reader)
{
	return (struct scan){reader->carry.data, reader->carry.data + reader->carry.len};
}

/* Adds the beginning of a line to what came before. */
static void carry(struct kallsyms_reading *reader, const char *bytes, size_t len)
{
	if (reader->carry.len + len > LINE_LEN_MAX) {
		reader->too_long = true;
		text_clear(&reader->carry);
	}
	if (!reader->too_long)
		text_add(&reader->carry, bytes, len);
}

static size_t without_return(const char *bytes, size_t len)
{
	return len && bytes[len - 1] == '\r' ? len - 1 : len;
}

static void reader_feed(struct kallsyms_reading *reader, const char *bytes, size_t len)
{
	const char *end = bytes + len, *newline;

	for (; len && (newline = memchr(bytes, '\n', len)); len = (size_t)(end - bytes)) {
		size_t line_len = (size_t)(newline - bytes);

		if (reader->carry.len || reader->too_long || line_len > LINE_LEN_MAX) {
			carry(reader, bytes, line_len);
			reader->carry.len = without_return(reader->carry.data, reader->carry.len);
			take_line(reader, carried(reader), true);
			text_clear(&reader->carry);
		} else {
			line_len = without_return(bytes, line_len);
			take_line(reader, (struct scan){bytes, bytes + line_len}, true);
		}
		bytes = newline + 1;
	}
	if (len)
		carry(reader, bytes, len);
}

/* ---- tables --------------------------------------------------------------------------------- */

struct alias_rank {
	bool mark, ia32, llvm;
	size_t lead;
};

static struct alias_rank rank_of(const struct kallsyms_symbol *symbol, const char *pool)
{
	const char *name = pool + symbol->name;
	struct alias_rank rank = {
		.mark = text_starts_with(name, symbol->len, "__pfx_") ||
			text_starts_with(name, symbol->len, "__pi_") ||
			text_starts_with(name, symbol->len, "__cfi_"),
		.ia32 = text_starts_with(name, symbol->len, "__ia32_"),
		.llvm = memmem(name, symbol->len, ".llvm.", strlen(".llvm.")) != NULL,
	};

	while (rank.lead < symbol->len && (name[rank.lead] == '_' || name[rank.lead] == '.'))
		rank.lead++;
	return rank;
}

/* The rule of kallsyms.h for two symbols of code. */
static int compare_aliases(
	const struct kallsyms_symbol *a, const struct kallsyms_symbol *b, const char *pool)
{
	bool a_weak = (a->type | 0x20) == 'w', b_weak = (b->type | 0x20) == 'w';

	if (a_weak != b_weak)
		return a_weak ? 1 : -1;
	struct alias_rank a_rank = rank_of(a, pool), b_rank = rank_of(b, pool);
	return order_of(a_rank.mark, b_rank.mark)
	       ?: order_of(a_rank.lead, b_rank.lead)
	       ?: order_of(a_rank.ia32, b_rank.ia32)
	       ?: order_of(a_rank.llvm, b_rank.llvm)
	       ?: order_of(b->type == 'T', a->type == 'T');
}

static int compare_symbols(const void *a_ptr, const void *b_ptr, void *pool)
{
	const struct kallsyms_symbol *a = a_ptr, *b = b_ptr;

	return order_of(a->module, b->module)
	       ?: order_of(a->address, b->address)
	       ?: order_of(!a->len, !b->len)
	       ?: (a->len ? compare_aliases(a, b, pool) : 0)
	       ?: order_of(a->order, b->order);
}

/* The file is nearly always in order already, but for aliases. */
static void sort_symbols(struct kallsyms_reading *reader)
{
	struct kallsyms_symbol *symbols = reader->symbols.data;

	for (size_t i = 1; i < reader->symbols.len; i++)
		if (compare_symbols(&symbols[i - 1], &symbols[i], reader->pool.data) > 0) {
			qsort_r(symbols, reader->symbols.len, sizeof(*symbols), compare_symbols,
				reader->pool.data);
			return;
		}
}

/* Adds the tables of all symbols to RET, which takes over the pool of names. */
static void make_tables(struct kallsyms_reading *reader, struct kallsyms *ret)
{
	const struct kallsyms_symbol *symbols = reader->symbols.data;
	size_t n = 0;

	ret->text_len = reader->pool.len;
	ret->text = xreallocarray(text_take(&reader->pool), ret->text_len, 1);
	ret->places = xreallocarray(NULL, reader->symbols.len, sizeof(*ret->places));
	for (size_t first = 0, end; first < reader->symbols.len; first = end) {
		for (end = first + 1; end < reader->symbols.len; end++)
			if (symbols[end].module != symbols[first].module ||
				symbols[end].address - symbols[first].address > UINT32_MAX)
				break;
		n += kallsyms_table_add(&symbols[first], end - first, &ret->places[n], ret);
	}
}

static void reader_finish(struct kallsyms_reading *reader, struct kallsyms *ret)
{
	if (reader->carry.len || reader->too_long)
		take_line(reader, carried(reader), false);
	ret->narrow = !reader->wide;
	ret->skipped = reader->skipped;
	ret->status = !reader->lines	    ? KALLSYMS_ABSENT
		      : reader->any_address ? KALLSYMS_READ
					    : KALLSYMS_HIDDEN;
	if (reader->symbols.len) {
		sort_symbols(reader);
		make_tables(reader, ret);
	}
}

/* ---- whole files ---------------------------------------------------------------------------- */

static void reader_init(struct kallsyms_reading *ret)
{
	*ret = (struct kallsyms_reading){};
	text_add_char(&ret->pool, '\0');
	text_add_char(&ret->carry, '\0');
	text_clear(&ret->carry);
}

void kallsyms_parse(const char *text, size_t len, struct kallsyms *ret)
{
	struct kallsyms_reading reader;

	reader_init(&reader);
	reader_feed(&reader, text, len);
	reader_finish(&reader, ret);
	kallsyms_index(ret);
	reader_deinit(&reader);
}

static int feed_file(struct kallsyms_reading *reader, int fd)
{
	auto_free char *chunk = xmalloc(CHUNK);
	ssize_t n;

	while ((n = read(fd, chunk, CHUNK)) != 0) {
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return errno;
		reader_feed(reader, chunk, (size_t)n);
	}
	return 0;
}

int kallsyms_read(int fd, struct kallsyms *ret)
{
	struct kallsyms_reading reader;

	reader_init(&reader);
	int failed = feed_file(&reader, fd);
	if (failed)
		ret->status = KALLSYMS_ABSENT;
	else
		reader_finish(&reader, ret);
	kallsyms_index(ret);
	reader_deinit(&reader);
	return failed;
}
