// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/bpf/call.h"

#include <errno.h>
#include <sys/syscall.h>
#include <unistd.h>

static long call(int command, union bpf_attr *attr)
{
	long result = syscall(SYS_bpf, command, attr, sizeof(*attr));

	return result < 0 ? -errno : result;
}

int64_t bpf_next_program(uint32_t id)
{
	union bpf_attr attr = {.start_id = id};
	long error = call(BPF_PROG_GET_NEXT_ID, &attr);

	return !error ? (int64_t)attr.next_id : error == -ENOENT ? 0 : error;
}

int bpf_program_open(uint32_t id)
{
	union bpf_attr attr = {.prog_id = id};

	return (int)call(BPF_PROG_GET_FD_BY_ID, &attr);
}

int bpf_btf_open(uint32_t id)
{
	union bpf_attr attr = {.btf_id = id};

	return (int)call(BPF_BTF_GET_FD_BY_ID, &attr);
}

int bpf_object_info(int fd, void *info, uint32_t size)
{
	union bpf_attr attr = {
		.info = {.bpf_fd = (uint32_t)fd, .info_len = size, .info = (uintptr_t)info}};

	return (int)call(BPF_OBJ_GET_INFO_BY_FD, &attr);
}
