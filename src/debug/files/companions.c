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
 * Returns why FD is not usable as the wanted file, before reading it; NULL if it is. LINKS: those
 * who could have placed a link on the way to it.
 */
static const char *refusal(const struct wanted_file *wanted, int fd, const struct writers *links)
{
	const char *base = *wanted->root ? wanted->root : wanted->base;
	struct stat st;

	if (fd < 0)
		return door_failure(errno);
	/* debuginfod leaves an empty file in its cache if no server has the file */
	if (!fstat(fd, &st) && !st.st_size)
		return "empty";
	if (!wanted->program)
		return NULL;
	struct writers writers = writers_of_file(fd);
	writers_join(&writers, *links);
	return rule_of(EVIDENCE_NAMED, rule_provenance(&writers, &wanted->program->writers, base),
		TRUST_STRICT)
		.reason;
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

/* Candidates being listed. */
struct companion_list {
	const struct companions *companions;
	struct candidates *ret;
	/* the paths of the holder and the program, as opened and with symbolic links resolved */
	const char *places[4];
	size_t n;
};

/*
 * Adds PATH and takes ownership of it. BASE: the directory of ours that contains it, if we or the
 * user chose that; NULL if the files name it.
 */
static void add(struct companion_list *list, const char *root, const char *base, char *path)
{
	const struct elf_image *holder = list->companions->holder;

	vec_each(candidate, list->ret) {
		struct wanted_file *known = &candidate->file;

		if (!strcmp(known->path, path) && !strcmp(known->root, root)) {
			known->base = known->base ?: base;
			free(path);
			return;
		}
	}
	/*
	 * The writers of the holder, which names the companion, are trusted to write it; but those
	 * of the program if only root could have written the holder, because companions are looked
	 * for in the program's directory, too.
	 */
	if (writers_are_root(&holder->writers))
		holder = list->companions->program;
	vec_push(list->ret, (struct candidate){.file = {root, path, holder, base}});
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

static void add_place(struct companion_list *list, const char *path)
{
	path = path_below_root(path, list->companions->options->root);
	array_each(place, list->places, list->n)
		if (!strcmp(*place, path))
			return;
	list->places[list->n++] = path;
}

static struct companion_list list_begin(const struct companions *companions, struct candidates *ret)
{
	const struct elf_image *images[] = {companions->holder, companions->program};
	const char *given = companions->options->path;
	struct companion_list list = {.companions = companions, .ret = ret};

	for (size_t i = 0; i < array_len(images); i++) {
		const struct elf_image *image = images[i];
		/* the real path can be the absolute form of a relative one */
		auto_free char *end = image->path ? xasprintf("/%s", image->path) : NULL;

		if (image == companions->program && given)
			add_place(&list, given);
		else if (image->path)
			add_place(&list, image->path);
		if (image->real && (!end || !text_ends_with(image->real, end)))
			add_place(&list, image->real);
	}
	return list;
}

/* Adds NAME beside the holder and the program. */
static void add_beside(struct companion_list *list, const char *name)
{
	array_each(place, list->places, list->n) {
		int dir_len = (int)(file_base_name(*place) - *place);

		add(list, list->companions->options->root, NULL,
			dir_len ? xasprintf("%.*s%s", dir_len, *place, name)
				: xasprintf("./%s", name));
	}
}

/* Adds NAME below each debug directory, unless a ".." in it leads out of that. */
static void add_in_debug_dirs(struct companion_list *list, const char *name)
{
	const struct debug_options *options = list->companions->options;

	for (int ours = !*options->root; ours < 2 && path_stays_below(name); ours++)
		vec_each_value(dir, &options->debug_dirs)
			add(list, ours ? "" : options->root, dir,
				xasprintf("%s%s%s", dir, *name == '/' ? "" : "/", name));
}

/* Adds PATH, and before it what --substitute-path makes of it, which is a path in our root. */
static void add_as_built(struct companion_list *list, const char *path)
{
	const struct debug_options *options = list->companions->options;

	vec_each(rule, &options->rules) {
		auto_free char *other = path_rule_apply(rule, path);
		bool stays = other && path_stays_below(mountinfo_below(path, rule->from));

		if (other && (stays || !*options->root))
			add(list, "", stays ? rule->to : NULL, take(other));
	}
	add(list, options->root, NULL, xstrdup(path));
}

void companions_dwo(const struct companions *companions, const char *comp_dir, const char *name,
	struct candidates *ret)
{
	if (!usable(name))
		return;
	bool has_dir = *name != '/' && comp_dir && usable(comp_dir);
	auto_free char *built = has_dir ? xasprintf("%s/%s", comp_dir, name) : xstrdup(name);
	struct companion_list list = list_begin(companions, ret);
	if (*built == '/')
		add_as_built(&list, built);
	else
		add_beside(&list, built);
	if (*name != '/')
		add_beside(&list, name);
	add_beside(&list, file_base_name(name));
	add_in_debug_dirs(&list, built);
	add_in_debug_dirs(&list, name);
	add_in_debug_dirs(&list, file_base_name(name));
}

/* Adds .build-id/xx/rest with ENDING below each debug directory. */
static void add_by_id(struct companion_list *list, const struct build_id *id, const char *ending)
{
	const struct build_id_hex hex = build_id_hex(id);

	if (id->len < 2)
		return;
	auto_free char *name = xasprintf(".build-id/%.2s/%s%s", hex.digits, hex.digits + 2, ending);
	add_in_debug_dirs(list, name);
}

/* Adds PATH with .dwp appended, and if it ends in .debug also with .dwp in place of that. */
static void add_package(struct companion_list *list, const char *path, bool in_debug_dirs)
{
	const size_t len = strlen(path), cut = strlen(".debug");

	for (int i = 0; i < 1 + text_ends_with(path, ".debug"); i++) {
		auto_free char *name = xasprintf("%.*s.dwp", (int)(len - (i ? cut : 0)), path);

		if (in_debug_dirs)
			add_in_debug_dirs(list, name);
		else
			add(list, list->companions->options->root, NULL, take(name));
	}
}

void companions_dwp(const struct companions *companions, struct candidates *ret)
{
	struct companion_list list = list_begin(companions, ret);
	const struct build_id *id = &companions->program->build_id;
	const char *given = companions->options->package;

	if (given)
		vec_push(ret, (struct candidate){.file = {.root = "", .path = xstrdup(given)}});
	array_each(place, list.places, list.n)
		add_package(&list, *place, false);
	add_by_id(&list, id, ".debug.dwp");
	add_by_id(&list, id, ".dwp");
	array_each(place, list.places, list.n) {
		auto_free char *whole = **place == '/' ? xstrdup(*place) : realpath(*place, NULL);

		if (whole)
			add_package(&list, whole, true);
		add_package(&list, file_base_name(*place), true);
	}
}

void companions_alt(const struct companions *companions, const char *name,
	const struct build_id *id, struct candidates *ret)
{
	struct companion_list list = list_begin(companions, ret);
	const char *dwz = strstr(name, "/.dwz/");

	if (usable(name) && *name == '/')
		add_as_built(&list, name);
	else if (usable(name))
		add_beside(&list, name);
	add_by_id(&list, id, ".debug");
	if (!usable(name))
		return;
	auto_free char *below =
		xasprintf(".dwz/%s", dwz ? dwz + strlen("/.dwz/") : file_base_name(name));
	add_in_debug_dirs(&list, below);
	add_beside(&list, file_base_name(name));
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
