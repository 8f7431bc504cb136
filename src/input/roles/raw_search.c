// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_search.h"

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "input/roles/layout_given.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

#define CHOICES_MAX 12 /* readings that are listed */

const char *search_option(const struct reading_search *search)
{
	return search->columns.of_value ? "--value-layout" : "--key-layout";
}

void search_add_choice(struct reading_search *search, char *choice)
{
	struct raw_reading *reading = search->reading;
	size_t n = reading->choices.len;

	if (n < CHOICES_MAX && !(n && !strcmp(choice, reading->choices.data[n - 1])))
		vec_push(&reading->choices, choice);
	else
		free(choice);
}

enum raw_status search_refuse(struct reading_search *search, const char *reason, ...)
{
	const char *choice;
	va_list choices;

	search->reading->reason = xstrdup(reason);
	va_start(choices, reason);
	while ((choice = va_arg(choices, const char *)))
		search_add_choice(search, xstrdup(choice));
	va_end(choices);
	return RAW_REFUSED;
}

char *search_roles_text(const struct reading_search *search, const struct raw_roles *roles)
{
	const struct raw_naming *naming = search->question->naming;

	return naming ? naming->roles(naming->context, roles)
		      : raw_roles_layout(roles, &search->columns);
}

void search_offer(struct reading_search *search, const struct raw_roles *roles, const char *more)
{
	auto_free char *text = search_roles_text(search, roles);

	if (text && search->question->naming)
		search_add_choice(search, xasprintf("--key=%s%s", text, more));
	else if (text)
		search_add_choice(
			search, xasprintf("%s='%s'%s", search_option(search), text, more));
}

void search_note(
	struct reading_search *search, size_t column, const char *field, const char *evidence)
{
	const char *part = search->columns.of_value ? "value" : "key";
	const struct raw_naming *naming = search->question->naming;

	if (naming) {
		vec_push(&search->reading->notes,
			(struct raw_note){xstrdup(naming->field(naming->context, column)),
				xstrdup(evidence)});
		return;
	}
	vec_push(&search->reading->notes,
		(struct raw_note){xasprintf("%s.%s (bytes %zu-%zu)", part, field, column,
					  column + RAW_WORD - 1),
			xstrdup(evidence)});
}

/* The texts are our own: one that does not parse is like one that does not fit. */
bool search_parse(const struct reading_search *search, const char *text, const char *prefix,
	size_t len, struct layout *ret)
{
	struct error *error =
		layout_given(text, "layout", prefix, search->question->key_fields, ret);

	if (error) {
		error_destroy(error);
		return false;
	}
	if (layout_fits(ret, len))
		return true;
	layout_deinit(ret);
	*ret = (struct layout){};
	return false;
}
