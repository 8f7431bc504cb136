/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads portable stacks, the output of --format=portable. Each line is a complete sample, so that
 * files can be split, sorted and joined by lines.
 *
 *	stack2line-portable 1 boot=UUID pid=12 tid=13 weight=4 time=99 comm=a%20b user=SLOT;…
 *
 * Fields are optional and in any order; unknown ones are skipped. In values, bytes below 0x21 or
 * above 0x7e, % and ; may be written as %HH. A stack is listed leaf first. A SLOT is
 * BUILDID+0xOFFSET (a file offset, in bytes) or 0xADDRESS, which is valid only in its boot. A last
 * slot of ~ means that the root may be missing. Instead of slots a stack may be !STATE, a key of
 * enum stack_state, optionally followed by :ERROR. exact=1 means that every slot is an exact
 * address, none a return address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/collector.h"
#include "input/dump.h"
#include "util/error.h"
#include "util/log.h"

/* Returns true if the line of LEN bytes is a portable stack of any version. */
bool portable_starts(struct scan line);
/*
 * Adds the sample of LINE to the collector. Logs a line that it cannot read. BOOT is the boot whose
 * addresses can be resolved. Returns the error of the collector.
 */
struct error *portable_line(struct collector *collector, struct log *log, const struct boot *boot,
	const char *line, size_t len, const char *position) must_check;

/*
 * Reads samples in --json output back (JSON SCHEMA in stack2line-formats(5)). A frame with a name
 * is taken as it is. A frame without name becomes a slot to resolve: by build ID and file offset
 * if it has both, otherwise by address. An address is valid only in the boot of the sample and, if
 * "process_start" is given, in that process.
 *
 * "schema" must be the first member. Unknown members are skipped.
 */

/*
 * Reads one sample; the next byte of the source must be its {. Logs what it cannot read.
 * Returns the error of the collector.
 */
struct error *json_samples_read(struct dump *dump) must_check;
