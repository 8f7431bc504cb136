// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <errno.h>
#include <unistd.h>

#include "job.h"
#include "util/scan.h"

#define INTERVAL_MAX (86400 * 1000000000ULL * 365) /* ns */

static void set_interval(void *to, const struct option_value *value)
{
	struct input_live *live = &((struct options *)to)->input.live;
	struct scan scan = scan_of(value->arg);
	bool ok = scan_seconds(&scan, &live->interval) && live->interval &&
		  live->interval <= INTERVAL_MAX;

	if (ok && scan_char(&scan, ':'))
		ok = scan_decimal(&scan, &live->rounds) && live->rounds;
	if (!ok || scan_left(&scan))
		option_wrong(value, "SECONDS or SECONDS:N, as in 10 or 0.5:20");
}

const struct option_row live_rows[] = {
	{.doc = "\n  Reading maps of the running kernel:\v"},
	{"--map=MAP",
		"Read MAP: id:N, name:NAME, pinned:PATH or prog:ID/NAME; or all of prog:ID, comm:COMM, "
		"pid:PID\v: the stack maps and hashes of this program or process (repeatable)",
		ADDS_TO(input.live.maps)},
	{"--list-maps",
		"Print which maps can be read, and how\v: the process that holds each, and the command "
		"line that reads it (with --json: as JSON)",
		STORES_TRUE(list_maps)},
	{"--interval=SECONDS[:N]", "Read maps every SECONDS, N times or until Ctrl-C\v",
		.set = set_interval},
	{"--clear", "Delete entries from maps after they are printed\v (required for queues)",
		STORES_TRUE(input.live.clear)},
	{"--events=MAP",
		"Read events from a ring buffer or perf event array until Ctrl-C (requires "
		"--event-layout)",
		STORES_TEXT(input.live.events)},
	{"--save-dump=FILE", "Also write the entries to FILE, in the format of bpftool -j",
		STORES_TEXT(save_dump)},
	{},
};

bool live_wanted(const struct options *options)
{
	return options->input.live.maps.len || options->input.live.events;
}

const char *live_finish(struct options *options)
{
	struct input_live *live = &options->input.live;

	live->waits = options->symbolize.recording;
	if (options->list_maps && (live->maps.len || options->arguments.len || live->events))
		return "--list-maps reads no maps and no dumps";
	if (!live->maps.len && (live->clear || live->interval || options->save_dump))
		return "--clear, --interval and --save-dump require --map";
	if (live->interval && options->save_dump)
		return "--save-dump and --interval are mutually exclusive";
	if (options->explain && (live->interval || live->clear))
		return "--explain cannot be used with --clear or --interval";
	if ((live->interval || live->clear) && options->format_given &&
		output_is_graph(options->output.format))
		return "--interval and --clear cannot be used with a flame graph, which is one "
		       "document: draw it from their folded stacks";
	if (live->events && (live->interval || live->clear))
		return "--events cannot be used with --clear or --interval";
	if (live->events && !options->input.event_layout)
		return "--events requires --event-layout, as in 'u32 pid; char comm[16]; u64 ustack[]'";
	if ((live->events || live->interval) && options->sources.len)
		return "--events and --interval cannot be used with dumps";
	live->stop_fd = STDIN_FILENO;
	live->proc_root = options->symbolize.find.proc_root;
	return NULL;
}

int command_list_maps(const struct options *options)
{
	auto_text struct text text = {};
	struct error *error = input_list_maps(
		options->symbolize.find.proc_root, options_want_json(options), &text);

	if (!error)
		error = job_write(text.data, text.len);
	return error ? job_fail(error) : 0;
}
