/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the file that is mapped, or the reason why it cannot be used. */
#pragma once

#include <stdbool.h>

#include "object/elf_image.h"
#include "object/object_cache.h"
#include "util/text.h"

struct locate_result {
	struct elf_image *image;  /* owned by the cache; NULL: not found */
	enum frame_status status; /* FRAME_NAMED, or why it was not found */
	struct build_id build_id; /* from the kernel or the image; len 0: unknown */
	const char *found_by;	  /* name of the finder; NULL: not found */
	/* the image was not verified, or another user could have copied its build ID */
	bool doubtful;
	bool compare; /* as in struct object, as are the next two, which the caller sets */
	struct domain *domain;
	const char *path_in_root;
	struct fetch *failed; /* the download that got no file; NULL: none */
	/* "finder: answer" for each finder tried, separated by "; "; owned by the caller */
	struct text tried;
};

/* Returns the build ID of MAPPING according to the kernel, or len 0 if unknown. */
struct build_id locate_mapped_id(const struct space *space, const struct mapping *mapping);
/* Tries the finders in order. A file is used only if it is verified to be the mapped one. */
void locate_mapping(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, struct locate_result *ret);
/*
 * Returns true if locate_mapping() would find OBJECT's file, found for another process, again: the
 * kernel's link to the mapped file leads to it, unchanged. Opens nothing. ID is the build ID
 * according to the kernel (len 0: unknown).
 */
bool locate_is_linked(const struct space *space, const struct mapping *mapping,
	const struct build_id *id, const struct object *object);
/*
 * Finds a file by its build ID, with the finders that need no mapping. DEBUG: a separate debug file
 * will do as well.
 */
void locate_build_id(struct object_cache *cache, const struct build_id *id, bool debug,
	struct locate_result *ret);
/*
 * Starts the download of the file of MAPPING, or (SPACE and MAPPING NULL) with build ID ID, if it
 * is not found here. Does nothing if the cache has no fetcher.
 */
void locate_prefetch(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *id);
/*
 * Returns the image of the regular file FD, shared by all descriptors of the same file. Takes
 * ownership of FD. Returns NULL, with the reason in ERROR_RET, if it is not an ELF file.
 */
struct elf_image *image_of_fd(
	struct object_cache *cache, int fd, const char *path, struct error **error_ret);
