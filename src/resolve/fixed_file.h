/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of -e or -b, for lookups of its own addresses. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/targets.h"

/* Owns nothing. */
struct fixed_file {
	struct object *object; /* NULL: no file was given */
	struct targets *targets;
};

/* The result of fixed_file_address(). */
enum section_answer {
	SECTION_FOUND,
	SECTION_ABSENT,	   /* no such section */
	SECTION_AMBIGUOUS, /* several code sections of the relocatable file are long enough */
};
/*
 * Converts OFFSET in SECTION of the file to an address for symbolizer_batch(). SECTION NULL: OFFSET
 * is an ELF address; in a relocatable file (a kernel module, a .o) it is an offset in the only code
 * section that is long enough, or with FIRST in the first one.
 */
enum section_answer fixed_file_address(const struct fixed_file *file, const char *section,
	uint64_t offset, bool first, uint64_t *ret);
/* See debug_want(); VALUES are as symbolizer_batch() takes them. */
void fixed_file_want(const struct fixed_file *file, const uint64_t *values, size_t n);
/* Find a variable at VALUE, or with the name NAME. Return false if there is none. */
bool fixed_file_variable(const struct fixed_file *file, uint64_t value, struct frame *ret);
bool fixed_file_find_variable(const struct fixed_file *file, const char *name, uint64_t *ret);
/*
 * Returns the number to print for a value of symbolizer_batch(): the section offset in a
 * relocatable file, else the value itself.
 */
uint64_t fixed_file_shown(const struct fixed_file *file, uint64_t value);
/* Returns true if the file is ELFCLASS64, or there is none. */
bool fixed_file_is_64bit(const struct fixed_file *file);
