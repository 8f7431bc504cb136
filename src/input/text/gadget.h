/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What Inspektor Gadget prints (ig run, kubectl gadget run): the events of gadget_event.h.
 *
 *	-o json, jsonpretty: an object an event, or, of what is counted in a map, an array of them
 *		{"k8s":{…},"proc":{"comm":"spin","pid":7,…},"ustack":{"addresses":"0x…; ","buildid":"…","symbols":"…"}}
 *	-o yaml: `---` before each
 *	columns: their names in upper case, cells as wide as the columns, what is wider ends in "…"
 *		PROC.COMM        PROC.PID USTACK.ADDRESSES
 *		spin                    7 0x000055d0c8a0b139; …
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "util/error.h"

/* Whether the source is AT bytes before an event of these, by its first members; reads no further than it. */
bool gadget_json_starts(struct source *source, size_t at);
/* The same for YAML and the heads of columns. */
bool gadget_yaml_starts(struct source *source);
bool gadget_columns_start(struct source *source);
/* Read on while there are events. The error is the collector's, or for what --key names. */
struct error *gadget_json_read(struct dump *dump, const struct input_options *options) must_check;
struct error *gadget_yaml_read(struct dump *dump, const struct input_options *options) must_check;
struct error *gadget_columns_read(
	struct dump *dump, const struct input_options *options) must_check;
