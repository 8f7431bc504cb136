/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Hand-made traces, and the output for them. */
#pragma once

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "output/output.h"
#include "output/summary.h"
#include "util/xalloc.h"

enum { FIXTURE_MAX = 64 };

/* A sample being built; calls add from the leaf on, as traces are. */
struct fixture {
	struct sample sample;
	struct trace trace;
	struct location locations[FIXTURE_MAX];
	struct frame frames[FIXTURE_MAX];
	const struct location *user[FIXTURE_MAX], *kernel[FIXTURE_MAX];
	size_t n_locations, n_frames;
};

static inline void fixture_init(struct fixture *fixture, const char *comm, uint64_t weight)
{
	*fixture =
		(struct fixture){.sample = {.pid = -1, .tid = -1, .comm = comm, .weight = weight}};
	fixture->sample.user.id = fixture->sample.kernel.id = -1;
	fixture->trace = (struct trace){
		.sample = &fixture->sample, .user = fixture->user, .kernel = fixture->kernel};
}

/* A location with the innermost frame FUNCTION (NULL: unnamed). */
static inline struct location *fixture_add(
	struct fixture *fixture, enum location_kind kind, bool kernel, const char *function)
{
	struct location *location = &fixture->locations[fixture->n_locations++];
	struct frame *frame = &fixture->frames[fixture->n_frames++];
	struct stack *stack = kernel ? &fixture->sample.kernel : &fixture->sample.user;

	*frame = (struct frame){.function = function};
	*location = (struct location){.kind = kind, .frames = frame, .n_frames = 1};
	location->status = function ? FRAME_NAMED : FRAME_UNMAPPED;
	location->source = function ? SOURCE_DWARF : SOURCE_NONE;
	stack->state = STACK_PRESENT;
	stack->depth++;
	if (kernel)
		fixture->kernel[fixture->trace.n_kernel++] = location;
	else
		fixture->user[fixture->trace.n_user++] = location;
	return location;
}

static inline struct location *fixture_user(struct fixture *fixture, const char *function)
{
	return fixture_add(fixture, LOCATION_USER, false, function);
}

static inline struct location *fixture_kernel(struct fixture *fixture, const char *function)
{
	return fixture_add(fixture, LOCATION_KERNEL, true, function);
}

/* The frame that the last location's frames were inlined into so far. */
static inline struct frame *fixture_outer(struct fixture *fixture, const char *function)
{
	struct frame *frame = &fixture->frames[fixture->n_frames++];

	frame[-1].inlined = true;
	*frame = (struct frame){.function = function};
	fixture->locations[fixture->n_locations - 1].n_frames++;
	return frame;
}

static inline void fixture_lost(struct fixture *fixture, bool kernel, enum stack_state state)
{
	struct location *location = fixture_add(fixture, LOCATION_LOST, kernel, NULL);
	struct stack *stack = kernel ? &fixture->sample.kernel : &fixture->sample.user;

	location->status = FRAME_LOST;
	location->lost = stack->state = state;
	stack->depth = 0;
}

/* The printed traces; the caller frees the text. */
static inline char *fixture_print(
	const struct output_options *options, struct fixture *const *fixtures, size_t n)
{
	char *data = NULL;
	size_t size;
	FILE *file = open_memstream(&data, &size);
	struct summary *summary = summary_create();
	struct output *output = output_create(options, file, summary);

	for (size_t i = 0; i < n; i++) {
		summary_count(summary, &fixtures[i]->trace, false);
		output_trace(output, &fixtures[i]->trace);
	}
	struct error *err = output_end(output);
	fclose(file);
	output_destroy(output);
	summary_destroy(summary);
	if (err)
		abort();
	return data;
}

static inline char *fixture_print_one(const struct output_options *options, struct fixture *fixture)
{
	return fixture_print(options, &fixture, 1);
}
