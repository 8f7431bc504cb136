// SPDX-License-Identifier: GPL-2.0-or-later
#include "live.h"

#include <string.h>
#include <unistd.h>

#include "help.h"
#include "util/scan.h"

enum {
	OPT_MAP = 768,
	OPT_CLEAR,
	OPT_EVENTS,
	OPT_INTERVAL,
	OPT_SAVE_DUMP,
};

#define SECOND 1000000000ULL /* ns */
#define INTERVAL_MAX (86400 * SECOND * 365)
#define NANO_DIGITS 9

static const struct argp_option option_table[] = {
	HELP_HEADING(HELP_LIVE, "\n  Reading maps of the running kernel:"),
	{"map", OPT_MAP, "MAP", 0,
		"Read MAP: id:N, name:NAME, pinned:PATH, prog:ID/NAME (a map of a program) or prog:ID "
		"(its stack maps and hashes) (repeatable)",
		HELP_AT(HELP_LIVE)},
	{"interval", OPT_INTERVAL, "SECONDS[:N]", 0,
		"Read the maps every SECONDS, N times or until Ctrl-C", HELP_AT(HELP_LIVE)},
	{"clear", OPT_CLEAR, NULL, 0,
		"Delete entries from the maps after they are printed (required for queues)",
		HELP_AT(HELP_LIVE)},
	{"events", OPT_EVENTS, "MAP", 0,
		"Read events from a ring buffer or perf event array until Ctrl-C (requires "
		"--event-layout)",
		HELP_AT(HELP_LIVE)},
	{"save-dump", OPT_SAVE_DUMP, "FILE", 0,
		"Also write the entries to FILE, in the format of bpftool -j", HELP_AT(HELP_LIVE)},
	{},
};

static void set_interval(struct input_live *live, const char *arg, struct argp_state *state)
{
	struct scan scan = {arg, arg + strlen(arg)};
	bool ok = scan_seconds(&scan, &live->interval) && live->interval;

	if (ok && scan_char(&scan, ':'))
		ok = scan_decimal(&scan, &live->rounds) && live->rounds;
	if (!ok || scan_left(&scan))
		argp_error(state,
			"--interval: '%s' is not SECONDS or SECONDS:N, as in 10 or 0.5:20", arg);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	struct input_live *live = &options->input.live;

	switch (key) {
	case OPT_MAP:
		vec_push(&options->maps, arg);
		break;
	case OPT_CLEAR:
		live->clear = true;
		break;
	case OPT_EVENTS:
		live->events = arg;
		break;
	case OPT_INTERVAL:
		set_interval(live, arg, state);
		break;
	case OPT_SAVE_DUMP:
		options->save_dump = arg;
		break;
	default:
		return ARGP_ERR_UNKNOWN;
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

	if (!options->maps.len && (live->clear || live->interval || options->save_dump))
		argp_error(state, "--clear, --interval and --save-dump require --map");
	if (live->interval && options->save_dump)
		argp_error(state, "--save-dump and --interval are mutually exclusive");
	if (options->explain && (live->interval || live->clear))
		argp_error(state, "--explain cannot be used with --clear or --interval");
	if (live->events && (live->interval || live->clear))
		argp_error(state, "--events cannot be used with --clear or --interval");
	if (live->events && !options->input.event_layout)
		argp_error(state,
			"--events requires --event-layout, as in 'u32 pid; char comm[16]; u64 ustack[]'");
	if ((live->events || live->interval) && options->sources.len)
		argp_error(state, "--events and --interval cannot be used with dumps");
}

void live_finish(struct options *options, struct argp_state *state)
{
	struct input_live *live = &options->input.live;

	check_contradictions(options, state);
	live->maps = options->maps.data;
	live->n_maps = options->maps.len;
	live->stop_fd = STDIN_FILENO;
}
