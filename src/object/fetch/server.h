/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The debuginfod servers of a run, and which of them are still worth asking. */
#pragma once

#include <stdbool.h>

#include "util/log.h"
#include "util/vec.h"

struct fetch_server {
	char *url;
	bool answered;	   /* it has said something, once */
	unsigned silences; /* downloads given up without a word of it */
	char *dropped;	   /* why it is not asked any more; NULL: it is */
};

/* Zero-filled is empty. */
struct fetch_servers VEC(struct fetch_server);

/* Adds those of URLS, which are separated by blanks. */
void fetch_servers_add(struct fetch_servers *servers, const char *urls);
void fetch_servers_deinit(struct fetch_servers *servers);
/* It is not asked any more. */
void fetch_server_drop(struct fetch_server *server, const char *why);
/* It has kept silent: dropped, unless it has answered before and this was the first time. */
void fetch_server_silent(struct fetch_server *server, const char *why);
/* Tells LOG if it was dropped; TOLD: the summary of lost frames says so too. */
void fetch_server_note(const struct fetch_server *server, bool told, struct log *log);
