// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/fetch/server.h"

#include <string.h>

#include "util/xalloc.h"

/* "ima:…" are policies of newer clients (elfutils 0.192), no servers. */
void fetch_servers_add(struct fetch_servers *servers, const char *urls)
{
	for (size_t len; *(urls += strspn(urls, " \t\n")); urls += len) {
		len = strcspn(urls, " \t\n");
		if (strncmp(urls, "ima:", 4) != 0)
			vec_push(servers, (struct fetch_server){.url = xstrndup(urls, len)});
	}
}

void fetch_servers_deinit(struct fetch_servers *servers)
{
	for (size_t i = 0; i < servers->len; i++) {
		free(servers->data[i].url);
		free(servers->data[i].dropped);
	}
	vec_deinit(servers);
}

void fetch_server_drop(struct fetch_server *server, const char *why)
{
	if (!server->dropped)
		server->dropped = xasprintf("%s; it is not asked again", why);
}

void fetch_server_silent(struct fetch_server *server, const char *why)
{
	if (!server->answered || ++server->silences > 1)
		fetch_server_drop(server, why);
}

void fetch_server_note(const struct fetch_server *server, bool told, struct log *log)
{
	if (server->dropped)
		log_add(log, told ? LOG_LOSS : LOG_WARNING, 1,
			"debuginfod: %s: %s; fix: --no-debuginfod, or --debuginfod=URLS of "
			"other servers",
			server->url, server->dropped);
}
