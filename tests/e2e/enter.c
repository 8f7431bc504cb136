// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Becomes a program in a place where there is nothing else: no shell, no libraries.
 *
 * enter pivot ROOT PROGRAM ARG…    ROOT, a mount point, becomes / of this mount namespace
 * enter chroot ROOT PROGRAM ARG…   ROOT becomes / of this process
 * enter memfd NAME PROGRAM ARG…    PROGRAM is copied to memory and runs from there
 * enter layers ROOT LAYER…         mounts an overlay of these, each told on its own (Linux 6.7), and ends
 */
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sendfile.h>
#include <sys/syscall.h>
#include <unistd.h>

static int pivot(const char *root)
{
	return chdir(root) || syscall(SYS_pivot_root, ".", ".") || umount2(".", MNT_DETACH) ||
	       chdir("/");
}

static int run_from_memory(const char *name, char **argv)
{
	int from = open(argv[0], O_RDONLY | O_CLOEXEC), to = memfd_create(name, MFD_CLOEXEC);

	while (sendfile(to, from, NULL, 1 << 20) > 0)
		;
	return fexecve(to, argv, environ);
}

/* By their numbers: mount.h of Debian 12 has no names for these, and linux/mount.h conflicts with it. */
static int mount_layers(const char *root, char **layers)
{
	enum { SET_STRING = 1, CREATE = 6, EMPTY_PATH = 4 };
	long fs = syscall(SYS_fsopen, "overlay", 0);

	for (; *layers; layers++)
		if (syscall(SYS_fsconfig, fs, SET_STRING, "lowerdir+", *layers, 0))
			return 1;
	if (syscall(SYS_fsconfig, fs, CREATE, NULL, NULL, 0))
		return 1;
	return syscall(SYS_move_mount, syscall(SYS_fsmount, fs, 0, 0), "", AT_FDCWD, root,
		       EMPTY_PATH) != 0;
}

int main(int argc, char **argv)
{
	if (argc < 4)
		return 64;
	if (!strcmp(argv[1], "layers"))
		return mount_layers(argv[2], argv + 3);
	if (!strcmp(argv[1], "memfd"))
		return run_from_memory(argv[2], argv + 3);
	if (strcmp(argv[1], "pivot") ? chroot(argv[2]) || chdir("/") : pivot(argv[2])) {
		perror(argv[2]);
		return 1;
	}
	execv(argv[3], argv + 3);
	perror(argv[3]);
	return 1;
}
