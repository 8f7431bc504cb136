// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/companions.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "debug/files/open_file.h"
#include "object/find/finder.h"
#include "util/cleanup.h"
#include "util/file.h"

/* Paths listed in a message, at most. */
enum { SAID_MAX = 12 };

static void candidate_deinit(struct candidate *candidate)
{
	free((char *)candidate->file.path);
	free(candidate->why);
}

void candidates_deinit(struct candidates *candidates)
{
	for (size_t i = 0; i < candidates->all.len; i++)
		candidate_deinit(&candidates->all.data[i]);
	vec_deinit(&candidates->all);
}

/*
 * Returns the file whose writers are trusted to write a companion: the holder, which names the
 * companion; but the program if only root could have written the holder, because companions are
 * looked for in the program's directory, too.
 */
static const struct elf_image *weaker(const struct companions *companions)
{
	const struct elf_image *holder = companions->holder;

	return writers_are_root(&holder->writers) ? companions->program : holder;
}

/*
 * Adds PATH and takes ownership of it. BASE: the directory of ours that contains it, if we or the
 * user chose that; NULL if the files name it.
 */
static void add(struct candidates *candidates, const struct companions *companions,
	const char *root, const char *base, char *path)
{
	for (size_t i = 0; i < candidates->all.len; i++) {
		struct wanted_file *known = &candidates->all.data[i].file;

		if (!strcmp(known->path, path) && !strcmp(known->root, root)) {
			known->base = known->base ? known->base : base;
			free(path);
			return;
		}
	}
	vec_push(&candidates->all,
		(struct candidate){.file = {root, path, weaker(companions), base}});
}

static bool usable(const char *path)
{
	return *path && strnlen(path, PATH_MAX) < PATH_MAX;
}

/* Returns PATH as seen from the root. */
static const char *below_root(const struct companions *companions, const char *path)
{
	const char *root = companions->options->root;
	size_t len = strlen(root);

	return len && !strncmp(path, root, len) && path[len] == '/' ? path + len : path;
}

/* Returns true if PATH can be the absolute form of the relative SHORT_PATH. */
static bool ends_with_path(const char *path, const char *short_path)
{
	size_t len = strlen(path), short_len = strlen(short_path);

	return short_len < len && path[len - short_len - 1] == '/' &&
	       !strcmp(path + len - short_len, short_path);
}

/* The paths of the holder and the program, as opened and with symbolic links resolved. */
struct companion_paths {
	char *all[4];
	size_t n;
};

static void places_deinit(struct companion_paths *places)
{
	for (size_t i = 0; i < places->n; i++)
		free(places->all[i]);
}

static void add_place(
	struct companion_paths *places, const struct companions *companions, const char *path)
{
	path = below_root(companions, path);
	for (size_t i = 0; i < places->n; i++)
		if (!strcmp(places->all[i], path))
			return;
	places->all[places->n++] = xstrdup(path);
}

static void add_places(struct companion_paths *places, const struct companions *companions,
	const struct elf_image *image)
{
	if (image == companions->program && companions->options->path)
		add_place(places, companions, companions->options->path);
	else if (image->path)
		add_place(places, companions, image->path);
	if (image->real && (!image->path || !ends_with_path(image->real, image->path)))
		add_place(places, companions, image->real);
}

static struct companion_paths find_places(const struct companions *companions)
{
	struct companion_paths places = {};

	add_places(&places, companions, companions->holder);
	if (companions->program != companions->holder)
		add_places(&places, companions, companions->program);
	return places;
}

/* Adds NAME in the directory of each path in PLACES. */
static void add_beside(const struct companions *companions, const struct companion_paths *places,
	const char *name, struct candidates *ret)
{
	for (size_t i = 0; i < places->n; i++) {
		const char *place = places->all[i];
		int dir_len = (int)(file_base_name(place) - place);

		add(ret, companions, companions->options->root, NULL,
			dir_len ? xasprintf("%.*s%s", dir_len, place, name)
				: xasprintf("./%s", name));
	}
}

/* Adds NAME below each debug directory, unless a ".." in it leads out of that. */
static void add_in_debug_dirs(
	const struct companions *companions, const char *name, struct candidates *ret)
{
	const struct debug_options *options = companions->options;

	if (!path_stays_below(name))
		return;
	for (const char *const *dir = options->debug_dirs; dir && *dir; dir++)
		add(ret, companions, options->root, *dir,
			xasprintf("%s%s%s", *dir, *name == '/' ? "" : "/", name));
	if (!*options->root)
		return;
	for (const char *const *dir = options->debug_dirs; dir && *dir; dir++)
		add(ret, companions, "", *dir,
			xasprintf("%s%s%s", *dir, *name == '/' ? "" : "/", name));
}

/* Adds PATH, and before it what --substitute-path makes of it, which is a path in our root. */
static void add_as_built(
	const struct companions *companions, const char *path, struct candidates *ret)
{
	const struct debug_options *options = companions->options;

	for (size_t i = 0; i < options->n_rules; i++) {
		const char *below;
		auto_free char *other = path_rule_apply(&options->rules[i], path, &below);

		bool stays = other && path_stays_below(below);
		if (other && (stays || !*options->root))
			add(ret, companions, "", stays ? options->rules[i].to : NULL, take(other));
	}
	add(ret, companions, options->root, NULL, xstrdup(path));
}

void companions_dwo(const struct companions *companions, const char *comp_dir, const char *name,
	struct candidates *ret)
{
	if (!usable(name))
		return;
	bool has_dir = *name != '/' && comp_dir && usable(comp_dir);
	auto_free char *built = has_dir ? xasprintf("%s/%s", comp_dir, name) : xstrdup(name);
	scope_guard(places_deinit) struct companion_paths places = find_places(companions);
	if (*built == '/')
		add_as_built(companions, built, ret);
	else
		add_beside(companions, &places, built, ret);
	if (*name != '/')
		add_beside(companions, &places, name, ret);
	add_beside(companions, &places, file_base_name(name), ret);
	add_in_debug_dirs(companions, built, ret);
	add_in_debug_dirs(companions, name, ret);
	add_in_debug_dirs(companions, file_base_name(name), ret);
}

/* Adds PLACE with .dwp appended, and for a debug file also with .dwp in place of .debug. */
static void add_package(const struct companions *companions, const char *root, const char *dir,
	const char *place, struct candidates *ret)
{
	size_t len = strlen(place), cut = strlen(".debug");

	const char *base = *dir ? dir : NULL;

	add(ret, companions, root, base, xasprintf("%s%s.dwp", dir, place));
	if (len > cut && !strcmp(place + len - cut, ".debug"))
		add(ret, companions, root, base,
			xasprintf("%s%.*s.dwp", dir, (int)(len - cut), place));
}

/* Does the same below the debug directory DIR, with the absolute path of PLACE. */
static void add_package_below(const struct companions *companions, const char *root,
	const char *dir, const char *place, struct candidates *ret)
{
	auto_free char *whole = *place == '/' ? xstrdup(place) : realpath(place, NULL);

	if (whole)
		add_package(companions, root, dir, whole, ret);
}

static void add_packages_in(const struct companions *companions,
	const struct companion_paths *places, const char *root, struct candidates *ret)
{
	const struct build_id *id = &companions->program->build_id;
	const struct build_id_hex hex = build_id_hex(id);
	for (const char *const *dir = companions->options->debug_dirs; dir && *dir; dir++) {
		if (id->len > 1) {
			auto_free char *name =
				xasprintf("/.build-id/%.2s/%s.debug", hex.digits, hex.digits + 2);

			add_package(companions, root, *dir, name, ret);
		}
		for (size_t i = 0; i < places->n; i++) {
			auto_free char *base = xasprintf("/%s", file_base_name(places->all[i]));

			add_package_below(companions, root, *dir, places->all[i], ret);
			add_package(companions, root, *dir, base, ret);
		}
	}
}

void companions_dwp(const struct companions *companions, struct candidates *ret)
{
	scope_guard(places_deinit) struct companion_paths places = find_places(companions);
	const char *root = companions->options->root;

	if (companions->options->package)
		vec_push(&ret->all,
			(struct candidate){.file = {.root = "",
						   .path = xstrdup(companions->options->package)}});
	for (size_t i = 0; i < places.n; i++)
		add_package(companions, root, "", places.all[i], ret);
	add_packages_in(companions, &places, root, ret);
	if (*root)
		add_packages_in(companions, &places, "", ret);
}

/* Returns what follows ".dwz/" in NAME, or the last component of NAME. */
static const char *below_dwz(const char *name)
{
	const char *dwz = strstr(name, "/.dwz/");

	return dwz ? dwz + strlen("/.dwz/") : file_base_name(name);
}

void companions_alt(const struct companions *companions, const char *name,
	const struct build_id *id, struct candidates *ret)
{
	scope_guard(places_deinit) struct companion_paths places = find_places(companions);

	if (usable(name) && *name == '/')
		add_as_built(companions, name, ret);
	else if (usable(name))
		add_beside(companions, &places, name, ret);
	const struct build_id_hex hex = build_id_hex(id);
	if (id->len > 1) {
		auto_free char *by_id =
			xasprintf(".build-id/%.2s/%s.debug", hex.digits, hex.digits + 2);

		add_in_debug_dirs(companions, by_id, ret);
	}
	if (usable(name)) {
		auto_free char *by_name = xasprintf(".dwz/%s", below_dwz(name));

		add_in_debug_dirs(companions, by_name, ret);
		add_beside(companions, &places, file_base_name(name), ret);
	}
}

struct elf_image *candidate_open(struct candidate *candidate)
{
	free(take(candidate->why));
	return wanted_open_elf(&candidate->file, &candidate->why);
}

void candidates_say(const struct candidates *candidates, struct text *text)
{
	for (size_t i = 0; i < candidates->all.len && i < SAID_MAX; i++) {
		const struct candidate *candidate = &candidates->all.data[i];
		bool refused = candidate->why && strcmp(candidate->why, "not there") != 0;

		text_printf(
			text, "%s%s%s", i ? ", " : "", candidate->file.root, candidate->file.path);
		if (refused)
			text_printf(text, " (%s)", candidate->why);
	}
	if (candidates->all.len > SAID_MAX)
		text_printf(text, " and %zu more", candidates->all.len - SAID_MAX);
}
