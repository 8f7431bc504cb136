// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Replaces live.c and what it uses in builds without libbpf: live maps cannot be opened, and the
 * error says why.
 */
#include "input/input.h"
#include "input/live/live.h"

#pragma GCC diagnostic ignored "-Wunused-parameter"
/* NOLINTBEGIN(misc-unused-parameters) */

struct error *live_open(const struct input_live *options, const struct wanted *wanted,
	struct log *log, struct live **ret)
{
	return error_create(ERROR_USAGE,
		"cannot read live maps: this program was built without libbpf; pipe the output "
		"of `bpftool -j map dump` into it");
}

struct error *input_list_maps(const char *proc_root, bool json, struct text *ret)
{
	return error_create(ERROR_USAGE, "--list-maps: this program was built without libbpf");
}

void live_destroy(struct live *live)
{
}

struct error *live_read(struct live *live, struct collector *collector)
{
	return NULL;
}

struct error *live_clear(
	struct live *live, struct collector *collector, struct input_sink *sink, bool *saved_ret)
{
	return NULL;
}

struct error *live_events(struct live *live, struct collector *collector)
{
	return NULL;
}

struct error *live_look_up(struct live *live, struct collector *collector)
{
	return NULL;
}

bool live_next_round(struct live *live)
{
	return false;
}

/* NOLINTEND(misc-unused-parameters) */
