// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/bpf/call.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

/* size of ID, next_id and open_flags in union bpf_attr */
enum { ID_SIZE = 12 };

/*
 * Passes only the first SIZE bytes of ATTR, which the initializer of a union member has set. The
 * kernel treats the rest as zero.
 */
static long call(int command, union bpf_attr *attr, size_t size)
{
	long result = syscall(SYS_bpf, command, attr, size);

	return result < 0 ? -errno : result;
}

int64_t bpf_next_program(uint32_t id)
{
	union bpf_attr attr = {.start_id = id};
	long error = call(BPF_PROG_GET_NEXT_ID, &attr, ID_SIZE);

	return !error ? (int64_t)attr.next_id : error == -ENOENT ? 0 : error;
}

int bpf_open(enum bpf_cmd command, uint32_t id)
{
	union bpf_attr attr = {.prog_id = id};

	return (int)call(command, &attr, ID_SIZE);
}

int bpf_object_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr = {
		.info = {.bpf_fd = (uint32_t)fd, .info_len = size, .info = (uintptr_t)info}};

	return (int)call(BPF_OBJ_GET_INFO_BY_FD, &attr, sizeof(attr.info));
}
