/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source lines of a BPF program's machine code: the kernel's records (struct bpf_line_info of
 * linux/bpf.h), which count BPF instructions, beside the addresses that these were compiled to.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/btf/btf.h"
#include "util/vec.h"

struct s2l_bpf_line {
	uint64_t address;      /* kernel address where its code starts */
	const char *file;      /* as the compiler saw it; owned by the program's BTF */
	const char *text;      /* the source line, may be "" */
	uint32_t line, column; /* from 1, 0: unknown */
	uint32_t order;	       /* position among the records */
};

/* Zero-filled is empty. */
struct s2l_bpf_lines {
	struct VEC(struct s2l_bpf_line) all; /* by address, then by order */
};

/*
 * N records of RECORD_SIZE bytes, and as many ADDRESSES (0: no code), which the result copies; BTF
 * must outlive it. Records that point nowhere are left out.
 */
void bpf_lines_init(const char *records, size_t n, size_t record_size, const uint64_t *addresses,
	const struct btf *btf, struct s2l_bpf_lines *ret);
void bpf_lines_deinit(struct s2l_bpf_lines *lines);
/*
 * The line whose code holds ADDRESS in the function that starts at START: the last that begins
 * between the two. NULL: none does.
 */
const struct s2l_bpf_line *bpf_lines_find(
	const struct s2l_bpf_lines *lines, uint64_t start, uint64_t address);
