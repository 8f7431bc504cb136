// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of any text through the table of forms: frames lie in them, each after the one before. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/text/frame_text.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static int lies_in(struct scan s, struct scan all)
{
	return s.at <= s.end && (s.at == s.end || (s.at >= all.at && s.end <= all.end));
}

static void read_line(struct forms *forms, struct scan line)
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

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	scope_guard(forms_cleanup) struct forms *forms = forms_create();
	char *copy = malloc(size ? size : 1);
	struct scan all = {copy, copy + size}, line;

	memcpy(copy, data, size);
	while (scan_line(&all, &line))
		read_line(forms, line);
	free(copy);
	return 0;
}
