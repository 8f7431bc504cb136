/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lists of files and offsets, as programs print them that walk their own stack: frames, leaf first,
 * one a line or several.
 *
 *	/usr/lib/libfoo.so+0x1139                  PATH+0xOFFSET
 *	./a.out(+0x1139) [0x55d0c8a0b139]          backtrace_symbols() of glibc
 *	./a.out(main+0x1f) [0x55d0c8a0b15f]        the same, OFFSET counts from the symbol
 *	./a.out() [0x401136]                       the same, of a program at a fixed address
 *	./a.out[0x401136]                          as backtrace_symbols_fd() writes it
 *
 * OFFSET counts from where the file is loaded: it is the address minus the load bias, and so the
 * address as the file's own program headers count. Where a symbol or an address in brackets stands
 * that is certain; what else it can be, object_loaded_address() decides.
 *
 * A path may hold blanks, plus signs and parentheses. It begins with / or . unless it has no blank
 * and a slash, or stands before parentheses.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/lists/slots.h"
#include "util/arena.h"
#include "util/scan.h"

/* Frames that were read. Zero-filled is empty. */
struct file_list {
	struct slots slots;
	struct arena strings;
};

void file_list_deinit(struct file_list *list);
/* Forgets the frames. */
void file_list_clear(struct file_list *list);
/* Adds the frames of a line; how many they are. 0: it is no such line, or only part of it. */
size_t file_list_line(struct file_list *list, struct scan line);
/* Adds an address of which the list names no file: `0xADDR` or `[0xADDR]` alone in its line. */
bool file_list_address(struct file_list *list, struct scan line);
