/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of text that are not a bpftool dump: tables of stack IDs, lists of files and offsets, and
 * lists of addresses. One line of the latter is one stack, leaf first, separated by blanks, commas
 * or `;`:
 *
 *	1234 0x55d0c8a0b1c2 7f2b1c0a1234     PID ADDR…: hex, with 0x or at least 5 digits
 *	0xffffffff81000010                   kernel addresses; for others pass -p, -e or -k
 *	4fa9…c3 0x1136                       BUILDID OFFSET
 *	4fa9…c3+0x1136 4fa9…c3+0x1200        BUILDID+OFFSET…, also mixed with 0x addresses
 *
 * Lists of files and offsets have either several frames in one line, or one frame per line up to a
 * blank line.
 *
 * Blank lines and lines that start with # are skipped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/collector.h"
#include "input/input.h"
#include "input/lists/addresses.h"
#include "input/roles/roles.h"
#include "input/row.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/log.h"
#include "util/scan.h"
#include "util/vec.h"

/* Returns true for what separates the words of address lists, and the frames of file lists. */
static inline bool line_separator(char c)
{
	return c == ' ' || c == '\t' || c == ',' || c == ';';
}

/*
 * Tables of stack IDs, as printed by many programs. A header line or --columns names the columns.
 *
 *	PID  KSTACK USTACK COUNT COMM
 *	1234 17     -14    99    kworker/0:1 +x
 *
 * Cells are separated by commas, tabs or blanks. The last column may contain blanks if it is text.
 */

#define ID_TABLE_COLUMNS_MAX 64

struct table_column {
	char *name;
	enum role role; /* ROLE_COUNT: none */
};

/* Zero-filled has no columns. */
struct id_table {
	struct VEC(struct table_column) columns;
	bool given; /* by --columns; header lines are skipped */
};

void id_table_deinit(struct id_table *table);
/*
 * Sets the columns of --columns. Returns ERROR_USAGE if there are too many, or if none of them is a
 * stack (unless ANY is set, because --key says which ones are).
 */
struct error *id_table_columns(struct id_table *table, const char *text, bool any) must_check;
/* Returns true if LINE is a header, and sets the columns of TABLE to it unless they were given. */
bool id_table_header(struct id_table *table, struct scan line);
/*
 * Splits LINE into FIELDS (with room for all columns), which point into LINE and TABLE. Returns
 * their number, or 0 if LINE is not a row of the table. Cells that are empty or `-` are skipped.
 */
size_t id_table_row(const struct id_table *table, struct scan line, struct field *fields);

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

struct line_reader;

/*
 * Creates a reader. Returns an error if --columns is wrong. OPTIONS, LOG and COLLECTOR must outlive
 * it.
 */
struct error *line_reader_create(const struct input_options *options, struct log *log,
	struct collector *collector, struct line_reader **ret) must_check;
void line_reader_destroy(struct line_reader *reader);
CLEANUP_OF(line_reader)
/*
 * Reads a line of LEN bytes without its newline. Logs a line that is not understood. Returns the
 * error of the collector.
 */
struct error *line_reader_line(
	struct line_reader *reader, const char *line, size_t len, const char *position) must_check;
/* Adds the last stack, if it is still open. */
struct error *line_reader_end(struct line_reader *reader) must_check;
