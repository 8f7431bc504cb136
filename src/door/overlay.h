/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The layers of an overlay mount, as its options name them (fs/overlayfs/params.c). */
#pragma once

#include <stddef.h>

#include "util/vec.h"

/* Directories, top first. What relative ones are relative to is not recorded. */
struct overlay {
	struct VEC(char *) layers; /* owned */
	size_t n_data;		   /* how many at the end only lend bytes: no tree of their own */
};

/* Zero-filled is empty. */
void overlay_deinit(struct overlay *overlay);
/* Reads super options as mountinfo shows them, with the kernel's escapes and the mounter's. */
void overlay_parse(const char *options, struct overlay *ret);
/*
 * The path of layer NUMBER, malloc'ed; a relative one is looked for below the directories that lead
 * to the absolute ones, nearest first (container engines give "l/ID:…" beside the upper layer).
 * NULL: not found.
 */
char *overlay_layer_path(const struct overlay *overlay, size_t number);
