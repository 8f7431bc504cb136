/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Names the locations of a batch: each object collects its addresses and asks its debug info once.
 * JIT code is named by perf maps and jitdumps.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "debug/source_file.h"
#include "health/code.h"
#include "model/build_id.h"
#include "model/frame.h"
#include "model/stack.h"
#include "object/fetch/fetcher.h"
#include "object/find/find_options.h"
#include "object/object_cache.h"
#include "resolve/place.h"
#include "util/vec.h"

/* Options for finding files, kernel symbols and names. */

struct symbolize_options {
	struct find_options find;    /* with proc_root, usually "/proc" */
	const char *recording;	     /* file of `stack2line record`, or NULL */
	struct string_vec btf_files; /* saved BTF files; not owned */
	const char *kallsyms;	     /* a saved /proc/kallsyms; NULL: this system's */
	int64_t pid_namespace;	 /* process in the PID namespace of the dump; 0: that of /proc */
	const char *modules;	 /* a saved /proc/modules or /sys/module; NULL: this system's */
	const char *vmlinux;	 /* file of the kernel; NULL: search for it */
	struct string_vec files; /* -e, preferred for build IDs; not owned */
	/*
	 * Exact user stacks (bare addresses) hold addresses of the sample's process, or, if one of these
	 * is set, ELF addresses of the first of FILES or of BUILD_ID.
	 */
	bool addresses_of_file;
	struct build_id build_id; /* len 0: none */
	bool inlines, demangle;
	bool lines;		    /* find file:line:column; see symbolizer_want() */
	struct fetch_options fetch; /* debuginfod; no URLs: nothing is fetched */
	bool prototypes;	    /* find prototypes of kernel functions */
	enum name_style names;	    /* initially FULL; see symbolizer_want() */
	enum qualify qualify;
	enum unwind_mode unwind; /* how to unwind snapshots */
	bool guess_callers;	 /* insert lost callers of leaves that the code reveals */
	bool source;		 /* add source lines to frames */
	unsigned source_context; /* lines before and after */
	bool dwarf_names;    /* as in binutils: call a cold part ("f.cold") "f", as DWARF does */
	bool relative_names; /* print source files without their compilation directory */
	const char *package; /* .dwp to prefer, or NULL */
	bool process_comms;  /* set `process_comm` of samples */
	bool once;	     /* no address comes twice: forget the places of each batch */
	bool unnamed;	     /* find file and offset only, for stacks named on another machine */
};

/* An address to name, and the location that gets the name. */
struct want {
	uint64_t
		address; /* ELF address to look up, one less than the location's for a caller; first, as the sort key */
	bool exact;
	bool walked; /* its caller was found by frame pointers */
	struct location *location;
};

/* An object with its debug info and the addresses to name in it. */
struct target {
	struct object *object;
	struct debug *debug; /* NULL if OBJECT has no image */
	struct VEC(struct want) wants;
	struct object_code code; /* set together with DEBUG */
};

/* A frame that needs its source text. */
struct sourced {
	struct frame *frame;
	struct source_file *file;
};

/* Zero-filled except for the first four members is empty. */
struct targets {
	const struct symbolize_options *options;
	enum name_style names;	 /* style of `shown` for objects opened from now on */
	bool lines;		 /* find lines in objects opened from now on */
	struct fetcher *fetcher; /* NULL: nothing is fetched */
	uint64_t last_names;	 /* last value given to `names` of a location */
	struct debug_folders *folders;
	struct arena *arena;		 /* owns frames */
	struct VEC(struct target *) all; /* by object number; entries may be NULL */
	struct VEC(uint64_t) addresses;	 /* scratch, like the answers */
	struct VEC(struct debug_answer) answers;
	struct source_texts sources;
	struct VEC(struct sourced) sourced; /* of the current batch */
};

void targets_deinit(struct targets *targets);
/* Returns true if there are too many sources: call targets_drop(). */
bool targets_are_full(const struct targets *targets);
/*
 * Forgets the sources, and the targets of objects chosen by object_cache_choose(), between batches.
 * Call object_cache_drop() next, which renumbers the other objects.
 */
void targets_drop(struct targets *targets, const struct object_cache *objects);
/* Returns the target of OBJECT, created on demand, owned by TARGETS. */
struct target *target_of(struct targets *targets, struct object *object);
/*
 * Names all collected addresses. Requests every missing debug file before it resolves the first
 * object; an object waits for its own files only.
 */
void targets_resolve(struct targets *targets);
