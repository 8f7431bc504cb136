/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses perf-PID.map (Linux, tools/perf/Documentation/jit-interface.txt). */
#pragma once

#include <stddef.h>

#include "process/jit/map.h"

/*
 * Adds the symbols in TEXT to RET; call jit_map_finish() afterwards. The source location in names
 * by Node ("JS:*tick /app/x.js:3:9") is removed and becomes the line. Returns the number of invalid
 * lines.
 */
size_t perf_map_parse(const char *text, size_t len, struct jit_map *ret);
