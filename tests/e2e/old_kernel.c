// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * old_kernel PROGRAM ARG…: runs it as on a kernel before 6.11, whose /proc/PID/maps has no
 * PROCMAP_QUERY: that ioctl fails with ENOTTY.
 */
#include <errno.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PROCMAP_QUERY 0xc0686611 /* _IOWR('f', 17, 104 bytes), linux/fs.h */

int main(int argc, char **argv)
{
	struct sock_filter filter[] = {
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, nr)),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, SYS_ioctl, 0, 3),
		BPF_STMT(BPF_LD | BPF_W | BPF_ABS, offsetof(struct seccomp_data, args[1])),
		BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, PROCMAP_QUERY, 0, 1),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ERRNO | ENOTTY),
		BPF_STMT(BPF_RET | BPF_K, SECCOMP_RET_ALLOW),
	};
	const struct sock_fprog program = {sizeof(filter) / sizeof(filter[0]), filter};

	/* No new privileges are only for whoever has none: a set-user-ID program would have no effect. */
	if (argc < 2 || (prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) &&
				(prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) ||
					prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program)))) {
		perror("seccomp");
		return 1;
	}
	execvp(argv[1], argv + 1);
	perror(argv[1]);
	return 1;
}
