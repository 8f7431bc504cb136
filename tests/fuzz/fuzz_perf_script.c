// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as the text of perf script. */
#include "input/text/perf_script.h"
#include "tool_text.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *read_text(struct dump *dump, const struct input_options *options)
{
	scope_guard(perf_script_cleanup) struct perf_script *script = NULL;

	try(perf_script_create(dump, options, &script));
	try(perf_script_read(script));
	perf_script_end(script);
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tool_text_fuzz(data, size, read_text);
	return 0;
}
