/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Fills an explanation from what the collector knows. */
#pragma once

#include "input/counts/join.h"
#include "input/roles/event_reading.h"
#include "input/explanation.h"
#include "input/stacks/join.h"
#include "input/stacks/stack_store.h"

/* STORE is sealed; GIVEN: the user or the kernel said that it is a stack map. */
void explain_stacks(struct explanation *explanation, const struct stack_store *store, bool given);
/* A map of which there is nothing to be said. */
void explain_empty(struct explanation *explanation, const char *name);
/* JOIN is what COUNTS was prepared with; its samples have been counted by join_add(). */
void explain_counts(struct explanation *explanation, struct join *join, struct count_join *counts);
/*
 * An event with registers and a copy of the stack, whose other fields are ROW. The first of several
 * makes an entry called NAME, the others are counted there.
 */
void explain_snapshot(struct explanation *explanation, const struct event_reading *events,
	const struct row *row, const struct roles *roles, const char *name);
