// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/files.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <linux/openat2.h>
#include <sys/stat.h>

#include "door/door.h"
#include "door/mountinfo.h"
#include "door/rule.h"
#include "process/procfs.h"
#include "process/recording/process_record.h"
#include "util/clock.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

/* ---- owners --------------------------------------------------------------------------------- */

enum { CLOCK_SLACK = 2 /* seconds */ };

/*
 * Returns the start time of process PID, in seconds since 1970; 0 if unknown. DIR_FD is its
 * directory in /proc or one of a thread.
 */
static int64_t start_time(int dir_fd, int64_t pid)
{
	char name[64];

	snprintf(name, sizeof(name), "../%lld", (long long)pid);
	auto_fd int process = openat(dir_fd, name, O_PATH | O_DIRECTORY | O_CLOEXEC);
	uint64_t ticks = process < 0 ? 0 : procfs_started(process);
	return ticks ? (int64_t)((clock_real() - clock_slept() + ticks * CLOCK_TICK) / SECOND) : 0;
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

void jit_refuse(struct text *refused, const char *path, const char *why)
{
	text_printf(refused, "%s%s: %s", refused->len ? "; " : "", path, why);
}

static int open_map(const struct jit_owner *owner, int tmp, int64_t pid, struct text *refused)
{
	const char *why; /* it is not trusted; NULL: it is */
	struct writers links;
	char path[64];
	struct stat st;

	if (tmp < 0)
		return -1;
	snprintf(path, sizeof(path), "/tmp/perf-%lld.map", (long long)pid);
	auto_fd int fd = door_open(tmp, path + strlen("/tmp/"), DOOR_ENTRY, &links);
	if (fd < 0 && errno == ENOENT)
		return -1;
	if (fd < 0) {
		why = errno == ELOOP ? "a symbolic link" : door_failure(errno);
	} else if (fstat(fd, &st) || st.st_mtime + CLOCK_SLACK < owner->started) {
		why = "older than the process";
	} else {
		struct writers writers = writers_of_file(fd);

		writers_join(&writers, links);
		why = rule_of(
			EVIDENCE_CODE, rule_provenance(&writers, &owner->user, NULL), TRUST_STRICT)
			      .reason;
	}
	if (why)
		jit_refuse(refused, path, why);
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

/* ---- mappings ------------------------------------------------------------------------------- */

bool jit_is_dump(const struct mapping *mapping)
{
	const char *slash = strrchr(mapping->path, '/');
	struct scan s = {slash ? slash + 1 : "", mapping->path + strlen(mapping->path)};
	uint64_t pid;

	return slash && mapping->inode && scan_literal(&s, "jit-") && scan_decimal(&s, &pid) &&
	       scan_literal(&s, ".dump") && !scan_left(&s);
}

/* Uses the kernel's link, else the path in the process's root if it has the mapped inode. */
int jit_open_dump(int dir_fd, const struct mapping *mapping, struct text *refused)
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
	jit_refuse(refused, mapping->path, fd < 0 ? strerror(errno) : "another file");
	return -1;
}

bool jit_may_hold_code(const struct mapping *mapping)
{
	if (!mapping->executable)
		return false;
	return !*mapping->path || !strncmp(mapping->path, "[anon", 5) || mapping->deleted ||
	       !strncmp(mapping->path, "/memfd:", 7) || !strncmp(mapping->path, "/dev/zero", 9);
}

/* ---- reading -------------------------------------------------------------------------------- */

#define CLOCK_NOISE 1000000ULL /* ns, of clock_real() and file times */
enum { TRIES = 4, PIECE = 1 << 20 /* bytes read at once */ };
/*
 * limit of bytes read from a rewritten file, in multiples of JIT_FILE_MAX: old names stay in memory
 */
enum { READ_AGAIN_MAX = 2 };

/* Forgets what was read of FILE, but not its size and the effort. */
static void forget(struct jit_file *file)
{
	file->read = file->tail_len = 0;
	if (file->map.symbols.len)
		file->anew = UINT64_MAX;
	jitdump_deinit(&file->dump);
	file->dump = (struct jitdump){};
	jit_map_clear(&file->map);
}

void jit_file_init(struct jit_file *file, uint64_t looked)
{
	*file = (struct jit_file){.fd = -1,
		.looked = looked,
		.real = clock_real(),
		.dated = clock_ns(CLOCK_MONOTONIC)};
}

void jit_file_rewind(struct jit_file *file)
{
	forget(file);
	file->size = file->effort = 0;
	file->error = NULL;
	file->limited = false;
}

void jit_file_use(struct jit_file *file, int fd_taken, bool is_dump)
{
	auto_fd int fd = fd_taken;
	struct stat st;

	if (fd < 0 || fstat(fd, &st))
		return;
	if (file->inode == st.st_ino && file->device == st.st_dev) {
		if (file->fd < 0)
			file->fd = take_fd(fd);
		return;
	}
	jit_file_rewind(file);
	cleanup_fd(&file->fd);
	file->fd = take_fd(fd);
	file->is_dump = is_dump;
	file->device = st.st_dev;
	file->inode = st.st_ino;
}

void jit_file_deinit(struct jit_file *file)
{
	cleanup_fd(&file->fd);
	jitdump_deinit(&file->dump);
	jit_map_deinit(&file->map);
}

static bool has_changed(struct jit_file *file, const struct stat *st)
{
	bool changed = file->size != (uint64_t)st->st_size || file->mtime_s != st->st_mtim.tv_sec ||
		       file->mtime_ns != st->st_mtim.tv_nsec;

	file->size = (uint64_t)st->st_size;
	file->mtime_s = st->st_mtim.tv_sec;
	file->mtime_ns = st->st_mtim.tv_nsec;
	return changed;
}

/* Returns true if the bytes read before are no longer in the file. */
static bool was_rewritten(const struct jit_file *file)
{
	char tail[JIT_TAIL];

	return file->size < file->read ||
	       file_read_at(file->fd, tail, file->tail_len, file->read - file->tail_len) !=
		       file->tail_len ||
	       memcmp(tail, file->tail, file->tail_len) != 0;
}

/* Reads piece by piece. Returns true if the last bytes of the file are those of the last symbol. */
static bool read_new(struct jit_file *file)
{
	auto_free char *bytes = NULL;
	size_t used = 0, odd = 0;
	uint64_t left;

	for (size_t size = PIECE; (left = file->size - file->read); size *= used ? 1 : 2) {
		size = size < left ? size : left;
		bytes = xreallocarray(bytes, size, 1);
		size_t len = file_read_at(file->fd, bytes, size, file->read);
		const char *newline = len ? memrchr(bytes, '\n', len) : NULL;

		used = newline && !file->is_dump ? (size_t)(newline - bytes) + 1 : 0;
		file->effort += len;
		if (!file->is_dump)
			odd = perf_map_parse(bytes, used, &file->map);
		else if (!jitdump_read(&file->dump, bytes, len, &file->map, &used))
			file->error = "not a jitdump";
		if (!used && (file->error || size == left))
			return false;
		if (!used)
			continue;
		file->tail_len = used < JIT_TAIL ? used : JIT_TAIL;
		memcpy(file->tail, bytes + used - file->tail_len, file->tail_len);
		file->read += used;
	}
	return !file->is_dump && !odd;
}

/*
 * Sets the times of the symbols from number FIRST on, which were written between SINCE and NOW, in
 * ns. All were there after the last write, which wrote the only one if ENDS. The time of that write
 * is known if it came after DATED and the system's clock was not set since then.
 */
static void set_times(struct jit_file *file, size_t first, uint64_t since, uint64_t now, bool ends)
{
	const uint64_t real = clock_real();
	uint64_t written = (uint64_t)file->mtime_s * SECOND + (uint64_t)file->mtime_ns - real;
	bool steady = real - file->real + CLOCK_NOISE < 2 * CLOCK_NOISE && written <= now;
	uint64_t begin =
		written + RECORDED_TICK > file->dated ? written + RECORDED_TICK : file->dated;

	if (steady && ends && file->map.symbols.len == first + 1 && since &&
		written > since + CLOCK_NOISE)
		since = written - CLOCK_NOISE;
	for (size_t i = first; i < file->map.symbols.len; i++) {
		struct history_span *span = &file->map.history.spans.data[i];

		if (span->begin && span->begin <= now)
			continue;
		span->since = since;
		span->begin = steady && begin < now ? begin : now;
	}
	if (file->anew == UINT64_MAX)
		file->anew = now;
	file->real = real;
	file->dated = now;
}

static void limit(struct jit_file *file, const char *error)
{
	file->error = error;
	file->limited = true;
}

enum jit_news jit_file_read(struct jit_file *file, uint64_t looked)
{
	const uint64_t since = file->looked;
	const struct jit_map *map = &file->map;
	size_t before = map->symbols.len;
	enum jit_news news = JIT_SAME;
	bool ends = false;
	int tries = TRIES;
	struct stat st;

	file->looked = looked;
	if (file->fd < 0 || fstat(file->fd, &st) || !has_changed(file, &st))
		return JIT_SAME;
	/* a time at which the file is what will be read */
	do
		file->looked = clock_ns(CLOCK_MONOTONIC);
	while (!fstat(file->fd, &st) && has_changed(file, &st) && --tries);
	uint64_t now = tries ? file->looked : clock_ns(CLOCK_MONOTONIC);
	if (file->read && was_rewritten(file)) {
		forget(file);
		before = 0;
		news = JIT_ANEW;
	}
	file->error = NULL;
	file->limited = false;
	if (file->size > JIT_FILE_MAX || file->effort > (uint64_t)READ_AGAIN_MAX * JIT_FILE_MAX) {
		/* unread symbols may have replaced the ones that were read */
		limit(file, "too large");
		forget(file);
		return before ? JIT_ANEW : news;
	}
	if (file->size > file->read)
		ends = read_new(file);
	set_times(file, before, since, now, ends);
	if (map->symbols.len >= JIT_SYMBOLS_MAX)
		limit(file, "has more symbols than are read (1,048,576)");
	return news == JIT_SAME && map->symbols.len > before ? JIT_MORE : news;
}

/* ---- the state of a process ----------------------------------------------------------------- */

void jit_init(struct jit *jit)
{
	*jit = (struct jit){};
	jit_file_init(&jit->perf_map, 0);
	jit_file_init(&jit->dump, 0);
}

void jit_deinit(struct jit *jit)
{
	jit_map_deinit(&jit->recorded);
	jit_file_deinit(&jit->perf_map);
	jit_file_deinit(&jit->dump);
	text_deinit(&jit->refused);
}

static size_t map_bytes(const struct jit_map *map)
{
	return map->symbols.cap * sizeof(*map->symbols.data) +
	       map->lines.cap * sizeof(*map->lines.data) + history_bytes(&map->history) +
	       map->strings.bytes;
}

size_t jit_bytes(const struct jit *jit)
{
	return sizeof(*jit) + map_bytes(&jit->perf_map.map) + map_bytes(&jit->dump.map) +
	       jit->dump.dump.by_address.cap * sizeof(struct table_slot) +
	       map_bytes(&jit->recorded);
}

void jit_tidy(struct jit *jit)
{
	uint64_t version = jit->version + 1;

	if (!jit->perf_map.anew && !jit->dump.anew)
		return;
	jit_deinit(jit);
	jit_init(jit);
	jit->version = version;
}

void jit_close(struct jit *jit)
{
	cleanup_fd(&jit->perf_map.fd);
	cleanup_fd(&jit->dump.fd);
	jit->perf_map.fd = jit->dump.fd = -1;
}
