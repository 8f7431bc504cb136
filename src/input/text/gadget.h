/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads events that Inspektor Gadget (ig run, kubectl gadget run) prints with -o json and -o
 * jsonpretty. Each event is an object. Counts from a map are printed as an array of them.
 *
 *	{"k8s":{…},"proc":{"comm":"spin","pid":7,…},
 *	 "ustack":{"addresses":"0x…; ","buildid":"…","symbols":"…"}}
 *
 *	ustack.addresses  "0x00007ff9dd7734fb; 0x00007ff9dd6763b8; "
 *	ustack.buildid    "91f01b4ad171c80b6303d08d1f08cba8b990413d +1274fb; 7ffe1000; "
 *	                  (build ID and file offset, or address)
 *	ustack.symbols    "chroot; 0x7ff9dd6763b8; [unknown]; libcudart.so.12+0x1234; "
 *	kstack            "security_capable; do_syscall_64; "
 *	proc.comm, proc.pid, proc.tid, proc.mntns_id, samples
 *
 * Before May 2026 each entry began with its number, as in "[0]chroot; ". The user stack may have
 * another name (user_stack_raw), and the kernel stack may be called kern_stack.
 * (pkg/operators/ustack/ustack.go and ustack_linux.go, pkg/operators/ebpf/formatters.go of
 * inspektor-gadget.)
 *
 * YAML and columns of Inspektor Gadget are recognized and refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

/*
 * Returns true if such an event, or an array of them, begins AT bytes after the position of the
 * source: an object with the member of a stack, whose first member is none of bpftool or another
 * supported tool. Reads no further than the first member that decides.
 */
bool gadget_json_starts(struct source *source, size_t at);
/*
 * Returns true if the source is at YAML (`---` and a name) or a heading of columns (PROC.PID
 * KSTACK) of Inspektor Gadget.
 */
bool gadget_text_starts(struct source *source, struct tool_blocks *blocks);
/*
 * Reads events as long as they follow each other. The error is the collector's, or concerns --key.
 */
struct error *gadget_json_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks) must_check;
