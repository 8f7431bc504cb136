// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/fetch/fetcher.h"

#include <stdlib.h>

const char fetch_fix_servers[] = "--debuginfod=URLS of servers that answer";

void fetch_destroy(struct fetch *fetch)
{
	if (!fetch)
		return;
	free(fetch->name);
	free(fetch->label);
	free(fetch->path);
	text_deinit(&fetch->outcome);
	free(fetch);
}

void fetch_say(struct fetch *fetch, const char *url, const char *outcome)
{
	text_printf(&fetch->outcome, "%s%s%s%s", fetch->outcome.len ? "; " : "", url ? url : "",
		url ? ": " : "", outcome);
}

void fetch_fail(struct fetch *fetch, const char *url, const char *outcome, const char *fix)
{
	fetch_say(fetch, url, outcome);
	fetch->hard = true;
	/* Another remedy is more important than one about servers. */
	if (!fetch->fix || fix != fetch_fix_servers)
		fetch->fix = fix;
}

struct fetch *fetch_hold(struct fetch *fetch)
{
	if (fetch)
		fetch->holders++;
	return fetch;
}

void fetch_release(struct fetch *fetch)
{
	if (fetch)
		fetch->holders--;
}

const char *fetch_outcome(const struct fetch *fetch)
{
	return fetch->done && fetch->outcome.data ? fetch->outcome.data : "";
}

bool fetch_failed(const struct fetch *fetch)
{
	return fetch->done && !fetch->path && !fetch->sections && fetch->hard;
}

const char *fetch_lost(struct fetch *fetch, const char **fix_ret)
{
	if (!fetch || !fetch->done || fetch->path || fetch->sections)
		return NULL;
	fetch->told = true;
	*fix_ret = fetch->fix;
	return fetch_outcome(fetch);
}

void fetch_note(const struct fetch *fetch, struct log *log)
{
	/* For each unreachable server, reports only once that it is, and how to use another. */
	bool warn = !fetch->path && fetch->fix && fetch->fix != fetch_fix_servers;
	enum log_level level = fetch->told ? LOG_LOSS : LOG_WARNING;

	if (!fetch->done || fetch->kind == DEBUGINFOD_SECTION ||
		(fetch->told && !warn && fetch_failed(fetch)))
		return;
	if (fetch->sections) {
		log_add(log, LOG_DETAIL, 1,
			"debuginfod: %s: sections fetched: %.1f MB of %.1f, %.1f MB saved",
			fetch->label, (double)fetch->sections / 1e6, (double)fetch->too_large / 1e6,
			(double)(fetch->too_large - fetch->sections) / 1e6);
		return;
	}
	log_add(log, warn ? level : LOG_DETAIL, 1, "debuginfod: %s: %s%s%s", fetch->label,
		fetch_outcome(fetch), warn ? "; fix: " : "", warn ? fetch->fix : "");
}
