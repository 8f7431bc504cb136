// SPDX-License-Identifier: GPL-2.0-or-later
/* Finders that go by build ID alone, in directories and caches that file programs by it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "object/find/finder.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* files with one build ID in one directory that are tried */
enum { FOLDER_MAX = 8 };

typedef bool (*visit_id)(struct search *search, const char *hex, const char *dir);

static bool offer_path(struct search *search, const char *path, const char *base)
{
	struct stat st;
	auto_fd int fd = search_open(search, AT_FDCWD, path, 0, base);

	/* debuginfod's clients leave an empty file if no server has it */
	if (fd >= 0 && !fstat(fd, &st) && !st.st_size)
		return search->offer(search, -ENOENT, path, PROOF_FILED);
	return search->offer(search, take_fd(fd), path, PROOF_FILED);
}

static bool zero_from(const struct build_id *id, size_t from)
{
	for (size_t i = from; i < id->len; i++)
		if (id->bytes[i])
			return false;
	return true;
}

/*
 * Calls VISIT for the build ID and its possible lengths before padding, until it returns true. The
 * kernel pads the IDs in dumps to 20 bytes. Those of md5 have 16 bytes and the fast ones of lld 8,
 * and files are stored under the unpadded ID.
 */
static void each_length(struct search *search, const char *dir, visit_id visit)
{
	static const size_t lengths[] = {BUILD_ID_BPF_LEN, 16, 8};
	const struct build_id *id = &search->build_id;

	if (id->len < 2)
		return;
	struct build_id_hex hex = build_id_hex(id);
	if (visit(search, hex.digits, dir) || id->len != BUILD_ID_BPF_LEN)
		return;
	for (size_t i = 1; i < array_len(lengths); i++) {
		hex.digits[2 * lengths[i]] = '\0';
		if (!zero_from(id, lengths[i]) || visit(search, hex.digits, dir))
			return;
	}
}

/*
 * Offers the program, which may be linked beside its debug file (Fedora), then the debug file,
 * which may contain code too.
 */
static bool visit_debug_dir(struct search *search, const char *hex, const char *dir)
{
	auto_free char *file = xasprintf("%s/.build-id/%.2s/%s", dir, hex, hex + 2);
	auto_free char *debug = xasprintf("%s.debug", file);

	return offer_path(search, file, dir) || offer_path(search, debug, dir);
}

/* Offers files with any name that are directly in the directory DIR. */
static bool offer_from_folder(struct search *search, const char *dir)
{
	const char *path;

	for (size_t i = 0; search->build_id.len && i < FOLDER_MAX; i++) {
		path = debug_folder_find(search->folders, dir, &search->build_id, i);
		if (!path || offer_path(search, path, dir))
			return path;
	}
	return false;
}

void find_debug_dir(struct search *search)
{
	const char *const *dir = search->options->debug_dirs;

	for (; dir && *dir; dir++)
		each_length(search, *dir, visit_debug_dir);
	for (dir = search->options->debug_dirs; dir && *dir; dir++)
		if (offer_from_folder(search, *dir))
			return;
}

/* Offers the file "elf" in a directory, or, from before perf 4.9, the target of a link. */
static bool visit_perf_cache(struct search *search, const char *hex, const char *dir)
{
	auto_free char *link = xasprintf("%s/.build-id/%.2s/%s", dir, hex, hex + 2);
	auto_free char *file = xasprintf("%s/elf", link);
	struct stat st;

	return offer_path(search, !stat(link, &st) && !S_ISDIR(st.st_mode) ? link : file, dir);
}

void find_perf_cache(struct search *search)
{
	if (search->options->perf_cache)
		each_length(search, search->options->perf_cache, visit_perf_cache);
}

static bool visit_debuginfod_cache(struct search *search, const char *hex, const char *dir)
{
	auto_free char *path = xasprintf("%s/%s/executable", dir, hex);

	return offer_path(search, path, dir);
}

void find_debuginfod_cache(struct search *search)
{
	if (search->options->debuginfod_cache)
		each_length(search, search->options->debuginfod_cache, visit_debuginfod_cache);
}

/*
 * Returns the ID to request from servers: without the zeros that the kernel padded it with. If the
 * last four of 20 bytes are zero, it is not a SHA-1. Returns len 0 if fewer than 8 bytes are left.
 */
static struct build_id real_id(const struct build_id *id)
{
	struct build_id real = *id;

	if (id->len != BUILD_ID_BPF_LEN || !zero_from(id, 16))
		return real;
	real.len = zero_from(id, 8) ? 8 : 16;
	if (zero_from(id, 7))
		real.len = 0;
	return real;
}

static struct fetch *start_fetch(struct search *search)
{
	const struct build_id id = real_id(&search->build_id);
	const char *path = search->mapping ? search->mapping->path : NULL;

	return fetcher_start(search->fetcher, DEBUGINFOD_EXECUTABLE, &id, NULL,
		path && *path ? path : build_id_hex(&id).digits);
}

void find_debuginfod_start(struct search *search)
{
	(void)start_fetch(search);
}

void find_debuginfod(struct search *search)
{
	struct fetch *fetch = start_fetch(search);

	if (!fetch)
		return;
	fetcher_wait(search->fetcher, fetch);
	if (fetch->path) {
		offer_path(search, fetch->path, search->options->debuginfod_cache);
		return;
	}
	search->failed = fetch;
	search->remark(search, fetch_outcome(fetch));
}
