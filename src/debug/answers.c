// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/answers.h"

struct debug_answer answer_without_name(enum frame_status status, const char *detail)
{
	static const struct frame unknown = {};

	return (struct debug_answer){
		.status = status, .frames = &unknown, .n_frames = 1, .detail = detail};
}

const char *answer_string(struct table *copies, const char *s)
{
	size_t len = s ? strnlen(s, NAME_LIMIT + 1) : 0;

	return s && len <= NAME_LIMIT ? table_string(copies, s, len) : s;
}

/* ---- long names ----------------------------------------------------------------------------- */

/* NAMES: kinds of names. LONG_NAME_MAX: longer names, in bytes, are rejected. */
enum { NAMES = 5, LONG_NAME_MAX = 256 << 10 };

/* The last name cut of a kind, because addresses of one function follow each other. */
struct cut_name {
	const char *whole, *cut;
};

static bool is_long(const char *name)
{
	return name && strnlen(name, NAME_LIMIT + 1) > NAME_LIMIT;
}

bool long_names_in(const struct debug_answer *answer)
{
	array_each(frame, answer->frames, answer->n_frames)
		if (is_long(frame->function) || is_long(frame->linkage) || is_long(frame->shown) ||
			is_long(frame->qualifier) || is_long(frame->file))
			return true;
	return false;
}

static bool cut(const char **name, struct cut_name *last, struct arena *arena)
{
	if (!is_long(*name))
		return true;
	if (*name != last->whole) {
		size_t len = strnlen(*name, LONG_NAME_MAX + 1);

		last->whole = *name;
		last->cut = len > LONG_NAME_MAX ? NULL : name_limit_copy(arena, *name, len);
	}
	*name = last->cut;
	return *name;
}

static bool cut_frame(struct frame *frame, struct cut_name last[NAMES], struct arena *arena)
{
	const char *whole = frame->function;

	if (!cut(&frame->function, &last[0], arena))
		return false;
	if (frame->function != whole && frame->linkage == whole)
		frame->linkage = frame->function;
	return cut(&frame->linkage, &last[1], arena) && cut(&frame->qualifier, &last[2], arena) &&
	       cut(&frame->file, &last[3], arena) && cut(&frame->shown, &last[4], arena);
}

bool long_names_cut_frame(struct frame *frame, struct arena *arena)
{
	struct cut_name last[NAMES] = {};

	return cut_frame(frame, last, arena);
}

void long_names_cut(struct debug_answer *answers, size_t n, struct arena *arena)
{
	struct cut_name last[NAMES] = {};

	array_each(answer, answers, n)
		for (size_t j = 0; !answer->names && j < answer->n_frames; j++) {
			struct frame *frame = (struct frame *)(uintptr_t)&answer->frames[j];

			if (!cut_frame(frame, last, arena))
				*answer = answer_without_name(
					FRAME_FILE_BROKEN, "its name is longer than 256 KiB");
		}
}
