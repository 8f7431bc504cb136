// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/companions.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "door/door.h"
#include "door/writers.h"
#include "door/rule.h"
#include "object/find/finder.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* ---- opening --------------------------------------------------------------------------------- */

/*
 * Opens WANTED as door_open() with HOW does, with the rights of user UID (0: our own) and group
 * GID.
 */
static int open_as(const struct wanted_file *wanted, unsigned how, uid_t uid, gid_t gid,
	struct writers *links_ret)
{
	scope_guard(rights_restore) struct rights rights = {};
	auto_fd int dir =
		*wanted->root ? open(wanted->root, O_PATH | O_DIRECTORY | O_CLOEXEC) : AT_FDCWD;

	if (dir < 0 && dir != AT_FDCWD)
		return -1;
	rights_take(uid, gid, &rights);
	auto_fd int fd =
		door_open(dir, wanted->path, how | (*wanted->root ? DOOR_IN_ROOT : 0), links_ret);
	if (fd >= 0 && !rights_allow(&rights, fd)) {
		errno = EACCES;
		return -1;
	}
	return take_fd(fd);
}

int wanted_open(const struct wanted_file *wanted, struct writers *links_ret)
{
	const struct elf_image *program = wanted->program;
	struct writers links, again;

	if (!program || (wanted->base && !*wanted->root))
		return open_as(wanted, 0, 0, 0, links_ret);
	auto_fd int fd = open_as(wanted, DOOR_STORED, writers_rights(&program->writers),
		program->stat.st_gid, &links);
	if (fd >= 0 && !writers_within(&links, &program->writers)) {
		close(take_fd(fd));
		fd = open_as(wanted, DOOR_STORED, writers_rights(&links), NOBODY, &again);
	}
	if (links_ret)
		*links_ret = links;
	return take_fd(fd);
}

/*
 * Returns why those who could have written the file of FD, or placed a link on the way to it, must
 * not name frames of the program; NULL if they may.
 */
static const char *untrusted(const struct wanted_file *wanted, int fd, const struct writers *links)
{
	const char *base = *wanted->root ? wanted->root : wanted->base;
	struct writers writers = writers_of_file(fd);

	if (!wanted->program)
		return NULL;
	writers_join(&writers, *links);
	return rule_of(EVIDENCE_NAMED, rule_provenance(&writers, &wanted->program->writers, base),
		TRUST_STRICT)
		.reason;
}

/* Returns why FD is not usable as the wanted file, before reading it; NULL if it is. */
static const char *refusal(const struct wanted_file *wanted, int fd, const struct writers *links)
{
	struct stat st;

	if (fd < 0)
		return door_failure(errno);
	/* debuginfod leaves an empty file in its cache if no server has the file */
	if (!fstat(fd, &st) && !st.st_size)
		return "empty";
	return untrusted(wanted, fd, links);
}

struct elf_image *wanted_open_elf(const struct wanted_file *wanted, char **why_ret)
{
	auto_free char *full = xasprintf("%s%s", wanted->root, wanted->path);
	struct elf_image *image = NULL;
	struct writers links = {};
	auto_fd int fd = wanted_open(wanted, &links);
	const char *refused = refusal(wanted, fd, &links);
	auto_error struct error *error = refused ? NULL : elf_image_open(take_fd(fd), full, &image);
	size_t len = strlen(full);

	/* error messages begin with the path */
	if (error)
		refused = !strncmp(error_message(error), full, len) ? error_message(error) + len + 2
								    : "not an ELF file";
	if (why_ret)
		*why_ret = refused ? xstrdup(refused) : NULL;
	return image;
}

bool path_stays_below(const char *path)
{
	size_t depth = 0;

	while (*path) {
		size_t len = strcspn(path, "/");

		if (len == 2 && !memcmp(path, "..", 2)) {
			if (!depth--)
				return false;
		} else if (len && !(len == 1 && *path == '.')) {
			depth++;
		}
		path += len + (path[len] == '/');
	}
	return true;
}

/* ---- candidates ------------------------------------------------------------------------------ */

/* Paths listed in a message, at most. */
enum { SAID_MAX = 12 };

static void candidate_deinit(struct candidate *candidate)
{
	free((char *)candidate->file.path);
	free(candidate->why);
}

void candidates_deinit(struct candidates *candidates)
{
	vec_deinit_each(candidates, candidate_deinit);
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
	vec_each(candidate, candidates) {
		struct wanted_file *known = &candidate->file;

		if (!strcmp(known->path, path) && !strcmp(known->root, root)) {
			known->base = known->base ? known->base : base;
			free(path);
			return;
		}
	}
	vec_push(candidates, (struct candidate){.file = {root, path, weaker(companions), base}});
}

static bool usable(const char *path)
{
	return *path && strnlen(path, PATH_MAX) < PATH_MAX;
}

const char *path_below_root(const char *path, const char *root)
{
	size_t len = strlen(root);

	return len && !strncmp(path, root, len) && path[len] == '/' ? path + len : path;
}

/* Returns true if PATH can be the absolute form of the relative SHORT_PATH. */
static bool ends_with_path(const char *path, const char *short_path)
{
	auto_free char *end = xasprintf("/%s", short_path);

	return text_ends_with(path, end);
}

/* The paths of the holder and the program, as opened and with symbolic links resolved. */
struct companion_paths {
	char *all[4];
	size_t n;
};

static void places_deinit(struct companion_paths *places)
{
	array_each(place, places->all, places->n)
		free(*place);
}

static void add_place(
	struct companion_paths *places, const struct companions *companions, const char *path)
{
	path = path_below_root(path, companions->options->root);
	array_each(place, places->all, places->n)
		if (!strcmp(*place, path))
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

	for (int ours = !*options->root; ours < 2 && path_stays_below(name); ours++)
		vec_each_value(dir, &options->debug_dirs)
			add(ret, companions, ours ? "" : options->root, dir,
				xasprintf("%s%s%s", dir, *name == '/' ? "" : "/", name));
}

/* Adds PATH, and before it what --substitute-path makes of it, which is a path in our root. */
static void add_as_built(
	const struct companions *companions, const char *path, struct candidates *ret)
{
	const struct debug_options *options = companions->options;

	vec_each(rule, &options->rules) {
		const char *below;
		auto_free char *other = path_rule_apply(rule, path, &below);

		bool stays = other && path_stays_below(below);
		if (other && (stays || !*options->root))
			add(ret, companions, "", stays ? rule->to : NULL, take(other));
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

/* Adds .build-id/xx/rest with ENDING below each debug directory. */
static void add_by_id(const struct companions *companions, const struct build_id *id,
	const char *ending, struct candidates *ret)
{
	const struct build_id_hex hex = build_id_hex(id);

	if (id->len < 2)
		return;
	auto_free char *name = xasprintf(".build-id/%.2s/%s%s", hex.digits, hex.digits + 2, ending);
	add_in_debug_dirs(companions, name, ret);
}

/* Adds PATH with .dwp appended, and if it ends in .debug also with .dwp in place of that. */
static void add_package(const struct companions *companions, const char *path, bool in_debug_dirs,
	struct candidates *ret)
{
	const size_t len = strlen(path), cut = strlen(".debug");

	for (int i = 0; i < 1 + text_ends_with(path, ".debug"); i++) {
		char *name = xasprintf("%.*s.dwp", (int)(len - (i ? cut : 0)), path);

		if (!in_debug_dirs) {
			add(ret, companions, companions->options->root, NULL, name);
			continue;
		}
		add_in_debug_dirs(companions, name, ret);
		free(name);
	}
}

void companions_dwp(const struct companions *companions, struct candidates *ret)
{
	scope_guard(places_deinit) struct companion_paths places = find_places(companions);
	const struct build_id *id = &companions->program->build_id;

	if (companions->options->package)
		vec_push(ret,
			(struct candidate){.file = {.root = "",
						   .path = xstrdup(companions->options->package)}});
	array_each(place, places.all, places.n)
		add_package(companions, *place, false, ret);
	add_by_id(companions, id, ".debug.dwp", ret);
	add_by_id(companions, id, ".dwp", ret);
	for (size_t i = 0; i < places.n; i++) {
		const char *place = places.all[i];
		auto_free char *whole = *place == '/' ? xstrdup(place) : realpath(place, NULL);

		if (whole)
			add_package(companions, whole, true, ret);
		add_package(companions, file_base_name(place), true, ret);
	}
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
	add_by_id(companions, id, ".debug", ret);
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
	for (size_t i = 0; i < candidates->len && i < SAID_MAX; i++) {
		const struct candidate *candidate = &candidates->data[i];
		bool refused = candidate->why && strcmp(candidate->why, "not there") != 0;

		text_printf(
			text, "%s%s%s", i ? ", " : "", candidate->file.root, candidate->file.path);
		if (refused)
			text_printf(text, " (%s)", candidate->why);
	}
	if (candidates->len > SAID_MAX)
		text_printf(text, " and %zu more", candidates->len - SAID_MAX);
}
