// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/alt.h"

#include "debug/dwarf/cursor.h"
#include "util/cleanup.h"

/* Reads .gnu_debugaltlink: a NUL-terminated name, then the build ID. */
static bool read_altlink(struct slice section, struct alt_link *ret)
{
	struct cursor cursor = cursor_at(section, 0);
	const char *name = cursor_string(&cursor);

	if (cursor.failed || !*name)
		return false;
	*ret = (struct alt_link){name, build_id_make(cursor.at, cursor_left(&cursor))};
	return true;
}

/*
 * Reads .debug_sup: that of dwz's file if SUPPLEMENTARY, otherwise that of a file which refers to
 * dwz's. Returns false if it is broken or the other one.
 */
static bool read_sup(struct sections *sections, bool supplementary, struct alt_link *ret)
{
	struct cursor cursor = cursor_at(sections_get(sections, SECTION_SUP), 0);
	uint16_t version = cursor_u16(&cursor);
	bool is_supplementary = cursor_u8(&cursor);
	const char *name = cursor_string(&cursor);
	uint64_t len = cursor_uleb(&cursor);

	if (cursor.failed || version != 5 || is_supplementary != supplementary ||
		len > cursor_left(&cursor))
		return false;
	*ret = (struct alt_link){name, build_id_make(cursor.at, len)};
	return true;
}

bool alt_link_read(struct sections *sections, struct alt_link *ret)
{
	return read_altlink(sections_altlink(sections), ret) || read_sup(sections, false, ret);
}

void alt_deinit(struct alt *alt)
{
	dwarf_destroy(alt->dwarf);
	elf_image_destroy(alt->image);
	fetch_release(alt->fetch);
}

static bool matches(
	const struct alt_link *link, const struct elf_image *image, struct sections *sections)
{
	struct alt_link own;

	if (!link->id.len)
		return false;
	return build_id_equal(&image->build_id, &link->id) ||
	       (read_sup(sections, true, &own) && build_id_equal(&own.id, &link->id));
}

/* Sets ALT if CANDIDATE has the right ID. Sets OTHER_RET if it has another. */
static void try_candidate(
	struct candidate *candidate, const struct alt_link *link, struct alt *alt, bool *other_ret)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = candidate_open(candidate);

	if (!image)
		return;
	struct sections *sections = sections_create(image, SECTIONS_ANY);
	if (!sections || !matches(link, image, sections)) {
		sections_destroy(sections);
		*other_ret = true;
		return;
	}
	alt->image = take(image);
	alt->dwarf = dwarf_create(sections);
}

/* Downloads the file by its ID, after all other ways failed. Adds the outcome to TEXT. */
static void try_servers(const struct companions *companions, const struct alt_link *link,
	struct alt *alt, struct text *text)
{
	struct fetcher *fetcher = companions->options->fetcher;
	struct fetch *fetch =
		fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &link->id, NULL, link->name);
	bool other = false;

	if (!fetch)
		return;
	fetcher_wait(fetcher, fetch);
	if (!fetch->path) {
		text_printf(text, "; debuginfod: %s", fetch_outcome(fetch));
		alt->fetch = fetch_hold(fetch);
		return;
	}
	auto_free char *path = xstrdup(fetch->path);
	struct candidate fetched = {.file = {.root = "", .path = path}};
	try_candidate(&fetched, link, alt, &other);
	free(fetched.why);
}

struct alt alt_open(
	const struct companions *companions, const struct alt_link *link, struct arena *arena)
{
	struct alt alt = {};
	scope_guard(candidates_deinit) struct candidates candidates = {};
	auto_text struct text text = {};

	companions_alt(companions, link->name, &link->id, &candidates);
	text_printf(&text, "debug file %.4000s, shared by dwz, is missing", link->name);
	for (size_t i = 0; i < candidates.all.len && !alt.dwarf; i++) {
		struct candidate *candidate = &candidates.all.data[i];
		bool other = false;

		try_candidate(candidate, link, &alt, &other);
		if (other)
			text_printf(&text, "; %s%s is of another build", candidate->file.root,
				candidate->file.path);
	}
	text_add_string(&text, "; looked for at ");
	candidates_say(&candidates, &text);
	if (!alt.dwarf)
		try_servers(companions, link, &alt, &text);
	if (!alt.dwarf)
		alt.detail = arena_copy(arena, text.data, text.len);
	return alt;
}
