/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The frames of a trace in the order of folded stacks: first the process, then user and kernel
 * frames, root first. The caller numbers frames; the numbers of recent locations are cached.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"
#include "model/mark.h"
#include "output/output.h"
#include "util/text.h"
#include "util/vec.h"

struct path_frame {
	/* NULL if it is not code: the process, "-", "[caller lost]" or `none` */
	const struct location *location;
	const struct frame *frame; /* of LOCATION; NULL without one */
	bool kernel;		   /* in a kernel stack */
	struct mark mark;	   /* of the short name, in the name */
};

struct trace_path {
	const struct output_options *options;
	/*
	 * Returns the number of FRAME. NAME is its text in a folded line, and may be modified.
	 */
	uint32_t (*number)(void *context, struct text *name, const struct path_frame *frame);
	void *context;
	const char *none; /* the only frame of a trace without frames */
	bool uncached;	  /* do not cache numbers */

	struct VEC(uint32_t) frames; /* of the trace; set by trace_path_build() */
	size_t user, kernel;	     /* indexes in `frames` of the first user and kernel frame */

	struct VEC(uint32_t) known; /* frame numbers of the locations in `recent` */
	struct trace_path_recent *recent;
	struct text name; /* scratch */
};

void trace_path_deinit(struct trace_path *path);
/* Sets `frames` to those of TRACE. Returns false if `none` is the only one. */
bool trace_path_build(struct trace_path *path, const struct trace *trace);

/*
 * Adds the first frame, which names the process of SAMPLE. Returns false, and adds nothing, if
 * there is none.
 */
bool folded_frame_add_prefix(
	struct text *text, enum output_prefix prefix, const struct sample *sample);
