// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replaces patterns.c in builds without PCRE2: no pattern matches, and callers that depend on
 * patterns say why.
 */
#include <stddef.h>

#include "input/text/patterns.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters) */

const char *patterns_missing(void)
{
	return "this program was built without PCRE2, which reads folded stacks and the text of other tools";
}

struct matcher *matcher_create(void)
{
	return NULL;
}

void matcher_destroy(struct matcher *matcher)
{
}

uint64_t matcher_given_up(const struct matcher *matcher)
{
	return 0;
}

struct error *pattern_compile(struct matcher *matcher, const char *where, struct pattern *pattern)
{
	return error_create(ERROR_USAGE, "%s: %s", where, patterns_missing());
}

void pattern_deinit(struct pattern *pattern)
{
}

bool pattern_find(struct matcher *matcher, struct pattern *pattern, struct scan text,
	const char *at, struct pattern_match *ret)
{
	return false;
}

/* NOLINTEND(misc-unused-parameters) */
