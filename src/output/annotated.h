/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Annotated stacks, one block per sample, leaf first:
 *
 *	demo  pid 1234  tid 1240  weight 17
 *	  #0    0x000055d0c0de1149  inner (inlined)      demo.c:12:3  [demo]
 *	  #1                        middle+0x9           demo.c:20:2  [demo]
 *	  #2    0x00007f33aa0271ca  [libc.so.6+0x271ca]  -- stripped: no symbols and no debug info
 *
 * A single address that was looked up is printed without header and numbers.
 */
#pragma once

#include "output/format.h"

extern const struct format annotated_format;
