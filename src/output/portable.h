/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Prints stacks as build IDs and file offsets, to be named on another machine.
 * input/lists/portable.h describes the format.
 */
#pragma once

#include "output/format.h"

extern const struct format portable_format;
