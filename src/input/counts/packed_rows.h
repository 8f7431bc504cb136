/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The rows of a map in few bytes: what their fields are called, and of which kind they are, is
 * nearly always the same as of some row before, and kept once; numbers are LEB128, stacks are
 * the codes of their words, and other bytes have no zero tail.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/row.h"
#include "input/stacks/word_codes.h"
#include "util/arena.h"
#include "util/text.h"
#include "util/vec.h"

/* What the fields of a row are, without their numbers and bytes. */
struct row_shape {
	struct field *fields;
	size_t n;
};

/* Whether the fields of ROW are of SHAPE. */
bool row_shape_fits(const struct row_shape *shape, const struct row *row);
/* The shape of ROW, made in MEMORY. */
struct row_shape row_shape_make(const struct row *row, struct arena *memory);

/* Zero-filled is empty. */
struct packed_rows {
	struct VEC(struct row_shape) shapes;
	struct arena names;  /* of the shapes */
	struct arena memory; /* of what was packed */
	struct word_codes words;
	bool sums_arrays; /* values are arrays of numbers: unpacked as their sums (input/roles/value_array.h) */
	struct text packed;		 /* scratch */
	struct VEC(struct field) fields; /* of the row that was unpacked last */
	struct arena bytes;		 /* of its fields, where they are not as packed */
};

void packed_rows_deinit(struct packed_rows *rows);
/* ROW packed, in ROWS->memory; NULL: it has no fields. */
const uint8_t *packed_rows_pack(struct packed_rows *rows, const struct row *row);
/* From now on the fields FROM of all rows are called TO, a constant. */
void packed_rows_rename(struct packed_rows *rows, const char *from, const char *to);
/* The row of PACKED, which packed_rows_pack() returned; good until the next one is unpacked. */
struct row packed_rows_unpack(struct packed_rows *rows, const uint8_t *packed);
