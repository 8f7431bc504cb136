/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the parsers of dumps share: where bytes come from, and where entries and remarks go. */
#ifndef INPUT_DUMP_H
#define INPUT_DUMP_H

#include <stdbool.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/input.h"
#include "input/source.h"
#include "util/error.h"
#include "util/log.h"

struct dump {
	struct source *source;
	struct collector *collector;
	struct log *log;
	enum input_role role; /* of the source */
	uint64_t used;        /* maps and events that were read from the source so far */
	/* No stack map is to come once rows or events do: the source is the last, and it waits. */
	bool live;
	/* The parser could not go on: what follows is skipped up to the start of another dump. */
	bool astray;
};

/* To be called before rows and events: lets the collector pass samples on while they come. */
struct error *dump_goes_live(struct dump *dump) must_check;

#endif
