/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames in a line of text: each lies in the line, after the one before, as its strings do. */
#pragma once

#include <stdlib.h>
#include <string.h>

#include "input/text/frame_text.h"
#include "util/cleanup.h"

static inline int lies_in(const char *s, struct scan all)
{
	return !s || !*s || memmem(all.at, scan_left(&all), s, strlen(s));
}

static inline void read_frames(struct forms *forms, struct scan line)
{
	scope_guard(arena_deinit) struct arena memory = {};
	const char *at = line.at;
	struct text_frame frame;

	forms_begin(forms, line);
	while (frame_text_next(forms, &memory, &frame)) {
		if (frame.text.at < at || frame.text.at > frame.text.end ||
			frame.text.end > line.end || !lies_in(frame.symbol, line) ||
			!lies_in(frame.file.path, line) || !lies_in(frame.file.module, line))
			abort();
		at = frame.text.end;
	}
}
