/* SPDX-License-Identifier: GPL-2.0-or-later */
/* From a mapping to the one file that is mapped there, or the reason why it cannot be had. */
#pragma once

#include <stdbool.h>

#include "object/elf_image.h"
#include "object/object.h"
#include "util/text.h"

struct locate_result {
	struct elf_image *image;  /* owned by the cache; NULL: not found */
	enum frame_status status; /* FRAME_NAMED or why not */
	struct build_id build_id; /* the kernel's word or the image's; len 0: unknown */
	const char *found_by;	  /* the finder's name; NULL: not found */
	bool doubtful;		  /* the image was not verified, or only claims the build ID */
	bool compare;		  /* as in struct object */
	struct fetch *failed;	  /* the download that brought nothing; NULL: none */
	struct text tried;	  /* one "finder: answer" each, "; " between; owned by the caller */
};

/* Returns the kernel's word on the build ID of MAPPING; len 0: it does not say. */
struct build_id locate_mapped_id(const struct space *space, const struct mapping *mapping);
/*
 * Tries the finders in order; an answer counts only if it is verified to be the mapped file. ASKED
 * is what the kernel said of its build ID (len 0: nothing); NULL: it is to be asked.
 */
void locate_mapping(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *asked, struct locate_result *ret);
/*
 * Whether that would find OBJECT's file again, as it was for another process: through the kernel's
 * link to what is mapped, unchanged since. Nothing is opened. ID is the kernel's word, len 0: none.
 */
bool locate_is_linked(const struct space *space, const struct mapping *mapping,
	const struct build_id *id, const struct object *object);
/* The same for a build ID that no process has mapped: those finders that need no mapping. */
void locate_build_id(
	struct object_cache *cache, const struct build_id *id, struct locate_result *ret);
/*
 * What is not here, by ID or (with SPACE) by MAPPING, begins to be fetched. Does nothing without
 * fetcher.
 */
void locate_prefetch(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *id);
/*
 * The image of the regular file FD (taken), shared by all descriptors of the same file. NULL with
 * the reason in ERROR_RET when it is not an ELF file.
 */
struct elf_image *image_of_fd(
	struct object_cache *cache, int fd, const char *path, struct error **error_ret);
