// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_text.h"

#include <string.h>

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

/* Sets the value of FRAME and its meaning. Returns false if the numbers are contradictory. */
static bool set_value(const struct pattern_match *match, struct text_frame *frame)
{
	uint64_t start;

	if (match_hex(match, GROUP_START, &start) &&
		(frame->address < start || frame->address - start >= frame->size))
		return false;
	if (match_hex(match, GROUP_LOAD_OFFSET, &frame->value)) {
		frame->counts = TEXT_FROM_LOAD;
	} else if (match_hex(match, GROUP_FILE_OFFSET, &frame->value)) {
		frame->counts = TEXT_FROM_FILE;
	} else if (match_has(match, GROUP_START)) {
		frame->counts = TEXT_FROM_MAP;
		frame->value = frame->address - start;
	} else if (match_hex(match, GROUP_OFFSET, &frame->value)) {
		frame->counts = TEXT_FROM_SYMBOL;
		return !match_has(match, GROUP_SIZE) ||
		       (frame->size && frame->value <= frame->size);
	} else {
		frame->counts = TEXT_ADDRESS;
		frame->value = frame->address;
	}
	return true;
}

static bool make_frame(const struct form_match *form, struct text_frame *ret)
{
	const struct pattern_match *match = &form->match;
	struct scan id = match->groups[GROUP_BUILD_ID];

	*ret = (struct text_frame){.form = form->form->form,
		.text = match->all,
		.symbol = name_of(match->groups[GROUP_SYMBOL]),
		.object =
			match->groups[match_has(match, GROUP_MODULE) ? GROUP_MODULE : GROUP_OBJECT],
		.pid = match_decimal(match, GROUP_PID),
		.owner = frame_owner_of(match),
		.sure = match_has(match, GROUP_SURE),
		.unreliable = match_has(match, GROUP_UNRELIABLE)};
	(void)match_hex(match, GROUP_SIZE, &ret->size);
	(void)match_hex(match, GROUP_ADDRESS, &ret->address);
	if (id.at && !build_id_parse(id.at, scan_left(&id), &ret->build_id))
		return false;
	if (!set_value(match, ret) || (ret->counts == TEXT_FROM_SYMBOL && !scan_left(&ret->symbol)))
		return false;
	/* an offset in an object needs the object */
	if (ret->counts != TEXT_ADDRESS && ret->counts != TEXT_FROM_SYMBOL &&
		!scan_left(&ret->object) && !ret->build_id.len)
		return false;
	/* a user's form with a symbol but no object is for the kernel */
	if (ret->form == TEXT_OWN && ret->counts == TEXT_FROM_SYMBOL &&
		!scan_left(&match->groups[GROUP_OBJECT]))
		ret->form = TEXT_KERNEL;
	/* in the kernel, no return address is at the start of a function */
	ret->exact = match_has(match, GROUP_EXACT) || (ret->form == TEXT_KERNEL && !ret->value);
	return true;
}

bool frame_text_next(struct forms *forms, struct text_frame *ret)
{
	struct form_match form;

	while (forms_next(forms, &form))
		if (make_frame(&form, ret) && !forms_has_line(forms, form.match.all.end))
			return true;
	return false;
}
