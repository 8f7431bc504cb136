/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What --key names beyond plain fields: an element of an array of numbers ("user=ids[0]"), and an
 * array as weight ("weight=value.samples"), whose numbers add up, as do those of arrays called like
 * the slots of a histogram. Whoever reads arrays (formatted dumps, layouts, live types) makes
 * fields of them, which then are numbers like others.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/vec.h"

struct wanted_field {
	char *path;   /* as given, without [N]; owned */
	bool is_sum;  /* all elements, else the one at INDEX */
	size_t index; /* from 0 */
};

/* Zero-filled is empty. */
struct wanted {
	struct VEC(struct wanted_field) all;
};

/* Reads KEY_FIELDS (--key, may be NULL). What is wrong in it is said elsewhere (roles.h). */
void wanted_parse(const char *key_fields, struct wanted *ret);
void wanted_deinit(struct wanted *wanted);
/* Whether the array called PATH is wanted as one number. WANTED may be NULL. */
bool wanted_sum(const struct wanted *wanted, const char *path);
/* Whether WANTED is an element of the array called PATH, which has N; INDEX is in it then. */
bool wanted_is_element(const struct wanted_field *wanted, const char *path, size_t n);
/* The name of that element's field: "PATH[INDEX]". The caller frees it. */
char *wanted_name(const struct wanted_field *wanted, const char *path);

/* Numbers have a sign: what was added in one place may be taken away in another. */
static inline uint64_t wanted_add(uint64_t a, uint64_t b)
{
	int64_t sum;

	if (__builtin_add_overflow((int64_t)a, (int64_t)b, &sum))
		return (int64_t)a < 0 ? (uint64_t)INT64_MIN : INT64_MAX;
	return (uint64_t)sum;
}
