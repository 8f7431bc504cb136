// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/symbol_search.h"

#include <string.h>

#include "debug/names/shown_names.h"
#include "debug/symbols/demangle.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

/*
 * Returns true if SYMBOL is NAME with a suffix that compilers and linkers append to a copy of a
 * function. Parts of functions (".cold") are no copies.
 */
static bool is_clone(const char *symbol, const char *name)
{
	static const char *const suffixes[] = {".isra.", ".constprop.", ".llvm.", ".lto_priv."};
	size_t len = strlen(name);

	if (strncmp(symbol, name, len) != 0 || strstr(symbol + len, ".cold"))
		return false;
	for (size_t i = 0; i < array_len(suffixes); i++)
		if (!strncmp(symbol + len, suffixes[i], strlen(suffixes[i])))
			return true;
	return false;
}

static bool is_called(const char *symbol, const char *name, enum symbol_form form)
{
	if (form == SYMBOL_AS_IN_FILE)
		return !strcmp(symbol, name);
	if (form == SYMBOL_CLONE)
		return is_clone(symbol, name);
	if (form == SYMBOL_SHORT)
		return shown_name_is(symbol, name);
	auto_free char *s = demangle(symbol);
	return s && !strcmp(s, name);
}

void symbol_search_each(struct symtab *symtab, const char *name, enum symbol_form form,
	void (*found)(void *context, const struct symbol *symbol), void *context)
{
	size_t n;
	const struct symbol *all = symtab_symbols(symtab, &n);

	for (size_t i = 0; i < n; i++)
		if (is_called(all[i].name, name, form))
			found(context, &all[i]);
}

const struct symbol *symbol_search_only(struct symtab *symtab, const char *name)
{
	size_t n;
	const struct symbol *all = symtab_symbols(symtab, &n), *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].name, name) != 0)
			continue;
		if (found && found->start != all[i].start)
			return NULL;
		found = &all[i];
	}
	return found;
}

uint64_t symbol_search_next(struct symtab *symtab, uint64_t start)
{
	size_t n;
	const struct symbol *all = symtab_symbols(symtab, &n);
	size_t next = sorted_count(all, n, .start <= start);

	return next < n ? all[next].start : UINT64_MAX;
}

const struct symbol *symbol_search_sample(struct symtab *symtab, unsigned i, unsigned n)
{
	size_t len;
	const struct symbol *all = symtab_symbols(symtab, &len);

	return len ? &all[len / n * i + len % n * i / n] : NULL;
}

bool symbol_is_part(const struct symbol *symbol, const char *name, uint64_t entry)
{
	size_t len = strlen(name);
	const char *suffix = symbol->name + len;

	return symbol->source != SOURCE_PLT && symbol->start != entry &&
	       !strncmp(symbol->name, name, len) && *suffix == '.' &&
	       strncmp(suffix, ".llvm.", 6) != 0 && strncmp(suffix, ".lto_priv.", 10) != 0;
}

bool symbol_is_mangled(const struct symbol *symbol, const char *name, uint64_t entry)
{
	auto_free char *part = NULL;

	if (!demangle_is_mangled(symbol->name))
		return false;
	if (symbol->start == entry)
		return true;
	part = xasprintf("%zu%s", strlen(name), name);
	return strchr(symbol->name, '.') && strstr(symbol->name, part);
}
