/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Objects: the verified ELF files behind mappings, build IDs and -e, each opened once. */
#pragma once

#include "object/object.h"
#include "util/error.h"
#include "util/log.h"

struct locate_result;

void object_cache_deinit(struct object_cache *cache);
/* For the cache alone. */
void object_destroy(struct object *object);

/*
 * Begins to fetch what the two functions below will want and have not: the file of MAPPING, or
 * (MAPPING NULL) the one with build ID ID. Without it they fetch one file after the other.
 */
void object_prefetch_by_mapping(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping);
/* The object of an executable, file-backed mapping, or [vdso]. Never NULL. */
struct object *object_of_mapping(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping);
/* The same, where the kernel has said its build ID (NULL: it was not asked). */
struct object *object_of_mapping_with(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *said);
/* The object of IMAGE, one of the cache's, that is to be called PATH. */
struct object *object_of_image(
	struct object_cache *cache, const char *path, struct elf_image *image);
/* One that is to be called PATH and has none, for the reason STATUS; DETAIL says more. */
struct object *object_without_image(
	struct object_cache *cache, const char *path, enum frame_status status, const char *detail);
/*
 * Opens FILE (-e); the error says why it cannot be used. LINKS_RET (may be NULL) is door_open()'s.
 */
struct error *object_of_file(struct object_cache *cache, const char *path,
	struct writers *links_ret, struct object **ret) must_check;

/* Has the object of RESULT, a search for PATH in DOMAIN, which becomes empty. Never NULL. */
struct object *object_of_result(struct object_cache *cache, const char *path,
	const struct domain *domain, const char *path_in_root, struct locate_result *result);
