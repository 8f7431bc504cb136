/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the members of a JSON object into a struct, by a table. Skips other members. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/bpftool/json.h"
#include "util/arena.h"

struct json_number {
	uint64_t value; /* two's complement if negative */
	bool given;
};

enum json_member_kind {
	JSON_MEMBER_TEXT,   /* const char *, in the arena */
	JSON_MEMBER_NUMBER, /* struct json_number; may be a string like "0x…" */
	JSON_MEMBER_FLAG,   /* bool */
	JSON_MEMBER_OTHER,  /* read by member.read() */
};

struct json_members;

struct json_member {
	const char *name;
	enum json_member_kind kind;
	size_t at; /* offset in the struct, in bytes */
	/* OTHER: reads the value with the first token TOKEN. TO is the struct's address plus AT. */
	bool (*read)(struct json_members *members, enum json_token token, void *to);
};

/* State shared by all objects of a document. */
struct json_members {
	struct json *json;
	struct arena *arena;
	size_t memory_max;   /* limit on the arena, in bytes */
	const char *problem; /* why the document is unusable (a constant), or NULL */
};

/*
 * Reads an object, whose { was consumed, into the struct TO, by a TABLE of N members. Returns false
 * if the JSON is malformed or `problem` was set.
 */
bool json_members_read(
	struct json_members *members, const struct json_member *table, size_t n, void *to);
