// SPDX-License-Identifier: GPL-2.0-or-later
#include "tool_text.h"

#include <string.h>

#include "model/frame.h"

struct rest {
	const uint8_t *at, *end;
	size_t step;
};

static ssize_t read_rest(void *context, void *buffer, size_t size)
{
	struct rest *rest = context;
	size_t n = (size_t)(rest->end - rest->at);

	n = n < size ? n : size;
	n = n < rest->step ? n : rest->step;
	if (n)
		memcpy(buffer, rest->at, n);
	rest->at += n;
	return (ssize_t)n;
}

static bool always(void *context)
{
	(void)context;
	return true;
}

static uint64_t sum_stack(const struct stack *stack)
{
	uint64_t sum = 0;

	for (size_t i = 0; i < stack->depth; i++) {
		const struct location *known = stack->known ? stack->known[i] : NULL;

		sum += stack->values[i];
		if (stack->origins && stack->origins[i].file)
			sum += strlen(stack->origins[i].file->path);
		for (size_t j = 0; known && j < known->n_frames; j++)
			if (known->frames[j].function)
				sum += strlen(known->frames[j].function);
	}
	return sum;
}

static struct error *look(void *context, const struct sample *samples, size_t n, bool flush)
{
	volatile uint64_t *sum = context;

	(void)flush;
	for (size_t i = 0; i < n; i++)
		*sum += sum_stack(&samples[i].user) + sum_stack(&samples[i].kernel) +
			(samples[i].comm ? strlen(samples[i].comm) : 0);
	return NULL;
}

void tool_text_fuzz(const uint8_t *data, size_t size,
	struct error *(*read)(struct dump *dump, const struct input_options *options))
{
	static const char *const keys[] = {
		NULL, "weight=period", "user=key.0,pid=key.1", "kernel=key.0", "comm=key.2"};
	uint64_t sum = 0;

	if (!size)
		return;
	struct rest rest = {data + 1, data + size, *data % 7 ? SIZE_MAX : 3};
	struct log log = {};
	struct input_sink sink = {.batch = look, .context = &sum};
	struct input_stats stats = {};
	struct input_options options = {.pid = *data & 32 ? 5 : -1, .key_fields = keys[*data % 5]};
	struct source *source =
		source_create("fuzz", (struct source_reader){read_rest, always, &rest}, 64, &log);
	struct collector *collector = NULL;

	error_destroy(collector_create(&options, &log, &sink, &collector));
	struct dump dump = {.source = source,
		.collector = collector,
		.log = &log,
		.role = *data & 64 ? INPUT_KERNEL_STACKS : INPUT_ANY};
	while (source_has(source)) {
		error_destroy(read(&dump, &options));
		if (source_has(source))
			source_skip_line(source);
	}
	error_destroy(collector_end(collector, &stats));
	collector_destroy(collector);
	source_destroy(source);
	log_deinit(&log);
}
