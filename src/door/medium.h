/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds who could have written a file. Besides the writers of the inode, those who control the file
 * system count: the user who mounted a FUSE file system, the writers of the file behind a loop
 * device, and those of the layers of an overlay. A device mapper device has the writers of the
 * devices it is made of.
 */
#pragma once

#include "door/writers.h"

/*
 * Returns the writers of the inode that FD is open on and of its file system. Removable media that
 * a desktop mounted could be written by anyone.
 */
struct writers writers_of_file(int fd);
/*
 * Returns the owner and group of the directory PATH, relative to DIRFD ("": DIRFD itself), and the
 * writers of its file system: those who may create files there.
 */
struct writers writers_of_directory(int dirfd, const char *path);
