/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Implements `stack2line record`: follows processes by events and /proc and writes a recording.
 * Also prints recordings as text.
 */
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
	int fd;	  /* output file */
	bool all; /* record all processes; else PIDS and what they start */
	const uint32_t *pids;
	size_t n_pids;
	/* With ALL: only processes in these cgroups, these processes, and their descendants. */
	const char *const *only_cgroups;
	size_t n_only_cgroups;
	const uint32_t *only_trees;
	size_t n_only_trees;
	bool once;	/* read /proc once, follow no events */
	bool kernel;	/* also record kallsyms, modules, their build IDs, and BPF programs */
	double seconds; /* 0: until stopped, or until PIDS or COMMAND have exited */
	size_t buffer;	/* bytes per CPU for events */
	/* directory for copies of files that will become unreachable; NULL: no copies */
	const char *keep_dir;
	uint64_t keep_bytes;  /* limit for all copies */
	char *const *command; /* NULL-terminated; NULL: none */
	uint64_t files;	      /* RLIMIT_NOFILE (soft) for COMMAND */
	/* Called after the header of each segment was written. An error ends recording. */
	struct error *(*begun)(void *context);
	/* Opens the next segment. NULL: there is only one. */
	struct error *(*next)(void *context, int *fd_ret);
	uint64_t segment_bytes, segment_ns; /* size and duration of a segment; 0: unlimited */
	void *context;
	const volatile sig_atomic_t *stop; /* nonzero: recording is to stop */
};

struct record_result {
	uint64_t processes; /* found in /proc or started since */
	uint64_t mappings, lost;
	int command_status; /* as in a shell's $?; 0 without COMMAND */
};

/*
 * Records until one of the ends that OPTIONS describe. Adds warnings about losses to LOG. Returns
 * an error if recording cannot begin or the recording cannot be written.
 */
struct error *record_run(const struct record_options *options, struct log *log,
	struct record_result *ret) must_check;

/*
 * Prints the recording PATH to OUT as text, one record per line. Returns an error if PATH is not a
 * recording, if it is truncated or damaged (after printing everything before that), or if a write
 * fails.
 */
struct error *record_print(const char *path, FILE *out) must_check;
