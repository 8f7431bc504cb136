// SPDX-License-Identifier: GPL-2.0-or-later
/* Any bytes as output of --json that is read back, and what is made of the slots. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "input/collector.h"
#include "input/documents.h"
#include "resolve/resolver.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
	const uint8_t *at, *end;
};

static ssize_t read_bytes(void *context, void *buffer, size_t size)
{
	struct bytes *bytes = context;
	size_t n = (size_t)(bytes->end - bytes->at);

	n = n < size ? n : size;
	if (n)
		memcpy(buffer, bytes->at, n);
	bytes->at += n;
	return (ssize_t)n;
}

static bool is_ready(void *context)
{
	(void)context;
	return true;
}

static size_t touch(const char *s)
{
	return s ? strlen(s) : 0;
}

static void walk(const struct stack *stack)
{
	static const struct frame unknown = {};
	static const struct location not_found = {
		.status = FRAME_BUILD_ID_ABSENT, .frames = &unknown, .n_frames = 1};
	struct known_slots slots = {};
	volatile size_t sum = 0;

	if (!stack->known)
		return;
	for (size_t i = 0; i < stack->depth; i++) {
		const struct location *location = known_final(&slots, stack, i, 0, NAMES_SHORT);

		sum += stack->values[i] + (stack->origins ? stack->origins[i].build_id.len : 0);
		if (!location)
			location = &not_found;
		slots.given = true;
		known_settle(&slots, &location, 1, NAMES_SHORT);
		for (size_t f = 0; f < location->n_frames; f++)
			sum += touch(location->frames[f].function) +
			       touch(location->frames[f].file);
		if (!location->frames[location->n_frames - 1].function !=
			(location->status != FRAME_NAMED))
			abort();
	}
	(void)sum;
	known_slots_deinit(&slots);
}

static struct error *look(void *context, const struct sample *samples, size_t n, bool flush)
{
	(void)context;
	(void)flush;
	for (size_t i = 0; i < n; i++) {
		walk(&samples[i].user);
		walk(&samples[i].kernel);
	}
	return NULL;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct bytes bytes = {data, data + size};
	struct log log = {};
	struct input_options options = {.pid = -1};
	struct input_sink sink = {.batch = look};
	struct input_stats stats = {};
	struct source *source = source_create(
		"F", (struct source_reader){read_bytes, is_ready, &bytes}, 4096, &log);
	struct collector *collector = NULL;

	error_destroy(collector_create(&options, &log, &sink, &collector));
	struct dump dump = {
		.source = source, .collector = collector, .log = &log, .options = &options};

	error_destroy(documents_read(&dump));
	error_destroy(collector_end(collector, &stats));
	collector_destroy(collector);
	source_destroy(source);
	log_deinit(&log);
	return 0;
}
