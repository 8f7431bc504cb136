// SPDX-License-Identifier: GPL-2.0-or-later
/* Lines of any text through the table of forms: frames lie in them, each after the one before. */
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
	char *copy = malloc(size ? size : 1);
	struct scan all = {copy, copy + size}, line;

	memcpy(copy, data, size);
	while (scan_line(&all, &line))
		read_frames(forms, line);
	free(copy);
	return 0;
}
