/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A pull reader for JSON (RFC 8259) in bounded memory: one token at a time, nothing of the document
 * is kept. A document is one value; what follows it in the source is left alone.
 *
 * Lenient, it also takes what bpftool prints for JSON (tools/bpf/bpftool/btf_dumper.c, Linux 6.1):
 * bare words for values (0xffff888012345678, (nil), ENUM_NAME), raw control bytes (no newline) and
 * bytes that are not UTF-8 in strings, and a plain "key: 80 85 …  value: <no entry>" between two
 * elements.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/source.h"
#include "util/text.h"

#define JSON_DEPTH_MAX 256
#define JSON_TOKEN_MAX (1 << 20) /* bytes of one string, name or word */

enum json_token {
	JSON_ERROR, /* for good: `problem` says what is wrong */
	JSON_END,   /* the document's value is complete */
	JSON_OBJECT,
	JSON_OBJECT_END,
	JSON_ARRAY,
	JSON_ARRAY_END,
	JSON_NAME, /* of a member, in `text`; its value follows */
	JSON_STRING,
	JSON_NUMBER, /* as written, in `text` */
	JSON_TRUE,
	JSON_FALSE,
	JSON_NULL,
	JSON_BARE,  /* lenient: another word, in `text` */
	JSON_BREAK, /* lenient: "key:" stands at the source's `at`, where an element or , belongs */
};

enum json_expect {
	JSON_EXPECT_VALUE,
	JSON_EXPECT_FIRST_ELEMENT, /* a value or ] */
	JSON_EXPECT_FIRST_NAME,	   /* a name or } */
	JSON_EXPECT_NEXT,	   /* , or the closing bracket, or nothing at depth 0 */
};

struct json {
	struct source *source;
	bool lenient;
	bool cut;	/* the source ended inside the document; json_next() gives JSON_ERROR */
	char *problem;	/* "FILE: byte N: what is wrong"; NULL: nothing */
	uint64_t start; /* offset in the file of the last token's first byte */
	uint64_t item;	/* offset of what must end within SOURCE_SKIP_MAX; the parser moves it on */
	struct text text; /* of the last name, string, number or word; NUL-terminated */
	uint64_t not_utf8,
		not_utf8_at; /* lenient: strings with such bytes, and the first one's place */
	unsigned depth;
	enum json_expect expect;
	uint64_t objects[JSON_DEPTH_MAX / 64]; /* bit I: level I is an object, not an array */
};

/* SOURCE must outlive JSON. */
void json_init(struct json *json, struct source *source, bool lenient);
void json_deinit(struct json *json);
/* "NAME: byte OFFSET", for messages; the caller frees it. */
char *json_position(const struct json *json, uint64_t offset);
enum json_token json_next(struct json *json);
/* The first byte of SOURCE that is no white space, left unconsumed; -1 at the end. */
int json_skip_space(struct source *source);
/*
 * Consumes the rest of the value whose first token was TOKEN. False if the document turned out
 * wrong on the way.
 */
bool json_skip(struct json *json, enum json_token token);
/* Consumes to the end of the array or object that is open now. */
bool json_skip_rest(struct json *json);
/*
 * The last NUMBER, BARE or STRING as an integer: decimal, 0x… or (nil); below zero it becomes two's
 * complement. False if it is none or does not fit 64 bits.
 */
bool json_integer(const struct json *json, uint64_t *ret);

enum json_run {
	JSON_RUN_ENDED, /* the array's ] was consumed */
	JSON_RUN_OTHER, /* the next element is no byte, or MAX is reached: json_next() reads on */
};
