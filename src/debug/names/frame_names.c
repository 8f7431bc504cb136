// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/frame_names.h"

#include "debug/names/short_name.h"
#include "debug/symbols/demangle.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

void frame_names_init(bool demangle, enum name_style style, const struct elf_image *image,
	const struct elf_image *file, struct frame_names *ret)
{
	*ret = (struct frame_names){.demangle = demangle};
	if (demangle && (style == NAMES_SHORT || style == NAMES_PLAIN))
		ret->shown = shown_names_create(image, file, style);
}

void frame_names_deinit(struct frame_names *names)
{
	table_deinit(&names->demangled);
	table_deinit(&names->lambdas);
	shown_names_destroy(names->shown);
	names->shown = NULL;
}

const char *frame_names_whole(struct frame_names *names, struct arena *strings, const char *linkage)
{
	const char *s =
		names->demangle ? demangled_name(&names->demangled, strings, linkage) : NULL;

	return s ? s : linkage;
}

/*
 * Returns the name of the lambda that FRAME belongs to, with its line: only that distinguishes
 * lambdas that exist only inlined.
 */
static const char *lambda_name(
	struct frame_names *names, struct arena *strings, const struct frame *frame)
{
	const char *numbered = !frame->linkage ? NULL
			       : frame->shown  ? frame->shown
					       : frame->function;
	const uint64_t key[] = {(uintptr_t)numbered, frame->closure_line, frame->closure_column};
	bool added;
	uint64_t *name = table_at(&names->lambdas, key, sizeof(key), &added);

	if (added) {
		scope_guard(text_deinit) struct text text = {};

		if (!numbered)
			text_printf(&text, "{lambda:%u:%u}", frame->closure_line,
				frame->closure_column);
		else if (!short_name_add_lambda(&text, numbered, frame->closure_line))
			text_add_string(&text, numbered);
		*name = (uintptr_t)arena_string(strings, text.data);
	}
	return (const char *)(uintptr_t)*name;
}

void frame_names_set(struct frame_names *names, struct arena *strings, struct frame *frame)
{
	if (frame->linkage)
		frame->function = frame_names_whole(names, strings, frame->linkage);
	if (names->shown && frame->function)
		frame->shown = frame->linkage
				       ? shown_name(names->shown, frame->linkage, frame->function)
				       : shown_bare_name(names->shown, frame->function);
	if (names->shown && frame->closure_line)
		frame->shown = lambda_name(names, strings, frame);
	if (!frame->linkage)
		frame->linkage = frame->function;
}
