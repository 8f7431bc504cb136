/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What was lost, by object and reason: the table that --why prints and the summary on stderr. It
 * counts every location it is shown once, whatever the sample weighs: weights may be microseconds
 * or bytes.
 */
#ifndef OUTPUT_SUMMARY_H
#define OUTPUT_SUMMARY_H

#include <stdint.h>
#include <stdio.h>

#include "model/frame.h"

struct summary;

struct summary *summary_create(void);
void summary_destroy(struct summary *summary);
/* Counts all locations of TRACE. */
void summary_count(struct summary *summary, const struct trace *trace);
/* Locations that have no name, and stacks that were lost; not weighted. */
uint64_t summary_unresolved(const struct summary *summary);
/* Locations with a name that lack something all the same, see FRAME_GAPS. */
uint64_t summary_incomplete(const struct summary *summary);
/* Locations with a name, not weighted. */
uint64_t summary_resolved(const struct summary *summary);
/*
 * One line a pair of object and reason, most frames lost first: object, build ID, frames lost,
 * reason, what would fix it. The first line names the columns; 100 pairs are printed, the others
 * added up in a last line. LINE_PREFIX comes before each ("stack2line: " on stderr).
 * Prints nothing when nothing was lost. Text from outside is escaped.
 */
void summary_print(const struct summary *summary, FILE *file, const char *line_prefix);

#endif
