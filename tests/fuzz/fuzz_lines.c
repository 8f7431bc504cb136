// SPDX-License-Identifier: GPL-2.0-or-later
/* Bits of the first byte choose options, the rest is text. */
#include <stddef.h>
#include <stdint.h>

#include "input/collector.h"
#include "input/lists/lines.h"
#include "util/scan.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *ignore(void *context, const struct sample *samples, size_t n, bool flush)
{
	volatile uint64_t *sum = context;

	(void)flush;
	for (size_t i = 0; i < n; i++) {
		for (size_t j = 0; j < samples[i].user.depth; j++)
			*sum += samples[i].user.values[j];
		for (size_t j = 0; j < samples[i].kernel.depth; j++)
			*sum += samples[i].kernel.values[j];
	}
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	if (!size)
		return 0;
	uint64_t sum = 0;
	struct log log = {};
	struct input_sink sink = {.batch = ignore, .context = &sum};
	struct input_stats stats = {};
	struct input_options options = {
		.pid = *data & 1 ? 5 : -1,
		.bare = (*data >> 1 & 3) % 3,
		.columns = *data & 16 ? "pid,kernel,user,count,comm" : NULL,
	};
	struct scan text = {(const char *)data + 1, (const char *)data + size}, line;
	struct collector *collector = NULL;
	struct line_reader *reader = NULL;

	error_destroy(collector_create(&options, &log, &sink, &collector));
	error_destroy(line_reader_create(&options, &log, collector, &reader));
	while (scan_line(&text, &line))
		error_destroy(line_reader_line(reader, line.at, scan_left(&line), "f:1"));
	error_destroy(line_reader_end(reader));
	error_destroy(collector_end(collector, &stats));
	line_reader_destroy(reader);
	collector_destroy(collector);
	log_deinit(&log);
	return 0;
}
