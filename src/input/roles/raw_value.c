// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_value.h"

#include <string.h>

#include "input/roles/values.h"
#include "input/roles/roles.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "util/xalloc.h"

const char *search_option(const struct reading_search *search)
{
	return search->columns.of_value ? "--value-layout" : "--key-layout";
}

char *search_roles_text(const struct reading_search *search, const struct raw_roles *roles)
{
	return search->columns.fields.len ? raw_roles_key(roles, &search->columns)
					  : raw_roles_layout(roles, &search->columns);
}

void search_offer(struct reading_search *search, const struct raw_roles *roles, const char *more)
{
	auto_free char *text = search_roles_text(search, roles);
	bool named = search->columns.fields.len;

	if (text)
		reading_offer(search->reading,
			xasprintf(named ? "%s=%s%s" : "%s='%s'%s",
				named ? "--key" : search_option(search), text, more));
}

void search_parse(const struct reading_search *search, const char *text, const char *prefix,
	struct layout *ret)
{
	/* cannot fail: TEXT is generated or constant */
	error_destroy(layout_given(text, "layout", prefix, search->question->key_fields, ret));
}

/* ---- layouts of known programs -------------------------------------------------------------- */

/* Returns the offset of the comm in the layout VALUE, or RAW_NONE. */
static size_t comm_in(const struct layout *value)
{
	vec_each(field, &value->fields)
		if (field->kind == FIELD_TEXT && field->size == RAW_COMM_LEN &&
			!strcmp(field->name, "value.comm"))
			return field->offset;
	return RAW_NONE;
}

static const struct known_value *find_known(
	const struct reading_search *search, bool has_id, struct layout *ret)
{
	return known_value_find(search->question->map, has_id, search->question->key_fields, ret);
}

size_t raw_value_comm(const struct reading_search *search)
{
	scope_guard(layout_deinit) struct layout known = {};

	if (search->reading->value)
		return comm_in(search->reading->value);
	find_known(search, false, &known);
	return comm_in(&known);
}

/* ---- the number that counts ----------------------------------------------------------------- */

static enum reading_status refuse_value(struct reading_search *search)
{
	struct count_reading *reading = search->reading;
	size_t len = reading->value_len;

	if (len >= sizeof(uint64_t))
		reading_offer(reading, xstrdup("--value-layout='u64 weight@0; u8 rest[]' (for 0, "
					       "put the offset of the right number)"));
	for (size_t width = 8; width >= 4; width /= 2)
		if (len > width && !(len % width))
			reading_offer(reading,
				xasprintf("--value-layout='u%zu slots[%zu]' (all numbers add up)",
					8 * width, len / width));
	reading_offer(
		reading, xasprintf("--value-layout='u8 rest[%zu]' (each entry counts once)", len));
	return reading_refuse(
		reading, xasprintf("the content of its values of %zu bytes is unknown", len), NULL);
}

#define BYTES_OR_NUMBER                                                                            \
	"its values could be plain numbers or, as in memleak, the bytes of allocations in 40 "     \
	"bits and their number in 24"
#define ONE_OR_TWO "its values could be one number of 8 bytes, or two of 4 bytes"

/* readings of values that may be something else than plain numbers */
static const struct {
	const char *reason, *choices[3];
} doubted_numbers[] = {
	[NUMBER_ALLOCATIONS] = {BYTES_OR_NUMBER,
		{"--value-layout='u64 value' (plain numbers)",
			"--value-layout='u32 value; u32 unused' (the bytes)",
			"--value-layout='u8 rest[8]' (each entry counts once)"}},
	[NUMBER_LARGE_ALLOCATIONS] = {BYTES_OR_NUMBER,
		{"--value-layout='u64 value' (plain numbers)",
			"--value-layout='u8 rest[8]' (each entry counts once)"}},
	[NUMBER_LARGER_FIRST] = {ONE_OR_TWO, {"--value-layout='u32 weight; u32 unused'",
						     "--value-layout='u32 unused; u32 weight'",
						     "--value-layout='u64 value' (one number)"}},
	[NUMBER_LARGER_SECOND] = {ONE_OR_TWO, {"--value-layout='u32 unused; u32 weight'",
						      "--value-layout='u32 weight; u32 unused'",
						      "--value-layout='u64 value' (one number)"}},
};

/* Refuses values that may be something else than plain numbers. */
static enum reading_status check_number(struct reading_search *search)
{
	enum number_doubt doubt = number_doubt_find(search->question->map);
	const char *const *choices = doubted_numbers[doubt].choices;

	return doubt == NUMBER_PLAIN
		       ? READING_USABLE
		       : reading_refuse(search->reading, xstrdup(doubted_numbers[doubt].reason),
				 choices[0], choices[1], choices[2], NULL);
}

/* Reads the value with the layout of KNOWN, which is in `own_value`. */
static void use_known(struct reading_search *search, const struct known_value *known)
{
	search->reading->value = &search->reading->own_value;
	search->reading->evidence[ROLE_WEIGHT] =
		xasprintf("in the only known layout that fits: %s", known->program);
}

static enum reading_status choose_known(struct reading_search *search)
{
	const struct known_value *known = find_known(search, false, &search->reading->own_value);

	if (!known)
		return refuse_value(search);
	use_known(search, known);
	return READING_USABLE;
}

enum reading_status raw_value_find(struct reading_search *search)
{
	static const char *const part_values[] = {"u64 value", "u64 count", "u64 total"};
	struct count_reading *reading = search->reading;
	size_t len = reading->value_len;
	const char *plain = len == 8 ? part_values[reading->part] : len == 4 ? "u32 value" : NULL;
	bool named = reading->part != BPFTRACE_PART_NONE;

	if (reading->value || !len || search->columns.of_value)
		return READING_USABLE;
	if (!plain)
		return choose_known(search);
	if (!named && !search->question->weight && check_number(search) != READING_USABLE)
		return READING_REFUSED;
	search_parse(search, plain, named ? "value." : "", &reading->own_value);
	reading->value = &reading->own_value;
	return READING_USABLE;
}

/* ---- stack IDs in the value ----------------------------------------------------------------- */

static bool names_stack(const struct layout *layout)
{
	vec_each(field, &layout->fields) {
		const char *name = strrchr(field->name, '.');

		if (name && role_is_stack(role_of_name(scan_of(name + 1))))
			return true;
	}
	return false;
}

/* Returns true if the last field of LAYOUT must be a stack ID. */
static bool ends_in_id(const struct reading_search *search, const struct layout *layout)
{
	const struct layout_field *id = &layout->fields.data[layout->fields.len - 1];
	const struct count_map *map = search->question->map;
	struct id_column ids = {};

	count_each(i, map)
		id_column_add(&ids, search->question->index,
			(int32_t)load_u32(count_map_value(map, i) + id->offset));
	return id_column_certain(&ids, search->question->index);
}

bool raw_value_find_id(struct reading_search *search)
{
	struct layout *own = &search->reading->own_value;

	if (search->reading->value)
		return names_stack(search->reading->value);
	const struct known_value *known = find_known(search, true, own);
	if (known && ends_in_id(search, own)) {
		use_known(search, known);
		return true;
	}
	layout_deinit(own);
	*own = (struct layout){};
	return false;
}
