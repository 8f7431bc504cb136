// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/copy.h"

#include "process/recording/field.h"
#include "process/recording/kept_dir.h"

bool recorded_copy_read(struct scan line, struct arena *strings, struct recorded_copy *ret)
{
	struct recorded_copy copy = {};

	if (!field_pid(&line, &copy.pid) || !field_decimal(&line, &copy.time) ||
		!field_decimal(&line, &copy.since) || !field_hex(&line, &copy.start) ||
		!field_hex(&line, &copy.end) || !field_hex(&line, &copy.offset) ||
		!field_decimal(&line, &copy.size) || !field_name(&line, strings, &copy.name))
		return false;
	*ret = copy;
	return copy.start < copy.end && copy.since <= copy.time && kept_name_is(copy.name);
}
