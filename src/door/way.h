/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks a path component by component, to find who could have changed where it leads. */
#pragma once

#include "door/writers.h"

enum way {
	WAY_IN_ROOT = 1, /* DIRFD is the root directory, as with DOOR_IN_ROOT */
	WAY_MOVED = 2,	 /* directories count too, because they may have been replaced */
};

/*
 * Walks PATH from the directory DIRFD as the kernel does. HOW is a set of enum way. Adds to WRITERS
 * those who could have created one of the symbolic links, or one of the names of a file that has
 * several. Returns an O_PATH descriptor of the target, or -1 if the path cannot be walked to its
 * end.
 */
int way_walk(int dirfd, const char *path, unsigned how, struct writers *writers);
