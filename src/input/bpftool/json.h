/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pull parser for JSON (RFC 8259) with bounded memory: it returns one token at a time and keeps
 * nothing of the document. A document is one value; bytes after it are not consumed.
 *
 * In lenient mode it also accepts the JSON of bpftool (tools/bpf/bpftool/btf_dumper.c, Linux 6.1):
 * bare words as values (0xffff888012345678, (nil), ENUM_NAME), raw control bytes (except newline)
 * and bytes that are not UTF-8 in strings, and the text "key: 80 85 …  value: <no entry>" between
 * two elements.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/source.h"
#include "util/arena.h"
#include "util/text.h"

#define JSON_DEPTH_MAX 256
#define JSON_TOKEN_MAX (1 << 20) /* bytes of one string, name or word */

enum json_token {
	JSON_ERROR, /* final; `problem` says what is wrong */
	JSON_END,   /* the document is complete */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_NAME, /* name of a member, in `text`; its value follows */
	JSON_STRING,
	JSON_NUMBER, /* as written, in `text` */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
	JSON_BARE,  /* lenient: any other word, in `text` */
	JSON_BREAK, /* lenient: "key:" at the source's `at` instead of an element or comma */
};

enum json_expect {
	JSON_EXPECT_VALUE,
	JSON_EXPECT_FIRST, /* an element or a member, or the closing bracket */
	JSON_EXPECT_NEXT,  /* , or the closing bracket, or nothing at depth 0 */
};

struct json {
	struct source *source;
	bool lenient;
	bool cut;	/* the source ended within the document, which is a JSON_ERROR */
	char *problem;	/* "FILE: byte N: what is wrong", or NULL */
	uint64_t start; /* file offset of the last token */
	uint64_t item;	/* file offset of what must end within SOURCE_SKIP_MAX; set by the caller */
	struct text text; /* the last name, string, number or word; NUL-terminated */
	/* lenient: number of bytes in strings that are not UTF-8, and file offset of the first */
	uint64_t not_utf8, not_utf8_at;
	unsigned depth;
	enum json_expect expect;
	bool objects[JSON_DEPTH_MAX]; /* by level: it is an object, not an array */
};

/* SOURCE must outlive JSON. */
void json_init(struct json *json, struct source *source, bool lenient);
void json_deinit(struct json *json);
/* Returns "NAME: byte OFFSET" for messages, which the caller frees. */
char *json_position(const struct json *json, uint64_t offset);
/* Returns the next token. JSON_ERROR and JSON_END are final. */
enum json_token json_next(struct json *json);
/* Consumes white space. Returns the next byte, without consuming it, or -1 at the end. */
static inline int json_skip_space(struct source *source)
{
	while (source_has(source)) {
		char c = *source->at;

		if (c != ' ' && c != '\n' && c != '\t' && c != '\r')
			return (unsigned char)c;
		source->at++;
	}
	return -1;
}
/* Consumes the rest of the value whose first token was TOKEN. Returns false on JSON_ERROR. */
bool json_skip(struct json *json, enum json_token token);
/* Consumes the rest of the open array or object. Returns false on JSON_ERROR. */
bool json_skip_rest(struct json *json);
/* Returns the index of the last NAME among the N NAMES, or N. */
size_t json_name_in(const struct json *json, const char *const *names, size_t n);
/*
 * Converts the last NUMBER, BARE or STRING to an integer: decimal, 0x… or (nil). Negative numbers
 * become two's complement. Returns false if it is no integer or does not fit in 64 bits.
 */
bool json_integer(const struct json *json, uint64_t *ret);

/*
 * Appends elements to RET up to the first that is no byte, or until RET holds MAX bytes. Bytes are
 * strings like "0x0c" and, with NUMBERS, the numbers 0 to 255. Call it after JSON_ARRAY. Returns
 * true if the array's ] was consumed; otherwise continue with json_next().
 */
bool json_bytes(struct json *json, bool numbers, size_t max, struct text *ret);

/* Reads the members of a JSON object into a struct, by a table. Skips other members. */

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
