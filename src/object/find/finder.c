// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/find/finder.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <sys/stat.h>

#include "process/procfs.h"
#include "process/recording/process_record.h"
#include "process/recording/kept_dir.h"
#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/vec.h"

int search_open(struct search *search, int dirfd, const char *path, unsigned how, const char *base)
{
	int fd = door_open(dirfd, path, how, &search->links);

	search->base = base;
	return fd < 0 ? -errno : fd;
}

char *path_rule_apply(const struct path_rule *rule, const char *path)
{
	const char *below = mountinfo_below(path, rule->from);

	return below ? xasprintf("%s%s%s", rule->to, *below ? "/" : "", below) : NULL;
}

/* ---- through /proc/PID ---------------------------------------------------------------------- */

/* Offers the kernel's link to the mapped file, which also leads to deleted and hidden files. */
void find_map_files(struct search *search)
{
	const struct mapping *mapping = search->mapping;
	auto_fd int fd = procfs_open_mapped(space_dir(search->space), mapping);
	int error = fd < 0 ? -errno : space_is_current(search->space) ? 0 : -ESRCH;

	search->offer(search, error ? error : take_fd(fd), mapping->path, PROOF_LINK);
}

/*
 * Offers the path as the process sees it. Under chroot, the mapping's path is relative to the root
 * of the namespace, so the process's root is removed from it first.
 */
void find_root(struct search *search)
{
	const char *path = search->mapping->path;

	if (*path != '/')
		return;
	auto_free char *root_path = space_root(search->space);
	const char *inside = mountinfo_below(path, root_path);
	auto_fd int root =
		openat(space_dir(search->space), "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0) {
		search->offer(search, -errno, path, PROOF_NONE);
		return;
	}
	int fd = search_open(search, root, inside ? inside : path, DOOR_IN_ROOT, NULL);
	search->offer(search, fd, path, PROOF_NONE);
}

/*
 * Offers the kernel's link to the main program, if it is the mapped file: path and inode number are
 * the same.
 */
void find_exe(struct search *search)
{
	const struct mapping *mapping = search->mapping;
	size_t path_len = strlen(mapping->path);
	char link[PATH_MAX];
	struct stat st;
	int dir = space_dir(search->space);
	ssize_t len = readlinkat(dir, "exe", link, sizeof(link) - 1);

	if (len < 0 && (errno == EACCES || errno == EPERM))
		search->offer(search, -errno, mapping->path, PROOF_LINK);
	if (len <= 0)
		return;
	link[len] = '\0';
	auto_fd int fd = file_open_regular(dir, "exe");
	if (fd < 0) {
		search->offer(search, -errno, link, PROOF_LINK);
		return;
	}
	bool deleted =
		!strncmp(link, mapping->path, path_len) && !strcmp(link + path_len, " (deleted)");
	/* a recorded file may have been deleted since */
	bool same_path = deleted ? mapping->deleted || search->space->record
				 : !mapping->deleted && !strcmp(link, mapping->path);
	if (same_path && !fstat(fd, &st) && st.st_ino == mapping->inode)
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

/* ---- --substitute-path and --sysroot -------------------------------------------------------- */

void find_substitute(struct search *search)
{
	vec_each(rule, &search->options->rules) {
		auto_free char *path = path_rule_apply(rule, search->mapping->path);

		if (path && search->offer(search, search_open(search, AT_FDCWD, path, 0, rule->to),
				    path, PROOF_COPY))
			return;
	}
}

int sysroot_open(const char *sysroot, const char *path, struct writers *links_ret)
{
	auto_fd int root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);

	return root < 0 ? -1 : door_open(root, path, DOOR_IN_ROOT, links_ret);
}

void find_sysroot(struct search *search)
{
	const char *sysroot = search->options->sysroot;

	if (!sysroot || *search->mapping->path != '/')
		return;
	auto_free char *path = xasprintf("%s%s", sysroot, search->mapping->path);
	search->base = sysroot;
	int fd = sysroot_open(sysroot, search->mapping->path, &search->links);
	search->offer(search, fd < 0 ? -errno : fd, path, PROOF_COPY);
}

/* ---- by build ID, in directories and caches that file programs by it ------------------------ */

static bool offer_path(void *context, const char *path, const char *base)
{
	struct search *search = context;
	struct stat st;
	auto_fd int fd = search_open(search, AT_FDCWD, path, 0, base);

	/* debuginfod's clients leave an empty file if no server has it */
	bool empty = fd >= 0 && !fstat(fd, &st) && !st.st_size;

	return search->offer(search, empty ? -ENOENT : take_fd(fd), path, PROOF_FILED);
}

static bool zero_from(const struct build_id *id, size_t from)
{
	return scan_is_zero(id->bytes + from, id->len - from);
}

enum { LENGTHS = 3 };

/*
 * Sets RET to the build ID and those that it may have been before padding. Returns their number.
 * The kernel pads the IDs in dumps to 20 bytes. Those of md5 have 16 bytes and the fast ones of lld
 * 8, and files are stored under the unpadded ID.
 */
static size_t unpadded_ids(const struct build_id *id, struct build_id_hex ret[LENGTHS])
{
	static const size_t shorter[] = {16, 8};
	size_t n = 1;

	if (id->len < 2)
		return 0;
	ret[0] = build_id_hex(id);
	array_each(len, shorter, array_len(shorter)) {
		if (id->len != BUILD_ID_BPF_LEN || !zero_from(id, *len))
			break;
		ret[n] = ret[0];
		ret[n++].digits[2 * *len] = '\0';
	}
	return n;
}

void find_debug_dir(struct search *search)
{
	const struct string_vec *dirs = &search->options->debug_dirs;
	struct build_id_hex ids[LENGTHS];
	size_t n = unpadded_ids(&search->build_id, ids);

	vec_each_value(dir, dirs)
		array_each(id, ids, n) {
			auto_free char *file =
				xasprintf("%s/.build-id/%.2s/%s", dir, id->digits, id->digits + 2);
			auto_free char *debug = xasprintf("%s.debug", file);

			/*
			 * The program may be linked beside its debug file (Fedora), and the debug
			 * file may contain code too.
			 */
			if (offer_path(search, file, dir) || offer_path(search, debug, dir))
				return;
		}
	(void)debug_folders_visit(search->folders, dirs, &search->build_id, offer_path, search);
}

void find_perf_cache(struct search *search)
{
	const char *dir = search->options->perf_cache;
	struct build_id_hex ids[LENGTHS];
	size_t n = dir ? unpadded_ids(&search->build_id, ids) : 0;

	array_each(id, ids, n) {
		auto_free char *link =
			xasprintf("%s/.build-id/%.2s/%s", dir, id->digits, id->digits + 2);
		auto_free char *file = xasprintf("%s/elf", link);
		struct stat st;

		/* a file "elf" in a directory, or, from before perf 4.9, the target of a link */
		if (offer_path(search, !stat(link, &st) && !S_ISDIR(st.st_mode) ? link : file, dir))
			return;
	}
}

void find_debuginfod_cache(struct search *search)
{
	const char *dir = search->options->debuginfod_cache;
	struct build_id_hex ids[LENGTHS];
	size_t n = dir ? unpadded_ids(&search->build_id, ids) : 0;

	array_each(id, ids, n) {
		auto_free char *program = xasprintf("%s/%s/executable", dir, id->digits);
		auto_free char *debug = xasprintf("%s/%s/debuginfo", dir, id->digits);

		if (offer_path(search, program, dir) ||
			(search->debug && offer_path(search, debug, dir)))
			return;
	}
}

void find_debuginfod(struct search *search)
{
	enum debuginfod_kind kind = search->debug ? DEBUGINFOD_DEBUGINFO : DEBUGINFOD_EXECUTABLE;
	const char *path = search->mapping ? search->mapping->path : "";
	struct build_id id = search->build_id;

	/*
	 * Servers know IDs without the zeros that the kernel padded them with. If the last four of
	 * 20 bytes are zero, it is not a SHA-1. Fewer than 8 bytes are not an ID.
	 */
	if (id.len == BUILD_ID_BPF_LEN && zero_from(&id, 16))
		id.len = zero_from(&id, 7) ? 0 : zero_from(&id, 8) ? 8 : 16;
	for (; kind <= DEBUGINFOD_EXECUTABLE; kind++) {
		struct fetch *fetch = fetcher_start(
			search->fetcher, kind, &id, NULL, *path ? path : build_id_hex(&id).digits);

		if (!fetch || search->ahead)
			return;
		fetcher_wait(search->fetcher, fetch);
		search->failed = fetch->path ? NULL : fetch;
		if (!fetch->path)
			search->remark(search, fetch_outcome(fetch));
		else if (offer_path(search, fetch->path, search->options->debuginfod_cache))
			return;
	}
}

/* ---- copies made by `stack2line record --keep-files` ---------------------------------------- */

static bool offer_from(struct search *search, const char *dir, const struct recorded_row *copy)
{
	auto_free char *path = xasprintf("%s/%s", dir, copy->text.at);
	auto_fd int dir_fd = kept_dir_open(dir);
	int fd = dir_fd < 0 ? dir_fd : kept_dir_file(dir_fd, copy->text.at, copy->kept.size);

	if (fd != -EPERM)
		return search->offer(search, fd == -EINVAL ? -ENOENT : fd, path, PROOF_KEPT);
	auto_free char *unsafe = xasprintf(
		"%s: not used, because a user other than root and you owns it or can write to it",
		dir);
	search->remark(search, unsafe);
	return false;
}

void find_kept(struct search *search)
{
	const struct process_record *record = search->space ? search->space->record : NULL;
	const char *given = search->options->kept_dir;
	const struct recorded_row *copies;
	size_t n = record ? recording_rows(record->recording, record->pid, ROW_KEPT, &copies) : 0;

	/* the last copy is the least likely to have been deleted */
	for (size_t i = n; i > 0; i--) {
		const struct recorded_row *copy = &copies[i - 1];

		if (!recorded_copy_is_of(record, copy, search->mapping))
			continue;
		if (given && offer_from(search, given, copy))
			return;
		vec_each_value(kept_dir, &record->recording->kept_dirs)
			if (!given && offer_from(search, kept_dir, copy))
				return;
	}
}
