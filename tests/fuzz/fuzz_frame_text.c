// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of any text: what is found lies in them, and behind what was found before. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/text/frame_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int lies_in(struct scan s, struct scan all)
{
	return s.at <= s.end && (s.at == s.end || (s.at >= all.at && s.end <= all.end));
}

static void read_line(struct scan line)
{
	struct scan part = line;
	struct text_frame frame;

	while (frame_text_next(&part, &frame)) {
		if (frame.text.at < line.at || frame.text.at > frame.text.end ||
			!lies_in(frame.symbol, line) || !lies_in(frame.object, line) ||
			part.at < frame.text.end || part.at > line.end || part.end != line.end)
			abort();
		line.at = part.at;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *copy = malloc(size ? size : 1);
	struct scan all = {copy, copy + size}, line;

	memcpy(copy, data, size);
	while (scan_line(&all, &line))
		read_line(line);
	free(copy);
	return 0;
}
