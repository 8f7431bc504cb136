/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of files and offsets, as printed by programs that walk their own stack. Frames are listed
 * leaf first, one or more per line.
 *
 *	/usr/lib/libfoo.so+0x1139                  PATH+0xOFFSET
 *	./a.out(+0x1139) [0x55d0c8a0b139]          backtrace_symbols() of glibc
 *	./a.out(main+0x1f) [0x55d0c8a0b15f]        the same; OFFSET counts from the symbol
 *	./a.out() [0x401136]                       the same, for a program at a fixed address
 *	./a.out[0x401136]                          backtrace_symbols_fd()
 *
 * OFFSET is the address minus the load bias, that is, an ELF address. This is certain if there is a
 * symbol or an address in brackets; otherwise object_loaded_address() decides what it means.
 *
 * A path may contain blanks, plus signs and parentheses. It begins with / or ., or it has no blank
 * and either contains a slash or precedes parentheses or brackets.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/lists/addresses.h"
#include "util/arena.h"
#include "util/scan.h"

/* The frames read so far. */
struct file_list {
	struct slots slots;
	struct arena strings;
};

void file_list_deinit(struct file_list *list);
/* Removes the frames. */
void file_list_clear(struct file_list *list);
/*
 * Adds the frames of LINE, and returns their number. Returns 0, and adds none, unless all of LINE
 * consists of frames.
 */
size_t file_list_line(struct file_list *list, struct scan line);
/*
 * Adds an address without file: LINE must be just `0xADDR` or `[0xADDR]`. Returns false otherwise.
 */
bool file_list_address(struct file_list *list, struct scan line);
