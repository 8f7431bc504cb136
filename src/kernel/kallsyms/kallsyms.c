// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms/kallsyms.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "arch/arch.h"
#include "util/cleanup.h"
#include "util/number.h"
#include "util/scan.h"
#include "util/table.h"
#include "util/sort.h"
#include "util/vec.h"

/*
 * Limits for files that are not kallsyms. Real ones have up to a million symbols, with names of up
 * to 512 bytes.
 */
enum {
	LINE_LEN_MAX = 1 << 20,
	SYMBOLS_MAX = 1 << 23,
	MODULES_MAX = 1 << 16,
	POOL_MAX = 1 << 29,
	CHUNK = 1 << 16,
	NARROW_DIGITS = 8,
};

struct kallsyms_reading {
	bool any_address;
	bool wide; /* some address has more than 8 digits */
	uint64_t lines;
	struct kallsyms *ret; /* its symbols are in file order until finish() */
	/* names of modules, and names of code, each after its type as in nm(1) */
	struct text pool;
	struct table modules; /* name → index in `pool` */
	uint32_t last_module; /* index in `pool` */
};

static void reader_deinit(struct kallsyms_reading *reader)
{
	text_deinit(&reader->pool);
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

/*
 * Sets RET to the index of a module's name in the pool. Returns false if there are too many, or the
 * name has a NUL.
 */
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

/*
 * Reads a line:
 *
 *	ffffffffc0a12340 t nf_conntrack_in	[nf_conntrack]
 *
 * This is the address (hex), the type as in nm(1), the name, and the module after a tab. WHOLE is
 * false if the line has no newline. Returns false if it is malformed or a limit is reached.
 */
static bool read_line(struct kallsyms_reading *reader, struct scan line, bool whole)
{
	struct kallsyms_symbol symbol = {};
	struct scan name, module = {};
	const char *start = line.at;

	if (!scan_hex(&line, &symbol.address) || !scan_char(&line, ' ') || scan_left(&line) < 3 ||
		line.at[1] != ' ')
		return false;
	reader->wide |= line.at - start > NARROW_DIGITS + 1;
	char type = line.at[0];
	line.at += 2;
	if (!scan_word(&line, &name) || memchr(name.at, '\0', scan_left(&name)))
		return false;
	scan_blanks(&line);
	if (scan_char(&line, '[') && scan_left(&line) > 1 && line.end[-1] == ']')
		module = (struct scan){line.at, line.end - 1};
	reader->any_address |= symbol.address != 0;
	/* absolute symbols (A) are numbers, and undefined ones (U) have no address */
	enum marker marker = marker_of(name.at, scan_left(&name));
	if (!symbol.address || strchr("aAU", type) || marker == MARKER_INSIDE ||
		!module_name(reader, module, &symbol.module))
		return true;
	if (reader->ret->symbols.len >= SYMBOLS_MAX || reader->pool.len >= POOL_MAX)
		return false;
	/* the name of a truncated line may be truncated too */
	if (strchr("tTwW", type) && marker == MARKER_NONE && whole) {
		text_add_char(&reader->pool, type);
		symbol.name = add_name(reader, name);
	}
	vec_push(&reader->ret->symbols, symbol);
	return true;
}

/* ---- order ---------------------------------------------------------------------------------- */

static bool starts_with(const char *name, const char *prefix)
{
	return !strncmp(name, prefix, strlen(prefix));
}

/*
 * Ranks the name of a code symbol, which is after its type, by the order given in kallsyms.h: the
 * lowest is best.
 */
static uint64_t rank_of(const char *name)
{
	bool weak = (name[-1] | 0x20) == 'w', global = name[-1] == 'T';
	bool mark = starts_with(name, "__pfx_") || starts_with(name, "__pi_") ||
		    starts_with(name, "__cfi_");
	uint64_t rank = weak;

	rank = rank << 1 | mark;
	rank = rank << 32 | strspn(name, "_.");
	rank = rank << 1 | starts_with(name, "__ia32_");
	rank = rank << 1 | (strstr(name, ".llvm.") != NULL);
	return rank << 1 | !global;
}

/* Compares symbols at the same address. */
static int compare_symbols(const void *a_ptr, const void *b_ptr, void *text)
{
	const struct kallsyms_symbol *a = a_ptr, *b = b_ptr;
	uint64_t a_rank = a->name ? rank_of((const char *)text + a->name) : UINT64_MAX;
	uint64_t b_rank = b->name ? rank_of((const char *)text + b->name) : UINT64_MAX;

	return order_of(a->module, b->module)
	       ?: order_of(a_rank, b_rank)
	       ?: order_of(a->name, b->name);
}

/* Drops symbols that repeat the last one, or only end what that already ends. Finds the floor. */
static void drop_idle(struct kallsyms *kallsyms)
{
	struct kallsyms_symbol *all = kallsyms->symbols.data;
	const char *text = kallsyms->text;
	size_t kept = 0;

	kallsyms->floor = UINT64_MAX;
	for (size_t i = 0; i < kallsyms->symbols.len; i++) {
		const struct kallsyms_symbol *symbol = &all[i],
					     *last = kept ? &all[kept - 1] : NULL;

		if (last && last->module == symbol->module) {
			bool same = last->address == symbol->address;

			if (symbol->name ? same && !strcmp(text + last->name, text + symbol->name)
					 : same || !last->name)
				continue;
		}
		if (symbol->name && symbol->address < kallsyms->floor)
			kallsyms->floor = symbol->address;
		all[kept++] = *symbol;
	}
	kallsyms->symbols.len = kept;
}

static void read_lines(struct kallsyms_reading *reader, struct scan *all)
{
	struct scan line;

	if (!reader->pool.len)
		text_add_char(&reader->pool, '\0');
	while (scan_line(all, &line))
		if (scan_left(&line) <= LINE_LEN_MAX &&
			read_line(reader, line, all->at[-1] == '\n'))
			reader->lines++;
		else
			reader->ret->skipped++;
}

static void finish(struct kallsyms_reading *reader)
{
	struct kallsyms *ret = reader->ret;

	ret->narrow = !reader->wide;
	ret->status = !reader->lines	    ? KALLSYMS_ABSENT
		      : reader->any_address ? KALLSYMS_READ
					    : KALLSYMS_HIDDEN;
	ret->text_len = reader->pool.len;
	ret->text = xreallocarray(text_take(&reader->pool), ret->text_len, 1);
	radix_sort(ret->symbols.data, ret->symbols.len, sizeof(*ret->symbols.data));
	for (size_t first = 0, end; first < ret->symbols.len; first = end) {
		struct kallsyms_symbol *all = ret->symbols.data;

		end = first + 1;
		while (end < ret->symbols.len && all[end].address == all[first].address)
			end++;
		if (end > first + 1)
			qsort_r(all + first, end - first, sizeof(*all), compare_symbols, ret->text);
	}
	drop_idle(ret);
}

void kallsyms_parse(const char *text, size_t len, struct kallsyms *ret)
{
	scope_guard(reader_deinit) struct kallsyms_reading reader = {.ret = ret};
	struct scan all = {text, len ? text + len : text};

	read_lines(&reader, &all);
	finish(&reader);
}

int kallsyms_read(int fd, struct kallsyms *ret)
{
	scope_guard(reader_deinit) struct kallsyms_reading reader = {.ret = ret};
	auto_text struct text text = {};
	ssize_t n;

	do {
		text_reserve(&text, CHUNK);
		n = read(fd, text.data + text.len, CHUNK);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0 || text.len > LINE_LEN_MAX) {
			int failed = n < 0 ? errno : EFBIG;

			kallsyms_deinit(ret);
			*ret = (struct kallsyms){.status = KALLSYMS_ABSENT};
			return failed;
		}
		text.len += (size_t)n;
		/* at the end of the file, the last line may be incomplete */
		const char *newline = memrchr(text.data, '\n', text.len);
		struct scan lines = {text.data, !n	  ? text.data + text.len
						: newline ? newline + 1
							  : text.data};
		read_lines(&reader, &lines);
		vec_drop(&text, (size_t)(lines.at - text.data));
	} while (n);
	finish(&reader);
	return 0;
}

enum {
	/* assumed size of a function whose end is unknown, such as a module's last */
	LAST_SYMBOL_REACH = 4096,
	/* a larger one is a gap; the largest function of Linux 6.18 has 20 KB */
	FUNCTION_MAX = 1 << 16,
	/* limit on the runs of one module's symbols that kallsyms_find_in() searches */
	RUNS_AROUND = 64,
};

void kallsyms_deinit(struct kallsyms *kallsyms)
{
	free(kallsyms->text);
	vec_deinit(&kallsyms->symbols);
	vec_deinit(&kallsyms->names);
}

/* Returns the number of symbols at or below ADDRESS. */
static size_t count_below(const struct kallsyms *kallsyms, uint64_t address)
{
	return sorted_count(kallsyms->symbols.data, kallsyms->symbols.len, .address <= address);
}

/*
 * Sets RET to symbol AT if it covers ADDRESS. NEXT is the index of the first symbol above ADDRESS.
 * The range of the answer ends at LIMIT at the latest.
 */
static bool answer(const struct kallsyms *kallsyms, size_t at, size_t next, uint64_t limit,
	uint64_t address, struct kallsyms_answer *ret)
{
	const struct kallsyms_symbol *all = kallsyms->symbols.data;

	while (at && all[at - 1].address == all[at].address && all[at - 1].module == all[at].module)
		at--;
	/*
	 * It ends at the next symbol of the same module, because kallsyms has no sizes. If that is
	 * too far away, LAST_SYMBOL_REACH is assumed.
	 */
	uint64_t start = all[at].address;
	uint64_t end =
		start > UINT64_MAX - LAST_SYMBOL_REACH ? UINT64_MAX : start + LAST_SYMBOL_REACH;
	for (; next < kallsyms->symbols.len && all[next].address - start <= FUNCTION_MAX; next++)
		if (all[next].module == all[at].module) {
			end = all[next].address;
			break;
		}
	if (end > limit)
		end = limit;
	if (address >= end || !all[at].name)
		return false;
	*ret = (struct kallsyms_answer){
		.name = kallsyms->text + all[at].name,
		.module = all[at].module ? kallsyms->text + all[at].module : NULL,
		.start = start,
		.end = end,
	};
	return true;
}

bool kallsyms_find(const struct kallsyms *kallsyms, uint64_t address, struct kallsyms_answer *ret)
{
	size_t next = count_below(kallsyms, address);
	uint64_t limit =
		next < kallsyms->symbols.len ? kallsyms->symbols.data[next].address : UINT64_MAX;

	return next && answer(kallsyms, next - 1, next, limit, address, ret);
}

bool kallsyms_find_in(const struct kallsyms *kallsyms, const char *module, uint64_t address,
	struct kallsyms_answer *ret)
{
	const struct kallsyms_symbol *all = kallsyms->symbols.data;
	size_t next = count_below(kallsyms, address);

	for (size_t i = next, runs = 0; i-- && runs < RUNS_AROUND;) {
		if (i + 1 < next && all[i].module == all[i + 1].module)
			continue;
		runs++;
		if (!strcmp(kallsyms->text + all[i].module, module))
			return answer(kallsyms, i, next, UINT64_MAX, address, ret);
	}
	return false;
}

/* ---- by name -------------------------------------------------------------------------------- */

/* Returns an entry of the index: 32 bits of the hash of NAME, then the symbol's index. */
static uint64_t entry_of(const char *name, uint32_t symbol)
{
	return stable_hash(name, strlen(name)) << 32 | symbol;
}

const struct kallsyms_symbol *kallsyms_next_named(
	struct kallsyms *kallsyms, const char *name, size_t *at)
{
	uint64_t first = entry_of(name, 0);

	if (!kallsyms->names_read) {
		kallsyms->names_read = true;
		vec_reserve(&kallsyms->names, kallsyms->symbols.len);
		for (uint32_t i = 0; i < kallsyms->symbols.len; i++) {
			uint32_t known = kallsyms->symbols.data[i].name;

			if (known)
				vec_push(&kallsyms->names, entry_of(kallsyms->text + known, i));
		}
		radix_sort(
			kallsyms->names.data, kallsyms->names.len, sizeof(*kallsyms->names.data));
	}
	if (!*at)
		*at = sorted_count(kallsyms->names.data, kallsyms->names.len, < first);
	while (*at < kallsyms->names.len && kallsyms->names.data[*at] >> 32 == first >> 32) {
		const struct kallsyms_symbol *symbol =
			&kallsyms->symbols.data[(uint32_t)kallsyms->names.data[(*at)++]];

		if (!strcmp(kallsyms->text + symbol->name, name))
			return symbol;
	}
	return NULL;
}

bool kallsyms_find_name(struct kallsyms *kallsyms, const char *name, uint64_t *ret)
{
	const struct kallsyms_symbol *symbol, *best = NULL;

	for (size_t at = 0; (symbol = kallsyms_next_named(kallsyms, name, &at));)
		if (!best || (best->module && !symbol->module))
			best = symbol;
	if (best)
		*ret = best->address;
	return best;
}

bool kallsyms_qualifier(
	struct kallsyms *kallsyms, const struct kallsyms_answer *answer, struct text *ret)
{
	const char *module = answer->module ? answer->module : "";
	const struct kallsyms_symbol *symbol;
	bool here = false, elsewhere = false;

	for (size_t at = 0; (symbol = kallsyms_next_named(kallsyms, answer->name, &at));) {
		bool same = !strcmp(kallsyms->text + symbol->module, module);

		elsewhere |= !same;
		here |= same && symbol->address != answer->start;
	}
	text_clear(ret);
	if (here)
		text_printf(ret, "@0x%llx", (unsigned long long)answer->start);
	else if (elsewhere)
		text_printf(ret, "[%s]", answer->module ? answer->module : "kernel");
	return here || elsewhere;
}
