// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <errno.h>
#include <inttypes.h>

#include "process/recording/block.h"
#include "process/recording/recording.h"
#include "util/cleanup.h"

struct error *record_print(const char *path, FILE *out)
{
	scope_guard(recorded_blocks_deinit) struct recorded_blocks blocks = {};
	struct recorded_source source = {.fd = -1};
	auto_text struct text text = {}, bytes = {};
	struct block_head head;
	struct recorded_row row;
	enum block_next next;

	try(recording_source_open(path, &source));
	vec_push(&blocks.sources, source);
	uint64_t at = source.at;
	while ((next = recorded_blocks_next(&blocks, 0, &bytes, &head)) == BLOCK_READ) {
		struct rows rows = {.bytes = text_scan(&bytes)};

		if (head.kind == BLOCK_PROCESSES &&
			!recorded_blocks_rows(&blocks, (uint32_t)blocks.all.len - 1, &rows))
			break;
		while (rows_next(&rows, &row))
			row_print(&text, &row);
		text_clear(&bytes);
		if (head.complete)
			text_printf(&text, "complete %" PRIu64 "\n", head.complete);
		at = blocks.sources.data[0].at;
		if (text.len && fwrite(text.data, 1, text.len, out) != text.len)
			return error_errno(errno, "standard output");
		text_clear(&text);
	}
	return next == BLOCK_NONE ? NULL
				  : error_create(ERROR_INPUT,
					    "%s: byte %" PRIu64 ": a block is truncated or "
					    "damaged; everything before it was printed",
					    path, at);
}
