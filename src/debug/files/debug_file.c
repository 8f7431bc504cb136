// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/debug_file.h"

#include <elfutils/libdwelf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "debug/files/open_file.h"
#include "debug/files/section_file.h"
#include "debug/files/sections.h"
#include "object/find/debug_folder.h"
#include "util/cleanup.h"
#include "util/limits.h"
#include "util/stop.h"
#include "util/xalloc.h"
#include "object/elf_section.h"

/* ch_type 2: ELFCOMPRESS_ZSTD, missing in older versions of elf.h. */
enum { COMPRESS_ZSTD = 2 };

static bool is_debug_section(const char *name)
{
	return !strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8);
}

/* Advances SECTION to the next debug section with content. */
static bool next_debug_section(
	const struct elf_image *image, struct elf_section *section, const char **name_ret)
{
	while (elf_section_next(image->elf, section)) {
		*name_ret = elf_section_name(image->elf, section);
		if (section->header.sh_type != SHT_NOBITS && section->header.sh_size &&
			is_debug_section(*name_ret))
			return true;
	}
	return false;
}

/*
 * Returns the inflated size, in bytes, of a .zdebug_* section: it begins with "ZLIB" and the size
 * as 8 bytes, most significant first.
 */
static uint64_t zdebug_size(Elf_Scn *scn)
{
	const Elf_Data *data = elf_rawdata(scn, NULL);
	const uint8_t *p = data ? data->d_buf : NULL;
	uint64_t size = 0;

	for (int i = 4; p && data->d_size >= 12 && i < 12; i++)
		size = size << 8 | p[i];
	return size;
}

const char *debug_file_unreadable(const struct elf_image *image)
{
	struct elf_section section = {};
	GElf_Chdr chdr;
	const char *name;
	size_t size = 0;

	(void)elf_rawfile(image->elf, &size);
	uint64_t left = sections_budget(size);
	while (next_debug_section(image, &section, &name)) {
		if (!strncmp(name, ".zdebug_", 8))
			chdr = (GElf_Chdr){.ch_size = zdebug_size(section.scn)};
		else if (!(section.header.sh_flags & SHF_COMPRESSED) ||
			 !gelf_getchdr(section.scn, &chdr))
			continue;
		if (chdr.ch_type == COMPRESS_ZSTD)
			return "debug sections are zstd-compressed, which libdw 0.188 cannot read";
		if (chdr.ch_size > left || !limits_has_memory(chdr.ch_size))
			return "compressed debug sections are too large";
		left -= chdr.ch_size;
	}
	return NULL;
}

struct debug_search {
	const struct elf_image *image; /* the file whose debug file is wanted */
	const struct debug_options *options;
	struct text *tried;
	struct elf_image *found; /* a match with debug info */
	struct elf_image *spare; /* a match without DWARF, which has symbols at most */
};

static void note(struct text *tried, const char *root, const char *path, const char *outcome)
{
	if (tried)
		text_printf(tried, "%s%s%s: %s", tried->len ? "; " : "", root, path, outcome);
}

/*
 * Opens the file PATH below ROOT. BASE: the directory that contains it, if we or the user chose
 * that; NULL if the program names the path. Returns NULL, and notes why, on failure.
 */
static struct elf_image *open_noted(
	struct debug_search *lookup, const char *root, const char *path, const char *base)
{
	auto_free char *why = NULL;
	struct elf_image *image =
		wanted_open_elf(&(struct wanted_file){root, path, lookup->image, base}, &why);

	if (!image)
		note(lookup->tried, root, path, why);
	return image;
}

/* Takes ownership of CANDIDATE, a file of the right build. Returns true if the search is over. */
static bool lookup_take(struct debug_search *lookup, struct elf_image *candidate)
{
	if (elf_image_has_dwarf(candidate)) {
		lookup->found = candidate;
		return true;
	}
	note(lookup->tried, "", candidate->path, "has no debug info");
	if (lookup->spare)
		elf_image_destroy(candidate);
	else
		lookup->spare = candidate;
	return false;
}

static bool try_id(
	struct debug_search *lookup, const char *root, const char *path, const char *base)
{
	scope_guard(elf_image_cleanup) struct elf_image *candidate =
		open_noted(lookup, root, path, base);

	if (!candidate)
		return false;
	if (build_id_equal(&candidate->build_id, &lookup->image->build_id))
		return lookup_take(lookup, take(candidate));
	note(lookup->tried, root, path, "of another build");
	return false;
}

/* Looks in the debug directories DIRS below ROOT, and in CACHE (either may be NULL). */
static bool find_by_id(
	struct debug_search *lookup, const char *root, const char *const *dirs, const char *cache)
{
	bool found = false;

	for (size_t i = 0; !found; i++) {
		const char *base;
		auto_free char *path =
			debug_folder_path(dirs, cache, &lookup->image->build_id, i, &base);

		if (!path)
			break;
		found = try_id(lookup, root, path, base);
	}
	return found;
}

static bool same_file(const struct elf_image *a, const struct elf_image *b)
{
	return a->stat.st_ino == b->stat.st_ino && a->stat.st_dev == b->stat.st_dev;
}

/* Files of one build tried in each directory. */
enum { FOLDER_MAX = 8 };

/* Looks at files of any name directly in the debug directories. */
static bool find_in_folders(struct debug_search *lookup)
{
	const struct debug_options *options = lookup->options;
	const struct build_id *id = &lookup->image->build_id;

	for (const char *const *dir = options->debug_dirs; options->folders && dir && *dir; dir++)
		for (size_t i = 0; id->len && i < FOLDER_MAX; i++) {
			const char *path = debug_folder_find(options->folders, *dir, id, i);

			if (!path)
				break;
			if (try_id(lookup, "", path, *dir))
				return true;
		}
	return false;
}

/* Looks at the files that the user named with -e: one may be the debug file of another program. */
static bool find_given(struct debug_search *lookup)
{
	const struct build_id *id = &lookup->image->build_id;

	for (const char *const *file = lookup->options->files; id->len && file && *file; file++) {
		scope_guard(elf_image_cleanup) struct elf_image *given =
			wanted_open_elf(&(struct wanted_file){.root = "", .path = *file}, NULL);

		if (given && build_id_equal(&given->build_id, id) &&
			!same_file(given, lookup->image) && elf_image_has_dwarf(given))
			return lookup_take(lookup, take(given));
	}
	return false;
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

struct debuglink {
	const char *name; /* file name without directory */
	uint32_t crc;
};

/* Returns why CANDIDATE is not the file that LINK of IMAGE refers to; NULL if it is. */
static const char *link_differs(const struct debuglink *link, const struct elf_image *image,
	const struct elf_image *candidate)
{
	if (image->build_id.len && candidate->build_id.len)
		return build_id_equal(&image->build_id, &candidate->build_id) ? NULL
									      : "of another build";
	/* a CRC of 32 bits alone can match by chance or on purpose */
	if (!same_code_sections(image, candidate))
		return "its code sections differ";
	if (crc_matches(candidate, link->crc))
		return NULL;
	return (uint64_t)candidate->stat.st_size > CRC_MAX
		       ? "has no build ID, and is too large for a CRC check"
		       : "its CRC differs";
}

/*
 * Tries the link's name in DIR + BELOW. BASE: that directory or one above it, if we or the user
 * chose it; NULL if it comes from the program.
 */
static bool try_link(struct debug_search *lookup, const struct debuglink *link, const char *root,
	const char *dir, const char *below, const char *base)
{
	auto_free char *path = xasprintf("%s%s/%s", dir, below, link->name);
	scope_guard(elf_image_cleanup) struct elf_image *candidate =
		open_noted(lookup, root, path, base);

	if (!candidate || same_file(candidate, lookup->image))
		return false;
	const char *why = link_differs(link, lookup->image, candidate);
	if (!why)
		return lookup_take(lookup, take(candidate));
	note(lookup->tried, root, path, why);
	return false;
}

/* Returns the directory of PATH as seen from ROOT: "" for /, "." for a bare name. */
static char *directory_of(const char *path, const char *root)
{
	size_t len = strlen(root);

	if (len && !strncmp(path, root, len) && path[len] == '/')
		path += len;
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
 * Looks where gdb does: beside the file, in .debug/ beside it, and below each debug directory; in
 * our root also directly in each debug directory. If the target has another root, looks beside the
 * file only in that.
 */
static bool find_by_link(struct debug_search *lookup, const struct debuglink *link,
	const char *root, const char *path)
{
	auto_free char *dir = directory_of(path, root);
	bool beside = *root || !*lookup->options->root;
	bool found = beside && (try_link(lookup, link, root, dir, "", NULL) ||
				       try_link(lookup, link, root, dir, "/.debug", NULL));

	auto_free char *whole = *dir && *dir != '/' && !*root ? realpath(dir, NULL) : NULL;
	const char *below = whole ? whole : dir;
	for (const char *const *d = lookup->options->debug_dirs; d && *d && !found; d++) {
		auto_free char *in_dir =
			xasprintf("%s%s", *below && *below != '/' ? "/" : "", below);

		found = try_link(lookup, link, root, *d, in_dir, *d) ||
			(!*root && is_in(*d, link->name) &&
				try_link(lookup, link, root, *d, "", *d));
	}
	return found;
}

static bool find_locally(struct debug_search *lookup)
{
	const struct debug_options *options = lookup->options;
	const char *path = options->path ? options->path : lookup->image->path;
	struct debuglink link = {};

	if (find_given(lookup) ||
		(*options->root && find_by_id(lookup, options->root, options->debug_dirs, NULL)) ||
		find_by_id(lookup, "", options->debug_dirs, NULL))
		return true;
	link.name = dwelf_elf_gnu_debuglink(lookup->image->elf, &link.crc);
	if (link.name && *link.name && !strchr(link.name, '/') &&
		((*options->root && find_by_link(lookup, &link, options->root, path)) ||
			find_by_link(lookup, &link, "", lookup->image->path)))
		return true;
	return find_in_folders(lookup) || find_by_id(lookup, "", NULL, options->cache);
}

struct elf_image *debug_file_find(
	const struct elf_image *image, const struct debug_options *options, struct text *tried)
{
	struct debug_search lookup = {.image = image, .options = options, .tried = tried};

	if (!find_locally(&lookup))
		return lookup.spare;
	elf_image_destroy(lookup.spare);
	return lookup.found;
}

struct fetch *debug_file_fetch(const struct elf_image *image, const struct debug_options *options)
{
	/* images from memory are the kernel's own */
	if (image->memory)
		return NULL;
	return fetcher_start(
		options->fetcher, DEBUGINFOD_DEBUGINFO, &image->build_id, NULL, image->path);
}

/*
 * Downloads single sections instead of the file of FETCH, which is too large. OUTCOME has the
 * reason why the file was not downloaded, and gets the result for the sections appended.
 */
static struct elf_image *fetch_sections(const struct elf_image *image,
	const struct debug_options *options, struct fetch *fetch, char **outcome)
{
	auto_free char *why = NULL, *whole = *outcome;
	uint64_t bytes = 0;
	struct elf_image *joined = section_file_fetch(image, options, &why, &bytes);

	*outcome = xasprintf("%s; %s", whole, joined ? "found in sections" : why);
	if (joined)
		fetch->sections = bytes;
	return joined;
}

struct elf_image *debug_file_fetched(const struct elf_image *image,
	const struct debug_options *options, struct fetch *fetch, char **outcome_ret)
{
	scope_guard(elf_image_cleanup) struct elf_image *found = NULL;

	fetcher_wait(options->fetcher, fetch);
	*outcome_ret = xstrdup(fetch_outcome(fetch));
	if (fetch->path)
		found = wanted_open_elf(
			&(struct wanted_file){.root = "", .path = fetch->path}, NULL);
	if (found && build_id_equal(&found->build_id, &image->build_id))
		return take(found);
	return fetch_too_large(fetch) ? fetch_sections(image, options, fetch, outcome_ret) : NULL;
}
