/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State that the dump parsers share: the source of bytes, the collector and the log. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/bpftool/json.h"
#include "input/collector.h"
#include "input/input.h"
#include "input/source.h"
#include "input/wanted.h"
#include "util/error.h"
#include "util/log.h"

#define DUMP_WARNINGS_MAX 20

struct dump {
	struct source *source;
	struct collector *collector;
	struct log *log;
	const struct input_options *options;
	enum input_role role; /* role of the source */
	uint64_t used;	      /* maps, events and samples read so far, except from DOCUMENT_LINES */
	/* true if no stack map can follow the first row or event: last source, and a stream */
	bool live;
	uint64_t warnings; /* about the source so far, including those only counted */
	/* true after a syntax error: skip to the start of the next dump */
	bool desynced;
	/* true if the map is a queue or stack: the next document may be its next entry */
	bool in_queue;
	const struct wanted *wanted; /* for arrays in formatted dumps; may be NULL */
};

/*
 * Warns about the source, and notes that part of it is unusable. After DUMP_WARNINGS_MAX warnings,
 * further ones are only counted.
 */
void dump_warn(struct dump *dump, const char *format, ...) __attribute__((format(printf, 2, 3)));
/*
 * Warns of what is wrong with JSON, unless the source failed, as logged: that the last WHAT is
 * truncated, or what is SKIPPED ("the rest is skipped").
 */
void dump_json_problem(
	struct dump *dump, const struct json *json, const char *what, const char *skipped);
/* Warns that the dumping program reported the error WHY at POSITION. */
void dump_failed(struct dump *dump, const char *position, const char *why);
/*
 * Begins a map called NAME, which ends an open queue; or a QUEUE, unless one is open. The entries
 * of a queue have no key, and each is a document (bpftool map pop), so that it ends with
 * dump_queue_end() or the next map.
 */
void dump_map_begin(struct dump *dump, const char *name, bool queue);
void dump_queue_end(struct dump *dump);
/* Called before rows and events: if dump->live, makes the collector pass samples on at once. */
struct error *dump_goes_live(struct dump *dump) must_check;
