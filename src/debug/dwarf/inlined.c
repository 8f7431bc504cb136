// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/dwarf/inlined.h"

#include <dwarf.h>
#include <string.h>

#include "debug/dwarf/die.h"
#include "debug/dwarf/functions.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/xalloc.h"

void inlined_calls_deinit(struct inlined_calls *calls)
{
	table_deinit(&calls->functions);
	vec_deinit(&calls->all);
}

/* KNOWN: offset of a function → its number. */
static void read_call(
	struct inlined_calls *calls, struct table *known, struct unit *unit, uint64_t die)
{
	struct attributes attributes;
	struct form_value value;
	struct code code = {};
	struct ranges ranges;
	uint64_t origin = 0, start, end;
	uint16_t name;
	bool added;

	if (!attributes_begin(unit, die, &attributes))
		return;
	while (attributes_next(&attributes, &name, &value))
		if (name != DW_AT_abstract_origin)
			code_take(&code, name, &value);
		else if (!unit_reference(unit, &value, &origin))
			origin = 0; /* it is in dwz's file */
	ranges_begin(&ranges, unit, &code);
	if (!ranges_next(&ranges, &start, &end))
		return;
	const uint64_t key[] = {(uintptr_t)unit->dwarf, origin};
	uint64_t *function = table_at(known, key, sizeof(key), &added);
	if (added || !origin) {
		const struct names names = names_read_call(unit, die).names;

		*function = table_number(&calls->functions, &names, sizeof(names));
	}
	vec_push(&calls->all, (struct inlined_code){start, (uint32_t)*function});
}

static void read_all(struct inlined_calls *calls, struct dwarf *dwarf, struct splits *splits)
{
	scope_guard(table_deinit) struct table known = {};
	struct unit *unit;

	calls->read = true;
	for (size_t i = 0; (unit = splits_next(splits, dwarf, &i));) {
		struct walk walk = walk_from(unit, unit->first);

		while (cursor_left(&walk.cursor) && !stop_asked()) {
			uint64_t die = walk_offset(&walk);
			const struct abbrev *abbrev = walk_begin(&walk);

			if (!abbrev)
				continue;
			if (abbrev->kind == DIE_INLINED && abbrev->has_code)
				read_call(calls, &known, unit, die);
			if (abbrev->kind == DIE_OTHER && die != unit->first)
				walk_tree(&walk, abbrev);
			else
				walk_attributes(&walk, abbrev);
		}
	}
}

void inlined_find(struct inlined_calls *calls, const struct inlined_search *search,
	struct dwarf *dwarf, struct splits *splits)
{
	if (!calls->read)
		read_all(calls, dwarf, splits);
	auto_free bool *wanted = xcalloc(calls->functions.len + 1, sizeof(*wanted));
	array_each(slot, calls->functions.slots, calls->functions.cap) {
		struct names names;
		struct frame frame = {};

		if (!slot->key)
			continue;
		memcpy(&names, slot->key, sizeof(names));
		names_set(&frame, &names);
		wanted[slot->value] =
			frame_names_is(search->names, search->strings, &frame, search->word);
	}
	vec_each(call, &calls->all)
		if (wanted[call->function])
			search->found(search->context, call->address);
}
