/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs that are loaded now, as the kernel tells of them (BPF_OBJ_GET_INFO_BY_FD): where
 * the machine code of each function is, its name and its source lines. Listing costs three system
 * calls a program, so it is done when the first frame of one asks; lines are read for the programs
 * that stacks are in.
 */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/bpf/lines.h"
#include "kernel/btf/btf.h"
#include "util/text.h"
#include "util/vec.h"

/* What the symbols of programs begin with; their tag follows. */
#define S2L_BPF_SYMBOL_PREFIX "bpf_prog_"

struct s2l_bpf_prog {
	uint32_t id;
	uint64_t loaded; /* nanoseconds since boot: with ID and tag, which load this is */
	uint8_t tag[BPF_TAG_SIZE];
	char name[BPF_OBJ_NAME_LEN]; /* cut to 15 characters */
	uint32_t n_functions;
	bool gone;	/* no longer loaded */
	bool described; /* what follows was asked for */
	struct btf btf;
	struct VEC(uint32_t) types; /* type ID of each function in btf, where that is known */
	struct s2l_bpf_lines lines;
	const char *detail; /* why there are no lines; NULL: there are */
};

/* A program's or subprogram's code, kernel addresses [start, end). */
struct s2l_bpf_function {
	uint64_t start, end;
	struct s2l_bpf_prog *program;
	uint32_t number;	   /* in the program; 0: the program itself */
	uint8_t tag[BPF_TAG_SIZE]; /* of this function's instructions */
};

/* Zero-filled: nothing was asked yet. */
struct s2l_bpf_programs {
	bool listed;	/* false: the next bpf_programs_find() asks which programs are loaded */
	uint32_t after; /* given: only programs with a higher ID; 0: all */
	size_t kept;	/* programs that have gone, kept because of their strings */
	int error;	/* negative errno of why there is no list, 0: there is */
	struct VEC(struct s2l_bpf_prog *) programs;    /* by ID */
	struct VEC(struct s2l_bpf_function) functions; /* by start, of those loaded now */
};

void bpf_programs_deinit(struct s2l_bpf_programs *programs);
/* Forgets all that was asked; what functions gave is gone. */
void bpf_programs_drop(struct s2l_bpf_programs *programs);
/* Looks which programs are loaded; how many functions there are. */
size_t bpf_programs_list(struct s2l_bpf_programs *programs);
/* The function whose code holds ADDRESS now; valid until the programs are listed again. NULL: none. */
const struct s2l_bpf_function *bpf_programs_find(
	struct s2l_bpf_programs *programs, uint64_t address);

/*
 * The name of the function, whole where BTF has it; "" if unknown. This and what follows live
 * as long as the programs.
 */
const char *bpf_function_name(const struct s2l_bpf_function *function);
/* Appends what kallsyms calls it: "bpf_prog_TAG_NAME". */
void bpf_function_symbol(const struct s2l_bpf_function *function, struct text *text);
/* The NAME in such a symbol; NULL: it has none. */
const char *bpf_symbol_name(const char *symbol);
/* Its lines by address, [*RET, *RET + result). */
size_t bpf_function_lines(const struct s2l_bpf_function *function, const struct s2l_bpf_line **ret);
/* Its source line at ADDRESS. NULL, or without a number: unknown, and *DETAIL says why. */
const struct s2l_bpf_line *bpf_function_line(
	const struct s2l_bpf_function *function, uint64_t address, const char **detail);
/* The BTF of its program and its type there; 0: unknown. */
uint32_t bpf_function_type(const struct s2l_bpf_function *function, const struct btf **ret);
/* The BTF of the program ID, loaded now. False: it has none, or this is not permitted. RET must be empty. */
bool bpf_program_btf(uint32_t id, struct btf *ret);
/* Why programs cannot be listed: a sentence. NULL: they can. */
const char *bpf_programs_detail(const struct s2l_bpf_programs *programs);
