/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Portable stacks, as --format=portable prints them: one line a sample that stands by itself, so
 * that files can be split, sorted and joined by lines.
 *
 *	stack2line-portable 1 boot=UUID pid=12 tid=13 weight=4 time=99 comm=a%20b user=SLOT;…
 *
 * Fields are in any order, and any may be missing; unknown ones are skipped. In values a byte below
 * 0x21, above 0x7e, % or ; may stand as %HH. A stack is leaf first. A SLOT is BUILDID+0xOFFSET
 * (bytes into the file), or 0xADDRESS, which means something only on the boot it is of; a last slot
 * ~ says that the root may be missing. In place of slots a stack may be !STATE of enum stack_state,
 * with :ERROR after. exact=1: every slot is an exact address, none a return address.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/boot.h"
#include "input/collector.h"
#include "util/error.h"
#include "util/log.h"

/* Whether a line of LEN bytes is one of these, of whichever version. */
bool portable_starts(const char *line, size_t len);
/*
 * Gives the sample of LINE to the collector. One that is not understood is told to LOG. BOOT is whose
 * samples are looked up. The error is the collector's.
 */
struct error *portable_line(struct collector *collector, struct log *log, const struct boot *boot,
	const char *line, size_t len, const char *position) must_check;
