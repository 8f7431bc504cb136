/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reading kallsyms: /proc/kallsyms costs up to some 300 ms of kernel time, so it is done when the
 * first kernel frame asks. The text is not kept, a line at a time is looked at.
 */
#pragma once

#include "kernel/kallsyms/kallsyms.h"

/* Reads the text of a kallsyms file. RET must be zero-filled, here and below. */
void kallsyms_parse(const char *text, size_t len, struct kallsyms *ret);
/* Reads FD to its end; 0, or the errno (RET is KALLSYMS_ABSENT then). */
int kallsyms_read(int fd, struct kallsyms *ret);
