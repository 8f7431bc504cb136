/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A function as the user names it, in each of the forms that the program prints:
 *
 *	name            name+0x12             a number behind the last + is an offset, in bytes
 *	name (file.c)   name+0x12 (file.c)    name (file.c)+0x12
 *	name [module]   name [libfoo.so]      likewise
 *	name@0x1139     name @.text+0x1139    likewise: where it begins, in its object or section
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

enum symbol_qualifier {
	SYMBOL_PLAIN,	 /* any function of the name */
	SYMBOL_OF_FILE,	 /* of the source file TEXT: its path, or the last component of it */
	SYMBOL_OF_OWNER, /* of the module or object TEXT */
	SYMBOL_AT,	 /* at ADDRESS, of the section TEXT ("": of the object) */
};

struct symbol_word {
	char *name; /* owned */
	enum symbol_qualifier qualifier;
	char *text; /* owned; "" where there is none */
	uint64_t address;
	uint64_t offset; /* to be added to where the function begins; 0: none */
};

/*
 * WORD with its qualifier (QUALIFIED) or as a name that merely looks as if it had one, as C++'s
 * "f(void (*)(int))". False: it has none, or has no name.
 */
bool symbol_word_parse(const char *word, bool qualified, struct symbol_word *ret);
void symbol_word_deinit(struct symbol_word *word);
