/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Lists of numbers, each kept once with what weights add up to: a byte or two for most numbers. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "util/arena.h"
#include "util/text.h"
#include "util/varint.h"
#include "util/vec.h"

struct line {
	uint64_t weight;
	uint32_t len;	 /* bytes of its codes */
	uint8_t codes[]; /* the numbers, see util/varint.h */
};

struct line_slot;

/* Zero-filled is empty. */
struct line_set {
	struct VEC(struct line *) lines; /* in order of their coming */
	struct line_slot *slots;
	size_t cap; /* of the slots: 0 or a power of two */
	uint64_t seed;
	struct arena memory; /* of the lines */
	struct text codes;   /* scratch */
};

void line_set_deinit(struct line_set *table);
/* Adds WEIGHT to the line of N NUMBERS; sums saturate. Its index in `lines`. */
size_t line_set_add(struct line_set *table, const uint32_t *numbers, size_t n, uint64_t weight);
