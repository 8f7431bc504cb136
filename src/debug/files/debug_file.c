// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/debug_file.h"

#include <elfutils/libdwelf.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>

#include "debug/files/companions.h"
#include "debug/files/section_file.h"
#include "object/elf_section.h"
#include "object/find/debug_folder.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/xalloc.h"

struct debug_search {
	const struct elf_image *image; /* the file whose debug file is wanted */
	const struct debug_options *options;
	struct text *tried;
	const char *root;	 /* where paths are looked up now, as in struct wanted_file */
	const char *link;	 /* the name in .gnu_debuglink; NULL: looks by build ID */
	uint32_t crc;		 /* the CRC beside it */
	struct elf_image *found; /* a match with debug info */
	struct elf_image *spare; /* a match without DWARF, which has symbols at most */
};

static bool same_file(const struct elf_image *a, const struct elf_image *b)
{
	return a->stat.st_ino == b->stat.st_ino && a->stat.st_dev == b->stat.st_dev;
}

/* Largest debug file without build ID to compute the CRC of, in bytes. */
static const uint64_t CRC_MAX = 4ULL << 30;
enum { CRC_STEP = 1 << 24 };

/* The CRC of .gnu_debuglink is zlib's. */
static bool crc_matches(const struct elf_image *image, uint32_t wanted)
{
	size_t size;
	const unsigned char *file = (const unsigned char *)elf_rawfile(image->elf, &size);
	unsigned long crc = 0;

	if (!file || size > CRC_MAX)
		return false;
	for (size_t at = 0; at < size && !stop_asked(); at += CRC_STEP)
		crc = crc32_z(crc, file + at, size - at < CRC_STEP ? size - at : CRC_STEP);
	return crc == wanted && !stop_asked();
}

/* Returns why CANDIDATE is not the wanted file; NULL if it is. */
static const char *differs(const struct debug_search *search, const struct elf_image *candidate)
{
	const struct build_id *id = &search->image->build_id;

	if (!search->link || (id->len && candidate->build_id.len))
		return build_id_equal(id, &candidate->build_id) ? NULL : "of another build";
	/* a CRC of 32 bits alone can match by chance or on purpose */
	if (!same_code_sections(search->image, candidate))
		return "its code sections differ";
	if (crc_matches(candidate, search->crc))
		return NULL;
	return (uint64_t)candidate->stat.st_size > CRC_MAX
		       ? "has no build ID, and is too large for a CRC check"
		       : "its CRC differs";
}

/*
 * Tries the file PATH below the root. BASE: the directory that contains it, if we or the user chose
 * that; NULL if the program names the path. Returns true if the search is over.
 */
static bool try_path(void *context, const char *path, const char *base)
{
	struct debug_search *search = context;
	auto_free char *why = NULL;
	scope_guard(elf_image_cleanup) struct elf_image *candidate = wanted_open_elf(
		&(struct wanted_file){search->root, path, search->image, base}, &why);

	if (candidate && search->link && same_file(candidate, search->image))
		return false;
	const char *outcome = candidate ? differs(search, candidate) : why;
	if (!outcome && elf_image_has_dwarf(candidate)) {
		search->found = take(candidate);
		return true;
	}
	if (!outcome && !search->spare)
		search->spare = take(candidate);
	if (search->tried)
		text_printf(search->tried, "%s%s%s: %s", search->tried->len ? "; " : "",
			search->root, path, outcome ? outcome : "has no debug info");
	return false;
}

/* Looks in the debug directories DIRS below ROOT, and in CACHE (NULL: none). */
static bool find_by_id(struct debug_search *search, const char *root, const struct string_vec *dirs,
	const char *cache)
{
	search->root = root;
	search->link = NULL;
	return debug_folder_visit(dirs, cache, &search->image->build_id, try_path, search);
}

/* Looks at files of any name directly in the debug directories. */
static bool find_in_folders(struct debug_search *search)
{
	const struct debug_options *options = search->options;

	search->link = NULL;
	return options->folders && debug_folders_visit(options->folders, &options->debug_dirs,
					   &search->image->build_id, try_path, search);
}

/* Looks at the files that the user named with -e: one may be the debug file of another program. */
static bool find_given(struct debug_search *search)
{
	const struct build_id *id = &search->image->build_id;

	if (!id->len)
		return false;
	vec_each_value(file, &search->options->files) {
		scope_guard(elf_image_cleanup) struct elf_image *given =
			wanted_open_elf(&(struct wanted_file){.root = "", .path = file}, NULL);

		if (given && build_id_equal(&given->build_id, id) &&
			!same_file(given, search->image) && elf_image_has_dwarf(given)) {
			search->found = take(given);
			return true;
		}
	}
	return false;
}

/*
 * Tries the link's name in DIR + BELOW. BASE: that directory or one above it, if we or the user
 * chose it; NULL if it comes from the program.
 */
static bool try_link(
	struct debug_search *search, const char *dir, const char *below, const char *base)
{
	auto_free char *path = xasprintf("%s%s/%s", dir, below, search->link);

	return try_path(search, path, base);
}

/* Returns the directory of PATH as seen from ROOT: "" for /, "." for a bare name. */
static char *directory_of(const char *path, const char *root)
{
	path = path_below_root(path, root);
	const char *slash = strrchr(path, '/');
	return slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
}

/*
 * Checks first, so that TRIED does not list every debug directory: few have files directly in them.
 */
static bool is_in(const char *dir, const char *name)
{
	auto_free char *path = xasprintf("%s/%s", dir, name);

	return !access(path, F_OK);
}

/*
 * Looks where gdb does: beside the file at PATH, in .debug/ beside it, and below each debug
 * directory; in our root also directly in each debug directory. If the target has another root,
 * looks beside the file only in that.
 */
static bool find_by_link(struct debug_search *search, const char *root, const char *path)
{
	auto_free char *dir = directory_of(path, root);
	bool beside = *root || !*search->options->root;

	search->root = root;
	search->link = dwelf_elf_gnu_debuglink(search->image->elf, &search->crc);
	if (!search->link || !*search->link || strchr(search->link, '/'))
		return false;
	bool found = beside &&
		     (try_link(search, dir, "", NULL) || try_link(search, dir, "/.debug", NULL));

	auto_free char *whole = *dir && *dir != '/' && !*root ? realpath(dir, NULL) : NULL;
	const char *below = whole ? whole : dir;
	auto_free char *in_dir = xasprintf("%s%s", *below && *below != '/' ? "/" : "", below);
	vec_each_value(d, &search->options->debug_dirs)
		found = found || try_link(search, d, in_dir, d) ||
			(!*root && is_in(d, search->link) && try_link(search, d, "", d));
	return found;
}

static bool find_locally(struct debug_search *search)
{
	const struct debug_options *options = search->options;
	const struct elf_image *image = search->image;
	const struct string_vec none = {}, *dirs = &options->debug_dirs;
	const char *root = options->root;

	return find_given(search) || (*root && find_by_id(search, root, dirs, NULL)) ||
	       find_by_id(search, "", dirs, NULL) ||
	       (*root && find_by_link(search, root, options->path ? options->path : image->path)) ||
	       find_by_link(search, "", image->path) || find_in_folders(search) ||
	       find_by_id(search, "", &none, options->cache);
}

struct elf_image *debug_file_find(
	const struct elf_image *image, const struct debug_options *options, struct text *tried)
{
	struct debug_search search = {.image = image, .options = options, .tried = tried};

	if (!find_locally(&search))
		return search.spare;
	elf_image_destroy(search.spare);
	return search.found;
}

struct fetch *debug_file_fetch(const struct elf_image *image, const struct debug_options *options)
{
	/* images from memory are the kernel's own */
	if (image->memory)
		return NULL;
	return fetcher_start(
		options->fetcher, DEBUGINFOD_DEBUGINFO, &image->build_id, NULL, image->path);
}

struct elf_image *debug_file_fetched(const struct elf_image *image,
	const struct debug_options *options, struct fetch *fetch, char **outcome_ret)
{
	auto_free char *why = NULL;

	fetcher_wait(options->fetcher, fetch);
	*outcome_ret = xstrdup(fetch_outcome(fetch));
	if (fetch->path)
		return wanted_open_elf(
			&(struct wanted_file){.root = "", .path = fetch->path}, NULL);
	if (!fetch->too_large)
		return NULL;
	struct elf_image *joined = section_file_fetch(image, options, fetch, &why);
	free(*outcome_ret);
	*outcome_ret =
		xasprintf("%s; %s", fetch_outcome(fetch), joined ? "fetched by sections" : why);
	return joined;
}
