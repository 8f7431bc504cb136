// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/copier.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <limits.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

#include "object/elf_image.h"
#include "object/identity.h"
#include "process/procfs.h"
#include "process/space.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/sort.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* A copy takes at most 1/SHARE of the limit and leaves 1/SPARE of its file system free. */
enum { SHARE = 4, SPARE = 20 };
/*
 * PIECE: bytes copied at once. After each piece the copier sleeps REST_PIECE ns plus REST_BYTE ns
 * per byte. This limits it to 60 MB or some hundred files a second, a few percent of a CPU.
 */
enum { PIECE = 1 << 20, REST_BYTE = 15, REST_PIECE = 1000000 };
/* Sizes of copies are rounded up to BLOCK bytes. Tables are emptied at KNOWN_MAX entries. */
enum { BLOCK = 4096, KNOWN_MAX = 1 << 16 };
static const char temporary[] = ".new";

/* An existing copy. */
struct copy {
	char name[NAME_MAX + 1];
	uint64_t bytes;
	int64_t used; /* ns since 1970: when it was made or last used */
};

struct copier {
	const struct copier_options *options;
	int socket;
	/* names that copies of refused files would have, with "none" as build ID */
	struct table refused;
	struct table seen; /* mapping of a process → last round it was reported in; 0: not copied */
	uint64_t own_namespace;
	char *piece;
};

/* ---- the directory -------------------------------------------------------------------------- */

static uint64_t bytes_of(uint64_t size)
{
	return (size + BLOCK - 1) / BLOCK * BLOCK;
}

COMPARE(compare_ages, struct copy, order_of(a->used, b->used))

/* Deletes the least recently used copies, even of earlier recorders, until SIZE bytes fit. */
static void make_room(const struct copier *copier, uint64_t size)
{
	int dir_fd = copier->options->dir_fd;
	scope_guard(procfs_close_dir) DIR *dir = procfs_open_dir(dir_fd, ".");
	uint64_t bytes = bytes_of(size);
	struct VEC(struct copy) copies = {};
	struct recorded_file file;
	struct dirent *entry;
	struct stat st;

	while (dir && (entry = readdir(dir))) {
		if (!kept_name_is(entry->d_name) ||
			fstatat(dir_fd, entry->d_name, &st, AT_SYMLINK_NOFOLLOW))
			continue;
		recorded_file_stamp(&file, &st);
		struct copy *copy = vec_add(&copies);
		snprintf(copy->name, sizeof(copy->name), "%s", entry->d_name);
		copy->bytes = bytes_of(file.size);
		copy->used = file.mtime;
		bytes += copy->bytes;
	}
	vec_sort(&copies, compare_ages);
	for (size_t i = 0; i < copies.len && bytes > copier->options->bytes; i++) {
		unlinkat(dir_fd, copies.data[i].name, 0);
		bytes -= copies.data[i].bytes;
	}
	vec_deinit(&copies);
}

/* ---- copying -------------------------------------------------------------------------------- */

/*
 * Copies SIZE bytes; pieces of zeros become holes. Returns false if the file has become shorter, or
 * on an error.
 */
static bool copy_bytes(struct copier *copier, int from, int to, uint64_t size)
{
	for (uint64_t at = 0; at < size;) {
		ssize_t n = pread(
			from, copier->piece, size - at < PIECE ? size - at : PIECE, (off_t)at);

		if (n > 0 && !scan_is_zero(copier->piece, (size_t)n))
			n = pwrite(to, copier->piece, (size_t)n, (off_t)at);
		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0)
			return false;
		at += (uint64_t)n;
		nanosleep(&(struct timespec){.tv_nsec = REST_PIECE + REST_BYTE * n}, NULL);
	}
	return !ftruncate(to, (off_t)size) && !fdatasync(to);
}

/*
 * Copies FD, whose status was ST, to a temporary file, which gets its NAME when it is complete.
 * Deletes other copies if necessary. Returns false, with the reason in WHY, if there is no copy.
 */
static bool make_copy(struct copier *copier, int fd, const struct stat *st, const char *name,
	enum copier_refusal *why)
{
	int dir = copier->options->dir_fd;
	const uint64_t size = (uint64_t)st->st_size;
	struct statvfs fs;
	struct stat now;

	*why = COPIER_FULL;
	if (fstatvfs(dir, &fs) || (uint64_t)fs.f_bavail * fs.f_frsize <=
					  (uint64_t)fs.f_blocks * fs.f_frsize / SPARE + size)
		return false;
	make_room(copier, size);
	unlinkat(dir, temporary, 0); /* left by a recorder that was killed */
	auto_fd int to = openat(dir, temporary,
		O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, S_IRUSR | S_IWUSR);
	if (to < 0)
		return false;
	bool good = copy_bytes(copier, fd, to, size);
	if (fstat(fd, &now) || !file_same_content(&now, st)) {
		*why = COPIER_CHANGED;
		good = false;
	}
	if (good && !renameat(dir, temporary, dir, name))
		return true;
	unlinkat(dir, temporary, 0);
	return false;
}

/* ---- which files ---------------------------------------------------------------------------- */

/* Returns the name of the copy of a file with build ID ID (len 0: none) and status ST. */
static void name_copy(const struct build_id *id, const struct stat *st, char ret[KEPT_NAME_MAX])
{
	struct recorded_file file;

	recorded_file_stamp(&file, st);
	snprintf(ret, KEPT_NAME_MAX,
		"%s-%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64 "%016" PRIx64,
		id->len ? build_id_hex(id).digits : KEPT_NO_ID, (uint64_t)st->st_dev,
		(uint64_t)st->st_ino, file.size, (uint64_t)file.mtime, (uint64_t)file.ctime);
}

/* Returns true if a server or a user's program implements file system TYPE: reads may block. */
static bool is_remote(const char *type)
{
	static const char *const types[] = {"fuse", "nfs", "cifs", "smb", "9p", "ceph", "afs",
		"coda", "ncp", "orangefs", "lustre"};

	for (size_t i = 0; i < array_len(types); i++)
		if (!strncmp(type, types[i], strlen(types[i])))
			return true;
	return false;
}

/*
 * Returns true if MAPPING's file will be unreachable after the process has exited. FOREIGN: the
 * process is in another mount namespace than ours.
 */
static bool is_wanted(const struct space *space, bool foreign, const struct mapping *mapping)
{
	if (!mapping->executable || !mapping->inode || *mapping->path != '/')
		return false;
	if (mapping->deleted || !foreign)
		return mapping->deleted;
	/* these vanish with the container, or with whoever mounted them */
	const char *type =
		mountinfo_type(space_mounts(space), mapping->dev_major, mapping->dev_minor);
	return !strcmp(type, "tmpfs") || !strcmp(type, "ramfs");
}

static void reply(const struct copier *copier, const struct copier_reply *reply)
{
	if (send(copier->socket, reply, sizeof(*reply), MSG_NOSIGNAL) < 0)
		_exit(0);
}

/*
 * Returns true if IMAGE is the file that the process has mapped. A write to a file of an overlay
 * replaces it by another (copy-up).
 */
static bool is_mapped(
	const struct space *space, const struct mapping *mapping, const struct elf_image *image)
{
	struct build_id said;

	if (space_build_id(space, mapping, &said) && !build_id_equal(&said, &image->build_id))
		return false;
	return !identity_may_be_copied_up(image) || identity_same_headers(space, mapping, image);
}

/*
 * Keeps the copy of FD, which has status ST, and makes it if necessary. AGAIN: one was made for
 * this mapping before; if it has since been deleted for others, it is not made again. Returns false
 * if there is no copy: RET has the reason, or COPIER_LAST if there is nothing to report.
 */
static bool keep_file(struct copier *copier, const struct space *space,
	const struct mapping *mapping, bool again, int fd, const struct stat *st,
	struct copier_reply *ret)
{
	const uint64_t size = ret->copy.kept.size = (uint64_t)st->st_size;
	struct elf_image *image = NULL;

	ret->kind = COPIER_REFUSED;
	ret->refusal = COPIER_TOO_LARGE;
	if (bytes_of(size) > copier->options->bytes / SHARE)
		return false;
	auto_error struct error *error = elf_image_open(dup(fd), mapping->path, &image);
	bool same = image && is_mapped(space, mapping, image);
	name_copy(image ? &image->build_id : &(struct build_id){}, st, ret->name);
	elf_image_destroy(image);
	ret->refusal = COPIER_CHANGED;
	if (error)
		ret->kind = COPIER_LAST; /* not ELF: no symbols to look up */
	if (!same)
		return false;
	/* the new mtime of an existing copy makes make_room() delete it late */
	if (!utimensat(copier->options->dir_fd, ret->name, NULL, AT_SYMLINK_NOFOLLOW))
		return true;
	ret->kind = again ? COPIER_LAST : COPIER_REFUSED;
	return !again && make_copy(copier, fd, st, ret->name, &ret->refusal);
}

/*
 * Keeps the file of MAPPING, as keep_file() does, unless it was refused for another mapping. The
 * copy's time begins here, when MAPPING has been read: before that it may not have been there.
 */
static bool keep_mapping(struct copier *copier, const struct space *space,
	const struct mapping *mapping, bool again, struct copier_reply *ret)
{
	char file[KEPT_NAME_MAX];
	struct stat st;
	*ret = (struct copier_reply){
		.kind = COPIER_REFUSED,
		.refusal = COPIER_REMOTE,
		.copy = {.kind = ROW_KEPT,
			.pid = (uint64_t)space->pid,
			.kept = {.since = clock_ns(CLOCK_MONOTONIC),
				.start = mapping->start,
				.end = mapping->end,
				.offset = mapping->file_offset}},
	};
	if (is_remote(mountinfo_type(space_mounts(space), mapping->dev_major, mapping->dev_minor)))
		return false;
	auto_fd int fd = procfs_open_mapped(space_dir(space), mapping);
	bool denied = fd < 0 && (errno == EPERM || errno == EACCES);
	/* it may have exited or run exec since its mappings were read */
	bool current = fd >= 0 && space_is_current(space);
	ret->copy.time = clock_ns(CLOCK_MONOTONIC);
	ret->refusal = COPIER_DENIED;
	ret->kind = denied ? COPIER_REFUSED : COPIER_LAST;
	if (!current || fstat(fd, &st) || st.st_ino != mapping->inode)
		return false;
	name_copy(&(struct build_id){}, &st, file);
	if (table_find(&copier->refused, file, strlen(file)))
		return false;
	if (copier->refused.len >= KNOWN_MAX)
		table_deinit(&copier->refused);
	bool kept = keep_file(copier, space, mapping, again, fd, &st, ret);
	if (kept)
		ret->kind = COPIER_KEPT;
	else if (!again)
		(void)table_at(&copier->refused, file, strlen(file), NULL);
	return kept;
}

static void look(struct copier *copier, const struct copier_request *request)
{
	scope_guard(space_cache_deinit) struct space_cache spaces = {
		.proc_root = copier->options->proc_root};
	const struct space *space = space_of(&spaces, request->pid);
	struct copier_reply said = {.kind = space->status == SPACE_GONE ? COPIER_GONE : COPIER_LAST,
		.copy.pid = request->pid};
	uint64_t namespace = procfs_namespace(space_dir(space), "ns/mnt");
	bool foreign = namespace && namespace != copier->own_namespace;

	vec_each(mapping, &space->maps) {
		struct copier_reply made;
		bool added;

		if (!is_wanted(space, foreign, mapping))
			continue;
		const uint64_t key[] = {(uint64_t)space->pid, space->start_ticks, mapping->start,
			mapping->end, mapping->inode, mapping->dev_major, mapping->dev_minor};

		if (copier->seen.len >= KNOWN_MAX)
			table_deinit(&copier->seen);
		uint64_t *round = table_at(&copier->seen, key, sizeof(key), &added);
		if (!added && (!*round || *round == request->round))
			continue;
		*round = keep_mapping(copier, space, mapping, !added, &made) ? request->round : 0;
		if (made.kind != COPIER_LAST)
			reply(copier, &made);
	}
	reply(copier, &said);
}

static void run(struct copier *copier, pid_t parent)
{
	struct copier_request request;

	/* ignore the signals of Ctrl-C and systemd, because the copier ends with the recorder */
	signal(SIGINT, SIG_IGN);
	signal(SIGTERM, SIG_IGN);
	signal(SIGHUP, SIG_IGN);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (getppid() != parent)
		return;
	setpriority(PRIO_PROCESS, 0, 19);
	copier->own_namespace = procfs_namespace(AT_FDCWD, "/proc/self/ns/mnt");
	copier->piece = xmalloc(PIECE);
	make_room(copier, 0);
	unlinkat(copier->options->dir_fd, temporary, 0);
	while (recv(copier->socket, &request, sizeof(request), 0) == (ssize_t)sizeof(request))
		look(copier, &request);
}

int copier_start(const struct copier_options *options, pid_t *child_ret, int *socket_ret)
{
	struct copier copier = {.options = options};
	pid_t parent = getpid();
	int sockets[2];

	if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, sockets))
		return -errno;
	pid_t child = fork();
	if (!child) {
		/* segments of the recording: open here, they would use disk space after deletion */
		unsigned a = (unsigned)sockets[1], b = (unsigned)options->dir_fd;
		unsigned low = a < b ? a : b, high = a < b ? b : a;

		close_range(STDERR_FILENO + 1, low - 1, 0);
		close_range(low + 1, high - 1, 0);
		close_range(high + 1, ~0U, 0);
		copier.socket = sockets[1];
		run(&copier, parent);
		_exit(0);
	}
	int errnum = errno;
	close(sockets[1]);
	if (child < 0) {
		close(sockets[0]);
		return -errnum;
	}
	(void)fcntl(sockets[0], F_SETFL, O_NONBLOCK);
	*child_ret = child;
	*socket_ret = sockets[0];
	return 0;
}
