// SPDX-License-Identifier: GPL-2.0-or-later
/* A whole source: sniffing and every parser. However it is cut into reads, the calls are the same.
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "../unit/mock_collector.h"
#include "input/documents.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static char *read_with(const uint8_t *data, size_t size, size_t step)
{
	struct bytes bytes = {(const char *)data, (const char *)data + size, step};
	struct log log = {};
	struct collector collector = {.with_places = true};
	struct input_options options = {.pid = -1};
	struct source *source = bytes_source(&bytes, &log);
	struct wanted wanted;
	struct dump dump = {.source = source,
		.collector = &collector,
		.log = &log,
		.options = &options,
		.wanted = &wanted};

	wanted_parse("weight=value.slots,user=ids[1],kernel=key[0]", &wanted);
	error_destroy(documents_read(&dump));
	wanted_deinit(&wanted);
	source_destroy(source);
	log_text(&log, &collector.calls);
	log_deinit(&log);
	return text_take(&collector.calls);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	char *a = read_with(data, size, 0), *b = read_with(data, size, 1);

	if (strcmp(a, b))
		abort();
	free(a);
	free(b);
	return 0;
}
