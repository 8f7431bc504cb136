// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as the text of perf script. */
#include "input/text/perf_script.h"
#include "tool_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tool_text_fuzz(data, size, perf_script_read);
	return 0;
}
