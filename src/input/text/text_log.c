// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/text_log.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/text/frame_context.h"
#include "input/text/frame_owner.h"
#include "input/text/hints.h"
#include "input/text/line_parts.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { READ_SIZE = 1 << 18, LINE_MAX_LEN = 1 << 16 };

struct text_log {
	int fd;
	const char *name;
	struct frame_context context;
	struct forms *forms;
	struct VEC(struct text_log_frame) frames;
	size_t given, len; /* bytes in BUFFER: of the last piece, and all */
	bool ended;
	bool in_long_line; /* the next byte belongs to a line that is too long */
	uint64_t at;	   /* stream offset of BUFFER, in bytes */
	struct frame_owners owners;
	struct arena plain; /* lines without escape sequences, which frames point to */
	uint64_t last_line; /* stream offset of the end of the last frame's line; 0: none yet */
	char buffer[READ_SIZE + LINE_MAX_LEN + 1];
};

struct text_log *text_log_create(int fd, const char *name, struct forms *forms, const char *release)
{
	struct text_log *log = xmalloc(sizeof(*log));

	memset(log, 0, offsetof(struct text_log, buffer));
	log->fd = fd;
	log->name = name;
	log->context.release = release;
	log->forms = forms;
	log->context.blocks = log->owners.blocks = blocks_create();
	return log;
}

void text_log_cleanup(struct text_log **of)
{
	struct text_log *log = *of;

	frame_context_deinit(&log->context);
	vec_deinit(&log->frames);
	arena_deinit(&log->plain);
	blocks_cleanup(&log->context.blocks);
	free(log);
}

/* ---- frames ---------------------------------------------------------------------------------- */

static void add_frame(struct text_log *log, struct text_frame *frame, struct scan line, bool quoted)
{
	uint64_t start = log->at + (uint64_t)(line.at - log->buffer);
	uint64_t end = log->at + (uint64_t)(line.end - log->buffer);
	struct text_log_frame found = {.frame = *frame,
		.line = line,
		.quoted = quoted,
		.other_kernel = log->context.other_kernel,
		.follows = log->last_line &&
			   (start <= log->last_line + 2 /* CR, LF */ || end == log->last_line)};

	frame_owners_find(&log->owners, line.at, &found.frame);
	vec_push(&log->frames, found);
	log->last_line = end;
}

/*
 * Maps TEXT, a part of the line PLAIN, back to the line that PLAIN was made from. POSITIONS: where
 * the bytes of PLAIN are in that line.
 */
static struct scan original(struct scan text, struct scan plain, const char *const *positions)
{
	const char *end =
		text.end > plain.at ? positions[text.end - 1 - plain.at] + 1 : positions[0];

	return (struct scan){scan_left(&text) ? positions[text.at - plain.at] : end, end};
}

static void read_line(struct text_log *log, struct scan line)
{
	const char **positions;
	const struct scan plain = line_plain(line, &log->plain, &positions);
	struct line_parts parts = {.rest = plain};
	struct text_frame frame;
	struct scan part;
	bool quoted, any = false;

	while (line_parts_next(&parts, &part, &quoted)) {
		forms_begin(log->forms, part);
		while (frame_text_next(log->forms, &frame)) {
			frame_context_apply(&log->context, &frame);
			if (positions)
				frame.text = original(frame.text, plain, positions);
			add_frame(log, &frame, line, quoted);
			any = true;
		}
	}
	if (!any)
		frame_context_line(&log->context, plain);
}

/*
 * Returns a position in the next line that may have a frame, or facts about one. NULL if there is
 * none.
 */
static const char *find_hint(const struct text_log *log, struct scan rest)
{
	if (forms_are_extended(log->forms))
		return scan_left(&rest) ? rest.at : NULL;
	return hints_find(rest.at, rest.end);
}

/* Reads the frames of whole lines. */
static void read_lines(struct text_log *log, struct scan all)
{
	const char *hint;

	frame_owners_begin(&log->owners, all.at);
	while ((hint = find_hint(log, all))) {
		const char *start = memrchr(all.at, '\n', (size_t)(hint - all.at));
		struct scan line;

		all.at = start ? start + 1 : all.at;
		if (scan_line(&all, &line) && scan_left(&line) <= LINE_MAX_LEN)
			read_line(log, line);
	}
	frame_owners_end(&log->owners, all.end);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/*
 * Reads the frames in the buffer. Returns how many of its bytes are handed out: whole lines, the
 * rest of a line that is too long, or all at the end.
 */
static size_t take_lines(struct text_log *log, bool at_end)
{
	struct scan all = {log->buffer, log->buffer + log->len};

	if (log->in_long_line) {
		const char *newline = memchr(all.at, '\n', scan_left(&all));

		all.at = newline ? newline + 1 : all.end;
		log->in_long_line = !newline;
	}
	const char *newline = scan_left(&all) ? memrchr(all.at, '\n', scan_left(&all)) : NULL;
	const char *rest = newline ? newline + 1 : all.at;
	if (at_end)
		rest = all.end;
	read_lines(log, (struct scan){all.at, rest});
	if (all.end - rest > LINE_MAX_LEN) {
		log->in_long_line = true;
		rest = all.end;
	}
	return (size_t)(rest - log->buffer);
}

struct error *text_log_next(struct text_log *log, struct text_log_piece *ret)
{
	ssize_t n;

	memmove(log->buffer, log->buffer + log->given, log->len - log->given);
	log->at += log->given;
	log->len -= log->given;
	log->given = log->frames.len = 0;
	arena_clear(&log->plain);
	while (!log->given && !log->ended) {
		n = read(log->fd, log->buffer + log->len, READ_SIZE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(errno, "%s", log->name);
		log->len += (size_t)n;
		log->ended = n == 0;
		log->given = take_lines(log, log->ended);
	}
	*ret = (struct text_log_piece){log->buffer, log->given, log->frames.data, log->frames.len};
	return NULL;
}
