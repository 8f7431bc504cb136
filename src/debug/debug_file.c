// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/debug_file.h"

#include <elfutils/libdwelf.h>
#include <string.h>
#include <unistd.h>

#include "debug/open_file.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

/* ch_type 2, ELFCOMPRESS_ZSTD of newer elf.h files. */
enum { COMPRESS_ZSTD = 2 };
/* More debug info than this, inflated, is a bomb rather than a program. */
static const uint64_t INFLATED_MAX = 16ULL << 30;

static bool is_debug_section(const char *name)
{
	return !strncmp(name, ".debug_", 7) || !strncmp(name, ".zdebug_", 8);
}

/* The next section after SCN with debug info in it, and its header; NULL at the end. */
static Elf_Scn *next_debug_section(
	const struct elf_image *image, Elf_Scn *scn, GElf_Shdr *shdr, const char **name_ret)
{
	size_t strings;

	if (elf_getshdrstrndx(image->elf, &strings))
		return NULL;
	while ((scn = elf_nextscn(image->elf, scn))) {
		if (!gelf_getshdr(scn, shdr) || shdr->sh_type == SHT_NOBITS || !shdr->sh_size)
			continue;
		*name_ret = elf_strptr(image->elf, strings, shdr->sh_name);
		if (*name_ret && is_debug_section(*name_ret))
			return scn;
	}
	return NULL;
}

bool debug_file_has_dwarf(const struct elf_image *image)
{
	GElf_Shdr shdr;
	const char *name;

	for (Elf_Scn *scn = NULL; (scn = next_debug_section(image, scn, &shdr, &name));)
		if (!strcmp(name, ".debug_info") || !strcmp(name, ".zdebug_info"))
			return true;
	return false;
}

const char *debug_file_unreadable(const struct elf_image *image)
{
	GElf_Shdr shdr;
	GElf_Chdr chdr;
	const char *name;
	uint64_t inflated = 0;

	for (Elf_Scn *scn = NULL; (scn = next_debug_section(image, scn, &shdr, &name));) {
		if (!(shdr.sh_flags & SHF_COMPRESSED) || !gelf_getchdr(scn, &chdr))
			continue;
		if (chdr.ch_type == COMPRESS_ZSTD)
			return "debug sections are zstd-compressed, which libdw 0.188 cannot read";
		if (chdr.ch_size > INFLATED_MAX - inflated)
			return "compressed debug sections are too large";
		inflated += chdr.ch_size;
	}
	return NULL;
}

/* DIR/.build-id/xx/rest.debug below the root; NULL unless its own build ID is ID. */
static struct elf_image *open_by_id(
	const char *root, const char *dir, const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];

	if (id->len < 2)
		return NULL;
	build_id_format(id, hex);
	auto_free char *path = xasprintf("%s/.build-id/%.2s/%s.debug", dir, hex, hex + 2);
	scope_guard(elf_image_cleanup) struct elf_image *found = open_elf(root, path);
	return found && build_id_equal(&found->build_id, id) ? take(found) : NULL;
}

static struct elf_image *find_by_id(
	const struct build_id *id, const struct debug_options *options)
{
	struct elf_image *found = NULL;

	for (const char *const *dir = options->debug_dirs; dir && *dir && !found; dir++)
		found = open_by_id(options->root, *dir, id);
	return found;
}

/* The CRC of .gnu_debuglink, polynomial 0xedb88320, four bits at a time. */
static uint32_t crc_update(uint32_t crc, const uint8_t *p, size_t len)
{
	static const uint32_t nibbles[16] = {0, 0x1db71064, 0x3b6e20c8, 0x26d930ac, 0x76dc4190,
		0x6b6b51f4, 0x4db26158, 0x5005713c, 0xedb88320, 0xf00f9344, 0xd6d6a3e8, 0xcb61b38c,
		0x9b64c2b0, 0x86d3d2d4, 0xa00ae278, 0xbdbdf21c};

	for (size_t i = 0; i < len; i++) {
		crc ^= p[i];
		crc = crc >> 4 ^ nibbles[crc & 15];
		crc = crc >> 4 ^ nibbles[crc & 15];
	}
	return crc;
}

static bool crc_matches(const struct elf_image *image, uint32_t wanted)
{
	uint8_t buffer[1 << 15];
	uint32_t crc = UINT32_MAX;
	off_t at = 0;
	ssize_t n;

	while ((n = pread(image->fd, buffer, sizeof(buffer), at)) > 0) {
		crc = crc_update(crc, buffer, (size_t)n);
		at += n;
	}
	return n == 0 && ~crc == wanted;
}

struct debuglink {
	const struct elf_image *image;
	const char *name; /* a plain file name */
	uint32_t crc;
};

static bool link_matches(const struct debuglink *link, const struct elf_image *candidate)
{
	if (link->image->build_id.len && candidate->build_id.len)
		return build_id_equal(&link->image->build_id, &candidate->build_id);
	return crc_matches(candidate, link->crc);
}

static struct elf_image *open_link(
	const struct debuglink *link, const char *root, const char *dir, const char *below)
{
	auto_free char *path = xasprintf("%s%s/%s", dir, below, link->name);
	scope_guard(elf_image_cleanup) struct elf_image *found = open_elf(root, path);

	return found && debug_file_has_dwarf(found) && link_matches(link, found) ? take(found)
										  : NULL;
}

/* The directory of the image's path as seen from the root: "" for /, "." for a bare name. */
static char *image_directory(const struct elf_image *image, const char *root)
{
	size_t len = strlen(root);
	const char *path = image->path;

	if (len && !strncmp(path, root, len) && path[len] == '/')
		path += len;
	const char *slash = strrchr(path, '/');
	return slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
}

static struct elf_image *find_by_link(
	const struct debuglink *link, const struct debug_options *options)
{
	auto_free char *dir = image_directory(link->image, options->root);
	struct elf_image *found = open_link(link, options->root, dir, "");

	if (!found)
		found = open_link(link, options->root, dir, "/.debug");
	for (const char *const *d = options->debug_dirs; d && *d && !found; d++) {
		auto_free char *below = xasprintf("%s%s", *dir == '/' ? "" : "/", dir);

		found = open_link(link, options->root, *d, below);
	}
	return found;
}

struct elf_image *debug_file_find(
	const struct elf_image *image, const struct debug_options *options)
{
	struct debuglink link = {.image = image};
	struct elf_image *found = find_by_id(&image->build_id, options);

	if (found)
		return found;
	link.name = dwelf_elf_gnu_debuglink(image->elf, &link.crc);
	if (!link.name || !*link.name || strchr(link.name, '/'))
		return NULL;
	return find_by_link(&link, options);
}

/* NAME of the altlink, which is a path: absolute, or relative to the file that refers to it. */
static struct elf_image *open_alt_path(const struct elf_image *debug, const char *name,
	const struct build_id *id, const struct debug_options *options)
{
	auto_free char *dir = image_directory(debug, options->root);
	auto_free char *path = *name == '/' ? xstrdup(name) : xasprintf("%s/%s", dir, name);
	scope_guard(elf_image_cleanup) struct elf_image *found = open_elf(options->root, path);

	return found && id->len && build_id_equal(&found->build_id, id) ? take(found) : NULL;
}

struct elf_image *debug_file_find_alt(const struct elf_image *debug, Dwarf *dwarf,
	const struct debug_options *options, const char **name_ret)
{
	const char *name = NULL;
	const void *bytes = NULL;

	*name_ret = NULL;
	ssize_t len = dwelf_dwarf_gnu_debugaltlink(dwarf, &name, &bytes);
	if (len <= 0 || !name)
		return NULL;
	struct build_id id = build_id_make(bytes, (size_t)len);
	*name_ret = name;
	struct elf_image *found = find_by_id(&id, options);
	return found ? found : open_alt_path(debug, name, &id, options);
}
