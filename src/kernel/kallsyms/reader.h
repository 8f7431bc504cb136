/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads kallsyms. Reading /proc/kallsyms costs up to 300 ms of kernel time, so it waits until the
 * first kernel frame. The text is parsed in pieces and not kept.
 */
#pragma once

#include "kernel/kallsyms/kallsyms.h"

/* Parses the text of a kallsyms file. RET must be zero-filled. */
void kallsyms_parse(const char *text, size_t len, struct kallsyms *ret);
/*
 * Reads and parses FD up to its end. RET must be zero-filled. Returns 0 or the errno; RET is
 * KALLSYMS_ABSENT then.
 */
int kallsyms_read(int fd, struct kallsyms *ret);
