/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Collects samples before they go to the sink, so that many addresses are resolved at once. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/input.h"
#include "model/frame.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/table.h"
#include "util/vec.h"

/* Zero-filled is empty, once SINK is set. */
struct batch {
	struct input_sink *sink;
	struct VEC(struct sample) samples;
	struct arena memory; /* data of the samples; cleared with each delivery */
	struct table names;  /* name → batch_name() of it, in NAMED */
	struct arena named;  /* cleared with a delivery if it is large */
	uint64_t serials;    /* number of these locations, for their serials above SERIAL_KNOWN */
	size_t forgotten;    /* memory.bytes when MEMORY was last cleared */
	size_t cost;	     /* estimated cost of the samples, see batch.c */
	uint64_t *seen;	     /* hash table of recent addresses; NULL if none */
	uint64_t delivered;  /* number of samples */
};

void batch_deinit(struct batch *batch);
/*
 * Adds SAMPLE, and delivers the batch once it is full. Strings are copied. Stacks must be in
 * batch->memory or outlive the batch. The error is the sink's, here and below.
 */
struct error *batch_add(struct batch *batch, const struct sample *sample) must_check;
/* Like batch_add(), but copies the stacks as well, except locations of batch_name(). */
struct error *batch_add_copy(struct batch *batch, const struct sample *sample) must_check;
/*
 * Returns a location that is only NAME, the same one for equal names, valid until the next
 * delivery.
 */
const struct location *batch_name(
	struct batch *batch, enum location_kind kind, enum frame_source source, const char *name);
/*
 * Delivers the samples and clears the memory if much of it is in use. Samples that were built but
 * never added use memory too.
 */
struct error *batch_make_room(struct batch *batch) must_check;
/* Delivers the samples to the sink. With FLUSH, calls the sink even if there are none. */
struct error *batch_deliver(struct batch *batch, bool flush) must_check;
