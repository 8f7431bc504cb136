/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The cache of objects, which are opened once for all mappings, build IDs and -e. */
#pragma once

#include "object/object.h"
#include "util/error.h"
#include "util/log.h"

struct locate_result;

void object_cache_deinit(struct object_cache *cache);
/* For the cache only. */
void object_destroy(struct object *object);

/*
 * Starts the download of the file of MAPPING if it is not found here. Without this, files are
 * downloaded one after the other.
 */
void object_prefetch_by_mapping(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping);
/* Returns the object of an executable, file-backed mapping, or of [vdso]. Never NULL. */
struct object *object_of_mapping(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping);
/* Returns the same. SAID is the build ID according to the kernel; NULL: it was not asked. */
struct object *object_of_mapping_with(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *said);
/* Returns the object of IMAGE, which the cache owns. PATH is its name. */
struct object *object_of_image(
	struct object_cache *cache, const char *path, struct elf_image *image);
/* Returns an object named PATH without image. STATUS is the reason, DETAIL explains it. */
struct object *object_without_image(
	struct object_cache *cache, const char *path, enum frame_status status, const char *detail);
/* Opens the file PATH (-e), or returns why it cannot be used. LINKS_RET is as in door_open(). */
struct error *object_of_file(struct object_cache *cache, const char *path,
	struct writers *links_ret, struct object **ret) must_check;

/* Returns the object for RESULT, a search for PATH in DOMAIN, and frees its text. Never NULL. */
struct object *object_of_result(struct object_cache *cache, const char *path,
	const struct domain *domain, const char *path_in_root, struct locate_result *result);
