/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Tables of stack IDs, as programs print them: a header line (or --columns) names the columns.
 *
 *	PID  KSTACK USTACK COUNT COMM
 *	1234 17     -14    99    kworker/0:1 +x
 *
 * Cells are separated by commas, tabs, or blanks; the last column may hold blanks if it is text.
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

/* Zero-filled has no columns yet. */
struct id_table {
	struct VEC(struct table_column) columns;
	bool given; /* by --columns: header lines are skipped */
};

void id_table_deinit(struct id_table *table);
/*
 * The columns of --columns. ERROR_USAGE if there are too many or none is a stack ID (unless ANY:
 * --key says what they are).
 */
struct error *id_table_columns(struct id_table *table, const char *text, bool any) must_check;
/* True if LINE is a header, whose columns TABLE then has (unless they were given). */
bool id_table_header(struct id_table *table, struct scan line);
/*
 * The cells of LINE into FIELDS (room for all columns), which point into LINE. Returns their
 * number, 0 if LINE is no row of the table. Cells that are empty or `-` are left out.
 */
size_t id_table_row(const struct id_table *table, struct scan line, struct field *fields);
