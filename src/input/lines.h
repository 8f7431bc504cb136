/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is read line by line and is no bpftool output: tables of stack IDs and lists of addresses.
 * One reader serves one source, since a header line of it is remembered.
 */
#ifndef INPUT_LINES_H
#define INPUT_LINES_H

#include <stddef.h>

#include "input/collector.h"
#include "input/input.h"
#include "util/error.h"
#include "util/log.h"

struct line_reader;

/* OPTIONS, LOG and COLLECTOR are only referred to and outlive the reader. */
struct line_reader *line_reader_create(
	const struct input_options *options, struct log *log, struct collector *collector);
/* NULL is fine. */
void line_reader_destroy(struct line_reader *reader);
/* One line without its newline, not NUL-terminated. PLACE is "FILE:LINE". */
struct error *line_reader_line(struct line_reader *reader, const char *line, size_t len,
	const char *place) must_check;

#endif
