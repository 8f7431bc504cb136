// SPDX-License-Identifier: GPL-2.0-or-later
/* A user's pattern, the first line of any bytes, and the lines after it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/text/frame_text.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_line(struct forms *forms, struct scan line)
{
	const char *at = line.at;
	struct text_frame frame;

	forms_begin(forms, line);
	while (frame_text_next(forms, &frame)) {
		if (frame.text.at < at || frame.text.at > frame.text.end ||
			frame.text.end > line.end)
			abort();
		at = frame.text.end;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	scope_guard(forms_cleanup) struct forms *forms = forms_create();
	char *copy = malloc(size + 1);
	struct scan all = {copy, copy + size}, line;

	memcpy(copy, data, size);
	if (scan_line(&all, &line)) {
		auto_free char *pattern = strndup(line.at, scan_left(&line));

		error_destroy(forms_add(forms, "own", pattern));
	}
	while (scan_line(&all, &line))
		read_line(forms, line);
	free(copy);
	return 0;
}
