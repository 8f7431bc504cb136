/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Array elements and sums of arrays that are used as fields. --key can name an element of an array
 * of numbers ("user=ids[0]") or use the sum of an array as weight ("weight=value.samples"). Arrays
 * with the name of a histogram's slots are summed too. Readers of arrays (formatted dumps, layouts,
 * live types) add a number field for each.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

struct wanted_field {
	char *path;   /* as in --key, without [N]; owned */
	bool is_sum;  /* the sum of all elements, not the one at INDEX */
	size_t index; /* index of the element, from 0 */
};

struct wanted {
	struct VEC(struct wanted_field) all;
};

/* Reads KEY_FIELDS (--key, may be NULL). Ignores mistakes: role_overrides_parse() reports them. */
void wanted_parse(const char *key_fields, struct wanted *ret);
void wanted_deinit(struct wanted *wanted);
/* Returns true if the sum of the array PATH is wanted. WANTED may be NULL. */
bool wanted_sum(const struct wanted *wanted, const char *path);
/*
 * Returns the name of the field, "PATH[INDEX]", if WANTED is one of the N elements of the array
 * PATH, or NULL. The caller frees it.
 */
char *wanted_element(const struct wanted_field *wanted, const char *path, size_t n);

/*
 * Adds two signed numbers, limited to the range of int64_t. Elements may be negative: a program may
 * subtract from one what it added to another.
 */
static inline uint64_t wanted_add(uint64_t a, uint64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow((int64_t)a, (int64_t)b, &sum))
		return (int64_t)a < 0 ? (uint64_t)INT64_MIN : INT64_MAX;
	return (uint64_t)sum;
}
