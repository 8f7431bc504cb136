/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The search of raw_reading.c, and how it says what it found, refuses and lists. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/roles/raw_columns.h"
#include "input/roles/raw_reading.h"
#include "input/roles/raw_rules.h"

struct reading_search {
	const struct raw_question *question;
	struct count_reading *reading;
	struct raw_columns columns;
	struct raw_rules rules;
	struct raw_roles roles;
};

/* The option that declares what the columns are of. */
const char *search_option(const struct reading_search *search);
/* What gives the columns ROLES; malloc'ed. NULL: the fields have names, and nothing can. */
char *search_roles_text(const struct reading_search *search, const struct raw_roles *roles);
/* Lists the option that gives the columns ROLES, with MORE behind it. */
void search_offer(struct reading_search *search, const struct raw_roles *roles, const char *more);
/* Keeps why COLUMN is FIELD. */
void search_note(
	struct reading_search *search, size_t column, const char *field, const char *evidence);
/* Makes the layout TEXT of LEN bytes, whose fields have PREFIX; false: it does not fit. */
bool search_parse(const struct reading_search *search, const char *text, const char *prefix,
	size_t len, struct layout *ret);
