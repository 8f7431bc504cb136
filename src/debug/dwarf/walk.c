// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/walk.h"

static struct form_value read_place(const struct walk *walk, const struct abbrev_place *place)
{
	struct cursor cursor = walk->cursor;

	if (!place->form)
		return (struct form_value){};
	cursor_skip(&cursor, place->at);
	if (__builtin_expect(place->size, 1)) {
		uint64_t number = cursor_number(&cursor, place->size);

		return (struct form_value){cursor.failed ? 0 : place->form, number, NULL};
	}
	return form_read(&cursor, place->form, 0, &walk->unit->encoding);
}

struct code walk_code(const struct walk *walk, const struct abbrev *abbrev)
{
	struct attributes attributes = {
		.specs = {abbrev->specs, walk->abbrevs->end, false},
		.values = walk->cursor,
		.encoding = &walk->unit->encoding,
	};
	struct code code = {};
	struct form_value value;
	uint16_t name;

	if (abbrev->placed)
		return (struct code){
			.low = read_place(walk, &abbrev->low),
			.high = read_place(walk, &abbrev->high),
			.ranges = read_place(walk, &abbrev->ranges),
			.entry = read_place(walk, &abbrev->entry),
		};
	while (attributes_next(&attributes, &name, &value))
		code_take(&code, name, &value);
	return code;
}
