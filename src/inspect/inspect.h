/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What objects offer to those who name and unwind stacks: `stack2line inspect`. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

#include "model/build_id.h"
#include "util/error.h"

enum inspect_what {
	INSPECT_REPORT,
	INSPECT_SFRAME, /* the rows of the SFrame section */
	INSPECT_UNWIND, /* the rule at one address, from each source */
};

struct inspect_options {
	enum inspect_what what;
	const char *file; /* NULL: by PID or build ID */
	int64_t pid;	  /* all that it has mapped as code; 0: by file or build ID */
	struct build_id build_id;
	uint64_t address; /* of INSPECT_UNWIND: an ELF address */
	bool json;
	const char *const *debug_dirs; /* NULL-terminated */
	const char *proc_root;
};

/* Prints what is asked for to OUT. The error says why there is nothing to inspect. */
struct error *inspect_run(const struct inspect_options *options, FILE *out) must_check;
