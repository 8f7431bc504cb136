// SPDX-License-Identifier: GPL-2.0-or-later

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <time.h>
#include <unistd.h>

#include "object/elf_image.h"
#include "object/identity.h"
#include "process/procfs.h"
#include "process/space.h"
#include "record/record_state.h"
#include "record/only.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/scan.h"
#include "util/vec.h"

#define MOUNTS_SETTLE (5 * SECOND) /* ns: age of a namespace up to which mountinfo is read again */
enum { KNOWN_FILES_MAX = 1 << 14, ANCESTORS_MAX = 3, LOOKS_MAX = 8 };

/* ---- files ---------------------------------------------------------------------------------- */

/*
 * Returns true if ST, the status of PATH (relative to DIR_FD), is on MAPPING's device. For files of
 * an overlay, maps shows the device that here only the overlay's directories have.
 */
static bool is_on_device(
	int dir_fd, const char *path, const struct stat *st, const struct mapping *mapping)
{
	const dev_t device = makedev(mapping->dev_major, mapping->dev_minor);
	struct stat parent;

	if (st->st_dev == device)
		return true;
	auto_free char *dir = xstrndup(path, (size_t)(file_base_name(path) - path));
	return !fstatat(dir_fd, dir, &parent, 0) && parent.st_dev == device;
}

/*
 * Reads the identity of the file PATH (relative to DIR_FD) into KNOWN. Returns false if it is not
 * MAPPING's. Copying up can put another file behind the same inode number of an overlay, so the
 * headers are compared with the memory of SPACE, unless that is NULL.
 */
static bool read_file(int dir_fd, const char *path, const struct space *space,
	const struct mapping *mapping, struct known_file *known)
{
	struct elf_image *image = NULL;
	struct stat st;

	auto_fd int fd = file_open_regular(dir_fd, path);
	/* after exec, another program may be mapped at the same address */
	if (fd < 0 || fstat(fd, &st) || st.st_ino != mapping->inode)
		return false;
	auto_error struct error *error = elf_image_open(take_fd(fd), path, &image);
	known->may_be_copied_up = !error && identity_may_be_copied_up(image);
	bool same =
		!known->may_be_copied_up || !space || identity_same_headers(space, mapping, image);
	if (same)
		recorded_file_stamp(&known->file, &st);
	if (same && !error)
		known->file.build_id = image->build_id;
	elf_image_destroy(image);
	return same;
}

/*
 * Updates KNOWN from the file PATH (relative to DIR_FD), which is read again if it changed or may
 * have been copied up while it was mapped in SPACE. Returns false if it is not MAPPING's. PATH is
 * MAPPING's own, or the kernel's LINK to it. If access to a LINK is denied, KNOWN is kept, and
 * counts as MAPPING's if it has a build ID.
 */
static bool see_file(int dir_fd, const char *path, bool link, const struct space *space,
	const struct mapping *mapping, struct known_file *known)
{
	const uint64_t seen = clock_ns(CLOCK_MONOTONIC);
	struct recorded_file now = {};
	struct stat st;

	if (fstatat(dir_fd, path, &st, 0))
		return link && known->file.build_id.len && (errno == EPERM || errno == EACCES);
	recorded_file_stamp(&now, &st);
	if (st.st_ino != mapping->inode || (!link && !is_on_device(dir_fd, path, &st, mapping)))
		return false;
	if (now.size != known->file.size || now.mtime != known->file.mtime ||
		now.ctime != known->file.ctime || (space && known->may_be_copied_up)) {
		known->file = (struct recorded_file){};
		if (!read_file(dir_fd, path, space, mapping, known))
			return false;
	}
	known->seen = seen;
	return true;
}

/* Sets FILE's build ID from the process's memory, where the file's first bytes are mapped. */
static void identify_by_memory(
	const struct space *space, const struct mapping *mapping, struct recorded_file *file)
{
	vec_each(first, &space->maps) {
		struct elf_image *image = NULL;

		if (!mapping_same_file(first, mapping) || first->file_offset)
			continue;
		void *memory = space_memory(space, first->start, first->end);
		if (!memory)
			return;
		auto_error struct error *error =
			elf_image_from_memory(memory, first->end - first->start, "", &image);
		if (!error && space_still_maps(space, first))
			file->build_id = image->build_id;
		elf_image_destroy(image);
		return;
	}
}

/* Returns the entry of MAPPING's file, new if necessary. Forgets all if there are too many. */
static struct known_file *known_file(struct record_state *state, const struct mapping *mapping)
{
	const uint64_t key[] = {mapping->dev_major, mapping->dev_minor, mapping->inode};

	if (state->files.len == KNOWN_FILES_MAX) {
		table_clear(&state->file_by_inode);
		state->files.len = 0;
	}
	return vec_keyed(&state->files, &state->file_by_inode, key, sizeof(key));
}

/* Writes that PID has had MAPPING since TIME (ns). FILE has its build ID, size and times. */
static void write_mapping(struct record_state *state, uint32_t pid, uint64_t time,
	const struct mapping *mapping, struct recorded_file file)
{
	file.dev_major = mapping->dev_major;
	file.dev_minor = mapping->dev_minor;
	file.inode = mapping->inode;
	file.deleted = mapping->deleted;
	file.path = mapping->path;
	recorder_row(&state->recorder, ROW_MAP, "", pid, time, mapping->start, mapping->end,
		mapping->file_offset, recorder_file(&state->recorder, &file));
}

/* ---- mount namespaces ----------------------------------------------------------------------- */

/* Opens /proc/PID. Returns -1 if the process is not in the namespace. */
static int open_member(
	const struct record_state *state, const struct recorded_namespace *namespace, uint32_t pid)
{
	auto_fd int fd = pid ? procfs_open_process(state->options->proc_root, pid) : -1;
	struct stat st;

	return fd >= 0 && !fstatat(fd, "ns/mnt", &st, 0) && st.st_ino == namespace->inode
		       ? take_fd(fd)
		       : -1;
}

/*
 * Opens /proc/PID of the first member that is still in the namespace and forgets those before it.
 * Returns -1 if none is.
 */
static int find_member(const struct record_state *state, struct recorded_namespace *namespace)
{
	array_each(pid, namespace->pids, MEMBERS) {
		int fd = open_member(state, namespace, *pid);

		if (fd >= 0)
			return fd;
		*pid = 0;
	}
	return -1;
}

uint64_t record_see_namespace(struct record_state *state, uint64_t inode, uint32_t pid)
{
	if (!inode)
		return 0;
	struct recorded_namespace *namespace =
		vec_keyed(&state->namespaces, &state->namespace_by_inode, &inode, sizeof(inode));
	if (namespace->inode) {
		auto_fd int member = find_member(state, namespace);
		auto_fd int fd = member < 0 ? open_member(state, namespace, pid) : -1;

		if (fd >= 0) { /* it has gone, and PID's new namespace reuses its inode number */
			namespace->number += 1ULL << 32;
			namespace->seen = clock_ns(CLOCK_MONOTONIC);
			text_clear(&namespace->mounts);
		}
	} else {
		*namespace = (struct recorded_namespace){
			.inode = inode, .number = inode, .seen = clock_ns(CLOCK_MONOTONIC)};
	}
	size_t i = 0;
	while (i < MEMBERS && namespace->pids[i] && namespace->pids[i] != pid)
		i++;
	namespace->pids[i < MEMBERS ? i : 1 + namespace->n_pids % (MEMBERS - 1)] = pid;
	namespace->n_pids++;
	return namespace->number;
}

void record_pids(struct record_state *state, uint32_t pid, uint64_t time)
{
	auto_fd int fd = procfs_open_process(state->options->proc_root, pid);
	struct pid_number numbers[STATUS_PIDS_MAX];
	const size_t n = fd < 0 ? 0 : pid_namespace_numbers(fd, numbers);

	array_each(number, numbers, n)
		recorder_row(&state->recorder, ROW_PID, "", pid, time, number->namespace,
			(uint64_t)number->pid);
}

void record_new_mounts(struct record_state *state)
{
	uint64_t time = clock_ns(CLOCK_MONOTONIC);

	for (size_t i = 0; i < state->namespaces.len && !record_checkpoint(state); i++) {
		struct recorded_namespace *namespace = &state->namespaces.data[i];
		auto_text struct text text = {};

		if (time - namespace->seen >= MOUNTS_SETTLE && namespace->mounts.len)
			continue;
		auto_fd int fd = find_member(state, namespace);
		if (fd < 0 || procfs_read(fd, "mountinfo", &text) || !text.len ||
			text_equal(&text, &namespace->mounts))
			continue;
		recorder_mounts(&state->recorder, namespace->number, &text);
		text_clear(&namespace->mounts);
		text_add(&namespace->mounts, text.data, text.len);
	}
}

/* ---- files of reported mappings ------------------------------------------------------------- */

static bool is_unchanged(const struct known_file *known, uint64_t time, int64_t slack)
{
	return time <= known->seen &&
	       recorded_file_was(known->file.ctime, time, clock_real(), slack);
}

/*
 * Updates KNOWN from the file at MAPPING's path, in our root or in that of an ancestor of PID,
 * because PID itself may have exited. Returns false if neither path leads to MAPPING's file.
 */
static bool see_by_path(const struct record_state *state, uint32_t pid,
	const struct mapping *mapping, struct known_file *known)
{
	if (mapping->deleted || *mapping->path != '/')
		return false;
	bool seen = see_file(AT_FDCWD, mapping->path, false, NULL, mapping, known);
	for (int i = 0; i < ANCESTORS_MAX && !seen && pid; i++) {
		pid = state->parents[pid % PARENTS_N];
		auto_fd int dir = procfs_open_process(state->options->proc_root, pid);
		auto_fd int root = dir < 0 ? -1 : openat(dir, "root", O_PATH | O_CLOEXEC);
		seen = root >= 0 && see_file(root, mapping->path + 1, false, NULL, mapping, known);
	}
	return seen;
}

/* Writes the root directory of PID, as a path in its mount namespace. DIR_FD is /proc/PID. */
static void write_root(struct record_state *state, uint32_t pid, uint64_t time, int dir_fd)
{
	char root[PATH_MAX] = "";
	ssize_t len = readlinkat(dir_fd, "root", root, sizeof(root) - 1);

	/* "/" is the default and only needed if other roots were written */
	if (len <= 0 || (len == 1 && !state->roots))
		return;
	state->roots = true;
	recorder_row(&state->recorder, ROW_ROOT, root, pid, time);
}

/*
 * Writes PID's root if MAPPING's file is not at its path in our root: the process may have changed
 * its root before exec.
 */
static void look_at_root(struct record_state *state, uint32_t pid, uint64_t time,
	struct known_file *known, const struct mapping *mapping)
{
	const uint64_t path = table_hash(1, mapping->path, strlen(mapping->path));
	uint32_t *rooted = &state->rooted[pid % PARENTS_N];
	struct stat st;

	if (*rooted == pid || *mapping->path != '/' || known->here == path)
		return;
	if (!fstatat(AT_FDCWD, mapping->path, &st, 0) && st.st_ino == mapping->inode &&
		is_on_device(AT_FDCWD, mapping->path, &st, mapping)) {
		known->here = path;
		return;
	}
	auto_fd int fd = procfs_open_process(state->options->proc_root, pid);
	*rooted = pid;
	if (fd >= 0)
		write_root(state, pid, time, fd);
}

/*
 * Returns the identity of MAPPING's file. PID made MAPPING at TIME (ns, CLOCK_MONOTONIC), as the
 * event that is being handled says. The file is found by its path or by the kernel's link to it.
 * The result is empty if both are gone, or if the file has changed since. A file as young as
 * MAPPING could be another one with the same inode number: then the link must be MAPPING's own.
 */
static struct recorded_file identify_at(
	struct record_state *state, uint32_t pid, uint64_t time, const struct mapping *mapping)
{
	if (!mapping->inode)
		return (struct recorded_file){};
	struct known_file *known = known_file(state, mapping);

	look_at_root(state, pid, time, known, mapping);
	if (!is_unchanged(known, time, -RECORDED_TICK) &&
		!(see_by_path(state, pid, mapping, known) &&
			is_unchanged(known, time, -RECORDED_TICK))) {
		auto_fd int fd = procfs_open_process(state->options->proc_root, pid);

		if (fd < 0 ||
			!see_file(fd, procfs_link_of(mapping).name, true, NULL, mapping, known) ||
			!is_unchanged(known, time, RECORDED_TICK) ||
			perf_events_map_since(state->events, pid, mapping->inode, time))
			return (struct recorded_file){};
	}
	return known->file;
}

void record_mapping(
	struct record_state *state, uint32_t pid, uint64_t time, const struct mapping *mapping)
{
	write_mapping(state, pid, time, mapping, identify_at(state, pid, time, mapping));
}

/* ---- reading /proc -------------------------------------------------------------------------- */

static void write_found(struct record_state *state, const struct space *space, uint64_t time,
	const struct mapping *mapping)
{
	struct recorded_file file = {};

	if (!mapping->executable)
		return;
	if (mapping->inode && !space_build_id(space, mapping, &file.build_id)) {
		struct known_file *known = known_file(state, mapping);
		struct procfs_link link = procfs_link_of(mapping);

		if (!see_file(space_dir(space), link.name, true, space, mapping, known)) {
			known->file = (struct recorded_file){};
			identify_by_memory(space, mapping, &known->file);
		}
		file = known->file;
	}
	write_mapping(state, (uint32_t)space->pid, time, mapping, file);
	record_jit_mapping(state, (uint32_t)space->pid, time, space_dir(space), mapping);
}

static bool look_at(struct record_state *state, uint32_t pid)
{
	scope_guard(space_cache_deinit) struct space_cache spaces = {
		.proc_root = state->options->proc_root};
	const struct space *space;
	uint64_t time;
	struct status status = {};
	int tries = LOOKS_MAX;

	do {
		space_cache_clear(&spaces);
		time = clock_ns(CLOCK_MONOTONIC);
		space = space_of(&spaces, pid);
		if (space->status != SPACE_READ || !tries--)
			return false;
	} while (perf_events_map_since(state->events, pid, 0, time));
	int dir = space_dir(space);
	uint64_t namespace = procfs_namespace(dir, "ns/mnt");
	(void)status_read(dir, &status);
	record_only_claim(state, pid);
	recorder_row(&state->recorder, ROW_PROC, space->comm ?: "", pid, time, space->start_ticks,
		record_see_namespace(state, namespace, pid), status.thread.n);
	write_root(state, pid, time, dir);
	for (size_t i = 0; i < space->maps.len && !record_checkpoint(state); i++)
		write_found(state, space, time, &space->maps.data[i]);
	scope_guard(procfs_close_dir) DIR *tasks = procfs_open_dir(dir, "task");
	uint32_t tid;
	while (procfs_next_id(tasks, &tid)) {
		record_only_claim(state, tid);
		if (tid != pid)
			recorder_row(&state->recorder, ROW_THREAD, "", tid, time, pid);
		if (status.thread.n > 1) /* in several PID namespaces */
			record_pids(state, tid, time);
	}
	record_keep_found(state, pid, namespace);
	record_only_looked(state, pid);
	return true;
}

void record_look_new(struct record_state *state)
{
	uint32_t pid;

	while (!record_checkpoint(state) && record_only_next(state, &pid))
		(void)look_at(state, pid);
}

void record_look(struct record_state *state)
{
	const struct record_options *options = state->options;
	scope_guard(procfs_close_dir) DIR *all = options->all ? opendir(options->proc_root) : NULL;
	uint32_t pid;

	while (!record_checkpoint(state) && procfs_next_id(all, &pid))
		if (record_only_has(state, pid))
			state->processes += look_at(state, pid);
	for (size_t i = 0; !options->all && i < options->n_pids && !record_checkpoint(state); i++)
		state->processes += look_at(state, options->pids[i]);
	state->scanned = clock_ns(CLOCK_MONOTONIC);
}

void record_own_vdso(struct record_state *state)
{
	scope_guard(space_cache_deinit) struct space_cache spaces = {.proc_root = "/proc"};
	const struct space *space = space_of(&spaces, getpid());

	vec_each(mapping, &space->maps) {
		if (strcmp(mapping->path, "[vdso]"))
			continue;
		auto_free char *memory = space_memory(space, mapping->start, mapping->end);
		if (!memory)
			continue;
		const struct recorded_row row = {.kind = ROW_VDSO,
			.text = {memory, memory + (mapping->end - mapping->start)}};
		recorder_add(&state->recorder, &row);
	}
}
