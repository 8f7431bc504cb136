// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/segments.h"

#include <dirent.h>
#include <inttypes.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/sort.h"
#include "util/scan.h"
#include "util/xalloc.h"

enum { DIGITS = 6 };

char *segment_path(const char *path, uint64_t number)
{
	return xasprintf("%s.%0*" PRIu64, path, DIGITS, number);
}

void segments_deinit(struct segments *segments)
{
	vec_free_each(&segments->all, path);
	vec_deinit(&segments->all);
}

COMPARE(compare_segments, struct segment, order_of(a->number, b->number))

/* Returns true if NAME is BASE, a dot and at least DIGITS digits, the number RET. */
static bool is_segment(const char *name, const char *base, uint64_t *ret)
{
	struct scan s = scan_of(name);

	return scan_literal(&s, base) && scan_char(&s, '.') && scan_left(&s) >= DIGITS &&
	       scan_decimal(&s, ret) && !scan_left(&s);
}

void segments_list(const char *path, struct segments *ret)
{
	const char *slash = strrchr(path, '/'), *base = slash ? slash + 1 : path;
	auto_free char *directory = !slash	    ? xstrdup(".")
				    : slash == path ? xstrdup("/")
						    : xstrndup(path, (size_t)(slash - path));
	DIR *dir = opendir(directory);
	struct dirent *entry;
	uint64_t number;

	*ret = (struct segments){};
	while (dir && (entry = readdir(dir)))
		if (is_segment(entry->d_name, base, &number))
			vec_push(&ret->all, (struct segment){segment_path(path, number), number});
	if (dir)
		closedir(dir);
	vec_sort(&ret->all, compare_segments);
}
