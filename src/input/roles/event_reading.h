/* SPDX-License-Identifier: GPL-2.0-or-later */
/* How the events of perf and ring buffers are read: by the layout that --event-layout gives. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/roles/layout.h"
#include "input/roles/roles.h"
#include "input/roles/snapshot_fields.h"
#include "input/roles/stack_length.h"
#include "input/row.h"
#include "util/error.h"
#include "util/vec.h"

/* Zero-filled: no layout is given. */
struct event_reading {
	struct layout layout;
	struct snapshot_fields snapshot;
	struct VEC(struct field) fields; /* of the event that was read last */
	struct role_memo memo;
	bool checked;		       /* the layout has a stack, and what --key names */
	size_t seen[LENGTH_EVIDENCES]; /* events by what they say about a length */
};

/* TEXT of --event-layout with KEY_FIELDS of --key; both may be NULL. */
struct error *event_reading_init(
	const char *text, const char *key_fields, struct event_reading *ret) must_check;
void event_reading_deinit(struct event_reading *reading);

/* The fields of an event but for the snapshot's; false: it is too short. RET is good until the next. */
bool event_reading_row(
	struct event_reading *reading, const uint8_t *data, size_t len, struct row *ret);
/*
 * Returns what ROW's fields mean, good until the next call. ERROR_USAGE, once, if none is a stack, or --key
 * names others; and if a field may be the weight as well as the length of a stack.
 */
struct error *event_reading_roles(struct event_reading *reading, const struct row *row,
	struct role_overrides *overrides, const struct roles **ret) must_check;
/* Whether stacks are named by ID. */
bool event_names_ids(const struct row *row, const struct roles *roles);
/* The snapshot of the event that was read last, in MEMORY; NULL: it has none. */
const struct stack_snapshot *event_snapshot(
	const struct event_reading *reading, struct arena *memory);
