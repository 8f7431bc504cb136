// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/shown_names.h"

#include <string.h>

#include "debug/names/name_path.h"
#include "debug/names/short_name.h"
#include "debug/symbols/demangle.h"
#include "debug/symbols/symbol_table.h"
#include "util/arena.h"
#include "util/cleanup.h"
#include "util/number.h"
#include "util/sort.h"
#include "util/stop.h"
#include "util/table.h"
#include "util/text.h"
#include "util/xalloc.h"

/* ---- all functions of an object -------------------------------------------------------------- */

size_t function_name_base(const char *name)
{
	size_t len = strnlen(name, FUNCTION_NAME_MAX + 1);
	const char *dot = len ? memchr(name + 1, '.', len - 1) : NULL;
	const char *at = memchr(name, '@', dot ? (size_t)(dot - name) : len);

	return at ? (size_t)(at - name) : dot ? (size_t)(dot - name) : len;
}

static void read_symbols(const struct symbol_table *table, struct function_names *ret)
{
	for (size_t i = 1; i < table->n && !stop_asked(); i++) {
		const GElf_Sym sym = symbol_table_get(table, i);
		const char *name = symbol_table_name(table, &sym);
		int type = GELF_ST_TYPE(sym.st_info);
		bool function = type == STT_FUNC || type == STT_GNU_IFUNC || type == STT_NOTYPE;
		size_t len = name && function ? function_name_base(name) : 0;

		if (len && len <= FUNCTION_NAME_MAX)
			vec_push(ret, (struct function_name){name_path(name, len), name});
	}
}

/* Returns the names with this PATH, NULL if there are none. N_RET gets their number. */
static const struct function_name *function_names_of(
	const struct function_names *names, uint64_t path, size_t *n_ret)
{
	size_t first = sorted_count(names->data, names->len, .path < path);
	size_t end = sorted_count(names->data, names->len, .path <= path);

	*n_ret = end - first;
	return *n_ret ? &names->data[first] : NULL;
}

/* ---- Go ------------------------------------------------------------------------------------- */

/* The path stays if more functions than this differ only in path and type arguments. */
enum { GO_COMPARED_MAX = 4096 };

/* Type arguments, which the table lists as "[...]", are not compared. */
static uint64_t hash_of(const char *name)
{
	const char *tail = short_name_go(name);

	return stable_hash(tail, strcspn(tail, "["));
}

static bool same_base(const char *a, const char *b)
{
	size_t len = strcspn(a, "[");

	return len == strcspn(b, "[") && !memcmp(a, b, len);
}

static void read_names(struct go_names *names, const struct gopclntab *go)
{
	const struct slice all = go ? gopclntab_names(go) : (struct slice){};

	names->read = true;
	if (!all.len)
		return;
	const char *at = (const char *)all.data, *end = at + all.len;
	for (const char *next; at < end && (next = memchr(at, '\0', (size_t)(end - at)));
		at = next + 1)
		if (*at && next - at <= FUNCTION_NAME_MAX)
			vec_push(&names->functions, (struct function_name){hash_of(at), at});
	radix_sort(names->functions.data, names->functions.len, sizeof(*names->functions.data));
}

const char *go_names_shown(struct go_names *names, const struct gopclntab *go, const char *name)
{
	const char *tail = short_name_go(name);
	bool found = false;
	size_t n;

	if (tail == name || strnlen(name, FUNCTION_NAME_MAX + 1) > FUNCTION_NAME_MAX)
		return NULL;
	if (!names->read)
		read_names(names, go);
	const struct function_name *all = function_names_of(&names->functions, hash_of(name), &n);
	for (size_t i = 0; i < n; i++) {
		bool same = same_base(all[i].name, name);

		if (i == GO_COMPARED_MAX || (!same && same_base(short_name_go(all[i].name), tail)))
			return NULL;
		found |= same;
	}
	return found ? tail : NULL;
}

/* ---- what is shown --------------------------------------------------------------------------- */

/* Functions of one path demangled for comparison; if there are more, each gets a qualifier. */
enum { COMPARED_MAX = 32 };
/* Longer arguments, in bytes, are not used as qualifier. */
enum { ARGUMENTS_MAX = 40 };
/*
 * Names whose path is unknown are demangled, up to this many bytes in total; if there are more, all
 * functions get a qualifier.
 */
enum { UNKNOWN_BYTES_MAX = 1 << 20 };

struct shown_names {
	const struct elf_image *image, *file;
	enum name_style style;
	bool read; /* the fields below are set */
	struct function_names functions;
	struct table unknown; /* name → number of functions with it and an unknown path */
	bool doubt;	      /* FUNCTIONS or UNKNOWN is incomplete */
	struct table known;   /* cache of shown_name() and shown_bare_name() */
	struct arena arena;
};

struct shown_names *shown_names_create(
	const struct elf_image *image, const struct elf_image *file, enum name_style style)
{
	struct shown_names *names = xnew(names);

	*names = (struct shown_names){.image = image, .file = file, .style = style};
	return names;
}

void shown_names_destroy(struct shown_names *names)
{
	if (!names)
		return;
	vec_deinit(&names->functions);
	table_deinit(&names->unknown);
	table_deinit(&names->known);
	arena_deinit(&names->arena);
	free(names);
}

size_t shown_names_bytes(const struct shown_names *names)
{
	return names->arena.bytes + names->known.keys.bytes;
}

/* ---- one name ------------------------------------------------------------------------------- */

/* A function, and its name without qualifier. */
struct called {
	char *linkage;	   /* without compiler suffixes */
	const char *clone; /* compiler suffix: ".isra.0", "@plt" */
	char *name;
	bool dropped; /* NAME lacks more than the arguments */
	/* of Rust, before v0: functions that differ only in the hash have the same whole name */
	bool legacy;
};

static void called_deinit(struct called *called)
{
	free(called->linkage);
	free(called->name);
}

/* Returns false if LINKAGE has no name other than the whole one. */
static bool called_init(const char *linkage, enum name_style style, struct called *ret)
{
	size_t len = function_name_base(linkage);
	const char *suffix = linkage + len;
	auto_text struct text text = {};

	if (!demangle_is_mangled(linkage) || linkage[1] == 'D' || len > FUNCTION_NAME_MAX)
		return false;
	if (strcmp(suffix, "@plt") &&
		suffix[strspn(suffix, ".abcdefghijklmnopqrstuvwxyz_0123456789")])
		return false;
	scope_guard(called_deinit) struct called called = {
		.linkage = xstrndup(linkage, len), .clone = suffix};
	bool rust = demangle_is_rust(called.linkage);
	called.legacy = rust && called.linkage[1] == 'Z';
	auto_free char *plain = rust ? demangle(called.linkage) : demangle_plain(called.linkage);
	/* thunks and tables have names such as "virtual thunk to f" */
	if (!plain || (!rust && (called.linkage[2] == 'T' || called.linkage[2] == 'G')))
		return false;
	enum short_name_form form = style == NAMES_PLAIN ? SHORT_NAME_PLAIN
				    : rust		 ? SHORT_NAME_RUST
							 : SHORT_NAME_CXX;
	if (!short_name_add(&text, plain, form, &called.dropped))
		return false;
	called.name = text_take(&text);
	*ret = called;
	/* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): its guard reads it */
	called = (struct called){};
	return true;
}

/*
 * Adds what distinguishes the function from others of the same name: its arguments, or a mark made
 * from WHOLE, its whole name.
 */
static void add_qualifier(const struct called *called, const char *whole, struct text *text)
{
	size_t len = strlen(called->name);
	bool arguments = !called->dropped && !strncmp(whole, called->name, len) &&
			 whole[len] == '(' && strlen(whole + len) <= ARGUMENTS_MAX;

	if (arguments)
		text_add_string(text, whole + len);
	else
		short_name_add_mark(text, called->legacy ? called->linkage : whole);
}

/* ---- other functions of the same name ------------------------------------------------------- */

/*
 * Reads the functions of both files, unless they were read. Reads .symtab of both, but only that of
 * FILE if IMAGE's was made from it by stripping; and .dynsym of IMAGE if it has no .symtab.
 */
static void read_functions(struct shown_names *names)
{
	if (names->read)
		return;
	const struct symbol_table own = symbol_table_open(names->image, SHT_SYMTAB),
				  more = symbol_table_open(names->file, SHT_SYMTAB),
				  dynamic = symbol_table_open(names->image, SHT_DYNSYM);
	/*
	 * A debug file has the table from before stripping, which includes what is left in the
	 * stripped file.
	 */
	bool whole = more.n > own.n + dynamic.n;
	names->read = true;
	read_symbols(&more, &names->functions);
	if (!whole)
		read_symbols(&own, &names->functions);
	if (!whole && !own.n)
		read_symbols(&dynamic, &names->functions);
	radix_sort(names->functions.data, names->functions.len, sizeof(*names->functions.data));
	names->doubt = stop_asked();
	/* functions whose path is unknown are looked up by name */
	size_t n, bytes = 0;
	const struct function_name *all =
		function_names_of(&names->functions, NAME_PATH_UNKNOWN, &n);
	for (size_t i = 0; i < n && !names->doubt; i++) {
		scope_guard(called_deinit) struct called called = {};

		if (!called_init(all[i].name, names->style, &called))
			continue;
		bytes += strlen(called.linkage);
		names->doubt = bytes > UNKNOWN_BYTES_MAX;
		(*table_at(&names->unknown, called.name, strlen(called.name), NULL))++;
	}
}

enum relation {
	RELATION_NONE,	/* has another name */
	RELATION_SAME,	/* the function itself, or one with the same whole name */
	RELATION_OTHER, /* another function that would get the same name */
};

/*
 * Returns how the function OTHER relates to CALLED. WHOLE: the whole name of CALLED; its linkage
 * name if it has no other.
 */
static enum relation relation_to(const struct shown_names *names, const struct called *called,
	const char *whole, const char *other)
{
	scope_guard(called_deinit) struct called others = {};
	size_t len = function_name_base(other);

	if (!strncmp(other, called->linkage, len) && !called->linkage[len])
		return RELATION_SAME;
	if (!demangle_is_mangled(other))
		return !strncmp(other, called->name, len) && !called->name[len] ? RELATION_OTHER
										: RELATION_NONE;
	if (!called_init(other, names->style, &others) || strcmp(others.name, called->name) != 0)
		return RELATION_NONE;
	if (others.legacy)
		return RELATION_OTHER;
	auto_free char *whole_other = demangle(others.linkage);
	return whole_other && !strcmp(whole, whole_other) ? RELATION_SAME : RELATION_OTHER;
}

/* Returns true if no other function can have the same name. */
static bool is_only(struct shown_names *names, const struct called *called, const char *whole)
{
	size_t n;
	bool found = false;

	read_functions(names);
	uint64_t path = name_path(called->linkage, strlen(called->linkage));
	if (names->doubt || path == NAME_PATH_UNKNOWN ||
		table_find(&names->unknown, called->name, strlen(called->name)))
		return false;
	const struct function_name *all = function_names_of(&names->functions, path, &n);
	for (size_t i = 0; i < n; i++) {
		enum relation relation = relation_to(names, called, whole, all[i].name);

		if (relation == RELATION_OTHER || i == COMPARED_MAX)
			return false;
		found |= relation == RELATION_SAME;
	}
	/* a function that is always inlined has no symbol */
	return found || (called->legacy && !called->dropped);
}

/* Returns the name to show, malloc'ed; NULL if it is the whole name. */
static char *make_shown(struct shown_names *names, const char *linkage, const char *demangled)
{
	auto_text struct text text = {};
	scope_guard(called_deinit) struct called called = {};

	if (!called_init(linkage, names->style, &called))
		return NULL;
	auto_free char *own = *called.clone ? demangle(called.linkage) : NULL;
	const char *whole = *called.clone ? own : demangled;
	text_add_string(&text, called.name);
	bool alone = demangle_is_rust(linkage) && !called.legacy
			     ? !called.dropped
			     : !whole || (!called.legacy && !strcmp(whole, called.name)) ||
				       is_only(names, &called, whole);
	if (whole && !alone)
		add_qualifier(&called, whole, &text);
	text_add_string(&text, called.clone);
	return text_take(&text);
}

const char *shown_name(struct shown_names *names, const char *linkage, const char *demangled)
{
	bool added;

	if (!demangle_is_mangled(linkage))
		return NULL;
	uint64_t *at = table_at(&names->known, linkage, strlen(linkage), &added);
	if (added) {
		auto_free char *shown = make_shown(names, linkage, demangled);
		*at = (uintptr_t)arena_string(&names->arena, shown);
	}
	return (const char *)(uintptr_t)*at;
}

static char *make_bare(const char *name)
{
	auto_text struct text text = {};
	bool dropped = false;

	enum short_name_form form =
		*name == '<' || strstr(name, " as ") ? SHORT_NAME_RUST : SHORT_NAME_CXX;

	if (!short_name_add(&text, name, form, &dropped) || !dropped)
		return NULL;
	short_name_add_mark(&text, name);
	return text_take(&text);
}

const char *shown_bare_name(struct shown_names *names, const char *name)
{
	bool added;

	if (names->style != NAMES_SHORT || !strchr(name, '<'))
		return NULL;
	uint64_t *at = table_at(&names->known, name, strlen(name), &added);
	if (added) {
		auto_free char *bare = make_bare(name);
		*at = (uintptr_t)arena_string(&names->arena, bare);
	}
	return (const char *)(uintptr_t)*at;
}

bool shown_names_has_another(struct shown_names *names, const char *name)
{
	size_t n;
	struct called bare = {.linkage = (char *)name, .name = (char *)name};

	read_functions(names);
	const struct function_name *all =
		function_names_of(&names->functions, name_path(name, strlen(name)), &n);
	for (size_t i = 0; i < n && i < COMPARED_MAX; i++)
		if (demangle_is_mangled(all[i].name) &&
			relation_to(names, &bare, name, all[i].name) == RELATION_OTHER)
			return true;
	return n > COMPARED_MAX || table_find(&names->unknown, name, strlen(name));
}

/* Returns true if a word may end in SUFFIX: that of CALLED, or none of a copy. */
static bool is_suffix(const struct called *called, const char *suffix)
{
	/* parts of functions and PLT stubs are no copies of the function */
	bool copy = !strstr(called->clone, ".cold") && !strstr(called->clone, ".part") &&
		    *called->clone != '@';

	return !strcmp(suffix, called->clone) || (!*suffix && copy);
}

static bool is_called(const struct called *called, const char *word)
{
	auto_text struct text text = {};
	size_t len = strlen(called->name);

	if (strncmp(word, called->name, len) != 0)
		return false;
	if (is_suffix(called, word + len))
		return true;
	auto_free char *whole = demangle(called->linkage);
	if (!whole)
		return false;
	add_qualifier(called, whole, &text);
	return !strncmp(word + len, text.data, text.len) &&
	       is_suffix(called, word + len + text.len);
}

/* Does the same for a name with a part of the whole one instead of its mark (model/mark.h). */
static bool is_called_by_part(const struct called *called, const char *word)
{
	const char *part = strrchr(word, '{'), *end = part ? strchr(part, '}') : NULL;

	if (!end || strncmp(word, called->name, strlen(called->name)) != 0 ||
		(size_t)(part - word) != strlen(called->name) || !is_suffix(called, end + 1))
		return false;
	auto_free char *whole = demangle(called->linkage);
	auto_free char *wanted = xstrndup(part + 1, (size_t)(end - part - 1));
	return strstr(whole ?: called->linkage, wanted);
}

/* Does the same for a function without linkage name in debug info. */
static bool is_bare(const char *name, const char *word)
{
	auto_free char *bare = strchr(name, '<') ? make_bare(name) : NULL;

	if (!bare || !strcmp(bare, word))
		return bare;
	*strrchr(bare, '#') = '\0'; /* which tables drop */
	return !strcmp(bare, word) ||
	       is_called_by_part(
		       &(struct called){.linkage = (char *)name, .clone = "", .name = bare}, word);
}

bool shown_name_is(const char *linkage, const char *word)
{
	static const enum name_style styles[] = {NAMES_SHORT, NAMES_PLAIN};

	if (!demangle_is_mangled(linkage))
		return (short_name_go(linkage) != linkage &&
			       !strcmp(short_name_go(linkage), word)) ||
		       is_bare(linkage, word);
	array_each(style, styles, array_len(styles)) {
		scope_guard(called_deinit) struct called called = {};
		auto_text struct text unlined = {};

		if (!called_init(linkage, *style, &called))
			continue;
		if (is_called(&called, word) || is_called_by_part(&called, word))
			return true;
		/* a lambda may be shown with its line */
		if (short_name_add_unlined(&unlined, word) && is_called(&called, unlined.data))
			return true;
	}
	return false;
}
