// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as what bpftrace prints. */
#include "input/text/bpftrace.h"
#include "tool_text.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *read_text(struct dump *dump, const struct input_options *options)
{
	scope_guard(blocks_cleanup) struct tool_blocks *blocks = blocks_create();

	return bpftrace_text_read(dump, options, blocks);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tool_text_fuzz(data, size, read_text);
	return 0;
}
