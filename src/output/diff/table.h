/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints the differences between two dumps (options->diff): a table with the largest differences of
 * self weight first, as text or JSON, or all stacks with both weights, like difffolded.pl.
 */
#pragma once

#include "output/format.h"

extern const struct format diff_table_format, diff_folded_format;
