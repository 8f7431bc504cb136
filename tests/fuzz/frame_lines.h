/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The frames in a line of text: each lies in the line, after the one before. */
#pragma once

#include <stdlib.h>

#include "input/text/frame_text.h"

static inline int lies_in(struct scan s, struct scan all)
{
	return s.at <= s.end && (s.at == s.end || (s.at >= all.at && s.end <= all.end));
}

static inline void read_frames(struct forms *forms, struct scan line)
{
	const char *at = line.at;
	struct text_frame frame;

	forms_begin(forms, line);
	while (frame_text_next(forms, &frame)) {
		if (frame.text.at < at || frame.text.at > frame.text.end ||
			frame.text.end > line.end || !lies_in(frame.symbol, line) ||
			!lies_in(frame.object, line))
			abort();
		at = frame.text.end;
	}
}
