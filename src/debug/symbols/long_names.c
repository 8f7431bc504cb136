// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/long_names.h"

#include <string.h>

#include "model/name_limit.h"

enum { NAMES = 5 };

/* The last name cut of each kind, because addresses of one function follow each other. */
struct cut_names {
	struct cut_name {
		const char *whole, *cut;
	} last[NAMES];
};

static bool is_long(const char *name)
{
	return name && strnlen(name, NAME_LIMIT + 1) > NAME_LIMIT;
}

bool long_names_in(const struct debug_answer *answer)
{
	for (size_t i = 0; i < answer->n_frames; i++) {
		const struct frame *frame = &answer->frames[i];

		if (is_long(frame->function) || is_long(frame->linkage) || is_long(frame->shown) ||
			is_long(frame->qualifier) || is_long(frame->file))
			return true;
	}
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

static bool cut_frame(struct frame *frame, struct cut_names *names, struct arena *arena)
{
	const char *whole = frame->function;

	if (!cut(&frame->function, &names->last[0], arena))
		return false;
	if (frame->function != whole && frame->linkage == whole)
		frame->linkage = frame->function;
	return cut(&frame->linkage, &names->last[1], arena) &&
	       cut(&frame->qualifier, &names->last[2], arena) &&
	       cut(&frame->file, &names->last[3], arena) &&
	       cut(&frame->shown, &names->last[4], arena);
}

bool long_names_cut_frame(struct frame *frame, struct arena *arena)
{
	struct cut_names names = {};

	return cut_frame(frame, &names, arena);
}

void long_names_cut(struct debug_answer *answers, size_t n, struct arena *arena)
{
	static const struct frame unknown = {};
	struct cut_names names = {};

	for (size_t i = 0; i < n; i++)
		for (size_t j = 0; !answers[i].names && j < answers[i].n_frames; j++) {
			struct frame *frame = (struct frame *)(uintptr_t)&answers[i].frames[j];

			if (!cut_frame(frame, &names, arena))
				answers[i] = (struct debug_answer){
					.status = FRAME_FILE_BROKEN,
					.frames = &unknown,
					.n_frames = 1,
					.detail = "its name is longer than 256 KiB",
				};
		}
}
