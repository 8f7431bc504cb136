/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which number tells how much of an inline stack is in use: what bpf_get_stack() returned, by its name, by
 * --key, or because it is 8 times the depth of the stack. By its name alone it may be the weight as well.
 */
#pragma once

#include "input/roles/roles.h"

/* What the number of a row says about being the length of a stack in that row, in bytes. */
enum length_evidence {
	LENGTH_UNASKED, /* no number could be the weight as well as a length */
	LENGTH_REFUTED, /* no multiple of 8, or larger than the array */
	LENGTH_OPEN,
	LENGTH_FITS, /* the array is zero from there on, and not before; or an error, and it is all zero */
	LENGTH_EVIDENCES,
};

/* Sets the lengths of ROLES that their names or --key tell. */
void stack_lengths_name(const struct row *row, struct roles *roles);
/* Makes the weight of ROLES the length of a stack if it has such a name and fits in ROW. */
void stack_length_find(const struct row *row, struct roles *roles);
/*
 * What ROW says about the field of ROLES that stack_length_find() made a length, or left the weight although
 * its name could be that of a length.
 */
enum length_evidence stack_length_check(const struct row *row, const struct roles *roles);
/*
 * The field that may be the weight as well as the length of a stack, by how many rows say which evidence (SEEN);
 * ROLE_NO_FIELD: there is none.
 */
size_t stack_length_rival(const struct roles *roles, const size_t *seen);
