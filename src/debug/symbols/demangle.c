// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/demangle.h"

#include <libiberty/demangle.h>
#include <setjmp.h>
#include <string.h>

#include "util/text.h"

enum { STYLE = DMGL_PARAMS | DMGL_ANSI };

struct sink {
	struct text text;
	jmp_buf too_long;
};

/*
 * Leaves the demangler by longjmp() if the output is too long: libiberty has no other way to stop
 * before printing 2^40 bytes. Nothing leaks, because its callback interface uses stack memory
 * (except a buffer for non-ASCII Rust identifiers).
 */
static void sink_add(const char *s, size_t len, void *opaque)
{
	struct sink *sink = opaque;

	if (len > DEMANGLE_OUTPUT_MAX - sink->text.len)
		longjmp(sink->too_long, 1);
	text_add(&sink->text, s, len);
}

static bool is_d(const char *name)
{
	return name[0] == '_' && name[1] == 'D' &&
	       ((name[2] >= '0' && name[2] <= '9') || !strcmp(name, "_Dmain"));
}

/*
 * Adds the suffix of a part that compilers split off a Rust function ("….cold"), because the
 * demangler drops it. Leaves out the hash and ".llvm.1234", which only make local names unique.
 */
static void add_rust_clone(const char *name, struct text *text)
{
	const char *suffix = name[1] == 'R' ? strchr(name, '.') : strstr(name, "E.");

	while (suffix && name[1] == 'Z' && (suffix[2] < 'a' || suffix[2] > 'z') && suffix[2] != '_')
		suffix = strstr(suffix + 1, "E.");
	if (suffix && *suffix == 'E')
		suffix++;
	if (suffix && !strncmp(suffix, ".llvm.", 6))
		suffix = strchr(suffix + 6, '.');
	if (suffix)
		text_printf(text, " [clone %s]", suffix);
}

/* Returns NAME, of C++ or with DMGL_PARAMS also of Rust, in this style; NULL if it has none. */
static char *demangle_bounded(const char *name, int style)
{
	struct sink sink = {};

	if (setjmp(sink.too_long)) {
		text_deinit(&sink.text);
		return NULL;
	}
	if (style & DMGL_PARAMS && rust_demangle_callback(name, style, sink_add, &sink)) {
		add_rust_clone(name, &sink.text);
		return text_take(&sink.text);
	}
	text_clear(&sink.text);
	if (name[1] == 'Z' && cplus_demangle_v3_callback(name, style, sink_add, &sink))
		return text_take(&sink.text);
	text_deinit(&sink.text);
	return NULL;
}

bool demangle_is_mangled(const char *name)
{
	return (name[0] == '_' && (name[1] == 'Z' || name[1] == 'R')) || is_d(name);
}

static bool is_too_long(const char *name)
{
	return strnlen(name, DEMANGLE_INPUT_MAX + 1) > DEMANGLE_INPUT_MAX;
}

char *demangle(const char *name)
{
	if (!demangle_is_mangled(name) || is_too_long(name))
		return NULL;
	if (!is_d(name))
		return demangle_bounded(name, STYLE);
	/* D's demangler has no callback, so its back references ('Q') are limited beforehand */
	size_t refs = 0;
	for (const char *q = name; (q = strchr(q, 'Q')); q++)
		refs++;
	return refs > DEMANGLE_D_REFS_MAX ? NULL : dlang_demangle(name, STYLE);
}

/* Rust names are "_R...", or C++ names that end in a hash: "17h0123456789abcdefE". */
bool demangle_is_rust(const char *name)
{
	enum { HASH = 16, END = 3 + HASH + 1 };
	size_t len = strcspn(name, ".@");
	const char *end = name + len - END;

	if (name[0] != '_' || name[1] != 'Z')
		return name[0] == '_' && name[1] == 'R';
	return len > END && !memcmp(end, "17h", 3) && end[END - 1] == 'E' &&
	       strspn(end + 3, "0123456789abcdef") == HASH;
}

char *demangle_plain(const char *name)
{
	return name[0] != '_' || name[1] != 'Z' || demangle_is_rust(name) || is_too_long(name)
		       ? NULL
		       : demangle_bounded(name, DMGL_ANSI);
}

bool demangle_may_be_closure(const char *linkage, const char *name)
{
	if (linkage)
		return !strncmp(linkage, "_Z", 2) &&
		       (strstr(linkage, "_cl") || strstr(linkage, "$_"));
	return name && !strncmp(name, "operator()", 10);
}

bool demangle_is_closure_parameter(const char *name)
{
	return name && !strcmp(name, "__closure");
}
