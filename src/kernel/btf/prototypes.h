/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C prototypes for frames of the kernel, from the BTF of kernel and modules, and for those of BPF
 * programs from theirs. BTF knows functions by name, and several may have one name: then the
 * address decides where the BTF has it (declaration tags "addr=0x…", of the function as it was
 * linked), else debug info, which has the prototype of the function at the frame's address. Where
 * neither does, all candidates are given as such.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/btf/btf.h"
#include "kernel/state.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text.h"
#include "util/vec.h"

/* What kallsyms has under the name of a function in BTF. */
struct prototype_symbol {
	uint64_t address; /* of the first */
	uint32_t n;	  /* how many addresses */
};

/* The BTF of the kernel or of a module. */
struct prototype_set {
	char *module; /* "": the kernel; "bpf": some program's; owned */
	struct btf btf;
	bool found;
	bool counted; /* what follows is of kallsyms GENERATION */
	uint32_t generation;
	struct VEC(
		struct prototype_symbol) symbols; /* like btf.functions; the first of equal names */
	uint64_t slide; /* runtime address less address as linked; 0 if no tag can tell */
};

/* Zero-filled is empty. */
struct prototypes {
	struct VEC(struct prototype_set *) sets;
	bool saved;  /* files were given: this system's BTF only stands in for modules' base */
	bool wanted; /* prototypes_add() was called */
};

/* Bytes of BTF that the user gives. */
struct s2l_btf_file {
	const char *path;  /* not owned */
	struct text bytes; /* owned */
	bool of_program;   /* it is from the object file of a BPF program */
};

struct btf_files VEC(struct s2l_btf_file);

void btf_files_deinit(struct btf_files *files);

/*
 * Takes the bytes of FILES (also on failure): those of modules are told by their format, and known by
 * their file name. The error names the file.
 */
struct error *prototypes_init(struct btf_files *files, struct prototypes *ret) must_check;
void prototypes_deinit(struct prototypes *prototypes);
/*
 * Who knows which function is at an address. READ yields the prototype of the location's frame with
 * this number, malloc'ed, if the function's name is NAME. NULL: unknown, or another name.
 */
struct prototype_witness {
	char *(*read)(void *context, size_t frame, const char *name);
	void *context;
};

/*
 * Gives the frames of LOCATION, which KERNEL named, their prototypes; what they point to is in
 * ARENA.
 */
void prototypes_add(struct prototypes *prototypes, struct kernel *kernel, struct arena *arena,
	const struct prototype_witness *witness, struct location *location);
/* The BTF of MODULE ("": the kernel itself), NULL: there is none. Lives as long as PROTOTYPES. */
const struct btf *prototypes_btf(
	struct prototypes *prototypes, struct kernel *kernel, const char *module);
/* Tells LOG whose BTF was not there. */
void prototypes_notes(const struct prototypes *prototypes, struct log *log);
