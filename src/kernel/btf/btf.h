/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * BTF, the kernel's type information (Documentation/bpf/btf.rst), read from bytes that may be
 * anybody's: every offset is checked, and what is broken is as if it were not there.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "util/error.h"
#include "util/vec.h"

/* A name of this length or longer is none: the kernel's KSYM_NAME_LEN is 512. */
#define S2L_BTF_NAME_MAX 1024

/* A declaration tag "addr=0x…" on a function. */
struct s2l_btf_address {
	uint32_t function; /* type ID */
	uint64_t address;  /* as linked: of the symbol in the ELF file */
};

/* Zero-filled is empty. */
struct btf {
	char *bytes; /* owned */
	size_t len;
	const struct btf
		*base; /* of a split BTF (a module's): the kernel's; not owned; else NULL */
	bool swapped;  /* of the other byte order */
	const char *types, *types_end, *strings;
	size_t strings_len;
	uint32_t first_id, first_string; /* of its own: after those of the base */
	struct VEC(uint32_t) offsets;	 /* own type → offset in types */
	struct VEC(uint32_t) functions;	 /* type IDs of own functions, by name, then by ID */
	struct VEC(struct s2l_btf_address) addresses; /* by function */
};

/* A type; zero-filled is void. */
struct s2l_btf_node {
	const struct btf *of; /* whose bytes REST are */
	uint32_t name;	      /* offset for btf_string() */
	uint32_t kind, vlen;  /* BTF_KIND_* of linux/btf.h */
	bool flag;	      /* of a forward declaration: of a union */
	uint32_t ref;	      /* type ID or size, by kind */
	const char *rest; /* what follows the first 12 bytes there, as long as kind and vlen say */
};

/*
 * True if BYTES are of a split BTF, which only makes sense with its base: there the strings do not
 * start with the empty one.
 */
bool btf_is_split(const char *bytes, size_t len);
/*
 * Takes BYTES (malloc'ed, also on failure). BASE, which must outlive RET, is NULL unless they are
 * split. RET must be zero-filled.
 */
struct error *btf_init(char *bytes, size_t len, const struct btf *base, struct btf *ret) must_check;
void btf_deinit(struct btf *btf);

/* False: there is no type of this ID. ID 0 is void. */
bool btf_type_at(const struct btf *btf, uint32_t id, struct s2l_btf_node *ret);
/* The string at OFFSET; "" where there is none, or an overlong one. */
const char *btf_string(const struct btf *btf, uint32_t offset);
/* The 32 bits at AT, in the byte order of BTF. */
uint32_t btf_word(const struct btf *btf, const char *at);
/* The own functions called NAME: [*RET, *RET + result) in btf->functions. */
size_t btf_functions_named(const struct btf *btf, const char *name, size_t *ret);
/*
 * The tags with addresses of the function ID: [*RET, *RET + result) in btf->addresses. Functions
 * that are equal but for their address can be one with several.
 */
size_t btf_function_addresses(const struct btf *btf, uint32_t id, size_t *ret);
