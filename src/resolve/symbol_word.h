/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses a function given by the user, in each form that the program prints:
 *
 *	name            name+0x12             a number after the last + is an offset, in bytes
 *	name (file.c)   name+0x12 (file.c)    name (file.c)+0x12
 *	name [module]   name [libfoo.so]      likewise
 *	name@0x1139     name @.text+0x1139    likewise: its start in the object or section
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
