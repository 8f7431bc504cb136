/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The pipeline of `stack2line record`: what processes do in, a recording out. */
#pragma once

#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>

#include "util/error.h"
#include "util/log.h"

struct record_options {
	const char *proc_root, *sys_root;
	int fd;	  /* where the recording goes */
	bool all; /* every process; else PIDS and what they start */
	const uint32_t *pids;
	size_t n_pids;
	/* With ALL: of every process only those in one of these cgroups, or descending from these. */
	const char *const *only_cgroups;
	size_t n_only_cgroups;
	const uint32_t *only_trees;
	size_t n_only_trees;
	bool once;	/* look once, follow nothing */
	bool kernel;	/* kallsyms, modules and their build IDs too */
	double seconds; /* 0: until stopped, or PIDS or COMMAND are gone */
	size_t buffer;	/* bytes for each CPU's events */
	const char *
		keep_dir; /* where copies of files that will be out of reach go; NULL: none are made */
	uint64_t keep_bytes;  /* of all copies there */
	char *const *command; /* NULL-terminated; NULL: none */
	uint64_t files;	      /* soft limit of open files that COMMAND gets */
	/* Called when the header is in the file; an error keeps recording from beginning. */
	struct error *(*begun)(void *context);
	/* Opens the next segment, NULL: there is only one; `begun` is called for it, too. */
	struct error *(*next)(void *context, int *fd_ret);
	uint64_t segment_bytes, segment_ns; /* of a segment, 0: no limit */
	void *context;
	const volatile sig_atomic_t *stop; /* becomes non-zero to end it */
};

struct record_result {
	uint64_t processes; /* that were found or began */
	uint64_t mappings, lost;
	int command_status; /* exit status as a shell has it, 0 without COMMAND */
};

/*
 * Records until the end. What was lost goes to LOG. The error is for what keeps it from
 * beginning, and a failed write.
 */
struct error *record_run(const struct record_options *options, struct log *log,
	struct record_result *ret) must_check;

/*
 * Prints the recording PATH to OUT as text, a record per line. The error is for what is not a
 * recording, one that is truncated or damaged (everything before that is printed), and a failed
 * write.
 */
struct error *record_print(const char *path, FILE *out) must_check;
