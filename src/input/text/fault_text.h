/* SPDX-License-Identifier: GPL-2.0-or-later */
#pragma once

#include <stdbool.h>

#include "input/text/frame_text.h"

/*
 * `prog[12]: segfault at 0 ip 55d0c8a0b139 sp 7ffe5e5e3540 error 6 in prog[1139,55d0c8a0b000+1000]`,
 * and `traps: prog[12] general protection fault ip:… sp:… error:0 in prog[…]`. Before Linux 6.10 the
 * brackets had no offset in the file (print_vma_addr() in mm/memory.c).
 */
bool fault_text_scan(struct scan part, struct text_frame *frame);
