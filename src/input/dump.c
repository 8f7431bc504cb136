// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/dump.h"

#include <stdarg.h>

#include "util/text.h"

void dump_warn(struct dump *dump, const char *format, ...)
{
	struct text text = {};
	va_list args;

	collector_refuse(dump->collector);
	if (dump->warnings++ >= DUMP_WARNINGS_MAX)
		return;
	va_start(args, format);
	text_vprintf(&text, format, args);
	va_end(args);
	log_add(dump->log, LOG_WARNING, 1, "%s", text.data);
	text_deinit(&text);
}

void dump_json_problem(
	struct dump *dump, const struct json *json, const char *what, const char *skipped)
{
	if (!json->problem || dump->source->failure || dump->source->failed)
		return;
	if (json->cut)
		dump_warn(dump, "%s: the last %s is truncated", json->problem, what);
	else
		dump_warn(dump, "%s; %s", json->problem, skipped);
	dump->desynced = !json->cut;
}

void dump_map_begin(struct dump *dump, const char *name, bool queue)
{
	if (queue && dump->in_queue)
		return;
	dump_queue_end(dump);
	collector_map_begin(dump->collector, name, dump->role);
	dump->used++;
	dump->in_queue = queue;
}

void dump_queue_end(struct dump *dump)
{
	if (dump->in_queue)
		collector_map_end(dump->collector, false);
	dump->in_queue = false;
}

struct error *dump_goes_live(struct dump *dump)
{
	if (!dump->live)
		return NULL;
	dump->live = false;
	return collector_stacks_complete(dump->collector);
}

void dump_failed(struct dump *dump, const char *position, const char *why)
{
	dump_warn(dump, "%s: bpftool failed: %s", position, why);
	collector_no_counts(dump->collector, dump->source->name, dump->role);
}
