// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The JSON reader, strict and lenient, fed in small pieces: both piece sizes must agree, and what
 * the strict one accepts the lenient one accepts too.
 */
#include <stdint.h>
#include <stdlib.h>

#include "../unit/mock_collector.h"
#include "input/bpftool/json.h"
#include "util/table.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static uint64_t digest_bytes(const char *bytes, size_t len)
{
	uint64_t sum = len;

	for (size_t i = 0; i < len; i++)
		sum = sum * 31 + (unsigned char)bytes[i];
	return sum;
}

/* A digest of all tokens; *ACCEPTED_RET says whether the document was right. */
static uint64_t digest(
	const uint8_t *data, size_t size, bool lenient, size_t step, bool *accepted_ret)
{
	struct bytes bytes = {(const char *)data, (const char *)data + size, step};
	struct log log = {};
	struct source *source = bytes_source(&bytes, &log);
	struct json json;
	struct text run = {};
	enum json_token token;
	uint64_t sum = 0;

	json_init(&json, source, lenient);
	do {
		token = json_next(&json);
		sum = sum * 31 + token;
		if (token >= JSON_NAME && token <= JSON_BARE && json.text.data)
			sum += digest_bytes(json.text.data, json.text.len);
		if (token == JSON_BREAK)
			source_skip_line(source);
		if (token == JSON_ARRAY && json.depth % 2) {
			text_clear(&run);
			json_bytes(&json, json.depth % 4 == 1, 100, &run);
			if (run.len)
				sum += digest_bytes(run.data, run.len);
		}
	} while (token != JSON_ERROR && token != JSON_END);
	*accepted_ret = token == JSON_END;
	text_deinit(&run);
	json_deinit(&json);
	source_destroy(source);
	log_deinit(&log);
	return sum;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	bool strict, lenient, again;
	uint64_t a = digest(data, size, true, 0, &lenient);
	uint64_t b = digest(data, size, true, 1, &again);

	digest(data, size, false, 3, &strict);
	if (a != b || lenient != again || (strict && !lenient))
		abort();
	return 0;
}
