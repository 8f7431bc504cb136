// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_text.h"

#include <string.h>

#include "util/file.h"
#include "util/vec.h"

/* Returns the name in S without blanks, or an empty one if S stands for no name. */
static struct scan name_of(struct scan s)
{
	static const char *const none[] = {"??", "???", "n/a", "<null>", "[unknown]"};

	s = s.at ? scan_trimmed(s) : s;
	return scan_is_one_of(s, none, array_len(none)) ? (struct scan){} : s;
}

struct frame_owner frame_owner_of(const struct pattern_match *match)
{
	struct scan time = match->groups[GROUP_TIME], comm = match->groups[GROUP_COMM];
	struct frame_owner owner = {
		.pid = match_decimal(match, GROUP_PID), .tid = match_decimal(match, GROUP_TID)};

	if (time.at)
		(void)scan_seconds(&time, &owner.time);
	if (scan_left(&comm) <= OWNER_COMM_MAX && comm.at)
		memcpy(owner.comm, comm.at, scan_left(&comm));
	return owner;
}

/*
 * Sets the value of FRAME and what it counts from. Returns false if the numbers are contradictory,
 * or if the symbol or object is missing that they count from.
 */
static bool set_value(const struct pattern_match *match, struct text_frame *frame)
{
	struct stack_file *file = &frame->file;
	uint64_t start;

	if (match_hex(match, GROUP_START, &start) &&
		(frame->address < start || frame->address - start >= file->size))
		return false;
	if (match_hex(match, GROUP_LOAD_OFFSET, &frame->value)) {
		file->base = STACK_FILE_LOADED;
	} else if (match_hex(match, GROUP_FILE_OFFSET, &frame->value)) {
		file->base = frame->form == TEXT_PERF ? STACK_FILE_OFFSET : STACK_FILE_START;
	} else if (match_has(match, GROUP_START)) {
		file->base = STACK_FILE_MAPPED;
		frame->value = frame->address - start;
	} else if (match_hex(match, GROUP_OFFSET, &frame->value)) {
		file->symbol = frame->symbol;
		return file->symbol && (!match_has(match, GROUP_SIZE) ||
					       (file->size && frame->value <= file->size));
	} else {
		file->base = STACK_FILE_ADDRESS;
		frame->value = frame->address;
		return true;
	}
	return file->path || file->build_id.len;
}

static const char *copy(struct arena *memory, struct scan s)
{
	return scan_left(&s) ? arena_copy(memory, s.at, scan_left(&s)) : NULL;
}

static bool make_frame(const struct form_match *form, struct arena *memory, struct text_frame *ret)
{
	const struct pattern_match *match = &form->match;
	struct scan id = match->groups[GROUP_BUILD_ID];
	struct scan object =
		match->groups[match_has(match, GROUP_MODULE) ? GROUP_MODULE : GROUP_OBJECT];

	*ret = (struct text_frame){.form = form->form->form,
		.text = match->all,
		.symbol = copy(memory, name_of(match->groups[GROUP_SYMBOL])),
		.file = {.path = copy(memory, object),
			.sure = match_has(match, GROUP_SURE),
			.searched = true},
		.pid = match_decimal(match, GROUP_PID),
		.owner = frame_owner_of(match),
		.unreliable = match_has(match, GROUP_UNRELIABLE)};
	(void)match_hex(match, GROUP_SIZE, &ret->file.size);
	(void)match_hex(match, GROUP_ADDRESS, &ret->address);
	if ((id.at && !build_id_parse(id.at, scan_left(&id), &ret->file.build_id)) ||
		!set_value(match, ret))
		return false;
	/* a user's form with a symbol but no object is for the kernel */
	if (ret->form == TEXT_OWN && ret->file.symbol && !scan_left(&match->groups[GROUP_OBJECT]))
		ret->form = TEXT_KERNEL;
	if (ret->form == TEXT_KERNEL) {
		ret->file.module = ret->file.path ?: "";
		ret->file.path = NULL;
	}
	/* in the kernel, no return address is at the start of a function */
	ret->exact = match_has(match, GROUP_EXACT) || (ret->form == TEXT_KERNEL && !ret->value);
	return true;
}

bool frame_text_next(struct forms *forms, struct arena *memory, struct text_frame *ret)
{
	struct form_match form;

	while (forms_next(forms, &form))
		if (make_frame(&form, memory, ret) && !forms_has_line(forms, form.match.all.end))
			return true;
	return false;
}
