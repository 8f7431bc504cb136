/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of jit-PID.dump (Linux, tools/perf/Documentation/jitdump-specification.txt). */
#ifndef PROCESS_JITDUMP_H
#define PROCESS_JITDUMP_H

#include <stddef.h>

#include "process/jit_map.h"

/*
 * Adds the symbols and lines of BYTES, as far as they are whole; call jit_map_finish() afterwards.
 * False: not a jitdump of this machine's byte order.
 */
bool jitdump_parse(const void *bytes, size_t len, struct jit_map *ret);

#endif
