// SPDX-License-Identifier: GPL-2.0-or-later
#include "live.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "commands.h"
#include "job.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "value.h"

enum {
	OPT_MAP = 768,
	OPT_INTERVAL,
};

#define INTERVAL_MAX (86400 * 1000000000ULL * 365) /* ns */

static const struct argp_option option_table[] = {
	HELP_HEADING(HELP_LIVE, "\n  Reading maps of the running kernel:"),
	OPTION(HELP_LIVE, "map", OPT_MAP, "MAP",
		"Read MAP: id:N, name:NAME, pinned:PATH, prog:ID/NAME (a map of a program), or all stack "
		"maps and hashes of prog:ID, comm:COMM or pid:PID (a program or process) (repeatable)"),
	OPTION(HELP_LIVE, "list-maps", STORES_TRUE(list_maps), NULL,
		"Print which maps can be read, whose they are, and the command line that reads them "
		"(with --json: as JSON)"),
	OPTION(HELP_LIVE, "interval", OPT_INTERVAL, "SECONDS[:N]",
		"Read the maps every SECONDS, N times or until Ctrl-C"),
	OPTION(HELP_LIVE, "clear", STORES_TRUE(input.live.clear), NULL,
		"Delete entries from the maps after they are printed (required for queues)"),
	OPTION(HELP_LIVE, "events", STORES_TEXT(input.live.events), "MAP",
		"Read events from a ring buffer or perf event array until Ctrl-C (requires "
		"--event-layout)"),
	OPTION(HELP_LIVE, "save-dump", STORES_TEXT(save_dump), "FILE",
		"Also write the entries to FILE, in the format of bpftool -j"),
	{},
};

static void set_interval(struct input_live *live, const char *arg, struct argp_state *state)
{
	struct scan scan = scan_of(arg);
	bool ok = scan_seconds(&scan, &live->interval) && live->interval &&
		  live->interval <= INTERVAL_MAX;

	if (ok && scan_char(&scan, ':'))
		ok = scan_decimal(&scan, &live->rounds) && live->rounds;
	if (!ok || scan_left(&scan))
		argp_error(state,
			"--interval: '%s' is not SECONDS or SECONDS:N, as in 10 or 0.5:20", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case OPT_MAP:
		vec_push(&options->maps, arg);
		break;
	case OPT_INTERVAL:
		set_interval(&options->input.live, arg, state);
		break;
	default:
		return options_store(options, key, arg);
	}
	return 0;
}

const struct argp live_argp = {.options = option_table, .parser = parse_option};

bool live_wanted(const struct options *options)
{
	return options->maps.len || options->input.live.events;
}

static void check_contradictions(const struct options *options, struct argp_state *state)
{
	const struct input_live *live = &options->input.live;

	value_refuse(state,
		options->list_maps && (options->maps.len || options->arguments.len || live->events),
		"--list-maps reads no maps and no dumps");
	value_refuse(state,
		!options->maps.len && (live->clear || live->interval || options->save_dump),
		"--clear, --interval and --save-dump require --map");
	value_refuse(state, live->interval && options->save_dump,
		"--save-dump and --interval are mutually exclusive");
	value_refuse(state, options->explain && (live->interval || live->clear),
		"--explain cannot be used with --clear or --interval");
	value_refuse(state,
		(live->interval || live->clear) && options->format_given &&
			output_is_graph(options->output.format),
		"--interval and --clear cannot be used with a flame graph, which is one "
		"document: draw it of their folded stacks");
	value_refuse(state, live->events && (live->interval || live->clear),
		"--events cannot be used with --clear or --interval");
	value_refuse(state, live->events && !options->input.event_layout,
		"--events requires --event-layout, as in 'u32 pid; char comm[16]; u64 ustack[]'");
	value_refuse(state, (live->events || live->interval) && options->sources.len,
		"--events and --interval cannot be used with dumps");
}

void live_finish(struct options *options, struct argp_state *state)
{
	struct input_live *live = &options->input.live;

	check_contradictions(options, state);
	live->maps = options->maps.data;
	live->n_maps = options->maps.len;
	live->stop_fd = STDIN_FILENO;
	live->proc_root = options->symbolize.find.proc_root;
}

int command_list_maps(struct options *options)
{
	scope_guard(text_deinit) struct text text = {};
	struct error *error = input_list_maps(
		options->symbolize.find.proc_root, options_want_json(options), &text);

	if (error)
		return job_fail(error);
	if (fwrite(text.data, 1, text.len, stdout) < text.len || fflush(stdout))
		return job_fail(error_errno(errno, "cannot write the output"));
	return 0;
}
