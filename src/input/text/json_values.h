/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the values in JSON documents that follow each other, with the names of the members that
 * they are in.
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
	uint64_t member;  /* offset in the file of the last name */
	struct text path; /* names of the members, with a dot between them */
	size_t parents[JSON_LEVELS_MAX +
		       1];   /* length of the path of each open object, by its level from 1 on */
	size_t level;	     /* of the innermost open object; 0: none is open */
	size_t level_max;    /* deeper objects are skipped, and arrays in objects */
	struct error *error; /* of the collector; reading ends */
	void *context;
	/*
	 * Called after the first token of each value in an object, and at the end of each
	 * object. JSON has the text of scalars. Returns false to end reading.
	 */
	bool (*take)(struct json_values *values, enum json_token token);
};

void json_values_deinit(struct json_values *values);
/* Returns the name of the member at LEVEL, which is open; valid until the next one. */
struct scan json_values_name(const struct json_values *values, size_t level);
/*
 * Reads the document at the start of DUMP's source. Returns false if none after it can be read:
 * `error` is set, or a warning says why.
 */
bool json_values_read(struct json_values *values, struct dump *dump);
