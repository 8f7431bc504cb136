/* SPDX-License-Identifier: GPL-2.0-or-later */
/* `stack2line inspect`: prints which symbols, debug info and unwind tables an object has. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "debug/inspection.h"
#include "model/build_id.h"
#include "object/object_cache.h"
#include "util/error.h"
#include "util/text.h"
#include "util/vec.h"

enum inspect_what {
	INSPECT_REPORT,
	INSPECT_SFRAME, /* rows of the SFrame section */
	INSPECT_UNWIND, /* unwind rule at one address, from each source */
};

struct inspect_options {
	enum inspect_what what;
	const char *file; /* NULL: by pid or build_id */
	/* inspect everything that this process has mapped as code; 0: by file or build_id */
	int64_t pid;
	struct build_id build_id;
	/* for INSPECT_UNWIND: ELF address, or offset in a section of a relocatable file */
	uint64_t address;
	bool json;
	struct string_vec debug_dirs; /* not owned */
	const char *proc_root;
};

/* Prints what OPTIONS ask for to OUT. Returns an error if there is nothing to inspect. */
struct error *inspect_run(const struct inspect_options *options, FILE *out) must_check;

/* Formats an inspection as text or as JSON, with advice on how to improve the object. */

/* Adds the path, then one line "  what: words" per property. */
void report_text(
	const struct object *object, const struct inspection *inspection, struct text *text);
/* Adds one line with one JSON object. stack2line-inspect(1) describes its members. */
void report_json(
	const struct object *object, const struct inspection *inspection, struct text *text);
/* Prints to OUT why an object that a process has mapped cannot be inspected. */
void report_missing(const struct object *object, const char *reason, bool json, FILE *out);
