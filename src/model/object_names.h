/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Objects by identity, and names that distinguish objects with the same name. An object is
 * identified by its build ID or, without one, by its path.
 */
#pragma once

#include <stdint.h>

#include "model/frame.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

struct known_object {
	const char *name, *path;
	struct build_id_hex build_id;
};

struct object_names {
	struct table identities;	     /* name, and build ID or path → number, from 1 */
	struct VEC(struct known_object) all; /* by number */
	struct arena memory;
};

void object_names_deinit(struct object_names *names);
/*
 * Returns the number of OBJECT, called NAME, from 1 on. 0 if NAME is NULL. OBJECT may be NULL: only
 * its name counts.
 */
uint32_t object_names_number(
	struct object_names *names, const struct frame_object *object, const char *name);
/* Returns the object with NUMBER. */
const struct known_object *object_names_get(const struct object_names *names, uint32_t number);
/*
 * Returns the shortest name that distinguishes an object from others of its name: the end of its
 * path, or "srv (build 12ab34)".
 */
const char *object_names_distinct(struct object_names *names, uint32_t number);
