// SPDX-License-Identifier: GPL-2.0-or-later
/* Plain-text dumps and event pipes. */
#include <stdint.h>

#include "../unit/mock_collector.h"
#include "input/bpftool/bpftool.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void read_with(const uint8_t *data, size_t size, bool events)
{
	struct bytes bytes = {(const char *)data, (const char *)data + size, 7};
	struct log log = {};
	struct collector collector = {.quiet = true};
	struct source *source = bytes_source(&bytes, &log);
	struct dump dump = {.source = source, .collector = &collector, .log = &log};

	if (events)
		error_destroy(event_pipe_read(&dump));
	else
		bpftool_text_read(&dump);
	source_destroy(source);
	log_deinit(&log);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	read_with(data, size, false);
	read_with(data, size, true);
	return 0;
}
