// SPDX-License-Identifier: GPL-2.0-or-later
/* Layouts of the command line, with what --key wants of their arrays (layout.h). */
#include "input/roles/layout_given.h"

#include "util/cleanup.h"

enum { RECORD_WIDTH = 32 /* struct bpf_stack_build_id */ };

/* The element of FIELD that WANTED is, as a field of its own. */
static struct layout_field element_of(
	const struct layout_field *field, const struct wanted_field *wanted)
{
	struct layout_field element = *field;

	element.name = wanted_name(wanted, field->name);
	element.kind = FIELD_NUMBER;
	element.offset += wanted->index * field->width;
	element.size = field->width;
	return element;
}

static bool is_numbers(const struct layout_field *field)
{
	return field->kind == FIELD_WORDS || field->kind == FIELD_NUMBERS ||
	       (field->kind == FIELD_BYTES && field->width != RECORD_WIDTH);
}

static void add_wanted(struct layout *layout, const struct wanted *wanted)
{
	size_t n = layout->fields.len;

	for (size_t i = 0; i < n; i++) {
		const struct layout_field field = layout->fields.data[i];
		size_t count = field.size / field.width;

		if (!is_numbers(&field))
			continue;
		for (size_t j = 0; j < wanted->all.len; j++)
			if (wanted_is_element(&wanted->all.data[j], field.name, count))
				vec_push(&layout->fields, element_of(&field, &wanted->all.data[j]));
		if (wanted_sum(wanted, field.name)) {
			layout->fields.data[i].kind = FIELD_NUMBER;
			layout->fields.data[i].is_sum = true;
		}
	}
}

struct error *layout_given(const char *text, const char *option, const char *prefix,
	const char *key_fields, struct layout *ret)
{
	scope_guard(wanted_deinit) struct wanted wanted = {};

	if (!text)
		return NULL;
	try(layout_parse(text, option, prefix, ret));
	wanted_parse(key_fields, &wanted);
	add_wanted(ret, &wanted);
	return NULL;
}
