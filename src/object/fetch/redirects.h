/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Restricts redirects of debuginfod servers. libcurl follows them to any host, and libdebuginfod
 * has no option for that. A server, or an attacker in its place, could make the program send
 * requests to hosts that only it can reach.
 */
#pragma once

#include <stdbool.h>

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
