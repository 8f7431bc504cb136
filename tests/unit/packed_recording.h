/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings from text, as `stack2line record --print` prints them. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "process/recording/recording.h"
#include "util/error.h"
#include "util/text.h"

/*
 * Adds the recording of the lines TEXT to RET. A block ends after EVERY lines, and at "complete NS". False: a line is
 * of no record, and the rest is left out.
 */
bool pack_recording(const char *text, size_t len, size_t every, struct text *ret);

/* Opens the LEN bytes of a recording at TEXT as one of the name NAME, on a system whose boot ID is BOOT_ID. */
struct error *recording_parse(const char *name, const char *text, size_t len, const char *boot_id,
	struct recording **ret);
