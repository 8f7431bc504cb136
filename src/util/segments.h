/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The parts of a recording FILE that is kept within bounds: FILE is written, FILE.000001 and so on were
 * before, the least first. Each is a recording of its own.
 */
#pragma once

#include <stdint.h>

#include "util/vec.h"

struct segment {
	char *path;
	uint64_t number;
};

struct segments {
	struct VEC(struct segment) all; /* by number */
};

/* Those of PATH that are there, whatever is in them. */
void segments_list(const char *path, struct segments *ret);
void segments_deinit(struct segments *segments);
/* For the caller to free. */
char *segment_path(const char *path, uint64_t number);
