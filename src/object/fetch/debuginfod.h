/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * One question to one debuginfod server, asked by a child process: whatever libdebuginfod and
 * libcurl do, the program goes on, and it can do without them. The only file that knows
 * libdebuginfod, and the library is loaded in the child: loading it and what it needs takes longer
 * than resolving a few addresses.
 */
#pragma once

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/build_id.h"

enum debuginfod_kind {
	DEBUGINFOD_DEBUGINFO,
	DEBUGINFOD_EXECUTABLE,
	DEBUGINFOD_SOURCE,
	DEBUGINFOD_SECTION,
};

struct debuginfod_question {
	const char *url;     /* of one server */
	const char *servers; /* URLs of all that may be asked, separated by blanks: redirects */
	const char *cache;   /* directory where files are kept, as all clients of debuginfod do */
	enum debuginfod_kind kind;
	struct build_id id;
	const char *name;   /* path of a source file, name of a section; else NULL */
	uint64_t max;	    /* bytes; more are not fetched */
	unsigned timeout;   /* seconds after which the child ends in any case */
	bool forget_before; /* what the cache remembers as missing is asked for all the same */
	bool forget_after;  /* that this server does not have it is not to be remembered */
};

enum debuginfod_answer {
	DEBUGINFOD_PROGRESS, /* under way; the last message is of another kind */
	DEBUGINFOD_FOUND,
	DEBUGINFOD_ABSENT, /* the server does not have it */
	DEBUGINFOD_TOO_LARGE,
	DEBUGINFOD_UNREACHABLE, /* no connection, no such host */
	DEBUGINFOD_FAILED,
};

struct debuginfod_message {
	enum debuginfod_answer answer;
	bool receiving;	      /* the server has begun to send the file */
	bool remembered;      /* ABSENT by what the cache remembers: no server was asked */
	int64_t bytes, total; /* so far, and of the file; total -1: unknown. Valid if receiving */
	char text[PATH_MAX];  /* FOUND: path in the cache; UNREACHABLE, FAILED: why; else "" */
};

/*
 * Starts a child that asks QUESTION and tells what happens on a socket: a struct debuginfod_message
 * a packet, end of file behind the last. shutdown() of the socket makes the child end within a
 * second or so, and so does the end of this process. The caller reaps it. -1 with errno set: no
 * child.
 */
pid_t debuginfod_ask(const struct debuginfod_question *question, int *socket_ret);
