// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/text_log.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/text/blocks.h"
#include "util/file.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* ---- words of lines with frames, or with facts about frames ---------------------------------- */

/* gcc and clang compile this to SIMD instructions, on any machine */
typedef uint8_t bytes16 __attribute__((vector_size(16)));

/*
 * X(word, rare): the two bytes at offset RARE seldom occur together in other text. "sp:7" is for
 * user stacks of x86-64, whose addresses begin with 7f.
 */
#define HINTS(X)                                                                                   \
	X("0x", 0)                                                                                 \
	X("segfault at ", 2)                                                                       \
	X(" sp:7", 3)                                                                              \
	X(" pc 0", 1)                                                                              \
	X("[unknown] (", 0)                                                                        \
	X(" with build-id", 11)                                                                    \
	X("<signal handler called>", 0)                                                            \
	X("Problematic frame:", 0)                                                                 \
	X("Native frames:", 0)                                                                     \
	X(" Comm: ", 4)

static const struct hint {
	const char *word;
	size_t len, rare;
} hints[] = {
#define X(word, rare) {word, sizeof(word) - 1, rare},
	HINTS(X)
#undef X
};

/* Returns true if AT is at the rare bytes of a word that is completely within [FROM, END). */
static bool is_hint(const char *from, const char *at, const char *end)
{
	array_each(hint, hints, array_len(hints))
		if (*at == hint->word[hint->rare] && (size_t)(at - from) >= hint->rare &&
			(size_t)(end - at) >= hint->len - hint->rare &&
			!memcmp(at - hint->rare, hint->word, hint->len))
			return true;
	return false;
}

/*
 * Returns true if the rare bytes of a word may begin at one of the 16 bytes from AT on. Reads 17
 * bytes.
 */
static bool may_have_hint(const char *at)
{
	bytes16 here, next, any = {};
	uint64_t halves[2];

	memcpy(&here, at, sizeof(here));
	memcpy(&next, at + 1, sizeof(next));
#define X(word, rare)                                                                              \
	any |= (bytes16)(here == (uint8_t)word[rare]) &                                            \
	       (bytes16)(next == (uint8_t)word[(rare) + 1]);
	HINTS(X)
#undef X
	memcpy(halves, &any, sizeof(halves));
	return halves[0] | halves[1];
}

/*
 * Returns the position of the first word, or of a byte within it. NULL if there is none. Most text
 * has none of them, so all are searched for at once, in steps of 16 bytes.
 */
static const char *hints_find(const char *at, const char *end)
{
	const char *from = at;

	while ((size_t)(end - at) > sizeof(bytes16)) {
		if (may_have_hint(at))
			for (size_t i = 0; i < sizeof(bytes16); i++)
				if (is_hint(from, at + i, end))
					return at + i;
		at += sizeof(bytes16);
	}
	for (; at < end; at++)
		if (is_hint(from, at, end))
			return at;
	return NULL;
}

/* ---- the text -------------------------------------------------------------------------------- */

#define ESCAPE '\033'

#define KERNEL_START 0xff00000000000000ULL

enum {
	READ_SIZE = 1 << 18,
	LINE_MAX_LEN = 1 << 16,
	UNICODE_DIGITS = 4,
	MODULES_MAX = 4096, /* modules of crash reports; all are forgotten at this limit */
};

static const char no_break[] = "\302\240"; /* no-break space, U+00A0 in UTF-8 */

struct text_log {
	int fd;
	const char *name;
	struct forms *forms;
	struct tool_blocks *blocks;
	struct VEC(struct text_frame) frames;
	size_t given, len; /* bytes in BUFFER: of the last piece, and all */
	bool ended;
	bool in_long_line;    /* the next byte belongs to a line that is too long */
	uint64_t at;	      /* stream offset of BUFFER, in bytes */
	struct arena *memory; /* for strings of frames, and lines without escape sequences */
	uint64_t last_line;   /* stream offset of the end of the last frame's line; 0: none yet */
	/* what lines without frames said */
	const char *release;  /* release of the kernel used for names; NULL: unknown */
	bool other_kernel;    /* the text last named another release */
	bool exact;	      /* the next frame has the address of an instruction */
	struct table modules; /* last component of a path → index in IDS */
	struct VEC(struct build_id) ids;
	/* the line above the last stack, without newline; of one that does not fit, nothing */
	char above[256];
	size_t above_len;	  /* of ABOVE, in bytes */
	struct frame_owner owner; /* in that line */
	const char *from;	  /* start of the whole lines in BUFFER */
	const char *owned; /* start of the line there with the last owned frame; NULL: none yet */
	bool leaf; /* the line where the search for ABOVE began may be the leaf of a user stack */
	char buffer[READ_SIZE + LINE_MAX_LEN + 1];
};

struct text_log *text_log_create(int fd, const char *name, struct forms *forms, const char *release)
{
	struct text_log *log = xmalloc(sizeof(*log));

	memset(log, 0, offsetof(struct text_log, buffer));
	log->fd = fd;
	log->name = name;
	log->release = release;
	log->forms = forms;
	log->blocks = blocks_create();
	return log;
}

void text_log_cleanup(struct text_log **of)
{
	struct text_log *log = *of;

	table_deinit(&log->modules);
	vec_deinit(&log->ids);
	vec_deinit(&log->frames);
	blocks_cleanup(&log->blocks);
	free(log);
}

/* ---- parts of lines -------------------------------------------------------------------------- */

/*
 * Skips a colour or another control sequence (ECMA-48, 5.4), as raw bytes or escaped in JSON.
 * Returns false if there is none.
 */
static bool skip_sequence(struct scan *s)
{
	if (!scan_char(s, ESCAPE) && !scan_literal(s, "\\u001b") && !scan_literal(s, "\\u001B"))
		return false;
	if (!scan_char(s, '['))
		return true;
	while (scan_left(s) && *s->at >= 0x20 && *s->at < 0x40)
		s->at++;
	s->at += scan_left(s) > 0;
	return true;
}

/*
 * Returns LINE without escape sequences, which may be inside a frame, and with blanks for no-break
 * spaces, allocated in MEMORY. Sets POSITIONS_RET to the position in LINE of each of its bytes. If
 * LINE has neither, returns LINE itself and sets POSITIONS_RET to NULL.
 */
static struct scan plain_line(struct scan line, struct arena *memory, const char ***positions_ret)
{
	struct scan s = line;
	size_t n = 0;

	*positions_ret = NULL;
	if (!scan_first(line, ESCAPE) && !scan_find(line, no_break) &&
		!(scan_first(line, '\\') && scan_find(line, "\\u001")))
		return line;
	char *plain = arena_alloc(memory, scan_left(&line));
	const char **positions = arena_alloc(memory, scan_left(&line) * sizeof(*positions));
	while (scan_left(&s)) {
		if (skip_sequence(&s))
			continue;
		positions[n] = s.at;
		plain[n++] = scan_literal(&s, no_break) ? ' ' : *s.at++;
	}
	*positions_ret = positions;
	return (struct scan){plain, plain + n};
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

static bool is_cut(char c, bool quoted)
{
	return ((unsigned char)c < ' ' && c != '\t') || c == 0x7f || c == '"' ||
	       (quoted && c == '\\');
}

/*
 * Reads the next part of a line, which may be empty. Lines are cut where no frame can continue: at
 * control bytes, at double quotes, and between quotes (as in JSON) at backslashes with what they
 * escape. QUOTED: REST begins between quotes. Returns false at the end.
 */
static bool next_part(struct scan *rest, bool *quoted, struct scan *ret)
{
	if (!scan_left(rest))
		return false;
	ret->at = rest->at;
	while (scan_left(rest) && !is_cut(*rest->at, *quoted))
		rest->at++;
	ret->end = rest->at;
	if (scan_char(rest, '"')) {
		*quoted = !*quoted;
	} else if (scan_char(rest, '\\')) { /* one byte follows, or `u` and hex digits */
		size_t len = scan_starts(*rest, "u") ? 1 + UNICODE_DIGITS : 1;

		rest->at += len < scan_left(rest) ? len : scan_left(rest);
	} else {
		rest->at += scan_left(rest) > 0;
	}
	return true;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Reads LINE, which has no frame. */
static void read_fact(struct text_log *log, struct scan line)
{
	struct pattern_match match;
	struct build_id parsed;

	if (blocks_line(log->blocks, TOOL_LOG, line, &match) == LINE_START)
		return;
	struct scan name = match.groups[GROUP_OBJECT], id = match.groups[GROUP_BUILD_ID];
	if (id.at) {
		if (!build_id_parse(id.at, scan_left(&id), &parsed))
			return;
		if (log->ids.len >= MODULES_MAX) {
			table_clear(&log->modules);
			log->ids.len = 0;
		}
		*vec_keyed(&log->ids, &log->modules, name.at, scan_left(&name)) = parsed;
	} else if (match_has(&match, GROUP_EXACT)) {
		log->exact = true;
	} else if (log->release) {
		log->other_kernel = !scan_equals(match.groups[GROUP_REST], log->release);
	}
}

static bool is_kernel(struct scan line)
{
	uint64_t address;

	scan_blanks(&line);
	return scan_hex(&line, &address) && address >= KERNEL_START;
}

/*
 * Searches back from LINE, or from the end of all lines, for the line above its stack. Returns true
 * if the last owned frame is of the same stack.
 */
static bool look_back(struct text_log *log, const char *line)
{
	for (const char *at = line; at > log->from;) {
		const char *newline = memrchr(log->from, '\n', (size_t)(at - 1 - log->from));
		struct scan above = {newline ? newline + 1 : log->from, at - 1};

		above.end -= scan_left(&above) && above.end[-1] == '\r';
		bool in_stack = scan_left(&above) && memchr(" \t#", *above.at, 3);
		if (at == line)
			log->leaf = !in_stack || is_kernel(above);
		if (!in_stack) {
			bool fits = scan_left(&above) <= sizeof(log->above);

			log->above_len = fits ? scan_left(&above) : 0;
			memcpy(log->above, above.at, log->above_len);
			return false;
		}
		at = above.at;
		if (at == log->owned)
			return true;
	}
	return false;
}

/* Returns the owner named above the stack, if the tool that prints FORM prints such a head. */
static struct frame_owner read_owner(struct text_log *log, enum text_frame_form form)
{
	enum block_tool tool = form == TEXT_PERF       ? TOOL_PERF
			       : form == TEXT_GDB      ? TOOL_GDB
			       : form == TEXT_EU_STACK ? TOOL_EU_STACK
						       : TOOLS;
	struct scan above = {log->above, log->above + log->above_len};
	struct pattern_match match;

	if (tool == TOOLS || blocks_line(log->blocks, tool, above, &match) != LINE_HEAD)
		match = (struct pattern_match){};
	return frame_owner_of(&match);
}

/*
 * Adds to FRAME, whose line begins at LINE, what other lines said about it: that it is exact, its
 * build ID, and its owner. The latter is for values that are addresses, or printed by perf or with
 * a build ID.
 */
static void add_facts(struct text_log *log, const char *line, struct text_frame *frame)
{
	const enum text_frame_form form = frame->form;

	if (log->exact && (form == TEXT_JAVA || form == TEXT_GDB))
		frame->exact = true;
	log->exact = false;
	if (form == TEXT_SYSTEMD && !frame->file.build_id.len) {
		const char *name = file_base_name(frame->file.path ?: "");
		const uint64_t *index = table_find(&log->modules, name, strlen(name));

		if (index)
			frame->file.build_id = log->ids.data[*index];
	}
	if (frame->owner.tid >= 0 || (frame->file.base != STACK_FILE_ADDRESS && form != TEXT_PERF &&
					     form != TEXT_BUILD_ID))
		return;
	if (log->owned != line) {
		if (!look_back(log, line))
			log->owner = read_owner(log, form);
		/*
		 * Leaves printed by perf are exact, and so are those of bpftrace, whose stacks are
		 * indented. The origin of other bare addresses is unknown.
		 */
		bool indented =
			(form == TEXT_ALONE || form == TEXT_BUILD_ID) && memchr(" \t", *line, 2);
		frame->exact |= log->leaf && (form == TEXT_PERF || indented);
	}
	frame->owner = log->owner;
	log->owned = line;
}

static void read_line(struct text_log *log, struct scan line)
{
	const uint64_t start = log->at + (uint64_t)(line.at - log->buffer);
	const uint64_t end = log->at + (uint64_t)(line.end - log->buffer);
	const char **positions;
	const struct scan plain = plain_line(line, log->memory, &positions);
	struct scan rest = plain, part;
	struct text_frame frame;
	bool any = false;

	for (bool quoted = false, next = false; next_part(&rest, &next, &part); quoted = next) {
		forms_begin(log->forms, part);
		for (; frame_text_next(log->forms, log->memory, &frame); any = true) {
			if (positions)
				frame.text = original(frame.text, plain, positions);
			add_facts(log, line.at, &frame);
			frame.line = line;
			frame.quoted = quoted;
			frame.other_kernel = log->other_kernel;
			frame.follows =
				log->last_line &&
				(start <= log->last_line + 2 /* CR, LF */ || end == log->last_line);
			vec_push(&log->frames, frame);
			log->last_line = end;
		}
	}
	if (!any)
		read_fact(log, plain);
}

/* ---- bytes ----------------------------------------------------------------------------------- */

/*
 * Reads the frames in the buffer. Returns how many of its bytes are handed out: whole lines, the
 * rest of a line that is too long, or all at the end.
 */
static size_t take_lines(struct text_log *log, bool at_end)
{
	const bool any_line = forms_are_extended(log->forms);
	struct scan all = {log->buffer, log->buffer + log->len}, line;

	if (log->in_long_line) {
		const char *newline = scan_first(all, '\n');

		all.at = newline ? newline + 1 : all.end;
		log->in_long_line = !newline;
	}
	const char *newline = scan_last(all, '\n');
	const char *rest = at_end ? all.end : newline ? newline + 1 : all.at;
	log->from = all.at;
	log->owned = NULL;
	for (struct scan lines = {all.at, rest}; scan_left(&lines);) {
		/* in the next line that may have a frame, or facts about one */
		const char *hint = any_line ? lines.at : hints_find(lines.at, rest);
		if (!hint)
			break;
		const char *start = memrchr(lines.at, '\n', (size_t)(hint - lines.at));
		lines.at = start ? start + 1 : lines.at;
		if (scan_line(&lines, &line) && scan_left(&line) <= LINE_MAX_LEN)
			read_line(log, line);
	}
	(void)look_back(log, rest);
	if (all.end - rest > LINE_MAX_LEN) {
		log->in_long_line = true;
		rest = all.end;
	}
	return (size_t)(rest - log->buffer);
}

struct error *text_log_next(struct text_log *log, struct arena *memory, struct text_log_piece *ret)
{
	ssize_t n;

	memmove(log->buffer, log->buffer + log->given, log->len - log->given);
	log->at += log->given;
	log->len -= log->given;
	log->given = log->frames.len = 0;
	log->memory = memory;
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
