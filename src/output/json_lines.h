/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON output: one object per line and sample, which input/lists/json_samples.h reads back. Unknown
 * members are left out, never null. Addresses and file offsets are strings ("0x1a2b"), since most
 * JSON readers lose digits of numbers over 2^53. Bytes that are not UTF-8 become U+FFFD. Members
 * may be added without notice; a changed meaning raises "schema". stack2line-formats(5) describes
 * them (JSON SCHEMA), and tests/lint/options.test checks that it agrees with json_lines.c.
 */
#pragma once

#include "output/format.h"

extern const struct format json_format;
