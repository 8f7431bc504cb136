/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Sends one request to one debuginfod server, from a child process, so that the program survives
 * whatever libdebuginfod and libcurl do, and runs and builds without them. Only debuginfod.c uses
 * libdebuginfod. The library is loaded in the child, since loading it takes longer than resolving a
 * few addresses.
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
	const char *url; /* of the server to ask */
	/* URLs of all permitted servers, separated by spaces: redirects may lead to them */
	const char *servers;
	const char *cache; /* directory for files, shared by all clients of debuginfod */
	enum debuginfod_kind kind;
	struct build_id id;
	const char *name;   /* path of a source file, or name of a section; else unused */
	uint64_t max;	    /* size limit in bytes */
	unsigned timeout;   /* seconds after which the child ends in any case */
	bool forget_before; /* ask the server even if the cache remembers the file as missing */
	/* do not let the cache remember that this server does not have the file */
	bool forget_after;
};

enum debuginfod_answer {
	DEBUGINFOD_PROGRESS, /* in progress; never the last message */
	DEBUGINFOD_FOUND,
	DEBUGINFOD_ABSENT, /* the server does not have the file */
	DEBUGINFOD_TOO_LARGE,
	DEBUGINFOD_UNREACHABLE, /* no connection, or unknown host */
	DEBUGINFOD_FAILED,
};

struct debuginfod_message {
	enum debuginfod_answer answer;
	bool receiving;	 /* the server has begun to send the file */
	bool remembered; /* ABSENT according to the cache: no server was asked */
	/* bytes received and size of the file (-1: unknown); valid if receiving */
	int64_t bytes, total;
	/* FOUND: path in the cache; UNREACHABLE, FAILED: the reason; else "" */
	char text[PATH_MAX];
};

/*
 * Starts a child that sends the request and reports on a socket, with one struct debuginfod_message
 * per packet, and end of file at its end. The child ends within about a second after a shutdown()
 * of the socket or the end of this process. The caller reaps it. Returns -1 with errno set on
 * failure.
 */
pid_t debuginfod_ask(const struct debuginfod_question *question, int *socket_ret);

/*
 * Restricts redirects of debuginfod servers. libcurl follows them to any host, and libdebuginfod
 * has no option for that. A server, or an attacker in its place, could make the program send
 * requests to hosts that only it can reach.
 */

/*
 * Returns true if scheme and host of URL are those of one of SERVERS (URLs separated by spaces), or
 * if it is a file below the directory of one. Returns false if URL has no host.
 */
bool redirects_allowed(const char *url, const char *servers);
/*
 * Lets libcurl connect only to SERVERS in this process. Must be called before libcurl is loaded,
 * and SERVERS must stay valid. It works by replacing a function of libcurl by one of the same name.
 */
void redirects_guard(const char *servers);
/* Returns the URL of a request that was refused for this reason, or NULL. */
const char *redirects_refused(void);
