/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * C prototypes for frames: in the kernel, from the BTF of kernel and modules; in BPF programs, from
 * the program's own BTF. BTF finds functions by name, and several may have one name. Then debug
 * info decides, which has the prototype of the function at the frame's address. Without it, all
 * candidates are reported as such.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/btf/btf.h"
#include "kernel/kernel.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/log.h"
#include "util/text.h"
#include "util/vec.h"

/* The BTF of the kernel or of a module, or a BPF object file given by the user. */
struct prototype_set {
	char *module; /* "" for the kernel, "bpf" for BPF object files; owned */
	struct btf btf;
	bool found;
	bool counted; /* SYMBOLS is up to date with kallsyms GENERATION */
	uint32_t generation;
	/*
	 * Parallel to btf.functions: the number of symbols in kallsyms that have the function's
	 * name. Of equal names, only the first is used.
	 */
	struct VEC(uint32_t) symbols;
};

struct prototypes {
	struct VEC(struct prototype_set *) sets;
	/* the user gave BTF of a kernel or modules, so this system's BTF is not used */
	bool saved;
	bool wanted; /* prototypes_add() was called */
};

/* A BTF file given by the user. */
struct s2l_btf_file {
	const char *path;  /* not owned */
	struct text bytes; /* owned */
	bool of_program;   /* the BTF comes from the object file of a BPF program */
};

struct btf_files VEC(struct s2l_btf_file);

void btf_files_deinit(struct btf_files *files);

/*
 * Initializes RET with FILES, and takes ownership of their bytes, on failure too. The first unsplit
 * BTF is the kernel's; the others are modules', each named by its file. The error names the file.
 */
struct error *prototypes_init(struct btf_files *files, struct prototypes *ret) must_check;
void prototypes_deinit(struct prototypes *prototypes);
/*
 * A source of prototypes that knows which function is at an address. READ returns the prototype of
 * frame FRAME of the current location if its function is called NAME; allocated by malloc(). READ
 * returns NULL if it is unknown or the name differs.
 */
struct prototype_evidence {
	char *(*read)(void *context, size_t frame, const char *name);
	void *context;
};

/* Adds prototypes to the frames of LOCATION, which KERNEL resolved. They are allocated in ARENA. */
void prototypes_add(struct prototypes *prototypes, struct kernel *kernel, struct arena *arena,
	const struct prototype_evidence *evidence, struct location *location);
/*
 * Returns the BTF of MODULE ("": the kernel itself), or NULL if there is none. It lives as long as
 * PROTOTYPES.
 */
const struct btf *prototypes_btf(
	struct prototypes *prototypes, struct kernel *kernel, const char *module);
/* Logs which modules have no BTF, if prototypes were requested. */
void prototypes_notes(const struct prototypes *prototypes, struct log *log);
