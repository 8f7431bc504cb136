/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Formats an inspection as text or as JSON, with advice on how to improve the object. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "debug/inspection.h"
#include "object/object_cache.h"
#include "util/text.h"

/* Adds the path, then one line "  what: words" per property. */
void report_text(
	const struct object *object, const struct inspection *inspection, struct text *text);
/* Adds one line with one JSON object. stack2line-inspect(1) describes its members. */
void report_json(
	const struct object *object, const struct inspection *inspection, struct text *text);
/* Prints to OUT why an object that a process has mapped cannot be inspected. */
void report_missing(const struct object *object, const char *reason, bool json, FILE *out);
