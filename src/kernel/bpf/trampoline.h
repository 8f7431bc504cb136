/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which function a BPF trampoline is attached to: its name, "bpf_trampoline_6442494949", holds a key
 * (bpf_trampoline_compute_key() in include/linux/bpf.h) with the IDs of a BTF and a type there.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/btf/prototypes.h"

struct s2l_bpf_trampoline_key {
	bool of_program; /* OBJECT is the ID of a BPF program, else of a BTF (the kernel's, a module's) */
	uint32_t object;
	uint32_t type; /* of the function in its BTF */
};

/* False: SYMBOL is no trampoline's. */
bool bpf_trampoline_key(const char *symbol, struct s2l_bpf_trampoline_key *ret);
/* If FRAME, which KERNEL named, is a trampoline: qualifies it by the function, "(vfs_read)". */
void bpf_trampoline_describe(
	struct prototypes *prototypes, struct kernel *kernel, struct frame *frame);
