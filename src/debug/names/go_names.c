// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/names/go_names.h"

#include <string.h>

#include "debug/names/short_name.h"
#include "util/bloom.h"
#include "util/radix.h"

/* The path stays if more functions than this differ only in path and type arguments. */
enum { COMPARED_MAX = 4096 };

void go_names_deinit(struct go_names *names)
{
	function_names_deinit(&names->functions);
}

/* Returns the length of NAME in bytes without type arguments, which the table lists as "[...]". */
static size_t base_length(const char *name)
{
	return strcspn(name, "[");
}

static uint64_t hash_of(const char *name)
{
	const char *tail = short_name_go(name);

	return bloom_hash(tail, base_length(tail));
}

static bool same_base(const char *a, const char *b)
{
	size_t len = base_length(a);

	return len == base_length(b) && !memcmp(a, b, len);
}

static void read_names(struct go_names *names, const struct gopclntab *go)
{
	const struct slice all = go ? gopclntab_names(go) : (struct slice){};

	names->read = true;
	if (!all.len)
		return;
	const char *at = (const char *)all.data, *end = at + all.len;
	for (const char *next; at < end && (next = memchr(at, '\0', (size_t)(end - at)));
		at = next + 1)
		if (*at && next - at <= FUNCTION_NAME_MAX)
			vec_push(&names->functions.all, (struct function_name){hash_of(at), at});
	radix_sort(names->functions.all.data, names->functions.all.len,
		sizeof(*names->functions.all.data));
}

const char *go_names_shown(struct go_names *names, const struct gopclntab *go, const char *name)
{
	const char *tail = short_name_go(name);
	bool found = false;
	size_t n;

	if (tail == name || strnlen(name, FUNCTION_NAME_MAX + 1) > FUNCTION_NAME_MAX)
		return NULL;
	if (!names->read)
		read_names(names, go);
	const struct function_name *all = function_names_of(&names->functions, hash_of(name), &n);
	for (size_t i = 0; i < n; i++) {
		bool same = same_base(all[i].name, name);

		if (i == COMPARED_MAX || (!same && same_base(short_name_go(all[i].name), tail)))
			return NULL;
		found |= same;
	}
	return found ? tail : NULL;
}
