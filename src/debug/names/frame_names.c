// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/frame_names.h"

#include <string.h>

#include "debug/names/short_name.h"
#include "debug/symbols/demangle.h"
#include "util/file.h"
#include "util/text.h"
#include "util/xalloc.h"

void frame_names_init(bool demangle, enum name_style style, const struct elf_image *image,
	const struct elf_image *file, struct arena *strings, struct frame_names *ret)
{
	*ret = (struct frame_names){.demangle = demangle, .strings = strings};
	if (demangle && (style == NAMES_SHORT || style == NAMES_PLAIN))
		ret->shown = shown_names_create(image, file, style);
}

void frame_names_deinit(struct frame_names *names)
{
	table_deinit(&names->demangled);
	table_deinit(&names->lambdas);
	shown_names_destroy(names->shown);
}

const char *frame_names_whole(struct frame_names *names, const char *linkage)
{
	enum { LENGTH_MAX = DEMANGLE_INPUT_MAX + sizeof("@plt") };
	bool added;

	if (!names->demangle || !demangle_is_mangled(linkage) ||
		strnlen(linkage, LENGTH_MAX) == LENGTH_MAX)
		return linkage;
	uint64_t *name = table_at(&names->demangled, linkage, strlen(linkage), &added);
	if (added) {
		const char *at = strrchr(linkage, '@');
		auto_free char *stub = at && !strcmp(at, "@plt")
					       ? xstrndup(linkage, (size_t)(at - linkage))
					       : NULL;
		auto_free char *s = demangle(stub ?: linkage);
		*name = (uintptr_t)(s && stub ? arena_printf(names->strings, "%s@plt", s)
					      : arena_string(names->strings, s));
	}
	return (const char *)(uintptr_t)*name ?: linkage;
}

/*
 * Returns the name of the lambda that FRAME belongs to, with its line: only that distinguishes
 * lambdas that exist only inlined.
 */
static const char *lambda_name(struct frame_names *names, const struct frame *frame)
{
	const char *numbered = !frame->linkage ? NULL : frame->shown ?: frame->function;
	const uint64_t key[] = {(uintptr_t)numbered, frame->closure_line, frame->closure_column};
	bool added;
	uint64_t *name = table_at(&names->lambdas, key, sizeof(key), &added);

	if (added) {
		auto_text struct text text = {};

		if (!numbered)
			text_printf(&text, "{lambda:%u:%u}", frame->closure_line,
				frame->closure_column);
		else if (!short_name_add_lambda(&text, numbered, frame->closure_line))
			text_add_string(&text, numbered);
		*name = (uintptr_t)arena_string(names->strings, text.data);
	}
	return (const char *)(uintptr_t)*name;
}

void frame_names_set(struct frame_names *names, struct frame *frame)
{
	if (frame->linkage)
		frame->function = frame_names_whole(names, frame->linkage);
	if (names->shown && frame->function)
		frame->shown = frame->linkage
				       ? shown_name(names->shown, frame->linkage, frame->function)
				       : shown_bare_name(names->shown, frame->function);
	if (names->shown && frame->closure_line)
		frame->shown = lambda_name(names, frame);
	if (!frame->linkage)
		frame->linkage = frame->function;
}

bool frame_names_is(struct frame_names *names, const struct frame *function, const char *word)
{
	struct frame frame = *function;
	const char *name = frame.function;
	size_t len = name ? strcspn(name, "<") : 0;

	if (name && !strncmp(name, "operator", 8))
		len = 8;
	/* all forms have the name without its scopes, but those of closures and Go's functions */
	if (name && *name != '{' && !frame.closure_line && !strchr(name, '/') &&
		!memmem(word, strlen(word), name, len))
		return false;
	const char *lambda =
		frame.closure_line && !frame.linkage ? lambda_name(names, &frame) : NULL;
	frame_names_set(names, &frame);
	return frame.linkage &&
	       (!strcmp(frame.function, word) || shown_name_is(frame.linkage, word) ||
		       (lambda && !strcmp(lambda, word)));
}

/* ---- qualifiers ----------------------------------------------------------------------------- */

/*
 * Returns the qualifier of an inlined function without linkage name, NULL if it needs none. These
 * are GCC's static functions, which need one if another is shown by this name, and its lambdas.
 */
static const char *bare_qualifier(
	const struct qualifiers *qualifiers, uint64_t address, const struct frame *frames, size_t i)
{
	const struct frame *frame = &frames[i];
	bool bare = frame->inlined && frame->function && frame->function == frame->linkage;

	if (!bare || !qualifiers->shown ||
		(!frame->closure_line &&
			!shown_names_has_another(qualifiers->shown, frame->linkage)))
		return NULL;
	const char *file =
		frame->file ?: qualifiers->files.at(qualifiers->files.context, address, i);
	return arena_printf(qualifiers->arena, "(%s)", file ? file_base_name(file) : "static");
}

void qualifiers_set(const struct qualifiers *qualifiers, uint64_t address, struct frame *frames,
	size_t i, const struct symbol *own)
{
	const struct frame_files *files =
		debug_wants_names_only(qualifiers->options) ? NULL : &qualifiers->files;
	const enum qualify wanted = qualifiers->options->qualify;
	struct frame *frame = &frames[i];

	if (wanted == QUALIFY_NEVER)
		return;
	if (frame->linkage && (own || frame->inlined)) {
		const char *file = own ? NULL : frame->file;

		/* without lines, read DWARF now, but only for ambiguous names, which are few */
		if (!own && !file && !qualifiers->options->lines &&
			ambiguous_names_repeat(qualifiers->ambiguous, frame->linkage))
			file = qualifiers->files.at(qualifiers->files.context, address, i);
		frame->qualifier = ambiguous_names_qualifier(
			qualifiers->ambiguous, frame->linkage, own, file, files, qualifiers->arena);
	}
	if (!frame->qualifier)
		frame->qualifier = bare_qualifier(qualifiers, address, frames, i);
	if (!frame->function || frame->qualifier || wanted != QUALIFY_ALWAYS)
		return;
	if (frame->file)
		frame->qualifier =
			arena_printf(qualifiers->arena, "(%s)", file_base_name(frame->file));
	else if (own)
		frame->qualifier =
			arena_printf(qualifiers->arena, "@0x%llx", (unsigned long long)own->start);
}
