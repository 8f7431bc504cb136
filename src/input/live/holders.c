// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/holders.h"

#include <bpf/bpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/scan.h"
#include "util/xalloc.h"

enum {
	MAPS_MAX = 1 << 16, /* of one program */
	HOLDERS_MAX = 1 << 16,
	FDINFO_MAX = 4096,
	FIELD_START = 22, /* number of the start time in /proc/PID/stat (proc(5)) */
};

void live_ids_deinit(struct live_ids *ids)
{
	vec_deinit(ids);
}

void live_holders_deinit(struct live_holders *holders)
{
	vec_deinit(holders);
}

int live_program_maps(uint32_t id, char *ret_name, struct live_ids *ret)
{
	auto_fd int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size))
		return errno;
	if (ret_name)
		snprintf(ret_name, BPF_OBJ_NAME_LEN + 1, "%.*s", BPF_OBJ_NAME_LEN, info.name);
	uint32_t n = info.nr_map_ids < MAPS_MAX ? info.nr_map_ids : MAPS_MAX;
	vec_reserve(ret, n + 1);
	info = (struct bpf_prog_info){.nr_map_ids = n, .map_ids = (uint64_t)(uintptr_t)ret->data};
	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return errno;
	ret->len = info.nr_map_ids < n ? info.nr_map_ids : n;
	return 0;
}

/* Returns the number that follows KEY in TEXT, or 0 if KEY is not found. */
static uint32_t number_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? (uint32_t)strtoul(at + strlen(key), NULL, 10) : 0;
}

static void read_file(int dir, const char *path, struct text *ret)
{
	auto_fd int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	text_clear(ret);
	if (fd >= 0)
		(void)file_read_all(fd, FDINFO_MAX, ret);
	text_add_string(ret, "");
}

/*
 * Adds the maps that descriptor NAME of HOLDER's process holds. Reads HOLDER's comm and start time
 * when they are first needed. FDS is the directory /proc/PID/fd.
 */
static void add_descriptor(
	struct live_holders *holders, int fds, const char *name, struct live_holder *holder)
{
	auto_text struct text info = {};
	scope_guard(live_ids_deinit) struct live_ids maps = {};
	auto_free char *path = xasprintf("../fdinfo/%s", name);
	char target[32] = "";
	ssize_t len = readlinkat(fds, name, target, sizeof(target) - 1);

	if (len < 0 || strncmp(target, "anon_inode:bpf", 14))
		return;
	read_file(fds, path, &info);
	uint32_t map = number_of(info.data, "\nmap_id:\t");
	uint32_t program = number_of(info.data, "\nprog_id:\t");
	if (map)
		vec_push(&maps, map);
	else if (!program || live_program_maps(program, NULL, &maps))
		return;
	if (!*holder->comm) {
		auto_text struct text stat = {};

		/* the comm may contain blanks and parentheses */
		read_file(fds, "../stat", &stat);
		const char *comm = strchr(stat.data, '('), *at = strrchr(stat.data, ')');
		if (comm && at)
			snprintf(holder->comm, sizeof(holder->comm), "%.*s", (int)(at - comm - 1),
				comm + 1);
		for (int field = 2; comm && at && field < FIELD_START; field++)
			at = strchr(at + 1, ' ');
		holder->start = comm && at ? strtoull(at, NULL, 10) : 0;
	}
	for (size_t i = 0; i < maps.len && holders->len < HOLDERS_MAX; i++) {
		holder->map = maps.data[i];
		vec_push(holders, *holder);
	}
}

static void close_directory(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

void live_holders_find(const char *proc_root, struct live_holders *ret)
{
	scope_guard(close_directory) DIR *proc = opendir(proc_root);
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		auto_free char *path = xasprintf("%s/%s/fd", proc_root, entry->d_name);
		uint64_t pid;

		if (!scan_all_decimal(scan_of(entry->d_name), &pid) || pid == (uint64_t)getpid())
			continue;
		scope_guard(close_directory) DIR *fds = opendir(path);
		struct live_holder holder = {.pid = (int64_t)pid};
		for (struct dirent *fd; fds && (fd = readdir(fds));)
			add_descriptor(ret, dirfd(fds), fd->d_name, &holder);
	}
}

uint64_t live_holder_age(const struct live_holder *holder)
{
	uint64_t now = clock_ns(CLOCK_BOOTTIME) / 1000000000;
	uint64_t start = holder->start / (uint64_t)sysconf(_SC_CLK_TCK);

	return now > start ? now - start : 0;
}

void live_holder_add(const struct live_holder *holder, struct text *text)
{
	static const struct {
		uint64_t seconds;
		const char *name;
	} units[] = {{86400, "d"}, {3600, "h"}, {60, "min"}, {1, "s"}};
	uint64_t age = live_holder_age(holder), i = 0;

	while (units[i].seconds > 1 && age < 2 * units[i].seconds)
		i++;
	text_printf_escaped(text, "%s %" PRIi64 ", %" PRIu64 " %s", holder->comm, holder->pid,
		age / units[i].seconds, units[i].name);
}

bool live_holders_add(const struct live_holders *holders, uint32_t map, struct text *text)
{
	int64_t last = -1;
	size_t n = 0;

	vec_each(holder, holders) {
		if (holder->map != map || holder->pid == last)
			continue;
		last = holder->pid;
		if (!n++)
			live_holder_add(holder, text);
	}
	if (n > 1)
		text_printf(text, " and %zu more", n - 1);
	return n > 0;
}
