// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/open_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "util/cleanup.h"
#include "door/door.h"
#include "door/medium.h"
#include "door/rights.h"
#include "door/rule.h"
#include "util/xalloc.h"

static int open_in_root(const struct wanted_file *wanted, unsigned how, struct writers *links_ret)
{
	auto_fd int dir = -1;

	if (!*wanted->root)
		return door_open(AT_FDCWD, wanted->path, how, links_ret);
	dir = open(wanted->root, O_PATH | O_DIRECTORY | O_CLOEXEC);
	return dir < 0 ? -1 : door_open(dir, wanted->path, how | DOOR_IN_ROOT, links_ret);
}

/* Opens WANTED with the rights of WRITERS and the group GID. */
static int open_as(const struct wanted_file *wanted, const struct writers *writers, gid_t gid,
	struct writers *links_ret)
{
	scope_guard(rights_restore) struct rights rights = {};
	auto_fd int dir =
		*wanted->root ? open(wanted->root, O_PATH | O_DIRECTORY | O_CLOEXEC) : AT_FDCWD;

	if (dir < 0 && dir != AT_FDCWD)
		return -1;
	rights_take(writers_rights(writers), gid, &rights);
	auto_fd int fd = door_open(
		dir, wanted->path, DOOR_STORED | (*wanted->root ? DOOR_IN_ROOT : 0), links_ret);
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
		return open_in_root(wanted, 0, links_ret);
	auto_fd int fd = open_as(wanted, &program->writers, program->stat.st_gid, &links);
	if (fd >= 0 && !writers_within(&links, &program->writers)) {
		close(take_fd(fd));
		fd = open_as(wanted, &links, NOBODY, &again);
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
	writers_join(&writers, links);
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
