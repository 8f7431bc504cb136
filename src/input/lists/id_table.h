/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of stack IDs, as printed by many programs. A header line or --columns names the columns.
 *
 *	PID  KSTACK USTACK COUNT COMM
 *	1234 17     -14    99    kworker/0:1 +x
 *
 * Cells are separated by commas, tabs or blanks. The last column may contain blanks if it is text.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/row.h"
#include "input/roles/roles.h"
#include "util/error.h"
#include "util/scan.h"
#include "util/vec.h"

#define ID_TABLE_COLUMNS_MAX 64

struct table_column {
	char *name;
	enum role role; /* ROLE_COUNT: none */
};

/* Zero-filled has no columns. */
struct id_table {
	struct VEC(struct table_column) columns;
	bool given; /* by --columns; header lines are skipped */
};

void id_table_deinit(struct id_table *table);
/*
 * Sets the columns of --columns. Returns ERROR_USAGE if there are too many, or if none of them is a
 * stack (unless ANY is set, because --key says which ones are).
 */
struct error *id_table_columns(struct id_table *table, const char *text, bool any) must_check;
/* Returns true if LINE is a header, and sets the columns of TABLE to it unless they were given. */
bool id_table_header(struct id_table *table, struct scan line);
/*
 * Splits LINE into FIELDS (with room for all columns), which point into LINE and TABLE. Returns
 * their number, or 0 if LINE is not a row of the table. Cells that are empty or `-` are skipped.
 */
size_t id_table_row(const struct id_table *table, struct scan line, struct field *fields);
