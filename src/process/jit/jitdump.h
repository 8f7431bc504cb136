/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The bytes of jit-PID.dump (Linux, tools/perf/Documentation/jitdump-specification.txt). */
#pragma once

#include <stddef.h>

#include "process/jit/map.h"
#include "util/table.h"

/* How far a jitdump, which grows, was read. Zero-filled: not begun. */
struct jitdump {
	bool begun;		 /* its header was read */
	bool timed;		 /* its times are of CLOCK_MONOTONIC */
	struct table by_address; /* start of code → the newest symbol there */
	/* Lines come before the code they are about. */
	uint64_t lines_address;
	size_t first_line, n_lines;
};

void jitdump_deinit(struct jitdump *dump);
/*
 * Adds the symbols and lines of BYTES, which follow what DUMP has seen, as far as they are whole;
 * call jit_map_finish() afterwards. USED_RET says how many bytes were: the next ones begin there.
 * False: not a jitdump of this machine's byte order.
 */
bool jitdump_read(
	struct jitdump *dump, const void *bytes, size_t len, struct jit_map *map, size_t *used_ret);
/* The same for a dump that is read at once. */
bool jitdump_parse(const void *bytes, size_t len, struct jit_map *ret);
