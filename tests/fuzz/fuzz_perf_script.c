// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as the text of perf script. */
#include "input/text/block_reader.h"
#include "tool_text.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *read_text(struct dump *dump, const struct input_options *options)
{
	scope_guard(blocks_cleanup) struct tool_blocks *blocks = blocks_create();
	scope_guard(block_reader_cleanup) struct block_reader *reader = NULL;

	try(block_reader_create(dump, options, blocks, &reader));
	try(block_reader_read(reader, TOOL_PERF));
	block_reader_end(reader);
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tool_text_fuzz(data, size, read_text);
	return 0;
}
