/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Lines of text that are not a bpftool dump: tables of stack IDs (input/lists/id_table.h) and lists
 * of addresses. One line of such a list is one stack, leaf first, separated by blanks, commas or
 * `;`:
 *
 *	1234 0x55d0c8a0b1c2 7f2b1c0a1234     PID ADDR…: hex, with 0x or at least 5 digits
 *	0xffffffff81000010                   kernel addresses; for others pass -p, -e or -k
 *	4fa9…c3 0x1136                       BUILDID OFFSET
 *	4fa9…c3+0x1136 4fa9…c3+0x1200        BUILDID+OFFSET…, also mixed with 0x addresses
 *
 * Lists of files and offsets (input/lists/file_list.h) are stacks too: either several frames in one
 * line, or one frame per line up to a blank line.
 *
 * Blank lines and lines that start with # are skipped.
 */
#pragma once

#include <stddef.h>

#include "input/collector.h"
#include "input/input.h"
#include "util/error.h"
#include "util/log.h"

struct line_reader;

/*
 * Creates a reader. Returns an error if --columns is wrong. OPTIONS, LOG and COLLECTOR must outlive
 * it.
 */
struct error *line_reader_create(const struct input_options *options, struct log *log,
	struct collector *collector, struct line_reader **ret) must_check;
void line_reader_destroy(struct line_reader *reader);
void line_reader_cleanup(struct line_reader **reader);
/*
 * Reads a line of LEN bytes without its newline. Logs a line that is not understood. Returns the
 * error of the collector.
 */
struct error *line_reader_line(
	struct line_reader *reader, const char *line, size_t len, const char *position) must_check;
/* Adds the last stack, if it is still open. */
struct error *line_reader_end(struct line_reader *reader) must_check;
