/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a trace as folded stacks have them: root first, that of the process in front, user
 * before kernel frames. Each frame is a number of the caller's; a location that is met again is not
 * asked for again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"
#include "util/vec.h"

struct trace_path {
	const struct output_options *options;
	/*
	 * The number of the frame NAME, which is as in a folded line, and may be changed: FRAME of
	 * LOCATION, in a user or a KERNEL stack. LOCATION and FRAME are NULL if it is no code: the
	 * process, "-", "[caller lost]", `none`.
	 */
	uint32_t (*number)(void *context, struct text *name, const struct location *location,
		const struct frame *frame, bool kernel);
	void *context;
	const char *none; /* what a trace without frames has */
	bool uncached;	  /* each frame is asked for each time */

	struct VEC(uint32_t) frames; /* trace_path_build(): of the trace */
	size_t user, kernel;	     /* the first of these in FRAMES */

	struct VEC(uint32_t) known; /* numbers of the locations in RECENT */
	struct trace_path_recent *recent;
	struct text name; /* scratch */
};

void trace_path_deinit(struct trace_path *path);
/* Sets the frames to those of TRACE. False: there is none but `none`. */
bool trace_path_build(struct trace_path *path, const struct trace *trace);
