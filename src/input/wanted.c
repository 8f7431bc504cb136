// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/wanted.h"

#include <string.h>

#include "input/roles/roles.h"
#include "util/scan.h"
#include "util/xalloc.h"

/* Splits "ids[0]" into the index RET and the length of the name. Returns false without index. */
static bool scan_index(const char *at, size_t len, size_t *len_ret, uint64_t *ret)
{
	const char *open = memrchr(at, '[', len);
	struct scan scan = {open ? open + 1 : at, at + len};

	if (!open || open == at || !scan_decimal(&scan, ret) || !scan_char(&scan, ']') ||
		scan_left(&scan))
		return false;
	*len_ret = (size_t)(open - at);
	return true;
}

void wanted_parse(const char *key_fields, struct wanted *ret)
{
	/* names of a histogram's slots, whose sum is the number of counted values */
	static const char *const histograms[] = {"slots", "hist", "histogram", "buckets"};
	struct role_overrides overrides = {};

	*ret = (struct wanted){};
	array_each(name, histograms, array_len(histograms))
		vec_push(&ret->all, (struct wanted_field){.path = xstrdup(*name), .is_sum = true});
	error_destroy(role_overrides_parse(key_fields, &overrides));
	vec_each(override, &overrides) {
		size_t len = strlen(override->field);
		uint64_t index = 0;
		bool is_sum = !scan_index(override->field, len, &len, &index);

		if (!is_sum || override->role == ROLE_WEIGHT)
			vec_push(&ret->all,
				(struct wanted_field){.path = xstrndup(override->field, len),
					.is_sum = is_sum,
					.index = index});
	}
	role_overrides_deinit(&overrides);
}

void wanted_deinit(struct wanted *wanted)
{
	vec_free_each(&wanted->all, path);
	vec_deinit(&wanted->all);
}

bool wanted_sum(const struct wanted *wanted, const char *path)
{
	if (!wanted)
		return false;
	vec_each(field, &wanted->all)
		if (field->is_sum && field_path_matches(path, field->path))
			return true;
	return false;
}

char *wanted_element(const struct wanted_field *wanted, const char *path, size_t n)
{
	if (wanted->is_sum || wanted->index >= n || !field_path_matches(path, wanted->path))
		return NULL;
	return xasprintf("%s[%zu]", path, wanted->index);
}
