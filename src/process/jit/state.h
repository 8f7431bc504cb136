/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What is known of the code that JIT compilers made in one process, and the files that say so. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "process/jit/file.h"
#include "process/jit/map.h"
#include "process/recording/jit.h"
#include "util/text.h"

/* The code of JIT compilers in a process. Zero-filled is unread. */
struct jit {
	uint64_t looked;  /* when the files were looked at last, ns; 0: never */
	uint64_t version; /* counts changes */
	struct jit_file perf_map, dump;
	struct jit_map map, dump_map;
	struct text refused;	       /* which files were not trusted, and why; empty: none */
	struct recorded_code recorded; /* of a recorded process */
};

void jit_deinit(struct jit *jit);
/* How much memory it has. */
size_t jit_bytes(const struct jit *jit);
/* Forgets maps that have the names of files from before they were written anew; they are read again. */
void jit_tidy(struct jit *jit);
/* Closes its files, which are opened again when it is looked at next. */
void jit_close(struct jit *jit);
