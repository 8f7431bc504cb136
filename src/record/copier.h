/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The process that makes the copies of --keep-files. It looks at one process after another, as it is asked,
 * and copies files that will soon be out of reach. It is a process of its own: reading a file of a user may
 * take as long as that user likes, and events must not wait.
 */
#pragma once

#include <stdint.h>
#include <sys/types.h>

#include "process/recording/kept_dir.h"
#include "process/recording/row.h"

struct copier_options {
	const char *proc_root;
	int dir_fd;	/* of kept_dir_create() */
	uint64_t bytes; /* of all copies */
};

struct copier_request {
	uint32_t pid;
	uint32_t
		round; /* what was said of a mapping in this round, or found useless in any, is not said again */
};

/* Why there is no copy, as the user is told. */
#define COPIER_REFUSALS(X)                                                                         \
	X(TOO_LARGE, "larger than a quarter of --keep-size")                                       \
	X(DENIED, "cannot be opened (needs CAP_CHECKPOINT_RESTORE or CAP_SYS_ADMIN)")              \
	X(REMOTE, "of a network or user-space file system, which may not answer")                  \
	X(CHANGED, "not what was mapped any more, or changed while it was copied")                 \
	X(FULL, "the file system of the copies is nearly full, or failed")

enum copier_refusal {
#define COPIER_ENUM(NAME, text) COPIER_##NAME,
	COPIER_REFUSALS(COPIER_ENUM)
#undef COPIER_ENUM
		COPIER_REFUSALS_N
};

/* To each request comes one of the first two kinds, after others that say what was found. */
struct copier_reply {
	enum { COPIER_LAST, COPIER_GONE, COPIER_KEPT, COPIER_REFUSED } kind;
	enum copier_refusal refusal;
	struct recorded_row copy; /* a ROW_KEPT without its name */
	char name[KEPT_NAME_MAX];
};

/*
 * Starts it: CHILD_RET is its process, SOCKET_RET takes requests and gives replies, a packet each, and does
 * not block. It ends when that is closed. OPTIONS must stay as they are. 0 or a negative errno.
 */
int copier_start(const struct copier_options *options, pid_t *child_ret, int *socket_ret);
