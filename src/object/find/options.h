/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user says about finding files. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "door/rule.h"

/*
 * X(function, word, ...): the finders in the order they are tried, with what is not zero in their struct
 * finder (finder.h). The kernel's links come first; then what names the file by its path, from the
 * process's view to ours; then what the user says; then places that go by build ID alone; last the
 * copies that a recorder made.
 */
#define FINDERS(X)                                                                                 \
	X(map_files, "map_files", .live = true,                                                    \
		.capability = "CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE")                           \
	X(root, "root", .live = true, .by_path = true, .capability = "CAP_SYS_PTRACE")             \
	X(exe, "exe", .live = true, .capability = "CAP_SYS_PTRACE")                                \
	X(path, "path", .by_path = true, .here = true, .guess = true,                              \
		.capability = "CAP_DAC_READ_SEARCH")                                               \
	X(mountinfo, "mountinfo", .by_path = true, .capability = "CAP_DAC_READ_SEARCH")            \
	X(overlay, "overlay", .by_path = true, .capability = "CAP_DAC_READ_SEARCH")                \
	X(substitute, "substitute", .by_path = true, .guess = true)                                \
	X(sysroot, "sysroot", .by_path = true, .guess = true)                                      \
	X(debug_dir, "debug-dir", .by_build_id = true, .guess = true)                              \
	X(perf_cache, "perf-cache", .by_build_id = true, .guess = true)                            \
	X(debuginfod_cache, "debuginfod-cache", .by_build_id = true, .guess = true)                \
	X(debuginfod, "debuginfod", .by_build_id = true, .guess = true, .fetches = true)           \
	X(kept, "kept", .guess = true)

enum finder_number {
#define X(function, ...) FINDER_##function,
	FINDERS(X)
#undef X
		FINDER_COUNT, /* at most 64 */
};

/* Paths that begin with FROM, by whole components, are looked for below TO. */
struct path_rule {
	const char *from, *to;
};

/* Zero-filled but for PROC_ROOT is the default. Strings are the caller's; NULL: not used. */
struct find_options {
	enum trust trust;
	uint64_t forbidden;	       /* bit N: the finder number N is not asked */
	const char *const *debug_dirs; /* NULL-terminated */
	const struct path_rule *rules;
	size_t n_rules;
	const char *sysroot;	/* paths of processes are looked for below it */
	const char *kept_dir;	/* copies that a recorder made are there; NULL: where it says */
	const char *perf_cache; /* perf's build-ID cache, ~/.debug */
	const char *debuginfod_cache; /* ~/.cache/debuginfod_client */
	const char *sys_root;	      /* "/sys", or what stands for it */
	const char *proc_root;
};
