/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The source lines of a BPF program's machine code. The kernel has two parallel arrays: line
 * records (struct bpf_line_info of linux/bpf.h), which count BPF instructions, and the addresses of
 * these instructions after JIT compilation.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "kernel/btf/btf.h"
#include "util/vec.h"

struct s2l_bpf_line {
	uint64_t address;      /* kernel address at which its code starts */
	const char *file;      /* as recorded by the compiler; owned by the program's BTF */
	const char *text;      /* source text of the line; may be ""; owned by the program's BTF */
	uint32_t line, column; /* from 1; 0 if unknown */
	uint32_t order;	       /* index of the record */
};

struct s2l_bpf_lines {
	struct VEC(struct s2l_bpf_line) all; /* sorted by address, then by order */
};

/*
 * Reads N records of RECORD_SIZE bytes, with N ADDRESSES (0: no code). Skips records without code
 * or file. BTF must outlive RET.
 */
void bpf_lines_init(const char *records, size_t n, size_t record_size, const uint64_t *addresses,
	const struct btf *btf, struct s2l_bpf_lines *ret);
void bpf_lines_deinit(struct s2l_bpf_lines *lines);
/*
 * Finds the line at ADDRESS in the function that starts at START: the last one that starts in
 * [START, ADDRESS]. Returns NULL if there is none.
 */
const struct s2l_bpf_line *bpf_lines_find(
	const struct s2l_bpf_lines *lines, uint64_t start, uint64_t address);
