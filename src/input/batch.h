/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples on their way to the sink, gathered so that addresses can be resolved many at a time. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/input.h"
#include "input/lists/known_copy.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/vec.h"

struct batch {
	struct input_sink *sink;
	struct VEC(struct sample) samples;
	struct arena memory; /* what the samples point to; emptied with each delivery */
	struct known_copies known;
	size_t forgotten;   /* bytes of MEMORY that were before */
	size_t cost;	    /* of the slots gathered, see batch.c */
	uint64_t *seen;	    /* addresses of late; NULL: none yet */
	uint64_t delivered; /* samples */
};

void batch_init(struct batch *batch, struct input_sink *sink);
void batch_deinit(struct batch *batch);
/*
 * Adds SAMPLE, whose strings are copied and whose stacks must be in batch->memory or outlive the
 * batch. Hands over to the sink when enough is there.
 */
struct error *batch_add(struct batch *batch, const struct sample *sample) must_check;
/* Like batch_add(), but copies the stacks as well. */
struct error *batch_add_copy(struct batch *batch, const struct sample *sample) must_check;
/* Empties the memory when much of it is in use, maybe by samples that were not added after all. */
struct error *batch_make_room(struct batch *batch) must_check;
/* Hands over what is there; with FLUSH even if that is nothing. */
struct error *batch_deliver(struct batch *batch, bool flush) must_check;
