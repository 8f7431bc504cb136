/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON output: one object a line, one line a sample, which input/lists/json_samples.h reads back.
 * What is unknown is left out, never null. Addresses and offsets in files are strings ("0x1a2b"),
 * since numbers over 2^53 do not survive most JSON readers; bytes that are not UTF-8 become U+FFFD.
 * Members may be added without notice, a changed meaning raises "schema". The man page describes
 * them (JSON SCHEMA), and tests/lint/options.test holds it to json_lines.c.
 */
#pragma once

#include "output/format.h"

extern const struct format json_format;
