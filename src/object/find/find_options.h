/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The user's options for finding files. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "door/rule.h"
#include "util/vec.h"

/*
 * X(function, word, ...): the finders in the order they are tried, with the non-zero members of
 * struct finder (finder.h). First the kernel's links; then the mapping's path, in the process's
 * view before ours; then the user's directories; then build IDs; last the copies of a recorder.
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
	X(debug_dir, "debug-dir", .by_build_id = true)                                             \
	X(perf_cache, "perf-cache", .by_build_id = true)                                           \
	X(debuginfod_cache, "debuginfod-cache", .by_build_id = true)                               \
	X(debuginfod, "debuginfod", .by_build_id = true, .fetches = true)                          \
	X(kept, "kept", .guess = true)

enum finder_number {
#define X(function, ...) FINDER_##function,
	FINDERS(X)
#undef X
		FINDER_COUNT, /* at most 64 */
};

/* A rule that replaces FROM by TO at the start of paths, for whole components. */
struct path_rule {
	const char *from, *to;
};

struct path_rules VEC(struct path_rule);

/*
 * The default is zero-filled except for PROC_ROOT. Strings and arrays are the caller's; NULL: not
 * used.
 */
struct find_options {
	enum trust trust;
	uint64_t forbidden; /* bit N: do not use finder number N */
	struct string_vec debug_dirs;
	struct path_rules rules;
	const char *sysroot; /* directory in which the paths of processes are searched for */
	/* directory of a recorder's copies; NULL: as named in the recording */
	const char *kept_dir;
	const char *perf_cache;	      /* perf's build ID cache, ~/.debug */
	const char *debuginfod_cache; /* ~/.cache/debuginfod_client */
	const char *sys_root;	      /* "/sys", or a replacement */
	const char *proc_root;
};
