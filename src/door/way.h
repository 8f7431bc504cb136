/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Walks paths step by step, to say who could have changed what they lead to. */
#pragma once

#include "door/writers.h"

enum way {
	WAY_IN_ROOT = 1, /* the directory counts as /, as for DOOR_IN_ROOT */
	WAY_MOVED = 2,	 /* directories count too: somebody may have put others in their place */
};

/*
 * Walks PATH from the directory DIRFD as the kernel does; HOW is a set of enum way. Adds to WRITERS
 * those who could have put one of the symbolic links there, or a file that has several names.
 * Returns an O_PATH descriptor of what the path leads to, or -1 where it ends before that.
 */
int way_walk(int dirfd, const char *path, unsigned how, struct writers *writers);
