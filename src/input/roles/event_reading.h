/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the events of perf and ring buffers by the layout of --event-layout. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/roles/layout.h"
#include "input/roles/roles.h"
#include "input/row.h"
#include "model/stack.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/vec.h"

#define SNAPSHOT_FIELDS_MAX (SNAPSHOT_REGISTERS + 2)

/*
 * The fields of an event that hold registers and a copy of the user stack, as in
 *
 *	u32 pid; u64 ip, sp, bp; u32 len; u8 stack[]
 *
 * A snapshot has numbers with the names of program counter and stack pointer, and an array of u8
 * with the name of a stack. The machine is AArch64 if a field is called lr, x30, or x0 to x28.
 */
struct snapshot_fields {
	bool any;
	enum snapshot_machine machine;
	size_t first, n;		 /* index of the first one; they are the last N fields */
	uint8_t is[SNAPSHOT_FIELDS_MAX]; /* register, or a constant of event_reading.c */
};

struct event_reading {
	struct layout layout;
	struct snapshot_fields snapshot;
	struct VEC(struct field) fields; /* fields of the last event */
	struct role_memo memo;
	bool checked;		       /* the layout has been checked against --key */
	size_t seen[LENGTH_EVIDENCES]; /* number of events by evidence */
};

/* Parses TEXT (--event-layout) with the fields of KEY_FIELDS (--key). Both may be NULL. */
struct error *event_reading_init(
	const char *text, const char *key_fields, struct event_reading *ret) must_check;
void event_reading_deinit(struct event_reading *reading);

/*
 * Sets RET to the fields of an event without those of the snapshot, valid until the next event.
 * Returns false if the event is too short.
 */
bool event_reading_row(
	struct event_reading *reading, const uint8_t *data, size_t len, struct row *ret);
/*
 * Sets RET to the roles of ROW's fields, valid until the next call. The first call returns
 * ERROR_USAGE if no field is a stack, or if --key names missing fields. Any call does so if a field
 * may be either the weight or the length of a stack.
 */
struct error *event_reading_roles(struct event_reading *reading, const struct row *row,
	struct role_overrides *overrides, const struct roles **ret) must_check;
/* Returns true if a stack of ROW is given by its ID. */
bool event_names_ids(const struct row *row, const struct roles *roles);
/*
 * Copies the stack snapshot of the last event to MEMORY. Returns NULL if it has none, or if its
 * program counter is 0, as in a thread without user stack.
 */
const struct stack_snapshot *event_snapshot(
	const struct event_reading *reading, struct arena *memory);
/* Returns the role of field I of the N: "register", "stack" or "length". */
const char *snapshot_field_role(const struct snapshot_fields *fields, size_t i);
