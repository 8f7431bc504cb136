// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/find/finder.h"

#include <errno.h>

#include "door/door.h"
#include "util/xalloc.h"

int search_open(struct search *search, int dirfd, const char *path, unsigned how, const char *base)
{
	int fd = door_open(dirfd, path, how, &search->links);

	search->base = base;
	return fd < 0 ? -errno : fd;
}

char *path_rule_apply(const struct path_rule *rule, const char *path, const char **below_ret)
{
	const char *below = mountinfo_below(path, rule->from);

	if (below_ret)
		*below_ret = below;
	return below ? xasprintf("%s%s%s", rule->to, *below ? "/" : "", below) : NULL;
}
