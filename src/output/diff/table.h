/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A table of what two dumps (options->diff) have more and less of, the largest differences of self
 * weight first, as text or JSON; and all stacks with both weights, as difffolded.pl prints them.
 */
#pragma once

#include "output/format.h"

extern const struct format diff_table_format, diff_folded_format;
