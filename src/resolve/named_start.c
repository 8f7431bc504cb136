// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/named_start.h"

#include <string.h>

#include "kernel/kallsyms/kallsyms.h"
#include "util/cleanup.h"
#include "util/text.h"

/* Functions are aligned to at most 64 bytes, so padding to the next one is shorter. */
enum {
	STARTS_MAX = 1 << 16,
	FILL_MAX = 63,
};

/* A search among functions with one name. */
struct name_search {
	const struct kallsyms *symbols; /* set for the kernel */
	struct debug *debug;		/* set for a file */
	const char *module;
	uint64_t size;
	uint64_t any, right; /* the last match, and the last with that size */
	size_t n_any, n_right;
};

void named_starts_deinit(struct named_starts *starts)
{
	table_deinit(&starts->by_name);
	vec_deinit(&starts->all);
}

void named_starts_clear(struct named_starts *starts)
{
	table_clear(&starts->by_name);
	starts->all.len = 0;
}

static void add_start(struct name_search *search, uint64_t start, bool right)
{
	if (!search->n_any || search->any != start)
		search->n_any++;
	search->any = start;
	if (right && (!search->n_right || search->right != start))
		search->n_right++;
	if (right)
		search->right = start;
}

/* Returns the result of a search. */
static struct named_start settle(const struct name_search *search)
{
	if (search->n_right == 1)
		return (struct named_start){FRAME_NAMED, false, search->right};
	if (search->n_any == 1)
		return (struct named_start){FRAME_NAMED, true, search->any};
	return (struct named_start){.status = FRAME_OUTSIDE_SYMBOLS};
}

/* Returns the cached answer, or a new one with ADDED_RET set. */
static struct named_start *start_at(struct named_starts *starts, const char *whose, uint64_t number,
	const char *name, uint64_t size, bool *added_ret)
{
	scope_guard(text_deinit) struct text key = {};

	if (starts->all.len >= STARTS_MAX)
		named_starts_clear(starts);
	text_add_string(&key, whose);
	text_add_char(&key, 0);
	text_printf(&key, "%llu %llu ", (unsigned long long)number, (unsigned long long)size);
	text_add_string(&key, name);
	uint64_t *index = table_at(&starts->by_name, key.data, key.len, added_ret);
	if (*added_ret) {
		*index = starts->all.len;
		(void)vec_add(&starts->all);
	}
	return &starts->all.data[*index];
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/*
 * The kernel prints the distance to the next symbol as the size (get_symbol_pos() in
 * kernel/kallsyms.c), except for BPF programs and the last function of a module.
 */
static bool is_that_long(struct name_search *search, const char *module, uint64_t start)
{
	struct kallsyms_answer here, next;

	if (!kallsyms_find_in(search->symbols, module, start, &here))
		return false;
	if (here.end - start == search->size)
		return true;
	bool last = *module && !kallsyms_find_in(search->symbols, module, here.end, &next);
	return search->size < here.end - start && (last || !strcmp(module, "bpf"));
}

static void found_in_kernel(void *context, const char *module, uint64_t start)
{
	struct name_search *search = context;
	/* the kernel prints BPF programs without a module */
	bool bpf = !*search->module && !strcmp(module, "bpf");

	if (bpf || !strcmp(module, search->module))
		add_start(search, start, !search->size || is_that_long(search, module, start));
}

static struct named_start kernel_start(
	struct kernel *kernel, const char *module, const char *name, uint64_t size)
{
	struct kallsyms *symbols = kernel_symbols(kernel);
	struct name_search search = {.symbols = symbols, .module = module, .size = size};

	if (symbols->status == KALLSYMS_HIDDEN)
		return (struct named_start){.status = FRAME_KALLSYMS_DENIED};
	if (symbols->status == KALLSYMS_ABSENT)
		return (struct named_start){.status = FRAME_KALLSYMS_ABSENT};
	kallsyms_each_named(symbols, name, found_in_kernel, &search);
	return settle(&search);
}

struct named_start named_start_in_kernel(struct named_starts *starts, struct kernel *kernel,
	const char *module, const char *name, uint64_t size)
{
	bool added;
	struct named_start *start = start_at(starts, module, UINT64_MAX, name, size, &added);

	if (added)
		*start = kernel_start(kernel, module, name, size);
	return *start;
}

/* ---- files ---------------------------------------------------------------------------------- */

/*
 * Returns true if the size reaches to the next symbol, or to one that the file has no function for.
 */
static bool fills(struct name_search *search, const struct symbol *symbol)
{
	uint64_t size = symbol->end - symbol->start;
	uint64_t distance =
		symbol_search_next(debug_symtab(search->debug), symbol->start) - symbol->start;

	return search->size == distance ||
	       (search->size < distance && size <= search->size && search->size - size <= FILL_MAX);
}

static void found_in_object(void *context, const struct symbol *symbol)
{
	struct name_search *search = context;

	add_start(search, symbol->start, !search->size || fills(search, symbol));
}

struct named_start named_start_in_object(struct named_starts *starts, const struct object *object,
	struct debug *debug, const char *name, uint64_t size)
{
	bool added;
	struct named_start *start = start_at(starts, "", object->number, name, size, &added);

	if (added) {
		struct name_search search = {.size = size, .debug = debug};

		symbol_search_each(
			debug_symtab(debug), name, SYMBOL_AS_IN_FILE, found_in_object, &search);
		*start = settle(&search);
	}
	return *start;
}
