/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Whether the fields that options name are there. */
#pragma once

#include "input/roles/roles.h"

/*
 * NULL if all overrides name a field of RECORD that can play the role, else ERROR_USAGE that names the fields there are.
 * POSITION is where the row is.
 */
struct error *roles_check(const struct row *row, const struct role_overrides *overrides,
	const char *position) must_check;
/* The names of ROW's fields, separated by ", ", at most some 20 of them, or "none"; malloc'ed. */
char *row_names(const struct row *row);
