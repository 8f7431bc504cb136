// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "input/roles/role_check.h"

#include "util/cleanup.h"
#include "util/text.h"

#define NAMES_SHOWN 20

char *row_names(const struct row *row)
{
	struct text text = {};

	for (size_t i = 0; i < row->n && i < NAMES_SHOWN; i++) {
		const char *name = row->fields[i].name;

		if (i)
			text_add_string(&text, ", ");
		text_add_escaped(&text, name, strnlen(name, 80));
	}
	text_add_string(&text, row->n > NAMES_SHOWN ? ", …" : row->n ? "" : "none");
	return text_take(&text);
}

/* Returns true if WANTED names a struct: complete components of a field's path, not the last. */
static bool is_struct(const struct row *row, const char *wanted)
{
	size_t len = strlen(wanted);

	for (size_t i = 0; i < row->n; i++)
		for (const char *at = row->fields[i].name; at; at = strchr(at, '.')) {
			at += *at == '.';
			if (!strncmp(at, wanted, len) && at[len] == '.')
				return true;
		}
	return false;
}

/* Returns why FIELD cannot play ROLE, for messages, or NULL if it can. */
static const char *misfit(enum role role, const struct field *field)
{
	if (role_fits(role, field))
		return NULL;
	if (field->kind == FIELD_NUMBER)
		return "is a number, not a text";
	if (field->kind == FIELD_TEXT)
		return "is a text";
	return role_is_stack(role)
		       ? "is an array of numbers that are not addresses: choose one of them, as "
			 "in FIELD[0]"
		       : "is an array: choose one of its elements, as in FIELD[0]";
}

static struct error *check(
	const struct row *row, const struct role_override *override, const char *position)
{
	size_t field = field_by_path(row, override->field);
	const char *what = "names no field here";

	if (field != ROLE_NO_FIELD)
		what = misfit(override->role, &row->fields[field]);
	else if (is_struct(row, override->field))
		what = "is a struct: choose one of its fields";
	if (!what)
		return NULL;
	auto_free char *names = row_names(row);
	return error_create(ERROR_USAGE, "%s: --key %s=%s %s; there are: %s", position,
		role_key(override->role), override->field, what, names);
}

struct error *roles_check(
	const struct row *row, const struct role_overrides *overrides, const char *position)
{
	for (size_t i = 0; i < overrides->all.len; i++)
		try(check(row, &overrides->all.data[i], position));
	return NULL;
}
