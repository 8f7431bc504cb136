// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "process/jitdump.h"
#include "process/mountinfo.h"
#include "process/perf_map.h"
#include "process/procfs.h"
#include "process/status.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"

/* Java's maps of large programs have 20 MB; jitdumps hold the code as well. */
enum { FILE_MAX = 256 << 20, CLOCK_SLACK = 2 };

struct owner {
	const struct space *space;
	struct status status;
	int64_t started; /* seconds since 1970; 0: unknown */
};

/* The number behind the WORDth blank of a line's end that starts at AT. */
static bool number_at(struct scan s, size_t word, uint64_t *ret)
{
	struct scan skipped;

	for (size_t i = 0; i < word; i++) {
		scan_blanks(&s);
		if (!scan_word(&s, &skipped))
			return false;
	}
	scan_blanks(&s);
	return scan_decimal(&s, ret);
}

static bool boot_time(int dir_fd, uint64_t *ret)
{
	struct text text scope_guard(text_deinit) = {};
	struct scan all, line;

	if (procfs_read(dir_fd, "../stat", &text) || !text.len)
		return false;
	all = (struct scan){text.data, text.data + text.len};
	while (scan_line(&all, &line))
		if (scan_literal(&line, "btime "))
			return scan_decimal(&line, ret);
	return false;
}

/* Field 22 of stat, in clock ticks since boot; the name before it may hold blanks and brackets. */
static int64_t start_time(const struct owner *owner)
{
	struct text text scope_guard(text_deinit) = {};
	uint64_t boot, ticks;
	char name[64];

	snprintf(name, sizeof(name), "../%lld/stat", (long long)owner->status.process.pids[0]);
	if (procfs_read(owner->space->dir_fd, name, &text) || !text.len)
		return 0;
	const char *bracket = strrchr(text.data, ')');
	struct scan rest = {bracket ? bracket + 1 : text.data, text.data + text.len};
	if (!number_at(rest, 19, &ticks) || !boot_time(owner->space->dir_fd, &boot))
		return 0;
	return (int64_t)(boot + ticks / (uint64_t)sysconf(_SC_CLK_TCK));
}

static const char *why_refused(const struct owner *owner, const struct stat *st)
{
	if (S_ISLNK(st->st_mode))
		return "a symbolic link";
	if (!S_ISREG(st->st_mode))
		return "not a regular file";
	if (st->st_uid && st->st_uid != owner->status.uid)
		return "of another user";
	if (st->st_mtime + CLOCK_SLACK < owner->started)
		return "older than the process";
	return st->st_size > FILE_MAX ? "too large" : NULL;
}

static void note_refused(const struct owner *owner, const char *path, const char *why)
{
	struct text *refused = &owner->space->jit->refused;

	text_printf(refused, "%s%s: %s", refused->len ? "; " : "", path, why);
}

/* Opens PATH below ROOT as it stands there: a link at its end is looked at, not followed. */
static int open_map(const struct owner *owner, int root, const char *path)
{
	struct open_how how = {
		.flags = O_PATH | O_NOFOLLOW | O_CLOEXEC,
		.resolve = RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS,
	};
	auto_fd int fd = (int)syscall(SYS_openat2, root, path, &how, sizeof(how));
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return -1;
	const char *why = why_refused(owner, &st);
	if (why)
		note_refused(owner, path, why);
	return why ? -1 : file_reopen_regular(fd);
}

static bool read_perf_map(const struct owner *owner, int root, int64_t pid)
{
	struct text text scope_guard(text_deinit) = {};
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%lld.map", (long long)pid);
	auto_fd int fd = root < 0 ? -1 : open_map(owner, root, path);
	if (fd < 0 || file_read_all(fd, FILE_MAX, &text))
		return false;
	perf_map_parse(text.data, text.len, &owner->space->jit->map);
	return true;
}

/* In the process's own /tmp under its own number, then in ours under ours. */
static void read_perf_maps(const struct owner *owner)
{
	const struct status_pids *pids = &owner->status.process;
	auto_fd int inside =
		openat(owner->space->dir_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);

	if (read_perf_map(owner, inside, pids->pids[pids->n - 1]))
		return;
	auto_fd int here = open("/", O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)read_perf_map(owner, here, pids->pids[0]);
}

/* ".../jit-4711.dump" */
static bool is_jitdump(const struct mapping *mapping)
{
	const char *slash = strrchr(mapping->path, '/');
	struct scan s = {slash ? slash + 1 : "", mapping->path + strlen(mapping->path)};
	uint64_t pid;

	return slash && mapping->inode && scan_literal(&s, "jit-") && scan_decimal(&s, &pid) &&
	       scan_literal(&s, ".dump") && !scan_left(&s);
}

/* By the kernel's link, else by the path in the process's root if that has the mapped inode. */
static int open_jitdump(const struct space *space, const struct mapping *mapping)
{
	char name[64];
	struct stat st;

	snprintf(name, sizeof(name), "map_files/%llx-%llx", (unsigned long long)mapping->start,
		(unsigned long long)mapping->end);
	int link = file_open_regular(space->dir_fd, name);
	if (link >= 0)
		return link;
	auto_fd int root = openat(space->dir_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free char *root_path = space_root(space);
	const char *below = mountinfo_below(mapping->path, root_path);
	auto_fd int fd = root < 0 ? -1 : file_open_in_root(root, below ? below : mapping->path);
	return fd >= 0 && !fstat(fd, &st) && st.st_ino == mapping->inode ? take_fd(fd) : -1;
}

static void read_jitdump(const struct owner *owner, const struct mapping *mapping)
{
	struct text bytes scope_guard(text_deinit) = {};
	auto_fd int fd = open_jitdump(owner->space, mapping);
	int err = fd < 0 ? -ENOENT : file_read_all(fd, FILE_MAX, &bytes);

	if (err)
		note_refused(owner, mapping->path, strerror(-err));
	else if (!bytes.len || !jitdump_parse(bytes.data, bytes.len, &owner->space->jit->map))
		note_refused(owner, mapping->path, "not a jitdump");
}

const struct jit *jit_of_space(const struct space *space)
{
	struct owner owner = {.space = space};

	if (space->jit->tried)
		return space->jit;
	space->jit->tried = true;
	if (!status_read(space->dir_fd, &owner.status))
		return space->jit;
	owner.started = start_time(&owner);
	read_perf_maps(&owner);
	/* A jitdump says more, so it wins. */
	for (size_t i = 0; i < space->maps.len; i++)
		if (is_jitdump(&space->maps.data[i])) {
			read_jitdump(&owner, &space->maps.data[i]);
			break;
		}
	jit_map_finish(&space->jit->map);
	return space->jit;
}
