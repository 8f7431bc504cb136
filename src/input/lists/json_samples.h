/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads samples in --json output back (JSON SCHEMA in stack2line-formats(5)). A frame with a name
 * is taken as it is. A frame without name becomes a slot to resolve: by build ID and file offset
 * if it has both, otherwise by address. An address is valid only in the boot of the sample and, if
 * "process_start" is given, in that process.
 *
 * "schema" must be the first member. Unknown members are skipped.
 */
#pragma once

#include "input/dump.h"
#include "util/error.h"

/*
 * Reads one sample; the next byte of the source must be its {. Logs what it cannot read. BOOT is
 * the boot whose addresses can be resolved. Returns the error of the collector.
 */
struct error *json_samples_read(struct dump *dump, const struct boot *boot) must_check;
