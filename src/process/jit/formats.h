/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the files of JIT compilers: perf-PID.map and jit-PID.dump. */
#pragma once

#include "process/jit/map.h"
#include "util/table.h"

/*
 * Adds the symbols of a perf map (Linux, tools/perf/Documentation/jit-interface.txt) in TEXT to
 * RET; call jit_map_finish() afterwards. The source location in names by Node
 * ("JS:*tick /app/x.js:3:9") is removed and becomes the line. Returns the number of invalid lines.
 */
size_t perf_map_parse(const char *text, size_t len, struct jit_map *ret);

/*
 * The state of reading a jitdump (Linux, tools/perf/Documentation/jitdump-specification.txt), which
 * grows.
 */
struct jitdump {
	bool begun;		 /* true if its header was read */
	bool timed;		 /* true if its times are of CLOCK_MONOTONIC */
	struct table by_address; /* start of code → the latest symbol there */
	/* the lines read last: they precede the code they describe */
	uint64_t lines_address;
	size_t first_line, n_lines;
};

void jitdump_deinit(struct jitdump *dump);
/*
 * Adds the symbols and lines in BYTES to MAP; call jit_map_finish() afterwards. BYTES must follow
 * those already read into DUMP. Uses only whole records, and sets USED_RET to their number of
 * bytes; the next call's BYTES begin there. Returns false if this is not a jitdump in this
 * machine's byte order.
 */
bool jitdump_read(
	struct jitdump *dump, const void *bytes, size_t len, struct jit_map *map, size_t *used_ret);
