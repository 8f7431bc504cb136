/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of single frames of a folded stack, made safe by output/folded_name.h, without the ';' after them. */
#pragma once

#include <stdbool.h>

#include "model/frame.h"
#include "output/output.h"
#include "util/text.h"

/* Adds the frame that stacks of SAMPLE begin with. False: none, nothing was added. */
bool folded_frame_add_prefix(
	struct text *text, enum output_prefix prefix, const struct sample *sample);
/* Adds FRAME, one of LOCATION's, which stands in a user or a KERNEL stack. */
void folded_frame_add(struct text *text, const struct location *location, const struct frame *frame,
	bool kernel, const struct output_options *options);
