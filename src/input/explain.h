/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills the explanation for --explain from what the collector knows. */
#pragma once

#include "input/counts/count_join.h"
#include "input/roles/event_reading.h"
#include "input/stacks/stack_store.h"

/* Adds STORE, which is sealed. */
void explain_stacks(struct explanation *explanation, const struct stack_store *store);
/* Adds a map without usable entries. */
void explain_empty(struct explanation *explanation, const char *name);
/*
 * Adds COUNTS, which was prepared with JOIN. Its samples must have been counted by join_add(). Rows
 * and events of the same shape share one entry.
 */
void explain_counts(struct explanation *explanation, struct count_join *counts);
/*
 * Adds an event with registers and a copy of the stack. ROW has its other fields. The first of
 * several adds a map called NAME; the next ones only increase its count.
 */
void explain_snapshot(struct explanation *explanation, const struct event_reading *events,
	const struct row *row, const struct roles *roles, const char *name);
