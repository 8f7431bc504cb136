/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The segments of a recording with limited size. FILE is the current one; FILE.000001 and so on are
 * older, the lowest number being the oldest. Each is a complete recording.
 */
#pragma once

#include <stdint.h>

#include "util/vec.h"

struct segment {
	char *path;
	uint64_t number;
};

struct segments {
	struct VEC(struct segment) all; /* sorted by number */
};

/* Lists the existing older segments of PATH, without reading them. */
void segments_list(const char *path, struct segments *ret);
void segments_deinit(struct segments *segments);
/* Returns the path of segment NUMBER; the caller frees it. */
char *segment_path(const char *path, uint64_t number);
