// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/procfs.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/limits.h"
#include "util/xalloc.h"

/*
 * A process may have 65,530 mappings (vm.max_map_count) or more if raised, with ~100 bytes per
 * line.
 */
enum { PROC_FILE_MAX = 256 << 20 };

int procfs_open_process(const char *root, int64_t pid)
{
	auto_free char *path = xasprintf("%s/%lld", root, (long long)pid);
	int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);

	if (fd < 0)
		limits_check(errno);
	return fd < 0 ? -errno : fd;
}

int procfs_read(int dirfd, const char *name, struct text *ret)
{
	auto_fd int fd = openat(dirfd, name, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	if (fd < 0)
		limits_check(errno);
	return fd < 0 ? -errno : file_read_all(fd, PROC_FILE_MAX, ret);
}

int procfs_maps(int dirfd, struct arena *strings, struct maps *ret, int *fd_ret)
{
	auto_text struct text text = {};
	auto_fd int fd = openat(dirfd, "maps", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		limits_check(errno);
	int err = fd < 0 ? -errno : file_read_all(fd, PROC_FILE_MAX, &text);
	if (!err)
		maps_parse(text.data, text.len, strings, ret);
	if (!err && text.len && fd_ret)
		*fd_ret = take_fd(fd);
	return err;
}

/* "1234 (some) name) Z 1 …" (fs/proc/array.c, do_task_stat()): a name may contain anything */
bool procfs_stat_word(const struct text *stat, int number, struct scan *ret)
{
	const char *name_end = stat->len ? memrchr(stat->data, ')', stat->len) : NULL;
	struct scan s = {name_end, stat->data + stat->len};

	if (!name_end)
		return false;
	s.at++;
	for (int field = 3; field <= number; field++) {
		scan_blanks(&s);
		if (!scan_word(&s, ret))
			return false;
	}
	return true;
}

bool procfs_stat_field(int dirfd, int number, uint64_t *ret)
{
	auto_text struct text stat = {};
	struct scan word;

	return dirfd >= 0 && !procfs_read(dirfd, "stat", &stat) &&
	       procfs_stat_word(&stat, number, &word) && scan_decimal(&word, ret);
}

uint64_t procfs_started(int dirfd)
{
	uint64_t ticks;

	return procfs_stat_field(dirfd, 22, &ticks) ? ticks : 0;
}

uint64_t procfs_namespace(int dirfd, const char *name)
{
	struct stat st;

	return fstatat(dirfd, name, &st, 0) ? 0 : st.st_ino;
}

struct procfs_link procfs_link_of(const struct mapping *mapping)
{
	struct procfs_link link;

	snprintf(link.name, sizeof(link.name), "map_files/%" PRIx64 "-%" PRIx64, mapping->start,
		mapping->end);
	return link;
}

/*
 * Returns true if FD is the file of MAPPING. For some files, such as those of overlays, maps and
 * stat(2) have different numbers; then maps FD to see which numbers maps has for it.
 */
static bool is_mapped(int fd, const struct mapping *mapping)
{
	scope_guard(arena_deinit) struct arena strings = {};
	struct maps maps = {};
	struct stat st;

	if (!fstat(fd, &st) && st.st_ino == mapping->inode &&
		major(st.st_dev) == mapping->dev_major && minor(st.st_dev) == mapping->dev_minor)
		return true;
	void *page = mmap(NULL, 1, PROT_READ, MAP_PRIVATE, fd, 0);
	if (page == MAP_FAILED)
		return false;
	auto_fd int self = procfs_open_process("/proc", getpid());
	(void)procfs_maps(self, &strings, &maps, NULL);
	const struct mapping *ours = maps_find(&maps, (uintptr_t)page);
	bool same = ours && ours->inode == mapping->inode &&
		    ours->dev_major == mapping->dev_major && ours->dev_minor == mapping->dev_minor;
	vec_deinit(&maps);
	munmap(page, 1);
	return same;
}

int procfs_open_mapped(int dirfd, const struct mapping *mapping)
{
	auto_fd int fd = file_open_regular(dirfd, procfs_link_of(mapping).name);

	if (fd >= 0 && !is_mapped(fd, mapping)) {
		errno = ESTALE;
		return -1;
	}
	return take_fd(fd);
}

char *procfs_boot_id(const char *root)
{
	auto_free char *path = xasprintf("%s/sys/kernel/random/boot_id", root);
	struct text text = {};

	if (procfs_read(AT_FDCWD, path, &text) || !text.len) {
		text_deinit(&text);
		return NULL;
	}
	text.data[strcspn(text.data, " \n")] = '\0';
	return text_take(&text);
}

DIR *procfs_open_dir(int dirfd, const char *name)
{
	int fd = openat(dirfd, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *dir = fd < 0 ? NULL : fdopendir(fd);

	if (!dir && fd >= 0)
		close(fd);
	return dir;
}

bool procfs_next_id(DIR *dir, uint32_t *ret)
{
	struct dirent *entry;
	uint64_t id;

	while (dir && (entry = readdir(dir)))
		if (scan_whole_number(entry->d_name, &id) && id && id <= INT32_MAX) {
			*ret = (uint32_t)id;
			return true;
		}
	return false;
}

void procfs_close_dir(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

/* ---- status ---------------------------------------------------------------------------------- */

static struct status_pids parse_pids(struct scan *s)
{
	struct status_pids pids = {};
	uint64_t pid;

	for (scan_blanks(s); pids.n < STATUS_PIDS_MAX && scan_decimal(s, &pid); scan_blanks(s))
		pids.pids[pids.n++] = (int64_t)pid;
	return pids;
}

/*
 * Uid:	1000	1000	1000	1000     real, effective, saved, file system
 * NStgid:	4711	12       from the reader's PID namespace inwards
 * NSpid:	4712	13
 */
bool status_parse(const char *text, size_t len, struct status *ret)
{
	struct scan all = {text, text ? text + len : text}, line;
	struct status status = {};
	uint64_t real;
	bool uid = false;

	while (scan_line(&all, &line)) {
		if (scan_literal(&line, "NStgid:")) {
			status.process = parse_pids(&line);
		} else if (scan_literal(&line, "NSpid:")) {
			status.thread = parse_pids(&line);
		} else if (scan_literal(&line, "Uid:")) {
			scan_blanks(&line);
			uid = scan_decimal(&line, &real);
			scan_blanks(&line);
			uid = uid && scan_decimal(&line, &status.uid);
		}
	}
	if (!uid || !status.process.n || !status.thread.n)
		return false;
	*ret = status;
	return true;
}

bool status_read(int dirfd, struct status *ret)
{
	auto_text struct text text = {};

	return dirfd >= 0 && !procfs_read(dirfd, "status", &text) &&
	       status_parse(text.data, text.len, ret);
}
