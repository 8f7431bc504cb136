/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds and reads the fields of an event that hold registers and a copy of the user stack:
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
#define SNAPSHOT_BYTES_MAX (256U << 10) /* ignore further bytes of a copy */

struct snapshot_fields {
	bool any;
	enum snapshot_machine machine;
	size_t first, n;		 /* index of the first one; they are the last N fields */
	uint8_t is[SNAPSHOT_FIELDS_MAX]; /* register, or a constant of snapshot_fields.c */
};

/*
 * Finds the fields of a snapshot in LAYOUT and moves them to its end. A snapshot has numbers with
 * the names of program counter and stack pointer, and an array of u8 with the name of a stack. The
 * machine is AArch64 if a field is called lr, x30, or x0 to x28. Returns ERROR_USAGE if there are
 * registers of both machines.
 */
struct error *snapshot_fields_find(struct layout *layout, struct snapshot_fields *ret) must_check;
/* Returns the role of field I of the N: "register", "stack" or "length". */
const char *snapshot_field_role(const struct snapshot_fields *fields, size_t i);
/*
 * Copies the snapshot of an event to MEMORY. ALL are the fields as decoded by the layout. Returns
 * NULL if the program counter is 0, as in a thread without user stack.
 */
const struct stack_snapshot *snapshot_fields_read(
	const struct snapshot_fields *fields, const struct field *all, struct arena *memory);
