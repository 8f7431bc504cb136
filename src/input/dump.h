/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parsers of dumps share: where bytes come from, and where entries and remarks go. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
	enum input_role role; /* of the source */
	uint64_t used;	      /* maps and events that were read from the source so far */
	/* No stack map is to come once rows or events do: the source is the last, and it waits. */
	bool live;
	uint64_t warnings; /* about the source so far */
	/* The parser could not go on: what follows is skipped up to the start of another dump. */
	bool desynced;
	/* The collector's map is a queue or stack: the next document may hold more of its entries. */
	bool in_queue;
	const struct wanted *wanted; /* of arrays in formatted dumps, may be NULL */
};

/* A warning about the source; what comes after DUMP_WARNINGS_MAX of them is only counted. */
void dump_warn(struct dump *dump, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* The program that dumped says at POSITION that it could not, and why. */
void dump_failed(struct dump *dump, const char *position, const char *why);
/* Says how many were only counted. */
void dump_warn_rest(struct dump *dump);
/* A map called NAME begins. */
void dump_map_begin(struct dump *dump, const char *name);
/*
 * Entries without key follow, of a map called NAME. Each is a document of its own (bpftool map pop),
 * so it goes on until dump_queue_end() or dump_map_begin().
 */
void dump_queue_begin(struct dump *dump, const char *name);
void dump_queue_end(struct dump *dump);
/* To be called before rows and events: lets the collector pass samples on while they come. */
struct error *dump_goes_live(struct dump *dump) must_check;
