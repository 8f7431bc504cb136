/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which columns of a map without BTF play which roles, and the layout that says so. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/roles/raw_columns.h"
#include "util/text.h"

#define RAW_NONE SIZE_MAX /* no column */

/* Columns, or RAW_NONE. */
struct raw_roles {
	size_t user, kernel, stack, pid, tid, comm;
	bool either; /* the numbers of TID may be those of processes */
};

extern const struct raw_roles raw_no_roles;

bool raw_roles_is_stack(const struct raw_roles *roles, size_t column);
/* The column that names user stacks, or stacks of either side. */
size_t raw_roles_user(const struct raw_roles *roles);
/* The layout in which COLUMNS play ROLES, as for --key-layout; malloc'ed. */
char *raw_roles_layout(const struct raw_roles *roles, const struct raw_columns *columns);
/* Adds a field to a layout. */
void raw_layout_add(struct text *layout, const char *format, ...)
	__attribute__((format(printf, 2, 3)));
