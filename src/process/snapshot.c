// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/snapshot.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/scan.h"

enum { THREADS_MAX = 1 << 20 };

void snapshot_deinit(struct snapshot *snapshot)
{
	text_deinit(&snapshot->nspid);
	vec_deinit(&snapshot->threads);
}

/* NSpid:	4711	12	1 */
static void read_nspid(int dir_fd, int64_t pid, struct text *ret)
{
	scope_guard(text_deinit) struct text status = {};
	struct scan all = {}, line, word;

	(void)procfs_read(dir_fd, "status", &status);
	if (status.len)
		all = (struct scan){status.data, status.data + status.len};
	while (status.len && scan_line(&all, &line))
		if (scan_literal(&line, "NSpid:"))
			for (scan_blanks(&line); scan_word(&line, &word); scan_blanks(&line)) {
				if (ret->len)
					text_add_char(ret, ',');
				text_add(ret, word.at, scan_left(&word));
			}
	if (!ret->len)
		text_add_decimal(ret, (uint64_t)pid);
}

/* Field 22 of stat; the comm before may hold blanks and parentheses. */
uint64_t snapshot_started(int dir_fd)
{
	scope_guard(text_deinit) struct text stat = {};
	uint64_t started = 0;
	struct scan word;

	(void)procfs_read(dir_fd, "stat", &stat);
	const char *comm_end = stat.len ? memrchr(stat.data, ')', stat.len) : NULL;
	if (comm_end) {
		struct scan s = {comm_end + 1, stat.data + stat.len};
		int field = 2;

		for (scan_blanks(&s); field < 21 && scan_word(&s, &word); scan_blanks(&s))
			field++;
		(void)scan_decimal(&s, &started);
	}
	return started;
}

/* 1234 (some) name) Z 1 … (fs/proc/array.c, do_task_stat): state, then the parent's number. */
bool snapshot_parent(int dir_fd, uint64_t *ret)
{
	scope_guard(text_deinit) struct text stat = {};
	struct scan word;

	if (dir_fd < 0 || procfs_read(dir_fd, "stat", &stat) || !stat.len)
		return false;
	const char *comm_end = memrchr(stat.data, ')', stat.len);
	if (!comm_end)
		return false;
	struct scan s = {comm_end + 1, stat.data + stat.len};
	scan_blanks(&s);
	if (!scan_word(&s, &word))
		return false;
	scan_blanks(&s);
	return scan_decimal(&s, ret);
}

static void read_threads(int dir_fd, struct snapshot *ret)
{
	int fd = openat(dir_fd, "task", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	DIR *tasks = fd < 0 ? NULL : fdopendir(fd);
	struct dirent *entry;
	uint64_t tid;

	if (!tasks) {
		if (fd >= 0)
			close(fd);
		return;
	}
	while ((entry = readdir(tasks)) && ret->threads.len < THREADS_MAX)
		if (scan_whole_number(entry->d_name, &tid) && tid <= INT32_MAX)
			vec_push(&ret->threads, (uint32_t)tid);
	closedir(tasks);
}

void snapshot_read(int dir_fd, int64_t pid, struct snapshot *ret)
{
	struct stat st;

	*ret = (struct snapshot){.started = snapshot_started(dir_fd)};
	read_nspid(dir_fd, pid, &ret->nspid);
	if (!fstatat(dir_fd, "ns/mnt", &st, 0))
		ret->namespace = st.st_ino;
	read_threads(dir_fd, ret);
}
