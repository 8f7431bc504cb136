/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an object offers, as text for people and as JSON, and what would make it better. */
#pragma once

#include <stdbool.h>
#include <stdio.h>

#include "debug/inspection.h"
#include "object/object.h"
#include "util/text.h"

/* Lines "  what: words" below the path. */
void report_text(
	const struct object *object, const struct inspection *inspection, struct text *text);
/* One line with one JSON object; the man page describes its members. */
void report_json(
	const struct object *object, const struct inspection *inspection, struct text *text);
/* An object of a process that cannot be had: why. */
void report_missing(const struct object *object, const char *reason, bool json, FILE *out);
