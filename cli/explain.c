// SPDX-License-Identifier: GPL-2.0-or-later
#include "explain.h"

#include <inttypes.h>
#include <string.h>

#include "util/json_text.h"
#include "util/text.h"
#include "util/vec.h"

/* ---- text ----------------------------------------------------------------------------------- */

static void add_size(struct text *text, const struct explained_map *map)
{
	bool stacks = !strcmp(map->kind, "stack map");

	text_printf(text, ", %zu %s", map->entries,
		stacks		    ? map->entries == 1 ? "stack" : "stacks"
		: map->entries == 1 ? "entry"
				    : "entries");
	if (map->key_len)
		text_printf(text, ", keys of %zu bytes", map->key_len);
	if (map->value_len)
		text_printf(text, ", values of %zu bytes", map->value_len);
}

/* Returns the length of the longest field name that has at most 40 bytes. */
static int name_width(const struct explained_map *map)
{
	size_t width = 0;

	vec_each(field, &map->fields) {
		size_t len = strlen(field->name);

		width = len > width && len <= 40 ? len : width;
	}
	return (int)width;
}

static void add_fields(struct text *text, const struct explained_map *map)
{
	int width = name_width(map);

	vec_each(field, &map->fields) {
		struct text name = {};

		text_add_escaped_string(&name, field->name);
		text_printf_escaped(text, "  %-*s  %-8s  %s", width, name.data ?: "",
			field->role ?: "unused", field->evidence);
		text_add_char(text, '\n');
		text_deinit(&name);
	}
}

static void add_side(struct text *text, const struct explained_side *side)
{
	bool any = false;

	for (enum stack_state state = 0; state < STACK_STATE_COUNT; state++) {
		if (!side->entries[state])
			continue;
		text_printf(text, "%s%" PRIu64 " %s (weight %" PRIu64 ")", any ? ", " : "",
			side->entries[state],
			state == STACK_PRESENT ? "found" : stack_state_text(state),
			side->weight[state]);
		any = true;
	}
	if (!any)
		text_add_string(text, "none");
}

static void add_join(struct text *text, const struct explained_map *map)
{
	text_printf(text, "  joined: %" PRIu64 " %s, weight %" PRIu64 "\n", map->samples,
		map->samples == 1 ? "sample" : "samples", map->weight);
	text_add_string(text, "    user stacks:   ");
	add_side(text, &map->user);
	text_add_string(text, "\n    kernel stacks: ");
	add_side(text, &map->kernel);
	text_add_char(text, '\n');
}

static void add_map(struct text *text, const struct explained_map *map)
{
	text_printf_escaped(text, "%s: %s", map->name, map->kind);
	add_size(text, map);
	text_add_string(text, "\n  ");
	text_add_escaped_string(text, map->evidence);
	text_add_char(text, '\n');
	if (!map->used) {
		text_printf_escaped(text, "  not used: %s", map->why);
		text_add_char(text, '\n');
	}
	vec_each_value(choice, &map->choices) {
		text_printf_escaped(text, "  possible reading: %s", choice);
		text_add_char(text, '\n');
	}
	add_fields(text, map);
	if (map->joined)
		add_join(text, map);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_json_fields(struct text *text, const struct explained_map *map)
{
	json_open(text, "fields", '[');
	vec_each(field, &map->fields) {
		json_open(text, NULL, '{');
		json_add_string(text, "name", field->name);
		json_add_known(text, "role", field->role);
		json_add_string(text, "evidence", field->evidence);
		text_add_char(text, '}');
	}
	text_add_char(text, ']');
}

static void add_json_side(struct text *text, const char *name, const struct explained_side *side)
{
	const char *comma = "";

	text_printf(text, ",\"%s\":{", name);
	for (enum stack_state state = 0; state < STACK_STATE_COUNT; state++) {
		if (!side->entries[state])
			continue;
		text_printf(text, "%s\"%s\":{\"entries\":%" PRIu64 ",\"weight\":%" PRIu64 "}",
			comma, stack_state_key(state), side->entries[state], side->weight[state]);
		comma = ",";
	}
	text_add_char(text, '}');
}

static void add_json_map(struct text *text, const struct explained_map *map)
{
	text_add_string(text, "{\"schema\":1,\"explain\":\"map\"");
	json_add_string(text, "name", map->name);
	json_add_string(text, "kind", map->kind);
	json_add_string(text, "evidence", map->evidence);
	text_printf(text, ",\"entries\":%zu,\"key_size\":%zu,\"value_size\":%zu,\"used\":%s",
		map->entries, map->key_len, map->value_len, map->used ? "true" : "false");
	if (!map->used)
		json_add_string(text, "reason", map->why);
	if (map->choices.len)
		json_add_strings(
			text, "choices", (const char *const *)map->choices.data, map->choices.len);
	if (map->fields.len)
		add_json_fields(text, map);
	if (map->joined) {
		text_printf(text, ",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64, map->samples,
			map->weight);
		add_json_side(text, "user", &map->user);
		add_json_side(text, "kernel", &map->kernel);
	}
	text_add_string(text, "}\n");
}

void explain_print(const struct explanation *explanation, bool json, FILE *file)
{
	struct text text = {};

	vec_each(map, &explanation->maps)
		(json ? add_json_map : add_map)(&text, map);
	if (explanation->samples && json)
		text_printf(&text,
			"{\"schema\":1,\"explain\":\"stacks\",\"samples\":%" PRIu64
			",\"weight\":%" PRIu64 "}\n",
			explanation->samples, explanation->weight);
	else if (explanation->samples)
		text_printf(&text,
			"stacks stored in the entries themselves: %" PRIu64 ", weight %" PRIu64
			"\n",
			explanation->samples, explanation->weight);
	if (text.len)
		fwrite(text.data, 1, text.len, file);
	text_deinit(&text);
}
