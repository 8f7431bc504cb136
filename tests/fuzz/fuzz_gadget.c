// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as what Inspektor Gadget prints. */
#include "input/text/gadget.h"
#include "tool_text.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *read_any(struct dump *dump, const struct input_options *options)
{
	scope_guard(blocks_cleanup) struct tool_blocks *blocks = blocks_create();

	if (gadget_json_starts(dump->source, 0))
		return gadget_json_read(dump, options, blocks);
	(void)gadget_text_starts(dump->source, blocks);
	source_skip_line(dump->source);
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tool_text_fuzz(data, size, read_any);
	return 0;
}
