// SPDX-License-Identifier: GPL-2.0-or-later
/* Finders that go by build ID alone: places that file whole programs under it. */
#include <errno.h>
#include <fcntl.h>
#include <sys/stat.h>

#include "object/find/finder.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Files of one build in one directory that are looked at. */
enum { FOLDER_MAX = 8 };

typedef bool (*visit_id)(struct search *search, const char *hex, const char *dir);

static bool offer_path(struct search *search, const char *path, const char *base)
{
	struct stat st;
	auto_fd int fd = search_open(search, AT_FDCWD, path, 0, base);

	/* debuginfod leaves an empty file where no server has it. */
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
 * The kernel pads IDs of dumps to 20 bytes: those of md5 have 16, lld's fast ones 8, and they are
 * filed under their own length.
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

/* The program itself may be linked beside its debug file (Fedora); the debug file may still do. */
static bool visit_debug_dir(struct search *search, const char *hex, const char *dir)
{
	auto_free char *file = xasprintf("%s/.build-id/%.2s/%s", dir, hex, hex + 2);
	auto_free char *debug = xasprintf("%s.debug", file);

	return offer_path(search, file, dir) || offer_path(search, debug, dir);
}

/* Files of any name that lie in the directory itself. */
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

/* A directory with a file "elf", or, before perf 4.9, a link to the file. */
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
 * What a server may be asked for: an ID of a dump loses the zeros that the kernel padded it with.
 * One of 20 bytes whose last four are zero is none of SHA-1's. Len 0: too little of it is real.
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
