// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/print.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>

#include "process/recording/blocks.h"
#include "process/recording/recording.h"
#include "util/cleanup.h"
#include "util/file.h"

/* ---- fields --------------------------------------------------------------------------------- */

void recorded_string_add(struct text *text, const char *s, size_t len)
{
	text_add_char(text, ' ');
	for (size_t i = 0, plain; i < len; i += plain + 1) {
		for (plain = 0; i + plain < len; plain++) {
			unsigned char c = (unsigned char)s[i + plain];

			if (c < 0x20 || c >= 0x7f || c == '%')
				break;
		}
		text_add(text, s + i, plain);
		if (i + plain < len)
			text_printf(text, "%%%02x", (unsigned char)s[i + plain]);
	}
}

void recorded_event_add(struct text *text, const struct recorded_event *event)
{
	static const char *const words[] = {
		[RECORDED_PROC] = "proc",
		[RECORDED_FORK] = "fork",
		[RECORDED_THREAD] = "thread",
		[RECORDED_EXEC] = "exec",
		[RECORDED_COMM] = "comm",
		[RECORDED_MAP] = "map",
		[RECORDED_MOUNTS] = "ns",
		[RECORDED_EXIT] = "exit",
	};

	text_printf(text, "%s %" PRIu32 " %" PRIu64, words[event->kind], event->pid, event->time);
	if (event->kind == RECORDED_MAP)
		text_printf(text, " %" PRIx64 " %" PRIx64 " %" PRIx64, event->start, event->end,
			event->offset);
	if (event->kind == RECORDED_PROC)
		text_printf(text, " %" PRIu64, event->started);
	if (event->kind == RECORDED_PROC || event->kind == RECORDED_MOUNTS)
		text_printf(text, " %" PRIu64, event->offset);
	if (event->kind == RECORDED_PROC)
		text_printf(text, " %s", event->nspid);
	if (event->kind == RECORDED_MAP || event->kind == RECORDED_FORK ||
		event->kind == RECORDED_THREAD)
		text_printf(text, " %" PRIu32, event->other);
	if (event->comm)
		recorded_string_add(text, event->comm, strlen(event->comm));
	text_add_char(text, '\n');
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool add_events(struct recorded_blocks *blocks, struct text *text)
{
	const struct recorded_block_events *events =
		recorded_blocks_events(blocks, (uint32_t)blocks->all.len - 1);

	for (size_t i = 0; events && i < events->all.len; i++)
		recorded_event_add(text, &events->all.data[i]);
	if (events)
		text_add(text, events->lines.at, scan_left(&events->lines));
	return events;
}

static struct error *print_text(FILE *out, struct text *text)
{
	size_t len = text->len;

	if (len && fwrite(text->data, 1, len, out) != len)
		return error_errno(errno, "standard output");
	text_clear(text);
	return NULL;
}

static struct error *print_blocks(struct recorded_blocks *blocks, const char *path, FILE *out)
{
	scope_guard(text_deinit) struct text text = {};
	uint64_t at = blocks->sources.data[0].at;
	struct block_head head;
	enum block_next next;

	text_printf(&text, RECORDING_MAGIC "%d\n", RECORDING_TEXT_VERSION);
	while ((next = recorded_blocks_next(blocks, 0, &text, &head)) == BLOCK_READ) {
		if (head.kind == BLOCK_EVENTS && !add_events(blocks, &text))
			break;
		if (head.complete)
			text_printf(&text, "complete %" PRIu64 "\n", head.complete);
		at = blocks->sources.data[0].at;
		try(print_text(out, &text));
	}
	try(print_text(out, &text));
	return next == BLOCK_NONE ? NULL
				  : error_create(ERROR_INPUT,
					    "%s: byte %" PRIu64 ": a block is truncated or "
					    "damaged; everything before it was printed",
					    path, at);
}

struct error *recording_print(const char *path, FILE *out)
{
	scope_guard(recorded_blocks_deinit) struct recorded_blocks blocks = {};
	struct recorded_source source = {.fd = -1};
	uint64_t version = 0;

	try(recording_source_open(path, &source, &version));
	vec_push(&blocks.sources, source);
	if (version == RECORDING_VERSION)
		return print_blocks(&blocks, path, out);
	scope_guard(text_deinit) struct text text = {};
	int err = file_read_all(source.fd, RECORDING_TEXT_MAX, &text);
	return err ? error_errno(-err, "%s", path) : print_text(out, &text);
}
