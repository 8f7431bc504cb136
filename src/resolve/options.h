/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Options for finding files, kernel symbols and names. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"
#include "model/frame.h"
#include "model/stack.h"
#include "object/fetch/fetcher.h"
#include "object/find/options.h"

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
	bool lines;		    /* find file:line:column; see symbolizer_want_lines() */
	struct fetch_options fetch; /* debuginfod; no URLs: nothing is fetched */
	bool prototypes;	    /* find prototypes of kernel functions */
	enum name_style names;	    /* initially FULL; see symbolizer_want_names() */
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
