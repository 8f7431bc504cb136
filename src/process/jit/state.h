/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the code that JIT compilers generated in a process, and where it was read. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "process/jit/file.h"
#include "process/jit/map.h"
#include "process/recording/jit.h"
#include "util/text.h"

/* The JIT code of a process. Zero-filled except for FDs of -1 is unread. */
struct jit {
	uint64_t looked;  /* when the files were last read, ns; 0 if never */
	uint64_t version; /* number of changes */
	struct jit_file perf_map, dump;
	struct jit_map map, dump_map;
	struct text refused; /* files that were not trusted or usable, with reasons; may be empty */
	struct recorded_code recorded; /* code of a recorded process */
};

void jit_deinit(struct jit *jit);
/* Returns the size of JIT and of all that it owns, in bytes. */
size_t jit_bytes(const struct jit *jit);
/* Drops everything if a map has names from before a file was rewritten; all is read again. */
void jit_tidy(struct jit *jit);
/* Closes the files; the next read opens them again. */
void jit_close(struct jit *jit);
