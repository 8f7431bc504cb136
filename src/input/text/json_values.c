// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/json_values.h"

void json_values_deinit(struct json_values *values)
{
	json_deinit(&values->json);
	text_deinit(&values->path);
	error_destroy(values->error);
}

struct scan json_values_name(const struct json_values *values, size_t level)
{
	const char *path = values->path.data ?: "";
	size_t parent = values->parents[level];
	size_t end = level < values->level ? values->parents[level + 1] : values->path.len;

	return (struct scan){path + parent + (parent > 0), path + end};
}

static void name_member(struct json_values *values)
{
	size_t parent = values->parents[values->level];

	values->member = values->json.start;
	values->path.len = parent;
	if (parent)
		text_add_char(&values->path, '.');
	text_add(&values->path, values->json.text.data, values->json.text.len);
}

static bool begin_object(struct json_values *values)
{
	struct json *json = &values->json;

	if (values->level == values->level_max)
		return json_skip(json, JSON_OBJECT);
	if (!values->level++)
		json->item = json->start;
	values->parents[values->level] = values->path.len;
	return true;
}

static bool read_token(struct json_values *values, enum json_token token)
{
	struct json *json = &values->json;

	if (token == JSON_NAME) {
		name_member(values);
		return true;
	}
	if (token == JSON_OBJECT_END)
		values->path.len = values->parents[values->level--];
	if ((values->level || token == JSON_OBJECT_END) && !values->take(values, token))
		return false;
	if (token == JSON_OBJECT)
		return begin_object(values);
	return token != JSON_ARRAY || !values->level || json_skip(json, token);
}

bool json_values_read(struct json_values *values, struct dump *dump)
{
	struct json *json = &values->json;
	enum json_token token;

	json_deinit(json);
	json_init(json, dump->source, false);
	text_clear(&values->path);
	values->level = 0;
	do {
		token = json_next(json);
		if (token == JSON_END)
			return true;
	} while (token != JSON_ERROR && read_token(values, token));
	if (values->error || !json->problem || dump->source->failure || dump->source->failed)
		return false;
	dump_warn(dump,
		json->cut ? "%s: the last object is truncated" : "%s; what follows is skipped",
		json->problem);
	dump->desynced = !json->cut;
	return false;
}
