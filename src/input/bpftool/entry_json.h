/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a map entry as bpftool's JSON has them, into a struct entry. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/bpftool/entry.h"
#include "input/bpftool/json.h"

/* Reads the value of a member, whose first token is TOKEN. False if the document is wrong there. */
typedef bool entry_json_member(struct json *json, struct entry *entry, enum json_token token);

/* What reads the member called NAME ("key", "formatted", …); NULL: no part. */
entry_json_member *entry_json_find(const char *name);
/* Reads a number, also one in quotes; other values are skipped, and RET stays. False as above. */
bool entry_json_number(struct json *json, enum json_token token, uint64_t *ret);
