// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/lookup.h"

#include <string.h>

#include "debug/debug.h"
#include "debug/names/shown_names.h"
#include "debug/symbols/demangle.h"
#include "kernel/kallsyms/kallsyms.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/sort.h"
#include "util/scan.h"
#include "util/xalloc.h"

/* ---- words ---------------------------------------------------------------------------------- */

void symbol_word_deinit(struct symbol_word *word)
{
	free(take(word->name));
	free(take(word->text));
}

/* Removes `+NUMBER` from the end of S. */
static bool cut_number(struct scan *s, uint64_t *ret)
{
	const char *plus = scan_left(s) ? memrchr(s->at, '+', scan_left(s)) : NULL;
	struct scan number = {plus ? plus + 1 : s->end, s->end};
	uint64_t value;

	if (!plus || plus == s->at || !scan_number(&number, &value) || scan_left(&number))
		return false;
	*ret = value;
	s->end = plus;
	return true;
}

/* Returns the last OPENING after a blank if S ends in CLOSING, else NULL. */
static const char *opening_of(struct scan s, char opening, char closing)
{
	if (scan_left(&s) < 4 || s.end[-1] != closing)
		return NULL;
	for (const char *at = s.end - 2; at > s.at; at--)
		if (*at == opening && (at[-1] == ' ' || at[-1] == '\t'))
			return at;
	return NULL;
}

static bool hex_number(struct scan s, uint64_t *ret)
{
	return scan_literal(&s, "0x") && scan_hex(&s, ret) && !scan_left(&s);
}

/* Removes `@0xADDRESS` or `@SECTION+0xADDRESS`, perhaps followed by `+OFFSET`. */
static bool cut_address(struct scan *s, struct symbol_word *ret)
{
	const char *sign = scan_left(s) ? memrchr(s->at, '@', scan_left(s)) : NULL;
	struct scan all = {sign ? sign + 1 : s->end, s->end};
	const char *plus = memchr(all.at, '+', scan_left(&all));
	struct scan section = {all.at, all.at};

	if (!sign)
		return false;
	if (plus && *all.at != '0') {
		section.end = plus;
		all.at = plus + 1;
	}
	if (!hex_number(all, &ret->address) &&
		!(cut_number(&all, &ret->offset) && hex_number(all, &ret->address)))
		return false;
	ret->qualifier = SYMBOL_AT;
	ret->text = xstrndup(section.at, scan_left(&section));
	s->end = sign;
	return true;
}

static bool cut_brackets(struct scan *s, struct symbol_word *ret)
{
	struct scan inner = *s;
	uint64_t offset = 0;

	(void)cut_number(&inner, &offset);
	const char *file = opening_of(inner, '(', ')'), *owner = opening_of(inner, '[', ']');
	const char *at = file ? file : owner;
	if (!at)
		return false;
	ret->qualifier = file ? SYMBOL_OF_FILE : SYMBOL_OF_OWNER;
	ret->text = xstrndup(at + 1, (size_t)(inner.end - 1 - (at + 1)));
	ret->offset = offset;
	s->end = at;
	return true;
}

bool symbol_word_parse(const char *word, bool qualified, struct symbol_word *ret)
{
	scope_guard(symbol_word_deinit) struct symbol_word parsed = {};
	struct scan s = {word, word + strlen(word)};
	uint64_t offset = 0;

	if (qualified && !cut_brackets(&s, &parsed) && !cut_address(&s, &parsed))
		return false;
	while (s.end > s.at && (s.end[-1] == ' ' || s.end[-1] == '\t'))
		s.end--;
	(void)cut_number(&s, &offset);
	if (!scan_left(&s))
		return false;
	parsed.offset += offset;
	parsed.name = xstrndup(s.at, scan_left(&s));
	if (!parsed.text)
		parsed.text = xstrdup("");
	*ret = parsed;
	parsed = (struct symbol_word){};
	return true;
}

/* ---- searches ------------------------------------------------------------------------------- */

/* A search for functions with a name. */
struct finding {
	const struct symbol_word *word;
	enum symbol_form form; /* in files */
	struct object *object; /* with DEBUG; NULL: search the kernel */
	struct debug *debug;
	const struct mapping
		*mapping; /* return addresses in this mapping; NULL: ELF addresses of OBJECT */
	struct symbol_addresses *ret;
};

COMPARE(compare_addresses, uint64_t, order_of(*a, *b))

static void add_address(struct finding *finding, uint64_t address)
{
	struct symbol_addresses *ret = finding->ret;

	address += finding->word->offset;
	for (size_t i = 0; i < ret->all.len; i++)
		if (ret->all.data[i] == address)
			return;
	if (ret->all.len < SYMBOL_ADDRESSES_MAX)
		vec_push(&ret->all, address);
	else
		ret->more++;
}

static bool is_file(const char *path, const char *wanted)
{
	return path && (!strcmp(path, wanted) || !strcmp(file_base_name(path), wanted));
}

/* ---- the kernel ----------------------------------------------------------------------------- */

static void found_in_kernel(struct finding *finding, const struct kallsyms *symbols,
	const struct kallsyms_symbol *symbol)
{
	const struct symbol_word *word = finding->word;
	const char *module = symbols->text + symbol->module;
	bool right = word->qualifier == SYMBOL_PLAIN;

	if (word->qualifier == SYMBOL_OF_OWNER)
		right = !strcmp(*module ? module : "kernel", word->text);
	else if (word->qualifier == SYMBOL_AT)
		right = symbol->address == word->address && !*word->text;
	if (right)
		add_address(finding, symbol->address);
}

/* Tries the whole word first: a plain name may look qualified. */
enum frame_status lookup_in_kernel(
	struct kernel *kernel, const char *word, struct symbol_addresses *ret)
{
	struct kallsyms *symbols = kernel_symbols(kernel);
	enum frame_status status = kernel_status(kernel);

	for (int qualified = 0; qualified < 2 && !ret->all.len; qualified++) {
		scope_guard(symbol_word_deinit) struct symbol_word parsed = {};
		struct finding finding = {.word = &parsed, .ret = ret};
		const struct kallsyms_symbol *named;

		if (!symbol_word_parse(word, qualified, &parsed))
			continue;
		for (size_t at = 0; (named = kallsyms_next_named(symbols, parsed.name, &at));)
			found_in_kernel(&finding, symbols, named);
		/* mangled kernel symbols are Rust's, whose demangled names are paths */
		if (ret->all.len || !strstr(parsed.name, "::"))
			continue;
		vec_each(symbol, &symbols->symbols) {
			const char *name = symbols->text + symbol->name;

			if (name[0] != '_' || (name[1] != 'R' && name[1] != 'Z'))
				continue;
			auto_free char *demangled = demangle(name);
			if (demangled && (!strcmp(demangled, parsed.name) ||
						 shown_name_is(name, parsed.name)))
				found_in_kernel(&finding, symbols, symbol);
		}
	}
	vec_sort(&ret->all, compare_addresses);
	if (ret->all.len)
		return FRAME_NAMED;
	return status == FRAME_KALLSYMS_OUTSIDE ? FRAME_OUTSIDE_SYMBOLS : status;
}

/* ---- files ---------------------------------------------------------------------------------- */

static bool is_wanted(const struct finding *finding, const struct symbol *symbol)
{
	const struct symbol_word *word = finding->word;
	uint64_t base = 0;

	switch (word->qualifier) {
	case SYMBOL_PLAIN:
		return true;
	case SYMBOL_OF_FILE:
		return is_file(symbol->file, word->text) ||
		       is_file(debug_source_file(finding->debug, symbol->start,
				       symbol->name ? NULL : word->name),
			       word->text);
	case SYMBOL_OF_OWNER:
		return is_file(finding->object->label.path, word->text);
	case SYMBOL_AT:
		return (!*word->text ||
			       elf_image_section(finding->object->image, word->text, &base)) &&
		       symbol->start == base + word->address;
	}
	return false;
}

static void found_in_object(void *context, const struct symbol *symbol)
{
	struct finding *finding = context;
	const struct mapping *mapping = finding->mapping;
	uint64_t offset;

	if (!is_wanted(finding, symbol))
		return;
	if (!finding->ret->all.len || symbol->order < finding->ret->first_order) {
		finding->ret->first = symbol->start + finding->word->offset;
		finding->ret->first_order = symbol->order;
	}
	if (!mapping)
		add_address(finding, symbol->start);
	else if (elf_image_offset(finding->object->image, symbol->start, &offset) &&
		 offset >= mapping->file_offset &&
		 offset - mapping->file_offset < mapping->end - mapping->start)
		add_address(finding, mapping->start + (offset - mapping->file_offset));
}

static void found_inlined(void *context, uint64_t address)
{
	const struct finding *finding = context;

	/* linkers move discarded functions to 0 */
	if (elf_image_is_in_section(finding->object->image, address, SHF_EXECINSTR))
		found_in_object(context, &(struct symbol){.start = address});
}

/* MAPPING is one of OBJECT; NULL: find ELF addresses. */
static enum frame_status find_in_object(struct finding *finding, struct targets *targets,
	struct object *object, const struct mapping *mapping)
{
	if (!object->image)
		return object->status;
	finding->object = object;
	finding->mapping = mapping;
	finding->debug = target_of(targets, object)->debug;
	if (finding->form == SYMBOL_INLINED)
		debug_find_inlined(finding->debug, finding->word->name, found_inlined, finding);
	else
		symbol_search_each(debug_symtab(finding->debug), finding->word->name, finding->form,
			found_in_object, finding);
	return FRAME_OUTSIDE_SYMBOLS;
}

/* Searches all objects of the process. If nothing is found, an unreadable file is the reason. */
static enum frame_status find_in_process(struct finding *finding, struct targets *targets,
	struct object_cache *objects, const struct space *space)
{
	enum frame_status status = FRAME_OUTSIDE_SYMBOLS;

	/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): without an object there is a process */
	vec_each(mapping, &space->maps) {
		if (!mapping->executable || mapping->ambiguous ||
			(!mapping->inode && !mapping->build_id))
			continue;
		struct object *object = object_of_mapping(objects, space, mapping, NULL);
		if (find_in_object(finding, targets, object, mapping) == FRAME_FILE_DENIED)
			status = FRAME_FILE_DENIED;
	}
	return status;
}

/*
 * Searches for the name as in the file first, then demangled, then short; at last, in OBJECT, for
 * functions that are only inlined. These have their file after the name if the short name of
 * another function is the same, so both are found then.
 */
enum frame_status lookup_in_files(struct places *places, struct targets *targets,
	struct object *object, int64_t pid, const char *text, struct symbol_addresses *ret)
{
	const struct space *space = object ? NULL : space_at(&places->spaces, pid, 0);
	enum frame_status status = space ? place_space_status(space) : FRAME_NAMED;
	bool no_short = targets->options->dwarf_names, both = false;
	const int forms = SYMBOL_FORMS + (object && !no_short);

	if (status != FRAME_NAMED)
		return status;
	status = FRAME_OUTSIDE_SYMBOLS;
	for (int i = 0; i < 2 * forms; i++) {
		scope_guard(symbol_word_deinit) struct symbol_word word = {};
		enum symbol_form form = (enum symbol_form)(i / 2);
		struct finding finding = {.word = &word, .form = form, .ret = ret};

		if ((ret->all.len && !(both && form == SYMBOL_INLINED)) ||
			(form == SYMBOL_SHORT && no_short) ||
			!symbol_word_parse(text, i % 2, &word))
			continue;
		status = object ? find_in_object(&finding, targets, object, NULL)
				: find_in_process(&finding, targets, &places->objects, space);
		both |= form == SYMBOL_SHORT && word.qualifier == SYMBOL_OF_FILE && ret->all.len;
	}
	vec_sort(&ret->all, compare_addresses);
	return ret->all.len ? FRAME_NAMED : status;
}
