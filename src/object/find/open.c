// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/find/open.h"

#include <errno.h>

#include "door/door.h"

int search_open(struct search *search, int dirfd, const char *path, unsigned how, const char *base)
{
	int fd = door_open(dirfd, path, how, &search->links);

	search->base = base;
	return fd < 0 ? -errno : fd;
}
