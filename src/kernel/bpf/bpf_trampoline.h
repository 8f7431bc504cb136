/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the function that a BPF trampoline is attached to. The trampoline's name, such as
 * "bpf_trampoline_6442494949", contains a key (bpf_trampoline_compute_key() in
 * include/linux/bpf_verifier.h) with the IDs of a BTF object or program and of a type in its BTF.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/btf/prototypes.h"

struct s2l_bpf_trampoline_key {
	/*
	 * true if OBJECT is the ID of a BPF program; false if it is that of the kernel's or a
	 * module's BTF
	 */
	bool of_program;
	uint32_t object;
	uint32_t type; /* type ID of the function in that BTF */
};

/* Parses the name of a trampoline. Returns false if SYMBOL is not one. */
bool bpf_trampoline_key(const char *symbol, struct s2l_bpf_trampoline_key *ret);
/*
 * Qualifies FRAME, which KERNEL named, by the traced function, such as "(vfs_read)", if FRAME is in
 * a trampoline.
 */
void bpf_trampoline_describe(
	struct prototypes *prototypes, struct kernel *kernel, struct frame *frame);
