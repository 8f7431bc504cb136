/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the values in consecutive JSON documents, with the names of the members that they are in.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/bpftool/json.h"
#include "input/dump.h"

#define JSON_LEVELS_MAX 16

struct json_values {
	struct json json;
	uint64_t member;  /* file offset of the last name, in bytes */
	struct text path; /* names of the members, separated by dots */
	/* length of PATH at the start of each open object, by level, from 1 */
	size_t parents[JSON_LEVELS_MAX + 1];
	size_t level;	     /* level of the innermost open object; 0: none */
	size_t level_max;    /* deeper objects are skipped, as are arrays in objects */
	struct error *error; /* set by TAKE to end reading */
	void *context;
	/*
	 * Called after the first token of each value in an object, and at the end of each object.
	 * JSON has the text of scalars. Returns false to end reading.
	 */
	bool (*take)(struct json_values *values, enum json_token token);
};

void json_values_deinit(struct json_values *values);
/* Returns the name of the open member at LEVEL, valid until the next member. */
struct scan json_values_name(const struct json_values *values, size_t level);
/*
 * Reads the document at the position of DUMP's source. Returns false if no further document can be
 * read: ERROR is set, or a warning was issued, or the source failed.
 */
bool json_values_read(struct json_values *values, struct dump *dump);
