/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Who has a file system in hand, and so could have written whatever is in it, whoever its inodes
 * belong to: who mounted a FUSE file system, who could write the file behind a loop device, and
 * those of each layer of an overlay. A device mapper's devices are those of what they are made of.
 */
#pragma once

#include "door/writers.h"

/*
 * Those of the inode that FD is open on, and of its file system. Media that a desktop mounted are
 * anyone's.
 */
struct writers writers_of_file(int fd);
/*
 * The owner and the group of the directory PATH (in DIRFD; "": that itself): those who may put
 * things there.
 */
struct writers writers_of_directory(int dirfd, const char *path);
