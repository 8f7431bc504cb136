// SPDX-License-Identifier: GPL-2.0-or-later
/* Finders that go through /proc/PID. */
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "object/find/finder.h"
#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/file.h"

/* Offers the kernel's link to the mapped file, which also leads to deleted and hidden files. */
void find_map_files(struct search *search)
{
	const struct mapping *mapping = search->mapping;

	if (space_dir(search->space) < 0)
		return;
	auto_fd int fd = procfs_open_mapped(space_dir(search->space), mapping);
	if (fd < 0)
		search->offer(search, -errno, mapping->path, PROOF_LINK);
	else if (space_is_current(search->space))
		search->offer(search, take_fd(fd), mapping->path, PROOF_LINK);
	else
		search->offer(search, -ESRCH, mapping->path, PROOF_LINK);
}

/*
 * Offers the path as the process sees it. Under chroot, the mapping's path is relative to the root
 * of the namespace, so the process's root is removed from it first.
 */
void find_root(struct search *search)
{
	const char *path = search->mapping->path;

	if (space_dir(search->space) < 0 || *path != '/')
		return;
	auto_fd int root =
		openat(space_dir(search->space), "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free char *root_path = space_root(search->space);
	const char *inside = mountinfo_below(path, root_path);
	if (root < 0) {
		search->offer(search, -errno, path, PROOF_NONE);
		return;
	}
	int fd = search_open(search, root, inside ? inside : path, DOOR_IN_ROOT, NULL);
	search->offer(search, fd, path, PROOF_NONE);
}

/* Returns true if FD, opened by LINK, is the mapped file: path and inode number are the same. */
static bool is_program(const struct search *search, const char *link, int fd)
{
	const struct mapping *mapping = search->mapping;
	size_t len = strlen(mapping->path);
	bool deleted = !strncmp(link, mapping->path, len) && !strcmp(link + len, " (deleted)");
	struct stat st;

	/* a recorded file may have been deleted since */
	return (deleted ? mapping->deleted || search->space->life
			: !mapping->deleted && !strcmp(link, mapping->path)) &&
	       !fstat(fd, &st) && st.st_ino == mapping->inode;
}

/* Offers the kernel's link to the main program, if it is the mapped file. */
void find_exe(struct search *search)
{
	char link[PATH_MAX];
	int dir = space_dir(search->space);
	ssize_t len = dir < 0 ? 0 : readlinkat(dir, "exe", link, sizeof(link) - 1);

	if (len < 0 && (errno == EACCES || errno == EPERM))
		search->offer(search, -errno, search->mapping->path, PROOF_LINK);
	if (len <= 0)
		return;
	link[len] = '\0';
	auto_fd int fd = file_open_regular(dir, "exe");
	if (fd < 0)
		search->offer(search, -errno, link, PROOF_LINK);
	else if (is_program(search, link, fd))
		search->offer(search, take_fd(fd), link, PROOF_LINK);
}

/* Offers the path as we see it, which is right for processes in our own mount namespace. */
void find_path(struct search *search)
{
	const char *path = search->mapping->path;

	if (*path != '/')
		return;
	search->offer(search, search_open(search, AT_FDCWD, path, 0, NULL), path, PROOF_NONE);
}
