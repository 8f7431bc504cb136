// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/wanted.h"

#include <stdlib.h>
#include <string.h>

#include "input/roles/roles.h"
#include "util/scan.h"
#include "util/vec.h"
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

static void parse_one(const char *at, const char *end, struct wanted *ret)
{
	const char *equals = memchr(at, '=', (size_t)(end - at)), *path = equals + 1;
	struct wanted_field field = {};
	uint64_t index;
	size_t len;

	if (!equals || path >= end)
		return;
	len = (size_t)(end - path);
	field.is_sum = !scan_index(path, len, &len, &index);
	if (field.is_sum && (equals - at != 6 || strncasecmp(at, "weight", 6)))
		return;
	if (!field.is_sum)
		field.index = index;
	field.path = xstrndup(path, len);
	vec_push(&ret->all, field);
}

/* Adds the usual names of a histogram's slots, whose sum is the number of counted values. */
static void add_histograms(struct wanted *ret)
{
	static const char *const names[] = {"slots", "hist", "histogram", "buckets"};

	array_each(name, names, array_len(names))
		vec_push(&ret->all, (struct wanted_field){.path = xstrdup(*name), .is_sum = true});
}

void wanted_parse(const char *key_fields, struct wanted *ret)
{
	*ret = (struct wanted){};
	add_histograms(ret);
	for (const char *at = key_fields; at;) {
		const char *end = strchrnul(at, ',');

		parse_one(at, end, ret);
		at = *end ? end + 1 : NULL;
	}
}

void wanted_deinit(struct wanted *wanted)
{
	vec_free_each(&wanted->all, path);
	vec_deinit(&wanted->all);
}

bool wanted_sum(const struct wanted *wanted, const char *path)
{
	for (size_t i = 0; wanted && i < wanted->all.len; i++)
		if (wanted->all.data[i].is_sum &&
			field_path_matches(path, wanted->all.data[i].path))
			return true;
	return false;
}

bool wanted_is_element(const struct wanted_field *wanted, const char *path, size_t n)
{
	return !wanted->is_sum && wanted->index < n && field_path_matches(path, wanted->path);
}

char *wanted_name(const struct wanted_field *wanted, const char *path)
{
	return xasprintf("%s[%zu]", path, wanted->index);
}
