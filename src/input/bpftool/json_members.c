// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/json_members.h"

#include <string.h>

#include "model/name_limit.h"

static bool wrong(struct json_members *members, const char *problem)
{
	if (!members->problem)
		members->problem = problem;
	return false;
}

static const struct json_member *find_member(
	const struct json_member *table, size_t n, const char *name)
{
	for (size_t i = 0; i < n; i++)
		if (!strcmp(table[i].name, name))
			return &table[i];
	return NULL;
}

static bool read_text(struct json_members *members, enum json_token token, const char **ret)
{
	const struct text *text = &members->json->text;

	if (token != JSON_STRING)
		return wrong(members, "a member that must be a string is not one");
	*ret = name_limit_copy(members->arena, text->len ? text->data : "", text->len);
	return true;
}

static bool read_number(
	struct json_members *members, enum json_token token, struct json_number *ret)
{
	uint64_t value;

	if ((token != JSON_NUMBER && token != JSON_STRING) || !json_integer(members->json, &value))
		return wrong(members, "a member that must be a number is not one");
	*ret = (struct json_number){value, true};
	return true;
}

static bool read_member(struct json_members *members, const struct json_member *member,
	enum json_token token, void *to)
{
	char *field = (char *)to + member->at;

	if (members->arena->bytes > members->memory_max)
		return wrong(members, "it is too large");
	switch (member->kind) {
	case JSON_MEMBER_TEXT:
		return read_text(members, token, (const char **)(void *)field);
	case JSON_MEMBER_NUMBER:
		return read_number(members, token, (struct json_number *)(void *)field);
	case JSON_MEMBER_FLAG:
		if (token != JSON_TRUE && token != JSON_FALSE)
			return wrong(members, "a member that must be true or false is neither");
		*(bool *)field = token == JSON_TRUE;
		return true;
	case JSON_MEMBER_OTHER:
		break;
	}
	return member->read(members, token, field);
}

bool json_members_read(
	struct json_members *members, const struct json_member *table, size_t n, void *to)
{
	for (;;) {
		enum json_token token = json_next(members->json);

		if (token == JSON_OBJECT_END)
			return true;
		if (token != JSON_NAME)
			return false;
		const struct text *name = &members->json->text;
		const struct json_member *member =
			find_member(table, n, name->len ? name->data : "");
		token = json_next(members->json);
		if (token == JSON_ERROR)
			return false;
		if (!member ? !json_skip(members->json, token)
			    : !read_member(members, member, token, to))
			return false;
	}
}
