/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Calls of bpf(2) that inspect loaded programs. */
#pragma once

#include <linux/bpf.h>
#include <stdint.h>

/*
 * Returns the lowest program ID above ID, or 0 if there is none, or a negative errno. Requires
 * CAP_SYS_ADMIN.
 */
int64_t bpf_next_program(uint32_t id);
/*
 * Opens the program or BTF with this ID; COMMAND is BPF_PROG_GET_FD_BY_ID or BPF_BTF_GET_FD_BY_ID.
 * Returns the descriptor or a negative errno.
 */
int bpf_open(enum bpf_cmd command, uint32_t id);
/*
 * Fills INFO (SIZE bytes of struct bpf_prog_info or bpf_btf_info), which also selects the arrays to
 * be returned. Returns 0 or a negative errno.
 */
int bpf_object_info(int fd, void *info, uint32_t size);
