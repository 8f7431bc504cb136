// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/fault_text.h"

#include <string.h>

bool fault_text_scan(struct scan part, struct text_frame *frame)
{
	static const char in[] = " in ";
	const char *at = scan_find(part, " ip");
	uint64_t start, pid;

	*frame = (struct text_frame){.form = TEXT_FAULT, .pid = -1, .exact = true};
	if (!at)
		return false;
	struct scan before = {part.at, at}, ip = {at + 3, part.end}, name;
	if ((!scan_char(&ip, ' ') && !scan_char(&ip, ':')) || !scan_hex(&ip, &frame->address))
		return false;
	ip.at = scan_find(ip, in);
	if (!ip.at)
		return false;
	ip.at += strlen(in);
	if (!scan_to(&ip, '[', &frame->object) || !scan_left(&frame->object) ||
		!scan_hex(&ip, &start))
		return false;
	frame->counts = TEXT_FROM_MAP;
	frame->value = frame->address - start;
	if (scan_char(&ip, ',')) {
		frame->counts = TEXT_FROM_FILE;
		frame->value = start;
		if (!scan_hex(&ip, &start))
			return false;
	}
	if (!scan_char(&ip, '+') || !scan_hex(&ip, &frame->size) || !scan_char(&ip, ']') ||
		frame->address < start || frame->address - start >= frame->size)
		return false;
	frame->text = (struct scan){frame->object.at, ip.at};
	/* The process stands in brackets before. */
	while (scan_to(&before, '[', &name)) {
		struct scan number = before;

		if (scan_decimal(&number, &pid) && scan_char(&number, ']') && pid <= INT32_MAX)
			frame->pid = (int64_t)pid;
	}
	return true;
}
