// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Mounts a directory once more with other owners, as runtimes do with the layers of images.
 *
 * idmapped FROM TO PID    FROM's mount is bound to TO, with the IDs of PID's user namespace
 */
#include <fcntl.h>
#include <linux/mount.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <unistd.h>

int main(int argc, char **argv)
{
	char path[64];

	if (argc != 4)
		return 64;
	snprintf(path, sizeof(path), "/proc/%s/ns/user", argv[3]);
	int users = open(path, O_RDONLY | O_CLOEXEC);
	int tree =
		(int)syscall(SYS_open_tree, AT_FDCWD, argv[1], OPEN_TREE_CLONE | OPEN_TREE_CLOEXEC);
	struct mount_attr attr = {
		.attr_set = MOUNT_ATTR_IDMAP,
		.userns_fd = (unsigned long long)users,
	};

	if (users < 0 || tree < 0 ||
		syscall(SYS_mount_setattr, tree, "", AT_EMPTY_PATH, &attr, sizeof(attr)) ||
		syscall(SYS_move_mount, tree, "", AT_FDCWD, argv[2], MOVE_MOUNT_F_EMPTY_PATH)) {
		perror("idmapped");
		return 1;
	}
	return 0;
}
