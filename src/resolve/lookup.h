/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds functions by name in a file, a process or the kernel. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "model/frame.h"
#include "resolve/place.h"
#include "resolve/targets.h"
#include "util/vec.h"

/*
 * A function given by the user, in each form that the program prints:
 *
 *	name            name+0x12             a number after the last + is an offset, in bytes
 *	name (file.c)   name+0x12 (file.c)    name (file.c)+0x12
 *	name [module]   name [libfoo.so]      likewise
 *	name@0x1139     name @.text+0x1139    likewise: its start in the object or section
 */
enum symbol_qualifier {
	SYMBOL_PLAIN,	 /* any function with the name */
	SYMBOL_OF_FILE,	 /* in source file TEXT: a path or its last component */
	SYMBOL_OF_OWNER, /* in module or object TEXT */
	SYMBOL_AT,	 /* at ADDRESS in section TEXT ("": in the object) */
};

struct symbol_word {
	char *name; /* owned */
	enum symbol_qualifier qualifier;
	char *text; /* owned; "": none */
	uint64_t address;
	uint64_t offset; /* offset from the function's start, in bytes */
};

/*
 * Parses WORD with its qualifier (QUALIFIED), or as a plain name although it looks qualified, as
 * C++'s "f(void (*)(int))". Returns false if the qualifier or the name is missing.
 */
bool symbol_word_parse(const char *word, bool qualified, struct symbol_word *ret);
void symbol_word_deinit(struct symbol_word *word);

/* Start addresses of functions with one name: ascending, unique. */
#define SYMBOL_ADDRESSES_MAX 1024
struct symbol_addresses {
	struct VEC(uint64_t) all;
	uint64_t more;	      /* number of addresses left out */
	uint64_t first;	      /* in a file: address of the first such symbol in its tables */
	uint32_t first_order; /* position of that symbol */
};
/*
 * Add the addresses of WORD in the kernel; in OBJECT, or (NULL) in process PID, to RET. Return
 * FRAME_NAMED, or the reason if there is none; FRAME_OUTSIDE_SYMBOLS: everything was searched.
 */
enum frame_status lookup_in_kernel(
	struct kernel *kernel, const char *word, struct symbol_addresses *ret);
enum frame_status lookup_in_files(struct places *places, struct targets *targets,
	struct object *object, int64_t pid, const char *text, struct symbol_addresses *ret);
