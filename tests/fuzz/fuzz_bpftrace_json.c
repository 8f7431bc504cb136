// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as what bpftrace -f json prints. */
#include "input/text/bpftrace_json.h"
#include "tool_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tool_text_fuzz(data, size, bpftrace_json_read);
	return 0;
}
