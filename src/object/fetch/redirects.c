// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/fetch/redirects.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <sys/socket.h>
#include <unistd.h>

/* Of curl.h, which is not needed to build otherwise; libcurl never changes them. */
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
 * Variables of the file, though the rules know none: libcurl is called by libdebuginfod, and only
 * in the child process that asks one question.
 */
static const char *allowed;
static char refused[PATH_MAX];

/* The length of "https://host", without user, port and path; 0: there is no host. */
static size_t host_len(const char *url, const char **host_ret, size_t *scheme_ret)
{
	const char *scheme_end = strstr(url, "://");

	if (!scheme_end)
		return 0;
	const char *host = scheme_end + 3;
	size_t len = strcspn(host, "/?# \t\n");
	const char *at = memrchr(host, '@', len);

	if (at) {
		len -= (size_t)(at + 1 - host);
		host = at + 1;
	}
	if (*host == '[') {
		const char *end = memchr(host, ']', len);

		len = end ? (size_t)(end + 1 - host) : len;
	} else {
		const char *colon = memchr(host, ':', len);

		len = colon ? (size_t)(colon - host) : len;
	}
	*host_ret = host;
	*scheme_ret = (size_t)(scheme_end - url);
	return len;
}

bool redirects_allowed(const char *url, const char *servers)
{
	const char *host, *other;
	size_t scheme, other_scheme, len = url ? host_len(url, &host, &scheme) : 0;

	while (len && *servers) {
		servers += strspn(servers, " \t\n");
		size_t word = strcspn(servers, " \t\n");
		size_t other_len = word ? host_len(servers, &other, &other_scheme) : 0;

		if (other_len == len && other < servers + word && other_scheme == scheme &&
			!strncasecmp(url, servers, scheme) && !strncasecmp(host, other, len))
			return true;
		servers += word;
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

/* Of a connection that was there already. */
static int before_request(void *handle, char *ip, char *local_ip, int port, int local_port)
{
	(void)ip, (void)local_ip, (void)port, (void)local_port;
	return may_ask(handle) ? 0 : PREREQ_ABORT;
}

/*
 * libcurl's own, which libdebuginfod calls; the program exports it, and comes first. Arguments are
 * numbers and pointers, which are passed alike.
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
