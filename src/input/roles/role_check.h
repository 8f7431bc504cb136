/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Checks that the fields named by --key exist and can play their roles. */
#pragma once

#include "input/roles/roles.h"

/*
 * Returns ERROR_USAGE, with a list of the existing fields, if an override names no field of ROW
 * that can play its role. POSITION says in messages where the row is.
 */
struct error *roles_check(const struct row *row, const struct role_overrides *overrides,
	const char *position) must_check;
/* Returns the names of at most 20 fields of ROW, separated by ", ", or "none"; malloc'ed. */
char *row_names(const struct row *row);
