/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of perf-PID.map (Linux, tools/perf/Documentation/jit-interface.txt). */
#pragma once

#include <stddef.h>

#include "process/jit/map.h"

/*
 * Adds the symbols of TEXT; call jit_map_finish() afterwards. Node's names lose the place that
 * follows the function ("JS:*tick /app/x.js:3:9"), it becomes the line. Lines that are none are
 * counted in the result.
 */
size_t perf_map_parse(const char *text, size_t len, struct jit_map *ret);
