/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs that are loaded now (BPF_OBJ_GET_INFO_BY_FD): the machine code, name and source
 * lines of each function. Listing them takes three system calls per program, so it waits until the
 * first frame in a BPF program. Lines are read only for programs that occur in stacks.
 */
#pragma once

#include <linux/bpf.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/btf/btf.h"
#include "util/text.h"
#include "util/vec.h"

struct s2l_bpf_line {
	uint64_t address;      /* kernel address at which its code starts */
	const char *file;      /* as recorded by the compiler; owned by the program's BTF */
	const char *text;      /* source text of the line; may be ""; owned by the program's BTF */
	uint32_t line, column; /* from 1; 0 if unknown */
	uint32_t order;	       /* index of the record */
};

/*
 * Source lines, sorted by address, then by order. The kernel has two parallel arrays: line records
 * (struct bpf_line_info of linux/bpf.h), which count BPF instructions, and the addresses of these
 * instructions after JIT compilation.
 */
struct s2l_bpf_lines VEC(struct s2l_bpf_line);

/*
 * Reads N records of RECORD_SIZE bytes, with N ADDRESSES (0: no code). Skips records without code
 * or file. BTF must outlive RET.
 */
void bpf_lines_init(const char *records, size_t n, size_t record_size, const uint64_t *addresses,
	const struct btf *btf, struct s2l_bpf_lines *ret);
/*
 * Finds the line at ADDRESS in the function that starts at START: the last one that starts in
 * [START, ADDRESS]. Returns NULL if there is none.
 */
const struct s2l_bpf_line *bpf_lines_find(
	const struct s2l_bpf_lines *lines, uint64_t start, uint64_t address);

/* Start of the programs' symbols, before the tag. */
#define S2L_BPF_SYMBOL_PREFIX "bpf_prog_"

struct s2l_bpf_prog {
	uint32_t id;
	/* load time, in ns since boot; identifies the program together with ID and tag */
	uint64_t loaded;
	uint8_t tag[BPF_TAG_SIZE];
	char name[BPF_OBJ_NAME_LEN]; /* truncated to 15 characters */
	bool gone;		     /* true if it is no longer loaded */
	bool described;		     /* the following fields were read */
	struct btf btf;
	struct VEC(uint32_t) types; /* type IDs in BTF by function number, if known */
	struct s2l_bpf_lines lines;
	const char *detail; /* why there are no lines (a constant); NULL if there are */
};

/* The machine code of a program or subprogram: kernel addresses [start, end). */
struct s2l_bpf_function {
	uint64_t start, end;
	struct s2l_bpf_prog *program;
	/* index of the function in the program; 0 is the program itself */
	uint32_t number;
	uint8_t tag[BPF_TAG_SIZE]; /* tag of this function; function 0 has the program's */
};

/* Zero-filled: nothing was read yet. */
struct s2l_bpf_programs {
	bool listed;	/* if false, the next bpf_programs_find() lists the programs */
	uint32_t after; /* given: list only programs with a higher ID */
	size_t kept;	/* number of unloaded programs that are kept because of their strings */
	int error;	/* negative errno if listing failed, else 0 */
	struct VEC(struct s2l_bpf_prog *) programs; /* sorted by ID */
	/* functions of the programs loaded now, sorted by start */
	struct VEC(struct s2l_bpf_function) functions;
};

/* Frees all programs, and invalidates all strings of their functions. Keeps AFTER. */
void bpf_programs_deinit(struct s2l_bpf_programs *programs);
/* Lists the programs that are loaded now. Returns the number of their functions. */
size_t bpf_programs_list(struct s2l_bpf_programs *programs);
/*
 * Finds the function that covers ADDRESS now. Returns NULL if there is none. The result is valid
 * until the programs are listed again.
 */
const struct s2l_bpf_function *bpf_programs_find(
	struct s2l_bpf_programs *programs, uint64_t address);

/*
 * Appends the symbol that kallsyms has for the function: "bpf_prog_TAG_NAME", NAME untruncated if
 * BTF has it.
 */
void bpf_function_symbol(const struct s2l_bpf_function *function, struct text *text);
/* Returns the number of the function's lines, and sets RET to the first, in order of address. */
size_t bpf_function_lines(const struct s2l_bpf_function *function, const struct s2l_bpf_line **ret);
/*
 * Returns the source line at ADDRESS. If it is NULL or has no line number, sets DETAIL to the
 * reason.
 */
const struct s2l_bpf_line *bpf_function_line(
	const struct s2l_bpf_function *function, uint64_t address, const char **detail);
/* Returns the type ID of the function, or 0 if unknown. Sets RET to the BTF of its program. */
uint32_t bpf_function_type(const struct s2l_bpf_function *function, const struct btf **ret);
/*
 * Reads the BTF of program ID, if it is loaded now. Returns false if there is none or access is
 * denied. RET must be zero-filled.
 */
bool bpf_program_btf(uint32_t id, struct btf *ret);

/* Calls of bpf(2) that inspect loaded programs. */

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
