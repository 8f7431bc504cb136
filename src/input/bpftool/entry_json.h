/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the members of a map entry in bpftool's JSON into a struct entry. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/bpftool/entry.h"
#include "input/bpftool/json.h"

enum entry_member {
	ENTRY_MEMBER_KEY,
	ENTRY_MEMBER_VALUE,
	ENTRY_MEMBER_VALUES,
	ENTRY_MEMBER_INNER_MAP,
	ENTRY_MEMBER_FORMATTED, /* this and the next one are not in "formatted" itself */
	ENTRY_MEMBER_ERROR,
	ENTRY_MEMBERS,
};

/* Returns the member that the last NAME of JSON is, or ENTRY_MEMBERS if it is another one. */
enum entry_member entry_json_find(const struct json *json);
/*
 * Reads the value of MEMBER; skips it if that is ENTRY_MEMBERS. TOKEN is its first token. Returns
 * false if the JSON is malformed.
 */
bool entry_json_read(
	struct json *json, struct entry *entry, enum entry_member member, enum json_token token);
/*
 * Reads a number, which may be in quotes. Skips other values and leaves RET unchanged. Returns
 * false if the JSON is malformed.
 */
bool entry_json_number(struct json *json, enum json_token token, uint64_t *ret);

/*
 * Flattens values that bpftool formatted by BTF to an entry's fields: the key
 * {"pid":7,"in":{"a":1}} becomes key.pid and key.in.a. Members of an anonymous struct or union
 * (named "") become members of the enclosing one. Other anonymous members are named by their index:
 * key.0, key.1.
 */

/*
 * Reads a value into fields of OWNER. TOKEN is its first token, and ROOT ("key", "value"; may be
 * empty) the first component of the names. Returns false if the JSON is malformed. The kinds of the
 * fields are:
 * - An array of numbers with one that is no byte: FIELD_WORDS if one can be an address, else
 *   FIELD_NUMBERS.
 * - An array of bytes: FIELD_WORDS if all are zero, FIELD_TEXT if it is a valid C string, else
 *   FIELD_BYTES. Exceptions: "build_id" is FIELD_BYTES, and 16 or more bytes without a name (a
 *   plain key or value, or an anonymous member) are FIELD_UNNAMED.
 * - An array of struct bpf_stack_build_id: FIELD_BYTES, with the kernel's 32-byte records.
 * - Array elements and sums that are in the entry's `wanted`: FIELD_NUMBER.
 * - Structs in other arrays: their fields, with the array's name as prefix.
 * - A string like 0x… (bit-fields and pointers): FIELD_NUMBER, with the text in `bytes`.
 */
bool formatted_value(
	struct json *json, enum json_token token, struct entry *entry, int owner, const char *root);
