// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/fetch/debuginfod.h"

#include <dlfcn.h>
#include <stdarg.h>
#include <stdio.h>
#include <strings.h>
#include <sys/socket.h>

#include "util/scan.h"

/* Constants of curl.h, which is not otherwise needed to build. libcurl never changes them. */
enum {
	OPT_FOLLOWLOCATION = 52,
	OPT_REDIR_PROTOCOLS = 182,
	OPT_OPENSOCKETDATA = 10164,
	OPT_OPENSOCKETFUNCTION = 20163,
	OPT_PREREQDATA = 10313,
	OPT_PREREQFUNCTION = 20312, /* since 7.80 */
	INFO_EFFECTIVE_URL = 0x100001,
	PROTOCOLS_HTTP = 3, /* HTTP and HTTPS */
	PREREQ_ABORT = 1,
	SOCKET_BAD = -1,
};

/* struct curl_sockaddr */
struct curl_address {
	int family, type, protocol;
	unsigned len;
	struct sockaddr address;
};

/*
 * File scope variables, against the rules: libcurl's callbacks come through libdebuginfod, and only
 * in a child process that makes one request.
 */
static const char *allowed;
static char refused[PATH_MAX];

/* The parts of a URL that decide whether it belongs to a server. */
struct url_origin {
	struct scan scheme;
	/* without user and port; for file: URLs the path, without trailing slashes */
	struct scan host;
	bool is_file;
};

/* Splits URL, which ends at white space. Without a scheme it is HTTP, as for libcurl. */
static struct url_origin origin_of(const char *url)
{
	struct scan left = {url, url + strcspn(url, " \t\n")}, file = left;
	const char *colon = scan_find(left, "://"), *user;
	struct url_origin ret = {.scheme = colon ? (struct scan){url, colon} : scan_of("http")};

	if (scan_literal(&file, "file:")) {
		if (scan_literal(&file, "//"))
			(void)scan_literal(&file, "localhost");
		while (scan_left(&file) && file.end[-1] == '/')
			file.end--;
		return (struct url_origin){scan_of("file"), file, true};
	}
	left.at = colon ? colon + strlen("://") : url;
	left.end = left.at + strcspn(left.at, "/?# \t\n");
	if ((user = scan_last(left, '@')))
		left.at = user + 1;
	const char *end = scan_first(left, scan_starts(left, "[") ? ']' : ':');
	ret.host = (struct scan){left.at, end ? end : left.end};
	return ret;
}

static bool same_text(struct scan a, struct scan b)
{
	return scan_left(&a) == scan_left(&b) && !strncasecmp(a.at, b.at, scan_left(&a));
}

/* Returns true if FILE is below the server's directory DIR. */
static bool is_below(struct scan file, struct scan dir)
{
	size_t len = scan_left(&dir);

	return scan_left(&file) > len && !memcmp(file.at, dir.at, len) && file.at[len] == '/' &&
	       !scan_find(file, "/../");
}

bool redirects_allowed(const char *url, const char *servers)
{
	if (!url)
		return false;
	const struct url_origin wanted = origin_of(url);
	for (; *(servers += strspn(servers, " \t\n")); servers += strcspn(servers, " \t\n")) {
		const struct url_origin server = origin_of(servers);

		if (same_text(wanted.scheme, server.scheme) &&
			(wanted.is_file ? is_below(wanted.host, server.host)
					: scan_left(&wanted.host) &&
						  same_text(wanted.host, server.host)))
			return true;
	}
	return false;
}

void redirects_guard(const char *servers)
{
	allowed = servers;
}

const char *redirects_refused(void)
{
	return *refused ? refused : NULL;
}

static bool may_ask(void *handle)
{
	int (*get_info)(void *, int, ...) =
		(int (*)(void *, int, ...))dlsym(RTLD_NEXT, "curl_easy_getinfo");
	const char *url = NULL;

	if (get_info && !get_info(handle, INFO_EFFECTIVE_URL, &url) &&
		redirects_allowed(url, allowed))
		return true;
	snprintf(refused, sizeof(refused), "%s", url ? url : "?");
	return false;
}

static int open_socket(void *handle, int purpose, struct curl_address *address)
{
	(void)purpose;
	return may_ask(handle)
		       ? socket(address->family, address->type | SOCK_CLOEXEC, address->protocol)
		       : SOCKET_BAD;
}

/* Checks requests on connections that are reused, which open no socket. */
static int before_request(void *handle, char *ip, char *local_ip, int port, int local_port)
{
	(void)ip, (void)local_ip, (void)port, (void)local_port;
	return may_ask(handle) ? 0 : PREREQ_ABORT;
}

/*
 * Replaces the function of libcurl when libdebuginfod calls it: the program exports it, and its
 * symbols take precedence. The arguments are numbers and pointers, which are passed alike.
 */
int curl_easy_setopt(void *handle, int option, ...) __attribute__((visibility("default")));
int curl_easy_setopt(void *handle, int option, ...)
{
	int (*set)(void *, int, ...) =
		(int (*)(void *, int, ...))dlsym(RTLD_NEXT, "curl_easy_setopt");
	va_list args;

	va_start(args, option);
	void *value = va_arg(args, void *);
	va_end(args);
	if (!set)
		return 1;
	if (option == OPT_FOLLOWLOCATION && allowed) {
		(void)set(handle, OPT_OPENSOCKETDATA, handle);
		(void)set(handle, OPT_OPENSOCKETFUNCTION, open_socket);
		(void)set(handle, OPT_PREREQDATA, handle);
		(void)set(handle, OPT_PREREQFUNCTION, before_request);
		(void)set(handle, OPT_REDIR_PROTOCOLS, (void *)(long)PROTOCOLS_HTTP);
	}
	return set(handle, option, value);
}
