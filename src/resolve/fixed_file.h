/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The file of -e or -b, whose own addresses are asked for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "resolve/targets.h"

/* Nothing of it is owned. */
struct fixed_file {
	struct object *object; /* NULL: no file was given */
	struct targets *targets;
};

/* How the addresses of the file of -e are meant. */
enum section_answer {
	SECTION_FOUND,
	SECTION_ABSENT,	   /* there is no such section */
	SECTION_AMBIGUOUS, /* several code sections of the relocatable file are that long */
};
/*
 * OFFSET in a section of the file that exact addresses belong to, as symbolizer_batch() takes it.
 * SECTION NULL: OFFSET is an ELF address, but in a relocatable file (a kernel module, a .o) the
 * offset in its only code section that is long enough, or the FIRST one.
 */
enum section_answer fixed_file_address(const struct fixed_file *file, const char *section,
	uint64_t offset, bool first, uint64_t *ret);
/* See debug_want(); VALUES are as symbolizer_batch() takes them. */
void fixed_file_want(const struct fixed_file *file, const uint64_t *values, size_t n);
/* What is declared at VALUE, or called NAME, in that file: variables, which samples never hold. */
bool fixed_file_variable(const struct fixed_file *file, uint64_t value, struct frame *ret);
bool fixed_file_find_variable(const struct fixed_file *file, const char *name, uint64_t *ret);
/*
 * What is said to be at a value that symbolizer_batch() takes for that file: the offset in a
 * section of a relocatable file, else the value itself.
 */
uint64_t fixed_file_shown(const struct fixed_file *file, uint64_t value);
/* Whether that file is ELFCLASS64. */
bool fixed_file_is_64bit(const struct fixed_file *file);
