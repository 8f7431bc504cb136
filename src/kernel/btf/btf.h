/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads BTF, the kernel's type information (Documentation/bpf/btf.rst), from untrusted bytes, and
 * prints C prototypes from it. Every offset is checked. Malformed parts are treated as absent.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/text.h"
#include "util/vec.h"

/* Limit on the length of a name; longer ones are ignored. The kernel's KSYM_NAME_LEN is 512. */
#define S2L_BTF_NAME_MAX 1024

struct btf {
	char *bytes; /* owned */
	/* base of a split BTF, the kernel's BTF for a module's; not owned; else NULL */
	const struct btf *base;
	bool swapped; /* true if the byte order is not ours */
	const char *types, *types_end, *strings;
	size_t strings_len;
	/* first own type ID and string offset, after those of the base */
	uint32_t first_id, first_string;
	struct VEC(uint32_t) offsets;	/* own type, from 0 → offset in `types` */
	struct VEC(uint32_t) functions; /* type IDs of own functions, by name, then by ID */
};

/* A decoded type. Zero-filled is void. */
struct s2l_btf_node {
	const struct btf *of; /* the BTF that REST points into */
	uint32_t name;	      /* offset for btf_string() */
	uint32_t kind, vlen;  /* BTF_KIND_* of linux/btf.h */
	bool flag;	      /* kind_flag; of a forward declaration: it is a union */
	uint32_t ref;	      /* type ID or size, by kind */
	/* data after struct btf_type (12 bytes); KIND and VLEN determine its size */
	const char *rest;
};

/*
 * Returns true if BYTES are split BTF, which needs its base: its strings do not start with an empty
 * one.
 */
bool btf_is_split(const char *bytes, size_t len);
/*
 * Parses BYTES and builds the indexes. Takes ownership of BYTES (allocated by malloc()), on failure
 * too. BASE is NULL unless BYTES are split, and must outlive RET, which must be zero-filled.
 */
struct error *btf_init(char *bytes, size_t len, const struct btf *base, struct btf *ret) must_check;
void btf_deinit(struct btf *btf);

/* Decodes type ID; 0 is void. Returns false if there is no such type. */
bool btf_type_at(const struct btf *btf, uint32_t id, struct s2l_btf_node *ret);
/* Returns the string at OFFSET, or "" if there is none or it is too long. */
const char *btf_string(const struct btf *btf, uint32_t offset);
/* Finds the own functions called NAME: [*RET, *RET + result) in btf->functions. */
size_t btf_functions_named(const struct btf *btf, const char *name, size_t *ret);

/*
 * Adds the prototype of function ID, unescaped: "int vfs_open(const struct path *path, struct file
 * *file)". Parts that are nested too deeply or too long are replaced by "...". Returns false, and
 * adds nothing, if ID is not a function.
 */
bool btf_print_function(const struct btf *btf, uint32_t id, struct text *text);
