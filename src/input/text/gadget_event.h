/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * An event of Inspektor Gadget (ig, kubectl gadget), as JSON: fields with dotted names.
 *
 *	ustack.addresses  "0x00007ff9dd7734fb; 0x00007ff9dd6763b8; "
 *	ustack.buildid    "91f01b4ad171c80b6303d08d1f08cba8b990413d +1274fb; 7ffe1000; "  (offset in the file, or address)
 *	ustack.symbols    "chroot; 0x7ff9dd6763b8; [unknown]; libcudart.so.12+0x1234; "
 *	kstack            "security_capable; do_syscall_64; "
 *	proc.comm, proc.pid, proc.tid, proc.mntns_id, samples
 *
 * Until May 2026 each entry began with its number, as in "[0]chroot; ". The user
 * stack may be called otherwise (user_stack_raw), the kernel's kern_stack.
 * (pkg/operators/ustack/ustack.go and ustack_linux.go, pkg/operators/ebpf/formatters.go of inspektor-gadget.)
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "input/dump.h"
#include "input/roles/roles.h"
#include "input/row.h"
#include "input/text/blocks.h"
#include "input/text/text_stack.h"
#include "util/arena.h"
#include "util/scan.h"
#include "util/vec.h"

/* How the last part of a field's name ends in a stack of addresses. */
#define GADGET_ADDRESSES "addresses"

struct gadget_events {
	struct dump *dump;
	const struct input_options *options;
	struct tool_blocks *blocks;
	struct role_overrides overrides;
	bool overrides_checked;
	struct text_stack stack;
	struct arena memory; /* of the fields */
	struct VEC(struct field) fields;
	size_t bytes;	   /* of their names and texts */
	uint64_t others;   /* events without any field of a stack */
	uint64_t foreign;  /* user stacks whose process is another one here */
	uint64_t unpaired; /* stacks with more or fewer symbols than addresses */
	uint64_t odd;	   /* entries of stacks that are neither */
};

struct error *gadget_events_init(struct gadget_events *events, struct dump *dump,
	const struct input_options *options, struct tool_blocks *blocks) must_check;
void gadget_events_deinit(struct gadget_events *events);

/* A field of the event that comes; NUMBER: it is one if it looks so. Empty texts are fields, too. */
void gadget_field(struct gadget_events *events, struct scan name, struct scan value, bool number);
/* The event is complete: it goes to the dump's collector. */
struct error *gadget_event_end(struct gadget_events *events, const char *position) must_check;
/* Forgets what there is of the event. */
void gadget_event_drop(struct gadget_events *events);
/* Says what was left out. */
void gadget_events_report(struct gadget_events *events);
