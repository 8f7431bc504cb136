/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Inspektor Gadget prints (ig run, kubectl gadget run): the events of gadget_event.h.
 *
 *	-o json, jsonpretty: an object an event, or, of what is counted in a map, an array of them
 *		{"k8s":{…},"proc":{"comm":"spin","pid":7,…},"ustack":{"addresses":"0x…; ","buildid":"…","symbols":"…"}}
 *
 * Its YAML and columns are recognized and refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

/* Whether the source is AT bytes before an event of these, by its first members; reads no further than it. */
bool gadget_json_starts(struct source *source, size_t at);
/* Returns true if the source is at its YAML (`---` and a name) or the head of columns (PROC.PID KSTACK). */
bool gadget_text_starts(struct source *source, struct tool_blocks *blocks);
/* Reads on while there are events. The error is the collector's, or for what --key names. */
struct error *gadget_json_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks) must_check;
