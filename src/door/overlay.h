/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the layers of an overlay mount from its options (fs/overlayfs/params.c). */
#pragma once

#include <stddef.h>

#include "util/vec.h"

/*
 * The directories of the layers, top first. The kernel does not record what relative ones are
 * relative to.
 */
struct overlay {
	struct VEC(char *) layers; /* owned */
	size_t n_data; /* number of data-only layers (no directory tree of their own), at the end */
};

void overlay_deinit(struct overlay *overlay);
/* Parses super options as mountinfo shows them, with escapes by the kernel and by the mounter. */
void overlay_parse(const char *options, struct overlay *ret);
/*
 * Returns the path of layer NUMBER, malloc'ed, or NULL if it is not found. A relative path is
 * searched for below the parent directories of the absolute ones, innermost first, since container
 * engines keep "l/ID:…" beside the upper layer.
 */
char *overlay_layer_path(const struct overlay *overlay, size_t number);
