// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as one line of portable stacks. */
#include <stddef.h>
#include <stdint.h>

#include "input/lists/samples.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static struct error *look(void *context, const struct sample *samples, size_t n, bool flush)
{
	uint64_t *sum = context;

	(void)flush;
	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; j < samples[i].user.depth; j++)
			*sum += samples[i].user.values[j] +
				(samples[i].user.origins ? samples[i].user.origins[j].build_id.len
							 : 0);
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	static const struct input_options options;
	const struct boot boot = {.id = "boot", .assumed = size % 2 != 0};
	struct log log = {};
	uint64_t sum = 0;
	struct input_sink sink = {.batch = look, .context = &sum};
	struct input_stats stats;
	struct collector *collector = NULL;

	error_destroy(collector_create(&options, &log, &sink, &collector));
	if (portable_starts((struct scan){(const char *)data, (const char *)data + size}))
		error_destroy(
			portable_line(collector, &log, &boot, (const char *)data, size, "fuzz:1"));
	error_destroy(collector_end(collector, &stats));
	collector_destroy(collector);
	log_deinit(&log);
	return 0;
}
