/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user says about finding files. */
#pragma once

#include <stddef.h>
#include <stdint.h>

enum trust {
	TRUST_NORMAL, /* build ID, or device and inode */
	TRUST_STRICT, /* build ID, or the kernel's own link to the mapped file */
	TRUST_ANY,    /* a file that is not verified will do, its frames are marked */
};

/* Paths that begin with FROM, by whole components, are looked for below TO. */
struct path_rule {
	const char *from, *to;
};

/* Zero-filled but for PROC_ROOT is the default. Strings are the caller's; NULL: not used. */
struct find_options {
	enum trust trust;
	uint64_t forbidden;	       /* bit N: the finder N of finders[] is not asked */
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
