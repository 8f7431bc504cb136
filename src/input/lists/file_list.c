// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/lines.h"

#include <string.h>

enum { SYMBOL_MAX = 1 << 12 /* in bytes */ };

/* One frame of a line. */
struct listed_address {
	struct scan path, symbol; /* symbol is empty if there is none */
	uint64_t value;
	bool parentheses, sure; /* parentheses: also for brackets right after the path */
};

void file_list_deinit(struct file_list *list)
{
	slots_deinit(&list->slots);
	arena_deinit(&list->strings);
}

void file_list_clear(struct file_list *list)
{
	slots_clear(&list->slots);
	arena_clear(&list->strings);
}

static void skip_separators(struct scan *s)
{
	while (scan_left(s) && line_separator(*s->at))
		s->at++;
}

/*
 * Returns true if a frame may end before S: at the end of the line, or before the path of the next
 * frame.
 */
static bool is_frame_end(struct scan s)
{
	if (!scan_left(&s))
		return true;
	if (!line_separator(*s.at))
		return false;
	skip_separators(&s);
	return !scan_left(&s) || *s.at == '/' || scan_starts(s, "./") || scan_starts(s, "../");
}

/* Reads `+0xOFFSET` of `PATH+0xOFFSET`. */
static bool scan_plain(struct scan *s, struct listed_address *frame)
{
	struct scan at = *s;
	uint64_t address;

	if (!scan_char(&at, '+') || !scan_prefixed_hex(&at, &frame->value))
		return false;
	frame->sure = scan_bracketed_hex(&at, &address);
	if (!is_frame_end(at))
		return false;
	*s = at;
	return true;
}

/*
 * Reads the parentheses of `PATH(+0xOFFSET) [0xADDR]`, `PATH(SYMBOL+0xOFFSET)` or `PATH()
 * [0xADDR]`, and the address after them.
 */
static bool scan_parentheses(struct scan *s, struct listed_address *frame)
{
	struct scan at = *s;
	uint64_t address;

	if (!scan_char(&at, '('))
		return false;
	frame->symbol.at = at.at;
	while (scan_left(&at) && *at.at != '+' && *at.at != ')' && !line_separator(*at.at) &&
		at.at - frame->symbol.at < SYMBOL_MAX)
		at.at++;
	frame->symbol.end = at.at;
	bool offset = scan_char(&at, '+') && scan_prefixed_hex(&at, &frame->value);
	if (!scan_char(&at, ')'))
		return false;
	bool brackets = scan_bracketed_hex(&at, &address);
	bool named = scan_left(&frame->symbol) > 0;
	if (!is_frame_end(at) || (!offset && (!brackets || named)))
		return false;
	if (!offset)
		frame->value = address;
	frame->sure = brackets || named;
	frame->parentheses = true;
	*s = at;
	return true;
}

/* Reads the bracket of `PATH[0xADDR]`. */
static bool scan_fixed(struct scan *s, struct listed_address *frame)
{
	struct scan at = *s;

	if (!scan_starts(at, "[") || !scan_bracketed_hex(&at, &frame->value) || !is_frame_end(at))
		return false;
	frame->sure = frame->parentheses = true;
	*s = at;
	return true;
}

static bool is_path(const struct listed_address *frame)
{
	struct scan path = frame->path;

	if (!scan_left(&path) || scan_first(path, '\0'))
		return false;
	if (*path.at == '/' || *path.at == '.')
		return true;
	return !scan_first(path, ' ') && (frame->parentheses || scan_first(path, '/'));
}

/*
 * Reads the next frame. Its path extends to the first position where the rest of a frame can be
 * read.
 */
static bool scan_frame(struct scan *s, struct listed_address *ret)
{
	struct scan at = *s;

	for (; scan_left(&at); at.at++) {
		*ret = (struct listed_address){.path = {s->at, at.at}};
		if (!scan_plain(&at, ret) && !scan_parentheses(&at, ret) && !scan_fixed(&at, ret))
			continue;
		if (!is_path(ret))
			return false;
		*s = at;
		return true;
	}
	return false;
}

/* Copies S, but reuses the string LAST if it is equal: consecutive frames often have one file. */
static const char *keep_string(struct file_list *list, struct scan s, const char *last)
{
	size_t len = scan_left(&s);

	if (last && strlen(last) == len && !memcmp(last, s.at, len))
		return last;
	return arena_copy(&list->strings, s.at, len);
}

size_t file_list_line(struct file_list *list, struct scan line)
{
	struct slots *slots = &list->slots;
	size_t before = slots->values.len;
	struct listed_address frame;

	for (skip_separators(&line); scan_left(&line); skip_separators(&line)) {
		if (!scan_frame(&line, &frame)) {
			slots->values.len = slots->origins.len = before;
			return 0;
		}
		const struct stack_file *last =
			slots->origins.len ? vec_last(&slots->origins)->file : NULL;
		struct stack_file *file = arena_alloc(&list->strings, sizeof(*file));
		*file = (struct stack_file){
			.path = keep_string(list, frame.path, last ? last->path : NULL),
			.symbol = scan_left(&frame.symbol) ? keep_string(list, frame.symbol, NULL)
							   : NULL,
			.sure = frame.sure};
		slots_add(slots, frame.value, (struct stack_origin){.file = file});
	}
	return slots->values.len - before;
}

bool file_list_address(struct file_list *list, struct scan line)
{
	uint64_t value;

	if ((!scan_prefixed_hex(&line, &value) && !scan_bracketed_hex(&line, &value)) ||
		scan_left(&line))
		return false;
	slots_add(&list->slots, value, (struct stack_origin){});
	return true;
}
