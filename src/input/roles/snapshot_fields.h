/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which fields of an event are registers and a copy of the user stack:
 *
 *	u32 pid; u64 ip, sp, bp; u32 len; u8 stack[]
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/roles/layout.h"
#include "input/row.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/error.h"

#define SNAPSHOT_FIELDS_MAX (SNAPSHOT_REGISTERS + 2)
#define SNAPSHOT_BYTES_MAX (256U << 10) /* of a copy that are used */

/* Zero-filled: there is no snapshot. */
struct snapshot_fields {
	bool any;
	enum snapshot_machine machine;
	size_t first, n; /* they are the last N of the layout; those before mean something else */
	uint8_t is[SNAPSHOT_FIELDS_MAX]; /* what each of them is, see snapshot_fields.c */
};

/*
 * Finds the fields of a snapshot in LAYOUT and moves them behind all others: numbers that are called
 * like a program counter and a stack pointer, and an array of u8 that is called like a stack. The
 * machine is AArch64 if a field is called lr or x0 to x30. ERROR_USAGE for registers of both.
 */
struct error *snapshot_fields_find(struct layout *layout, struct snapshot_fields *ret) must_check;
/* What field I of the N is: "register", "stack" or "length". */
const char *snapshot_field_role(const struct snapshot_fields *fields, size_t i);
/*
 * The snapshot in ALL fields of an event, which LAYOUT decoded, copied to MEMORY. NULL: the program
 * counter is 0, as that of a thread without user stack.
 */
const struct stack_snapshot *snapshot_fields_read(
	const struct snapshot_fields *fields, const struct field *all, struct arena *memory);
