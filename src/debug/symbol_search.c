// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbol_search.h"

#include <string.h>

#include "debug/demangle.h"
#include "util/cleanup.h"

static const struct symbol *all_of(struct symtab *symtab, size_t *n_ret)
{
	*n_ret = 0;
	return symtab ? symtab_symbols(symtab, n_ret) : NULL;
}

static const struct symbol *search(struct symtab *symtab, const char *name, bool mangled)
{
	size_t n;
	const struct symbol *all = all_of(symtab, &n), *best = NULL;

	for (size_t i = 0; i < n; i++) {
		auto_free char *s = mangled ? NULL : demangle(all[i].name);
		const char *own = mangled ? all[i].name : s;

		if (own && !strcmp(own, name) && (!best || all[i].start < best->start))
			best = &all[i];
	}
	return best;
}

const struct symbol *symbol_search_any(struct symtab *symtab, const char *name)
{
	const struct symbol *symbol = search(symtab, name, true);

	return symbol ? symbol : search(symtab, name, false);
}

const struct symbol *symbol_search_only(struct symtab *symtab, const char *name)
{
	size_t n;
	const struct symbol *all = all_of(symtab, &n), *found = NULL;

	for (size_t i = 0; i < n; i++) {
		if (strcmp(all[i].name, name) != 0)
			continue;
		if (found && found->start != all[i].start)
			return NULL;
		found = &all[i];
	}
	return found;
}

const struct symbol *symbol_search_sample(struct symtab *symtab, unsigned i, unsigned n)
{
	size_t len;
	const struct symbol *all = all_of(symtab, &len);

	return len ? &all[len / n * i + len % n * i / n] : NULL;
}
