// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_search.h"

#include "util/cleanup.h"
#include "util/xalloc.h"

const char *search_option(const struct reading_search *search)
{
	return search->columns.of_value ? "--value-layout" : "--key-layout";
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
	bool named = search->question->naming;

	if (text)
		reading_offer(search->reading,
			xasprintf(named ? "%s=%s%s" : "%s='%s'%s",
				named ? "--key" : search_option(search), text, more));
}

void search_note(
	struct reading_search *search, size_t column, const char *field, const char *evidence)
{
	const char *part = search->columns.of_value ? "value" : "key";
	const struct raw_naming *naming = search->question->naming;

	vec_push(&search->reading->notes,
		(struct reading_note){naming ? xstrdup(naming->field(naming->context, column))
					     : xasprintf("%s.%s (bytes %zu-%zu)", part, field,
						       column, column + RAW_WORD - 1),
			xstrdup(evidence)});
}

/* TEXT is generated or constant, so a syntax error is treated like a layout that does not fit. */
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
