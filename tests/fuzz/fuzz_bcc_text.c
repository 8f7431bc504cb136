// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as what bcc and libbpf-tools print, as text and folded. */
#include "input/text/bcc_text.h"
#include "input/text/memleak_text.h"
#include "tool_text.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *read_text(struct dump *dump, const struct input_options *options)
{
	try(folded_text_read(dump, options));
	try(memleak_text_read(dump, options));
	return bcc_text_read(dump, options);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	tool_text_fuzz(data, size, read_text);
	return 0;
}
