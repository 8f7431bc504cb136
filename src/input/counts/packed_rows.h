/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compresses the rows of a map. Names and kinds of fields are stored once for all rows that share
 * them, numbers as LEB128, and stacks as the codes of their words.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/row.h"
#include "input/stacks/word_codes.h"
#include "util/arena.h"
#include "util/text.h"
#include "util/vec.h"

/* names and kinds of the fields of a row, without their numbers and bytes */
struct row_shape {
	struct field *fields;
	size_t n;
};

/* Returns true if ROW has the shape SHAPE. */
bool row_shape_fits(const struct row_shape *shape, const struct row *row);
/* Returns the shape of ROW, allocated in MEMORY. */
struct row_shape row_shape_make(const struct row *row, struct arena *memory);

struct packed_rows {
	struct VEC(struct row_shape) shapes;
	struct arena names;  /* memory of the shapes */
	struct arena memory; /* packed rows */
	struct word_codes words;
	bool sums_arrays; /* unpack arrays that are the whole value as sums (input/roles/values.h) */
	struct text packed;		 /* scratch */
	struct VEC(struct field) fields; /* fields of the last unpacked row */
	struct arena bytes;		 /* their bytes, if these differ from the packed ones */
};

void packed_rows_destroy(struct packed_rows *rows);
/* Appends FIELD without its name and kind to RET, which is equal for fields of equal content. */
void packed_rows_add_field(struct packed_rows *rows, const struct field *field, struct text *ret);
/* Packs ROW into ROWS->memory. Returns NULL if it has no fields. */
const uint8_t *packed_rows_pack(struct packed_rows *rows, const struct row *row);
/* Renames the fields FROM of all rows to TO, which must outlive ROWS. */
void packed_rows_rename(struct packed_rows *rows, const char *from, const char *to);
/* Returns the row in PACKED, as returned by packed_rows_pack(), valid until the next call. */
struct row packed_rows_unpack(struct packed_rows *rows, const uint8_t *packed);
