/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Samples as --json prints them, read back (JSON SCHEMA in the man page). A frame with a name is taken as
 * it is. One without becomes a slot to look up: by build ID and file offset where it has both, else by the
 * address, which has a meaning only in the boot of the sample, and if PROCESS_START is given, in that process.
 *
 * "schema" is the first member. Unknown members are skipped.
 */
#pragma once

#include "input/boot.h"
#include "input/dump.h"
#include "util/error.h"

#define JSON_SAMPLES_SCHEMA 1

/*
 * Reads one sample, whose { is the next that the source has. What is not understood is told to the
 * log. BOOT_ID is this system's or the recording's, NULL: unknown. The error is the collector's.
 */
struct error *json_samples_read(struct dump *dump, const struct boot *boot) must_check;
