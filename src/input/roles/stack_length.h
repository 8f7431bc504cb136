/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the field with the used length of an inline stack, as returned by bpf_get_stack(). It is
 * known by its name, by --key, or because it is 8 times the depth of the stack. Some names also
 * suit a weight.
 */
#pragma once

#include "input/roles/roles.h"

/* whether a number of a row is the length, in bytes, of a stack in that row */
enum length_evidence {
	LENGTH_UNASKED, /* no number could be either a weight or a length */
	LENGTH_REFUTED, /* no multiple of the slot size, larger than the array, or an error with data */
	LENGTH_OPEN, /* possible: shorter or longer than the nonzero slots */
	LENGTH_FITS, /* length of all slots but the zeros at the end; or <= 0, and all are zero */
	LENGTH_EVIDENCES,
};

/* Sets the lengths of ROLES that are known by name or by --key. */
void stack_lengths_name(const struct row *row, struct roles *roles);
/* Turns the weight of ROLES into a stack length if its name allows that and ROW confirms it. */
void stack_length_find(const struct row *row, struct roles *roles);
/*
 * Adds the evidence of ROW to SEEN, the number of rows by evidence. Returns the field that, by all
 * rows so far, may be either the weight or the length of a stack: stack_length_find() made it a
 * length, or left it as the weight. Returns ROLE_NO_FIELD if there is none, or if --key says it.
 */
size_t stack_length_rival(const struct row *row, const struct roles *roles, size_t *seen);
