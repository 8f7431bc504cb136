/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The members of a JSON object by a table: which go where in a struct, and which are skipped. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/bpftool/json.h"
#include "util/arena.h"

struct json_number {
	uint64_t value; /* below zero: two's complement */
	bool given;
};

enum json_member_kind {
	JSON_MEMBER_TEXT,   /* const char *, in the arena */
	JSON_MEMBER_NUMBER, /* struct json_number; also "0x…" */
	JSON_MEMBER_FLAG,   /* bool */
	JSON_MEMBER_OTHER,  /* read by a function */
};

struct json_members;

struct json_member {
	const char *name;
	enum json_member_kind kind;
	size_t at; /* offset in the struct */
	/* OTHER: gets the struct's address plus AT, and the first token of the value. */
	bool (*read)(struct json_members *members, enum json_token token, void *to);
};

/* What all objects of a document share. */
struct json_members {
	struct json *json;
	struct arena *arena;
	size_t memory_max;   /* bytes that the arena may hold */
	const char *problem; /* a constant: why the document cannot be used; NULL: nothing */
};

/*
 * Reads the object whose { was consumed into the struct TO by N members of a table. False: the
 * document is wrong, by the JSON or by `problem`.
 */
bool json_members_read(
	struct json_members *members, const struct json_member *table, size_t n, void *to);
