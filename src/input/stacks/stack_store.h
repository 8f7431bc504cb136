/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of one BPF_MAP_TYPE_STACK_TRACE map, or of a hash of bpftrace
 * (input/roles/bpftrace_stack.h), by ID. They are compressed: trailing zeros are dropped, and
 * addresses and the build IDs of BPF_F_STACK_BUILD_ID maps are numbered, which makes 2 to 3 bytes
 * per slot.
 *
 * Whether the map has addresses or build IDs is decided by stack_store_seal(). Until then each
 * value is kept without loss in the form that it looks like, and stack_store_bytes() returns it as
 * it was dumped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/input.h"
#include "input/lists/addresses.h"
#include "input/stacks/word_codes.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

#define STACK_VALUE_MAX (8U << 20) /* in bytes; kernel.perf_event_max_stack allows 5 MiB */
#define STACK_RECORD_SIZE 32	   /* struct bpf_stack_build_id: s32 status, u8 build_id[20], u64 */

struct stored_stack {
	const uint8_t *codes; /* codes of the slots, owned by the store */
	uint64_t id;
	uint32_t depth;		    /* number of slots without trailing zeros */
	uint32_t len;		    /* size of the value as dumped, in bytes */
	uint32_t order;		    /* index in order of addition */
	enum address_side side : 8; /* side of the leaf, set by stack_store_seal() */
	bool records;		    /* true if the slots are build-ID records */
	bool unmarked; /* true if no value is a mark like PERF_CONTEXT_USER; false if unknown */
};

/* The start of a build-ID record, before the offset or address; without padding. */
struct record_head {
	int32_t status;
	uint8_t build_id[BUILD_ID_BPF_LEN];
};

struct stack_store {
	char *name;
	enum input_role role;
	enum address_side given_side; /* side of the role; SIDE_UNKNOWN: none */
	struct address_halves halves;
	/* in order of addition; stack_store_seal() sorts them by ID, and keeps the last one of each */
	struct VEC(struct stored_stack) stacks;
	size_t repeated; /* stacks that stack_store_seal() dropped because their ID was repeated */

	/* private */
	enum input_record_shape shape;
	struct arena memory;
	struct word_codes words;
	struct table head_index; /* head → index in `heads` */
	struct VEC(struct record_head) heads;
	struct text codes; /* scratch buffer for the stack being added */
	uint32_t *starts;  /* see find_starts() */
	unsigned int start_shift;
};

/*
 * Creates a store. SHAPE is the form of the values; INPUT_SHAPE_LOOK means that it is unknown.
 * HALVES are the user and kernel halves of the address space.
 */
struct stack_store *stack_store_create(const char *name, enum input_role role,
	enum input_record_shape shape, const struct address_halves *halves);
void stack_store_destroy(struct stack_store *store);

/* Adds a value. Returns false, and adds nothing, if a value of LEN bytes cannot be a stack. */
bool stack_store_add(struct stack_store *store, uint64_t id, const uint8_t *value, size_t len);
/*
 * Returns true if the values look like stacks rather than counters with a 4-byte key. At least
 * three quarters of those that are not all zero must be build-ID records, or must start with an
 * address and have addresses in half of their used slots. Sums, sizes and times in ns can look like
 * user addresses. So values of up to 4 slots must hold addresses only, with a leaf in the kernel or
 * from 2^44 on, and a value of one slot must be a kernel address.
 */
bool stack_store_plausible(const struct stack_store *store);
/*
 * Decides between addresses and build IDs, and sorts by ID. If an ID is repeated, keeps its last
 * value.
 */
void stack_store_seal(struct stack_store *store);

/* Returns the stack of ID, or NULL if there is none. Call stack_store_seal() first. */
const struct stored_stack *stack_store_find(const struct stack_store *store, uint64_t id);
/* Returns the decoded stack, allocated in MEMORY. Call stack_store_seal() first. */
struct stack stack_store_stack(
	const struct stack_store *store, const struct stored_stack *stored, struct arena *memory);
/* Returns the value as it was dumped: STORED->len bytes, allocated in MEMORY. */
uint8_t *stack_store_bytes(
	const struct stack_store *store, const struct stored_stack *stored, struct arena *memory);
/* Returns true if both stacks have the same slots. The stores may differ. */
bool stack_store_equal(const struct stack_store *a_store, const struct stored_stack *a,
	const struct stack_store *b_store, const struct stored_stack *b);

/* Returns true if the LEN bytes have the status words of struct bpf_stack_build_id records. */
bool stack_records_look(const uint8_t *value, size_t len);
/* Decodes the value of an inline stack, which has the ID -1. Its arrays are allocated in MEMORY. */
struct stack stack_of_bytes(
	struct arena *memory, const uint8_t *value, size_t len, enum input_record_shape shape);
