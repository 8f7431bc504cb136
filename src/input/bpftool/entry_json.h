/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the members of a map entry in bpftool's JSON into a struct entry. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/bpftool/entry.h"
#include "input/bpftool/json.h"

/* Reads the value of a member. TOKEN is its first token. Returns false if the JSON is malformed. */
typedef bool entry_json_member(struct json *json, struct entry *entry, enum json_token token);

/* Returns the function that reads the member NAME ("key", "formatted", …), or NULL. */
entry_json_member *entry_json_find(const char *name);
/*
 * Reads a number, which may be in quotes. Skips other values and leaves RET unchanged. Returns
 * false if the JSON is malformed.
 */
bool entry_json_number(struct json *json, enum json_token token, uint64_t *ret);
