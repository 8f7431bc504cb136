/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The stacks of one BPF_MAP_TYPE_STACK_TRACE map by ID, kept compactly: zero tails are dropped, and
 * addresses and the build IDs of BPF_F_STACK_BUILD_ID maps are numbers, so a slot takes some 2 or 3 bytes.
 *
 * Until stack_store_seal() it is open what the map is: every value is kept without loss, in
 * whichever form it looks like, and stack_store_bytes() gives it back as it was dumped.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/input.h"
#include "input/lists/addresses.h"
#include "model/stack.h"
#include "util/arena.h"

#define STACK_VALUE_MAX (8U << 20) /* bytes; kernel.perf_event_max_stack allows 5 MiB */
#define STACK_RECORD_SIZE 32	   /* struct bpf_stack_build_id: s32 status, u8 build_id[20], u64 */

/* One stack as stored. */
struct stored_stack {
	const uint8_t *codes; /* of its slots, which belong to the store */
	uint32_t id;
	uint32_t depth;		    /* slots without the zero tail */
	uint32_t len;		    /* bytes of the value as dumped */
	uint32_t order;		    /* of addition */
	enum address_side side : 8; /* of the leaf; set by stack_store_seal() */
	bool records;		    /* the slots are build-ID records */
	bool unmarked; /* looked for while it was at hand: none of the values is a mark */
};

struct stack_store;

/* SHAPE other than INPUT_SHAPE_LOOK says what the values are; HALVES whose the addresses are. */
struct stack_store *stack_store_create(const char *name, enum input_role role,
	enum input_record_shape shape, const struct address_halves *halves);
void stack_store_destroy(struct stack_store *store);

/* False, and not added, if a value of LEN bytes cannot be a stack. */
bool stack_store_add(struct stack_store *store, uint32_t id, const uint8_t *value, size_t len);
/* Adds the stacks of OTHER; neither is sealed. */
void stack_store_append(struct stack_store *store, const struct stack_store *other);
/*
 * Whether what was added looks like stacks rather than like counters with a 4-byte key. It does if
 * three of four values that are not all zero are build-ID records, or start with an address and
 * have addresses in half of their used slots. Sums, sizes and times in ns can look like user
 * addresses, so values of up to 4 slots must hold addresses only, with a leaf of the kernel or
 * beyond 2^44; a value of one slot must be a kernel address.
 */
bool stack_store_plausible(const struct stack_store *store);
/* Decides between addresses and build IDs, and orders by ID; of a repeated ID the last stays. */
void stack_store_seal(struct stack_store *store);

/* As stack_store_create() was told; the name lives as long as STORE. */
const char *stack_store_name(const struct stack_store *store);
enum input_role stack_store_role(const struct stack_store *store);
const struct address_halves *stack_store_halves(const struct stack_store *store);
/* How many stacks there are. */
size_t stack_store_count(const struct stack_store *store);
/* How many values stack_store_seal() dropped because their ID came again. */
size_t stack_store_repeated(const struct stack_store *store);

/* Number I in order of addition, after stack_store_seal() in order of ID. */
const struct stored_stack *stack_store_at(const struct stack_store *store, size_t i);
/* After stack_store_seal(); NULL: no such ID. */
const struct stored_stack *stack_store_find(const struct stack_store *store, uint32_t id);
/* The stack (after stack_store_seal()), which is made in MEMORY. */
struct stack stack_store_stack(
	const struct stack_store *store, const struct stored_stack *stored, struct arena *memory);
/* The value as it was dumped, STORED->len bytes in MEMORY. */
uint8_t *stack_store_bytes(
	const struct stack_store *store, const struct stored_stack *stored, struct arena *memory);
/* The same slots, whichever stores they are in. */
bool stack_store_equal(const struct stack_store *a_store, const struct stored_stack *a,
	const struct stack_store *b_store, const struct stored_stack *b);

/* Whether LEN bytes look like struct bpf_stack_build_id records, by their status words. */
bool stack_records_look(const uint8_t *value, size_t len);
/* The stack (id -1) of a value that stood inline; its arrays are made in MEMORY. */
struct stack stack_of_bytes(
	struct arena *memory, const uint8_t *value, size_t len, enum input_record_shape shape);
