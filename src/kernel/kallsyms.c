// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kallsyms.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"

/* Kernels with everything built in have ~20 MB; names go up to 512 bytes. */
enum { KALLSYMS_MAX = 512 << 20, LAST_SYMBOL_REACH = 4096 };

void kallsyms_deinit(struct kallsyms *kallsyms)
{
	vec_deinit(&kallsyms->symbols);
	text_deinit(&kallsyms->pool);
}

static uint32_t pool_add(struct text *pool, struct scan s)
{
	uint32_t offset = (uint32_t)pool->len;

	text_add(pool, s.at, scan_left(&s));
	text_add_char(pool, '\0');
	return offset;
}

/* Lines of one module follow each other, so the last one's name is mostly the right one. */
static uint32_t pool_module(struct kallsyms *kallsyms, struct scan s)
{
	size_t len = scan_left(&s);
	size_t n = kallsyms->symbols.len;

	if (!len)
		return 0;
	if (n && kallsyms->symbols.data[n - 1].module) {
		uint32_t last = kallsyms->symbols.data[n - 1].module;
		const char *name = kallsyms->pool.data + last;

		if (strlen(name) == len && !memcmp(name, s.at, len))
			return last;
	}
	return pool_add(&kallsyms->pool, s);
}

/* Type T by nm(1), but they stand behind the last function and only end it. */
static bool is_end_mark(struct scan name)
{
	struct scan text = name, init = name;

	return (scan_literal(&text, "_etext") && !scan_left(&text)) ||
	       (scan_literal(&init, "_einittext") && !scan_left(&init));
}

/*
 * ffffffffc0a12340 t nf_conntrack_in	[nf_conntrack]
 * (1)              (2)(3)            (4)
 * address (hex), type as in nm(1), name, module after a tab
 */
static bool parse_line(struct scan line, struct kallsyms *ret)
{
	struct kallsyms_symbol symbol = {.order = (uint32_t)ret->symbols.len};
	struct scan name, module = {};

	if (!scan_hex(&line, &symbol.address) || !scan_char(&line, ' ') || scan_left(&line) < 3 ||
		line.at[1] != ' ')
		return false;
	symbol.type = line.at[0];
	line.at += 2;
	if (!scan_word(&line, &name) || memchr(name.at, '\0', scan_left(&name)))
		return false;
	scan_blanks(&line);
	if (scan_char(&line, '[') && scan_left(&line) > 1 && line.end[-1] == ']')
		module = (struct scan){line.at, line.end - 1};
	if (is_end_mark(name))
		symbol.type = 'N';
	symbol.module = pool_module(ret, module);
	symbol.name = pool_add(&ret->pool, name);
	vec_push(&ret->symbols, symbol);
	return true;
}

static bool is_code(const struct kallsyms_symbol *symbol)
{
	return strchr("tTwW", symbol->type) != NULL;
}

static size_t underscores(const char *name)
{
	return strspn(name, "_");
}

/* Sorted by address; of several the preferred first, code before data. */
static int compare_symbols(const void *a_ptr, const void *b_ptr, void *pool)
{
	const struct kallsyms_symbol *a = a_ptr, *b = b_ptr;
	const char *names = pool;

	if (a->address != b->address)
		return a->address < b->address ? -1 : 1;
	if (is_code(a) != is_code(b))
		return is_code(a) ? -1 : 1;
	bool a_weak = (a->type | 0x20) == 'w', b_weak = (b->type | 0x20) == 'w';
	if (a_weak != b_weak)
		return a_weak ? 1 : -1;
	size_t a_lead = underscores(names + a->name), b_lead = underscores(names + b->name);
	if (a_lead != b_lead)
		return a_lead < b_lead ? -1 : 1;
	if ((a->type == 'T') != (b->type == 'T'))
		return a->type == 'T' ? -1 : 1;
	return a->order < b->order ? -1 : a->order > b->order;
}

void kallsyms_parse(const char *text, size_t len, struct kallsyms *ret)
{
	struct scan all = {text, text + len}, line;
	uint64_t any = 0;

	text_add_char(&ret->pool, '\0');
	while (scan_line(&all, &line) && ret->pool.len < UINT32_MAX - len)
		if (parse_line(line, ret))
			any |= ret->symbols.data[ret->symbols.len - 1].address;
	ret->status = !ret->symbols.len ? KALLSYMS_ABSENT : any ? KALLSYMS_READ : KALLSYMS_HIDDEN;
	if (ret->symbols.len)
		qsort_r(ret->symbols.data, ret->symbols.len, sizeof(*ret->symbols.data),
			compare_symbols, ret->pool.data);
}

void kallsyms_read(const char *proc_root, struct kallsyms *ret)
{
	auto_free char *path = xasprintf("%s/kallsyms", proc_root);
	auto_fd int fd = file_open_regular(AT_FDCWD, path);
	struct text text = {};

	ret->status = KALLSYMS_ABSENT;
	if (fd >= 0 && !file_read_all(fd, KALLSYMS_MAX, &text) && text.len)
		kallsyms_parse(text.data, text.len, ret);
	text_deinit(&text);
}

/* The number of symbols at or below ADDRESS. */
static size_t count_below(const struct kallsyms *kallsyms, uint64_t address)
{
	size_t low = 0, high = kallsyms->symbols.len;

	while (low < high) {
		size_t middle = low + (high - low) / 2;

		if (kallsyms->symbols.data[middle].address <= address)
			low = middle + 1;
		else
			high = middle;
	}
	return low;
}

/*
 * Kallsyms has no sizes. The next symbol of the same module ends a function; at a module's last
 * function nobody says where it ends, and it is not believed beyond a page.
 */
static uint64_t symbol_end(const struct kallsyms *kallsyms, size_t next, uint32_t module)
{
	const struct kallsyms_symbol *symbols = kallsyms->symbols.data;
	uint64_t start = symbols[next - 1].address, reach = start + LAST_SYMBOL_REACH;
	const char *pool = kallsyms->pool.data;

	if (next == kallsyms->symbols.len)
		return reach < start ? UINT64_MAX : reach;
	if (!strcmp(pool + symbols[next].module, pool + module) || symbols[next].address < reach)
		return symbols[next].address;
	return reach;
}

bool kallsyms_find(
	const struct kallsyms *kallsyms, uint64_t address, struct kallsyms_answer *ret)
{
	const struct kallsyms_symbol *symbols = kallsyms->symbols.data;
	size_t next = count_below(kallsyms, address), first = next;

	if (kallsyms->status != KALLSYMS_READ || !next || !symbols[next - 1].address)
		return false;
	while (first > 1 && symbols[first - 2].address == symbols[next - 1].address)
		first--;
	const struct kallsyms_symbol *symbol = &symbols[first - 1];
	uint64_t end = symbol_end(kallsyms, next, symbol->module);
	if (!is_code(symbol) || address >= end)
		return false;
	*ret = (struct kallsyms_answer){
		.name = kallsyms->pool.data + symbol->name,
		.module = symbol->module ? kallsyms->pool.data + symbol->module : NULL,
		.start = symbol->address,
		.end = end,
	};
	return true;
}

bool kallsyms_find_name(const struct kallsyms *kallsyms, const char *name, uint64_t *ret)
{
	for (size_t i = 0; i < kallsyms->symbols.len; i++) {
		const struct kallsyms_symbol *symbol = &kallsyms->symbols.data[i];

		if (is_code(symbol) && symbol->address &&
			!strcmp(kallsyms->pool.data + symbol->name, name)) {
			*ret = symbol->address;
			return true;
		}
	}
	return false;
}
