// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_text.h"

#include "util/vec.h"

static bool has(const struct form_match *match, enum form_group group)
{
	return match->groups[group].at;
}

/* Reads the hex number of GROUP; 0 if it takes no part. */
static uint64_t number(const struct form_match *match, enum form_group group)
{
	struct scan s = match->groups[group];
	uint64_t value = 0;

	return has(match, group) && scan_hex(&s, &value) ? value : 0;
}

/* "??", "n/a", "???", "<null>" and "[unknown]" say that there is none. */
static struct scan name_of(struct scan s)
{
	static const char *const none[] = {"??", "???", "n/a", "<null>", "[unknown]"};

	s = s.at ? scan_trimmed(s) : s;
	for (size_t i = 0; i < array_len(none); i++)
		if (s.at && scan_equals(s, none[i]))
			s.at = s.end;
	return s;
}

/* Sets what the value counts from. Returns false if the numbers contradict each other. */
static bool set_value(const struct form_match *match, struct text_frame *frame)
{
	uint64_t start = number(match, FORM_START);

	if (has(match, FORM_START) &&
		(frame->address < start || frame->address - start >= frame->size))
		return false;
	if (has(match, FORM_LOAD_OFFSET)) {
		frame->counts = TEXT_FROM_LOAD;
		frame->value = number(match, FORM_LOAD_OFFSET);
	} else if (has(match, FORM_FILE_OFFSET)) {
		frame->counts = TEXT_FROM_FILE;
		frame->value = number(match, FORM_FILE_OFFSET);
	} else if (has(match, FORM_START)) {
		frame->counts = TEXT_FROM_MAP;
		frame->value = frame->address - start;
	} else if (has(match, FORM_OFFSET)) {
		frame->counts = TEXT_FROM_SYMBOL;
		frame->value = number(match, FORM_OFFSET);
		return !has(match, FORM_SIZE) || (frame->size && frame->value <= frame->size);
	} else {
		frame->counts = TEXT_ADDRESS;
		frame->value = frame->address;
	}
	return true;
}

static bool make_frame(const struct form_match *match, struct text_frame *ret)
{
	struct scan id = match->groups[FORM_BUILD_ID], pid = match->groups[FORM_PID];
	uint64_t process;

	*ret = (struct text_frame){.form = match->form->form,
		.text = match->all,
		.symbol = name_of(match->groups[FORM_SYMBOL]),
		.object = match->groups[has(match, FORM_MODULE) ? FORM_MODULE : FORM_OBJECT],
		.size = number(match, FORM_SIZE),
		.address = number(match, FORM_ADDRESS),
		.pid = scan_left(&pid) && scan_decimal(&pid, &process) ? (int64_t)process : -1,
		.sure = has(match, FORM_SURE),
		.unreliable = has(match, FORM_UNRELIABLE)};
	if (id.at && !build_id_parse(id.at, scan_left(&id), &ret->build_id))
		return false;
	if (!set_value(match, ret) || (ret->counts == TEXT_FROM_SYMBOL && !scan_left(&ret->symbol)))
		return false;
	/* What counts from a file needs one. */
	if (ret->counts != TEXT_ADDRESS && ret->counts != TEXT_FROM_SYMBOL &&
		!scan_left(&ret->object) && !ret->build_id.len)
		return false;
	/* A user's form of symbols without object is the kernel's. */
	if (ret->form == TEXT_OWN && ret->counts == TEXT_FROM_SYMBOL &&
		!scan_left(&match->groups[FORM_OBJECT]))
		ret->form = TEXT_KERNEL;
	/* No call of the kernel ends where a function begins. */
	ret->exact = has(match, FORM_EXACT) || (ret->form == TEXT_KERNEL && !ret->value);
	return true;
}

bool frame_text_next(struct forms *forms, struct text_frame *ret)
{
	struct form_match match;

	while (forms_next(forms, &match))
		if (make_frame(&match, ret) && !forms_has_line(forms, match.all.end))
			return true;
	return false;
}
