// SPDX-License-Identifier: GPL-2.0-or-later
#include "dump_check.h"

#include <check.h>
#include <stdlib.h>
#include <string.h>

static struct error *count_flush(void *context)
{
	return collector_flush(context);
}

struct result read_bytes(const char *text, size_t len, size_t step, unsigned fail_at)
{
	struct bytes bytes = {text, text + len, step};
	struct input_options options = {.pid = -1};
	struct log log = {};
	struct text log_lines = {};
	struct collector collector = {.fail_at = fail_at};
	struct source *source = bytes_source(&bytes, &log);
	struct dump dump = {.source = source,
		.collector = &collector,
		.log = &log,
		.options = &options,
		.live = true};

	source->before_wait = count_flush;
	source->wait_context = &collector;
	struct error *err = documents_read(&dump);
	log_text(&log, &log_lines);
	struct result result = {text_take(&collector.calls), text_take(&log_lines), err, dump.used,
		collector.flushes, collector.completes};
	source_destroy(source);
	log_deinit(&log);
	return result;
}

void result_deinit(struct result *result)
{
	free(result->calls);
	free(result->log);
	error_destroy(result->err);
}

void expect(const char *text, const char *calls, const char *log)
{
	static const size_t steps[] = {0, 1, 2, 5, 64};

	for (size_t i = 0; i < sizeof(steps) / sizeof(*steps); i++) {
		struct result result = read_bytes(text, strlen(text), steps[i], 0);

		ck_assert_str_eq(result.calls, calls);
		ck_assert_str_eq(result.log, log);
		ck_assert_ptr_null(result.err);
		result_deinit(&result);
	}
}
