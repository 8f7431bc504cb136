/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the user chose of finding files, kernel symbols and what names consist of. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"
#include "model/frame.h"
#include "model/stack.h"
#include "object/fetch/fetcher.h"
#include "object/find/options.h"

struct symbolize_options {
	struct find_options find;     /* with proc_root: "/proc", or what stands for it */
	const char *recording;	      /* of `stack2line record`; NULL: none */
	const char *const *btf_files; /* saved BTF; NULL-terminated */
	const char *kallsyms;	      /* a saved /proc/kallsyms; NULL: this system's */
	int64_t pid_namespace;	      /* a process of the namespace that PIDs are of; 0: /proc's */
	const char *modules;	  /* a saved /proc/modules or /sys/module; NULL: this system's */
	const char *vmlinux;	  /* the kernel's own file; NULL: looked for */
	const char *const *files; /* -e: looked at first for build IDs; NULL-terminated */
	/*
	 * What the values of exact user stacks (bare addresses) are: addresses of the sample's
	 * process, or, with one of these, ELF addresses of the first of FILES or of BUILD_ID.
	 */
	bool addresses_of_file;
	struct build_id build_id; /* len 0: none */
	bool inlines, demangle;
	bool lines;		    /* file:line:column; see symbolizer_want_lines() */
	struct fetch_options fetch; /* from debuginfod servers; without urls nothing is */
	bool prototypes;	    /* of the kernel's functions */
	enum name_style names;	    /* FULL; see symbolizer_want_names() */
	enum qualify qualify;
	enum unwind_mode unwind; /* of snapshots */
	bool guess_callers;	 /* those that leaves lost are put back where the code tells them */
	bool source;		 /* frames get lines of their source files */
	unsigned source_context; /* how many before and behind */
	bool dwarf_names;    /* as binutils: a cold part ("f.cold") is called "f", as DWARF does */
	bool relative_names; /* source files without their compilation directory */
	const char *package; /* of split units (.dwp), looked at first; NULL: none is given */
	bool libdw;	     /* read DWARF through libdw only */
	bool process_comms; /* samples get the names of their processes, which threads may not have */
	bool once;    /* no address is asked for twice: what a batch found is forgotten with it */
	bool unnamed; /* only find out which file and offset, for stacks named elsewhere */
};
