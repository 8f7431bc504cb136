// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/space.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "process/procfs.h"
#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/scan.h"
#include "util/xalloc.h"

/* struct procmap_query of linux/fs.h (6.11), which the headers of Debian 12 lack */
struct map_query {
	uint64_t size, flags, address;
	uint64_t start, end, vma_flags, page_size, offset, inode;
	uint32_t dev_major, dev_minor;
	uint32_t name_size, build_id_size;
	uint64_t name, build_id;
};

enum { MAP_QUERY_COVERING = 0, VDSO_MAX = 1 << 20 };

#define MAP_QUERY_IOCTL _IOWR('f', 17, struct map_query)

void space_init(struct space *space, int64_t pid)
{
	*space = (struct space){.pid = pid, .process = pid, .used = true};
	space->mounts = xnew(space->mounts);
	space->threads = xnew(space->threads);
}

/* Allocates the JIT state; call it before anything is read. */
static void begin_jit(struct space *space)
{
	space->jit = xnew(space->jit);
	jit_init(space->jit);
}

void space_deinit(struct space *space)
{
	space_files_destroy(space->files);
	free(space->comm);
	vec_deinit(&space->maps);
	mountinfo_deinit(space->mounts);
	free(space->mounts);
	vec_deinit(&space->threads->all);
	free(space->threads);
	if (space->jit)
		jit_deinit(space->jit);
	free(space->jit);
	arena_deinit(&space->strings);
}

void space_destroy(struct space *space)
{
	space_deinit(space);
	free(space);
}

void space_cache_clear(struct space_cache *cache)
{
	vec_destroy(&cache->spaces, space_destroy);
	table_deinit(&cache->by_pid);
}

void space_cache_deinit(struct space_cache *cache)
{
	space_cache_clear(cache);
	if (cache->pool)
		vec_deinit(&cache->pool->open);
	free(cache->pool);
	recording_destroy(cache->recording);
	follower_close(cache->follower);
	table_deinit(&cache->pids.by_pid);
}

/* Makes DIR, of /proc/PID, the files of SPACE. */
static void open_files(struct space *space, struct space_cache *cache, int dir)
{
	if (!cache->pool)
		cache->pool = xnew(cache->pool);
	space->files = space_files_create(cache->pool, cache->proc_root, space->pid, dir);
	space->files->jit = space->jit;
}

/* Reads the mappings from a thread: maps is empty for a leader that exited, not for its threads. */
static void read_threads(struct space *space)
{
	struct space_files *files = space->files;
	scope_guard(procfs_close_dir) DIR *tasks = procfs_open_dir(files->dir, "task");
	uint32_t tid;

	while (!space->maps.len && procfs_next_id(tasks, &tid)) {
		auto_fd int fd =
			tid == space->pid ? -1 : procfs_open_process(files->proc_root, tid);

		if (fd < 0 || procfs_maps(fd, &space->strings, &space->maps, &files->maps) ||
			!space->maps.len)
			continue;
		close(files->dir);
		files->dir = take_fd(fd);
		files->tid = tid;
	}
}

/*
 * Fields of stat (fs/proc/array.c, do_task_stat()). The exit signal is -1 except for group leaders
 * (thread_group_leader(), include/linux/sched/signal.h).
 */
enum { STAT_STATE = 3, STAT_START = 22, STAT_EXIT_SIGNAL = 38 };

/*
 * Reads the start time. It includes suspend, and CLOCK_MONOTONIC does not; all suspend is
 * subtracted, as if before the start, so STARTED may be too early but never too late.
 */
static void read_start(struct space *space, int dir_fd)
{
	auto_text struct text text = {};
	uint64_t slept = clock_slept(), ticks;
	struct scan word;

	if (procfs_read(dir_fd, "stat", &text) || !procfs_stat_word(&text, STAT_START, &word) ||
		!scan_decimal(&word, &ticks) || ticks > clock_ns(CLOCK_BOOTTIME) / CLOCK_TICK)
		return;
	space->is_leader = procfs_stat_word(&text, STAT_EXIT_SIGNAL, &word) && *word.at != '-';
	(void)procfs_stat_word(&text, STAT_STATE, &word);
	space->is_dead = *word.at == 'Z' || *word.at == 'X';
	space->start_ticks = ticks;
	space->started = ticks * CLOCK_TICK > slept ? ticks * CLOCK_TICK - slept : 0;
}

/* Returns true if /proc/PID, DIR_FD, still is the recorded process. */
static bool still_runs(const struct process_record *record, int dir_fd)
{
	struct space now = {};

	if (record->recording->foreign || record->until)
		return false;
	read_start(&now, dir_fd);
	if (now.is_dead || !now.start_ticks)
		return false;
	/* forks are recorded in ns, /proc has clock ticks */
	return record->start_ticks
		       ? now.start_ticks == record->start_ticks
		       : record->started && now.started <= record->started + CLOCK_TICK / 2 &&
				 record->started <= now.started + CLOCK_TICK * 3 / 2;
}

/* Fills SPACE from RECORD. */
static void space_recorded(
	struct space *space, struct space_cache *cache, const struct process_record *record)
{
	const char *comm = process_record_comm(record, 0);

	space->record = record;
	begin_jit(space);
	vec_append(&space->maps, record->maps.data, record->maps.len);
	space->comm = comm ? xstrdup(comm) : NULL;
	space->started = record->started;
	space->start_ticks = record->start_ticks;
	/*
	 * if it still runs, offer its links, root and memory; users check that they are as recorded
	 */
	auto_fd int dir = procfs_open_process(cache->proc_root, record->pid);
	if (dir >= 0 && still_runs(record, dir))
		open_files(space, cache, take_fd(dir));
	space->status = space->maps.len ? SPACE_READ : SPACE_NO_MAPPINGS;
}

static enum space_status read_space(struct space *space, struct space_cache *cache)
{
	auto_text struct text comm = {};
	struct status status;

	int dir = procfs_open_process(cache->proc_root, space->pid);
	if (dir < 0) {
		/* /proc mounted with hidepid=2 hides other users' processes */
		bool hidden = !strcmp(cache->proc_root, "/proc") && space->pid > 0 &&
			      space->pid <= INT32_MAX && kill((pid_t)space->pid, 0) < 0 &&
			      errno == EPERM;

		return hidden || dir == -EACCES || dir == -EPERM ? SPACE_DENIED : SPACE_GONE;
	}
	begin_jit(space);
	open_files(space, cache, dir);
	if (!procfs_read(dir, "comm", &comm) && comm.len) {
		if (comm.data[comm.len - 1] == '\n')
			comm.data[comm.len - 1] = '\0';
		space->comm = text_take(&comm);
	}
	read_start(space, dir);
	if (!space->is_leader && status_read(dir, &status) && status.process.n)
		space->process = status.process.pids[0];
	int err = procfs_maps(dir, &space->strings, &space->maps, &space->files->maps);
	if (!err && !space->maps.len)
		read_threads(space);
	space->files->has_maps = space->files->maps >= 0;
	if (err)
		return err == -EACCES || err == -EPERM ? SPACE_DENIED : SPACE_GONE;
	return space->maps.len ? SPACE_READ : SPACE_NO_MAPPINGS;
}

enum space_status space_read(struct space *space, struct space_cache *cache)
{
	space->read[0] = clock_ns(CLOCK_MONOTONIC);
	enum space_status status = read_space(space, cache);
	space->read[1] = clock_ns(CLOCK_MONOTONIC);
	if (cache->follower && status == SPACE_READ)
		follower_hear(cache->follower);
	return status;
}

void space_tell(const struct space *space, struct space_cache *cache)
{
	struct follower *follower = cache->follower;

	if (follower && space->status == SPACE_READ &&
		!follower_moved(follower, space->process, space->read[0], follower->heard, 0))
		follower_add(follower, space->process, follower->heard,
			space->is_leader ? space->start_ticks : 0, space->comm ? space->comm : "",
			&space->maps);
}

uint64_t *space_index(struct space_cache *cache, int64_t pid, const struct process_record *record,
	enum space_status known, bool *added)
{
	const uint64_t key[] = {(uint64_t)pid, known, (uintptr_t)record};

	return table_at(&cache->by_pid, key, sizeof(key), added);
}

/* Returns the space of PID, created on demand, and notes that it was requested. */
static struct space *space_for(struct space_cache *cache, int64_t pid,
	const struct process_record *record, enum space_status known)
{
	bool added;
	uint64_t *index = space_index(cache, pid, record, known, &added);
	struct space *space;

	if (added) {
		*index = cache->spaces.len;
		space = xnew(space);
		space_init(space, pid);
		vec_push(&cache->spaces, space);
		space->version = ++cache->versions;
		space->known = space->status = known;
		if (record) {
			space_recorded(space, cache, record);
			cache->past += record->recording != cache->recording;
		} else if (known == SPACE_READ) {
			space->status = space_read(space, cache);
			space_tell(space, cache);
		}
	}
	space = cache->spaces.data[*index];
	space->last_use = cache->round;
	return space;
}

struct space *space_of_past(struct space_cache *cache, int64_t pid, uint64_t time)
{
	struct recording *recording = cache->follower->recording;
	const struct recorded_row *events;
	bool ambiguous;
	const struct process_record *record =
		recording_rows(recording, pid, ROW_EXIT, &events)
			? process_record_of(recording, pid, time, &ambiguous)
			: NULL;

	return record ? space_for(cache, pid, record, SPACE_READ) : NULL;
}

bool space_is_recent(const struct space_cache *cache, uint64_t time)
{
	return !time && cache->recent && cache->follower;
}

/* Returns the space of PID, an ID in /proc or the recorder's, at TIME. */
static struct space *space_in_time(struct space_cache *cache, int64_t pid, uint64_t time)
{
	struct recording *recording = cache->recording;
	enum space_status known = pid < 0 ? SPACE_GONE : SPACE_READ;
	const struct process_record *record = NULL;
	bool ambiguous = false;
	bool searched = recording && pid >= 0 && !space_is_recent(cache, time);
	auto_fd int running = -1;

	/* after the recording, current mappings are a better guess than recorded ones */
	if (searched && !recording->foreign && time > recording->end)
		running = procfs_open_process(cache->proc_root, pid);
	if (searched && running < 0) {
		record = process_record_of(
			recording, pid, recorded_last_time(recording, time), &ambiguous);
		if (ambiguous)
			known = SPACE_AMBIGUOUS;
		else if (!record && (recording->foreign || recording_has(recording, pid)))
			known = SPACE_NOT_RECORDED;
	}
	struct space *space = space_for(cache, pid, record, known);
	space->used = true;
	/* exited: use the follower's record */
	if (cache->follower && known == SPACE_READ && !record && space->status != SPACE_READ)
		space = space_of_past(cache, pid, time) ?: space;
	return space;
}

struct space *space_of(struct space_cache *cache, int64_t pid)
{
	return space_in_time(cache, pid, 0);
}

/*
 * Translates PID from cache.pids. Prefers a recorded namespace, because IDs in /proc may have been
 * reused.
 */
static int64_t outer_pid(struct space_cache *cache, int64_t pid, uint64_t time)
{
	struct recording *recording = cache->recording;
	int64_t member = cache->pids.member;

	if (!member)
		return pid;
	uint64_t namespace = recording ? recording_pid_namespace(recording, member) : 0;
	if (namespace)
		return recording_outer_pid(
			recording, namespace, pid, recorded_last_time(recording, time));
	/* a recorded member without nested namespaces uses the recorder's IDs */
	bool ambiguous;
	const struct process_record *record =
		recording ? process_record_of(recording, member, time, &ambiguous) : NULL;
	if (record && record->levels == 1)
		return pid;
	if (recording && (record || recording->foreign))
		return -1;
	return pid_namespace_translate(&cache->pids, cache->proc_root, pid);
}

struct space *space_at(struct space_cache *cache, int64_t pid, uint64_t time)
{
	if (!cache->last || cache->last_pid != pid || cache->last_time != time) {
		cache->last = space_in_time(cache, outer_pid(cache, pid, time), time);
		cache->last_pid = pid;
		cache->last_time = time;
	}
	return cache->last;
}

const struct mapping *space_mapping(const struct space *space, uint64_t time, uint64_t address)
{
	return space->record ? process_record_find(space->record, time, address)
			     : maps_find(&space->maps, address);
}

const struct mapping *space_mapping_at(const struct space *space, uint64_t time, uint64_t address)
{
	const struct mapping *mapping = space_mapping(space, time, address);

	return mapping ? mapping : space_mapping(space, time, address - 1);
}

bool space_still_maps(const struct space *space, const struct mapping *mapping)
{
	scope_guard(arena_deinit) struct arena strings = {};
	struct maps now = {};

	if (space_dir(space) >= 0)
		(void)procfs_maps(space_dir(space), &strings, &now, NULL);
	const struct mapping *at = maps_find(&now, mapping->start);
	bool same = at && maps_same_code(at, mapping);
	vec_deinit(&now);
	return same;
}

bool space_build_id(const struct space *space, const struct mapping *mapping, struct build_id *ret)
{
	uint8_t bytes[BUILD_ID_MAX];
	struct map_query query = {
		.size = sizeof(query),
		.flags = MAP_QUERY_COVERING,
		.address = mapping->start,
		.build_id_size = sizeof(bytes),
		.build_id = (uintptr_t)bytes,
	};

	/* the ioctl only knows current mappings */
	if (space->record || !space->files || space->files->pool->no_map_query)
		return false;
	int fd = space_files_maps(space->files, &space->maps);
	bool failed = fd < 0 || ioctl(fd, MAP_QUERY_IOCTL, &query) < 0;
	space->files->pool->no_map_query = fd >= 0 && failed && errno == ENOTTY;
	if (failed || !query.build_id_size || query.inode != mapping->inode ||
		query.dev_major != mapping->dev_major || query.dev_minor != mapping->dev_minor)
		return false;
	*ret = build_id_make(bytes, query.build_id_size);
	return ret->len > 0;
}

int space_dir(const struct space *space)
{
	return space_files_dir(space->files);
}

/* An open maps file stays bound to its program's address space; it is empty once that is gone. */
bool space_is_current(const struct space *space)
{
	char byte;

	if (!space->files || !space->files->has_maps)
		return !space->files || !space->files->gone;
	int fd = space_files_maps(space->files, &space->maps);
	return fd >= 0 && pread(fd, &byte, 1, 0) == 1;
}

const struct mountinfo *space_mounts(const struct space *space)
{
	auto_text struct text text = {};

	if (space->mounts->tried || (!space->files && !space->record))
		return space->mounts;
	space->mounts->tried = true;
	if (space->record) {
		const struct text *recorded =
			recording_mounts(space->record->recording, space->record->namespace);

		if (recorded)
			mountinfo_parse(recorded->data, recorded->len, space->mounts);
		return space->mounts;
	}
	if (!procfs_read(space_dir(space), "mountinfo", &text))
		mountinfo_parse(text.data, text.len, space->mounts);
	return space->mounts;
}

bool space_was_contained(const struct space *space)
{
	const struct process_record *record = space->record;

	/* above 32 bits: a namespace with a reused inode (record_see_namespace()) */
	if (!record || space->files || record->recording->foreign || !record->namespace)
		return false;
	uint64_t own = procfs_namespace(AT_FDCWD, "/proc/self/ns/mnt");
	return own && record->namespace != own;
}

bool space_is_fuse(const struct space *space, const struct mapping *mapping)
{
	return !strncmp(mountinfo_type(space_mounts(space), mapping->dev_major, mapping->dev_minor),
		"fuse", strlen("fuse"));
}

char *space_root(const struct space *space)
{
	char path[PATH_MAX];
	int dir = space_dir(space);
	ssize_t len = dir < 0 ? -1 : readlinkat(dir, "root", path, sizeof(path));

	if (len > 0 && *path == '/')
		return xstrndup(path, (size_t)len);
	return xstrdup(space->record && space->record->root ? space->record->root : "/");
}

void *space_memory(const struct space *space, uint64_t start, uint64_t end)
{
	if (end <= start || end - start > VDSO_MAX)
		return NULL;
	auto_free char *memory = xmalloc(end - start);

	for (int anew = 0; anew < 2; anew++) {
		int fd = space_files_memory(space->files, anew);

		if (fd >= 0 &&
			pread(fd, memory, end - start, (off_t)start) == (ssize_t)(end - start))
			return take(memory);
	}
	return NULL;
}
