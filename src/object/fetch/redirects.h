/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Redirects of debuginfod servers. libcurl follows one to any host, and libdebuginfod has no say in
 * it: a server, or who answers in its place, could have the program ask hosts that only it can
 * reach.
 */
#pragma once

#include <stdbool.h>

/*
 * True if scheme and host of URL are those of one of SERVERS (URLs separated by blanks), or if it
 * is a file below the directory of one. False also if URL has no host.
 */
bool redirects_allowed(const char *url, const char *servers);
/*
 * From here on libcurl connects, in this process, only to SERVERS, which must stay; called
 * before it is loaded. By a function of libcurl's that the program has under its name.
 */
void redirects_guard(const char *servers);
/* The URL that was not asked for that; NULL: none. */
const char *redirects_refused(void);
