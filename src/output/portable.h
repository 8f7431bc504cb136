/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Stacks as build ID and file offset, to be named elsewhere: the lines of input/lists/portable.h,
 * where the format is described.
 */
#pragma once

#include "output/format.h"

extern const struct format portable_format;
