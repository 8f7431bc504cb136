// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/mountinfo.h"
#include "process/procfs.h"
#include "process/status.h"
#include "util/cleanup.h"
#include "door/door.h"
#include "door/medium.h"
#include "door/rule.h"
#include "util/file.h"
#include "util/scan.h"

enum { CLOCK_SLACK = 2 /* seconds */ };

static bool boot_time(int dir_fd, uint64_t *ret)
{
	scope_guard(text_deinit) struct text text = {};
	struct scan all, line;

	if (procfs_read(dir_fd, "../stat", &text))
		return false;
	all = text_scan(&text);
	while (scan_line(&all, &line))
		if (scan_literal(&line, "btime "))
			return scan_decimal(&line, ret);
	return false;
}

/*
 * Returns the start time of process PID, in seconds since 1970; 0 if unknown. DIR_FD is its
 * directory in /proc or one of a thread.
 */
static int64_t start_time(int dir_fd, int64_t pid)
{
	uint64_t boot, ticks;
	char name[64];

	snprintf(name, sizeof(name), "../%lld", (long long)pid);
	auto_fd int process = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	ticks = process < 0 ? 0 : procfs_started(process);
	if (!ticks || !boot_time(dir_fd, &boot))
		return 0;
	return (int64_t)(boot + ticks / (uint64_t)sysconf(_SC_CLK_TCK));
}

/*
 * Returns the user UID with the group of DIR_FD, which is root's for a process that is not
 * dumpable.
 */
static struct writers user_of(int dir_fd, uint64_t uid)
{
	struct writers user = writers_of_user((uid_t)uid);

	user.group = writers_of_directory(dir_fd, "").group;
	return user;
}

bool jit_owner_read(int dir_fd, struct jit_owner *ret)
{
	struct status status;

	*ret = (struct jit_owner){.tmp = -1};
	if (!status_read(dir_fd, &status))
		return false;
	auto_fd int root = openat(dir_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	*ret = (struct jit_owner){
		.inner = status.process.pids[status.process.n - 1],
		.outer = status.process.pids[0],
		.user = user_of(dir_fd, status.uid),
		.started = start_time(dir_fd, status.process.pids[0]),
		.tmp = root < 0 ? -1
				: file_find(root, "tmp", RESOLVE_IN_ROOT | RESOLVE_NO_MAGICLINKS),
	};
	return true;
}

void jit_owner_refresh(int dir_fd, struct jit_owner *owner)
{
	struct status status;

	if (status_read(dir_fd, &status) && status.process.pids[0] == owner->outer)
		owner->user = user_of(dir_fd, status.uid);
}

void jit_owner_deinit(struct jit_owner *owner)
{
	cleanup_fd(&owner->tmp);
	owner->tmp = -1;
}

static void note_refused(struct text *refused, const char *path, const char *why)
{
	text_printf(refused, "%s%s: %s", refused->len ? "; " : "", path, why);
}

/*
 * Returns why the map opened as FD (-1: failed with ERR) is not trusted; NULL if it is, or if there
 * is none.
 */
static const char *why_refused(
	const struct jit_owner *owner, int fd, int err, const struct writers *links)
{
	struct stat st;

	if (fd < 0)
		return err == ENOENT ? NULL : err == ELOOP ? "a symbolic link" : door_failure(err);
	if (fstat(fd, &st) || st.st_mtime + CLOCK_SLACK < owner->started)
		return "older than the process";
	struct writers writers = writers_of_file(fd);
	writers_join(&writers, links);
	return rule_of(EVIDENCE_CODE, rule_provenance(&writers, &owner->user, NULL), TRUST_STRICT)
		.reason;
}

static int open_map(const struct jit_owner *owner, int tmp, int64_t pid, struct text *refused)
{
	struct writers links;
	char path[64];

	if (tmp < 0)
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%lld.map", (long long)pid);
	auto_fd int fd = door_open(tmp, path + strlen("/tmp/"), DOOR_ENTRY, &links);
	const char *why = why_refused(owner, fd, errno, &links);
	if (why)
		note_refused(refused, path, why);
	return why ? -1 : take_fd(fd);
}

int jit_owner_open_map(const struct jit_owner *owner, struct text *refused)
{
	int fd = open_map(owner, owner->tmp, owner->inner, refused);

	if (fd >= 0)
		return fd;
	auto_fd int here = open("/tmp", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return open_map(owner, here, owner->outer, refused);
}

bool jit_owner_is_jitdump(const struct mapping *mapping)
{
	const char *slash = strrchr(mapping->path, '/');
	struct scan s = {slash ? slash + 1 : "", mapping->path + strlen(mapping->path)};
	uint64_t pid;

	return slash && mapping->inode && scan_literal(&s, "jit-") && scan_decimal(&s, &pid) &&
	       scan_literal(&s, ".dump") && !scan_left(&s);
}

/* Uses the kernel's link, else the path in the process's root if it has the mapped inode. */
int jit_owner_open_dump(int dir_fd, const struct mapping *mapping, struct text *refused)
{
	char root_path[PATH_MAX] = "/";
	struct stat st;

	int link = procfs_open_mapped(dir_fd, mapping);
	if (link >= 0)
		return link;
	auto_fd int root = openat(dir_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	(void)!readlinkat(dir_fd, "root", root_path, sizeof(root_path) - 1);
	const char *below = mountinfo_below(mapping->path, root_path);
	auto_fd int fd =
		root < 0 ? -1 : door_open(root, below ? below : mapping->path, DOOR_IN_ROOT, NULL);
	if (fd >= 0 && !fstat(fd, &st) && st.st_ino == mapping->inode)
		return take_fd(fd);
	note_refused(refused, mapping->path, fd < 0 ? strerror(errno) : "another file");
	return -1;
}

bool jit_owner_may_hold_code(const struct mapping *mapping)
{
	if (!mapping->executable)
		return false;
	return !*mapping->path || !strncmp(mapping->path, "[anon", 5) || mapping->deleted ||
	       !strncmp(mapping->path, "/memfd:", 7) || !strncmp(mapping->path, "/dev/zero", 9);
}
