/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Ways to get at the file behind a mapping. A finder only opens; whether it is the right file is
 * decided in one place (object/locate.c), whatever the finder.
 */
#ifndef OBJECT_FINDER_H
#define OBJECT_FINDER_H

#include <stdbool.h>
#include <stddef.h>

#include "process/space.h"

struct finder {
	const char *name;
	/*
	 * Opens the file of MAPPING in SPACE for reading: a descriptor, or a negative errno
	 * (-ENOENT: not there, -EACCES/-EPERM: denied, -EINVAL: not a regular file).
	 */
	int (*open)(const struct space *space, const struct mapping *mapping);
	/* The way itself leads to the mapped file and nothing else (map_files). */
	bool certain;
	/* Needs no live process: of use for one that is only recorded. */
	bool by_path;
	/* The descriptor's mount is listed in the process's mountinfo, not in ours. */
	bool foreign_mount;
};

/* In the order they are tried; ends with a NULL name. */
extern const struct finder finders[];

#endif
