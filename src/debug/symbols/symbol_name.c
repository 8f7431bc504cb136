// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/symbol_name.h"

#include <string.h>

#include "debug/symbols/demangle.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

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
