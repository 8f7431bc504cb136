/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that makes the copies of --keep-files. For each request it reads the mappings of one
 * process and copies files that will soon be unreachable. It is a separate process because reading
 * a user's file may take as long as that user likes, and events must not wait.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "process/recording/kept_dir.h"
#include "process/recording/recording_row.h"

struct copier_options {
	const char *proc_root;
	int dir_fd;	/* from kept_dir_create() */
	uint64_t bytes; /* limit for all copies */
};

struct copier_request {
	uint32_t pid;
	/* a mapping with a copy is reported once per round, one without only once */
	uint32_t round;
};

/* Reasons why there is no copy, with the text of the warning. */
#define COPIER_REFUSALS(X)                                                                         \
	X(TOO_LARGE, "larger than a quarter of --keep-size")                                       \
	X(DENIED, "cannot be opened (needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN)")              \
	X(REMOTE, "on a network or user-space file system, which may not answer")                  \
	X(CHANGED, "no longer the mapped file, or changed while it was copied")                    \
	X(FULL, "the file system of the copies is nearly full, or failed")

enum copier_refusal {
#define COPIER_ENUM(NAME, text) COPIER_##NAME,
	COPIER_REFUSALS(COPIER_ENUM)
#undef COPIER_ENUM
		COPIER_REFUSALS_N
};

/*
 * Replies to a request: any number of COPIER_KEPT and COPIER_REFUSED, then one COPIER_LAST, or
 * COPIER_GONE if the process has exited.
 */
struct copier_reply {
	enum { COPIER_LAST, COPIER_GONE, COPIER_KEPT, COPIER_REFUSED } kind;
	enum copier_refusal refusal;
	struct recorded_row copy; /* a ROW_KEPT without its name */
	char name[KEPT_NAME_MAX];
};

/*
 * Starts the copier. CHILD_RET is its PID. SOCKET_RET takes requests and gives replies, one per
 * packet, and does not block. The copier exits when it is closed. Returns 0 or a negative errno.
 */
int copier_start(const struct copier_options *options, pid_t *child_ret, int *socket_ret);
