/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Values that bpftool formatted by BTF, flattened to an entry's fields: {"pid":7,"in":{"a":1}}
 * under "key" becomes key.pid and key.in.a. Members of an anonymous struct or union (name "") are
 * those of the one around it; other anonymous members are called by their number: key.0, key.1.
 */
#pragma once

#include <stdbool.h>

#include "input/bpftool/entry.h"
#include "input/bpftool/json.h"

/*
 * Reads the value whose first token was TOKEN into fields of OWNER, named by ROOT ("key", "value").
 * - An array of numbers becomes FIELD_WORDS if one of them is no byte or all are zero,
 * FIELD_NUMBERS if none of these can be an address; else FIELD_TEXT if it reads as a C string, else
 * FIELD_BYTES. "build_id" is FIELD_BYTES in any case. Bytes without a name (plain ones or an
 * anonymous member), 16 or more, are FIELD_UNNAMED.
 * - An array of struct bpf_stack_build_id becomes FIELD_BYTES: the kernel's 32-byte records.
 * - What the entry's `wanted` names of an array of numbers becomes a FIELD_NUMBER.
 * Structs in other arrays give their fields under the array's name.
 * - A string that reads as 0x… is a FIELD_NUMBER with its text in `bytes` (bit-fields and
 * pointers). False if the document turned out wrong on the way.
 */
bool formatted_value(
	struct json *json, enum json_token token, struct entry *entry, int owner, const char *root);
