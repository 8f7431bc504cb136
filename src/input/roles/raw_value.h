/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the layout of values without BTF, unless it is given. Reports what raw_reading.c finds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/roles/raw_columns.h"
#include "input/roles/raw_reading.h"
#include "input/roles/raw_rules.h"

/* state of the search in raw_reading.c */
struct reading_search {
	const struct raw_question *question;
	struct count_reading *reading;
	struct raw_columns columns;
	struct raw_rules rules;
	struct raw_roles roles;
};

/* Returns the option that declares the examined part: --key-layout or --value-layout. */
const char *search_option(const struct reading_search *search);
/*
 * Returns the argument of --key (for named fields) or of search_option() that assigns ROLES;
 * malloc'ed. Returns NULL if --key cannot express them.
 */
char *search_roles_text(const struct reading_search *search, const struct raw_roles *roles);
/* Adds the option that assigns ROLES, followed by MORE, to the choices. */
void search_offer(struct reading_search *search, const struct raw_roles *roles, const char *more);
/* Parses the layout TEXT, which is generated or constant, with PREFIX. */
void search_parse(const struct reading_search *search, const char *text, const char *prefix,
	struct layout *ret);

/* Returns the offset of the comm in the value, by its layout or a known program's; or RAW_NONE. */
size_t raw_value_comm(const struct reading_search *search);
/* Chooses a layout for the value if it has none and is needed. Refuses unclear values. */
enum reading_status raw_value_find(struct reading_search *search);
/*
 * Returns true if the value contains the stack IDs, by its layout or by that of a known program
 * such as memleak, which then becomes its layout.
 */
bool raw_value_find_id(struct reading_search *search);
