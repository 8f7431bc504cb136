/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The few calls of bpf(2) that tell about loaded programs. */
#pragma once

#include <linux/bpf.h>
#include <stdint.h>

/* The next program ID above ID, 0: there is none. A negative errno: needs CAP_SYS_ADMIN, ... */
int64_t bpf_next_program(uint32_t id);
/* A descriptor by COMMAND: of the program, or the BTF, with this ID; or a negative errno. */
int bpf_open(enum bpf_cmd command, uint32_t id);
/* Fills INFO, SIZE bytes (a struct bpf_prog_info, bpf_btf_info) as it asks. 0 or negative errno. */
int bpf_object_info(int fd, void *info, uint32_t size);
