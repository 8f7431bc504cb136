// SPDX-License-Identifier: GPL-2.0-or-later
/* A user's pattern, the first line of any bytes, and the lines after it. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "frame_lines.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

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
		read_frames(forms, line);
	free(copy);
	return 0;
}
