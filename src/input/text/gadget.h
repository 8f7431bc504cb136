/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Events that Inspektor Gadget prints (ig run, kubectl gadget run) by -o json and jsonpretty:
 * an object an event, or, of what is counted in a map, an array of them.
 *
 *	{"k8s":{…},"proc":{"comm":"spin","pid":7,…},"ustack":{"addresses":"0x…; ","buildid":"…","symbols":"…"}}
 *
 *	ustack.addresses  "0x00007ff9dd7734fb; 0x00007ff9dd6763b8; "
 *	ustack.buildid    "91f01b4ad171c80b6303d08d1f08cba8b990413d +1274fb; 7ffe1000; "  (offset in the file, or address)
 *	ustack.symbols    "chroot; 0x7ff9dd6763b8; [unknown]; libcudart.so.12+0x1234; "
 *	kstack            "security_capable; do_syscall_64; "
 *	proc.comm, proc.pid, proc.tid, proc.mntns_id, samples
 *
 * Until May 2026 each entry began with its number, as in "[0]chroot; ". The user stack may be
 * called otherwise (user_stack_raw), the kernel's kern_stack. (pkg/operators/ustack/ustack.go
 * and ustack_linux.go, pkg/operators/ebpf/formatters.go of inspektor-gadget.)
 *
 * Its YAML and columns are recognized and refused.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"
#include "input/text/blocks.h"
#include "util/error.h"

/*
 * Whether the source is AT bytes before an event of these, by its first members; reads no
 * further than it.
 */
bool gadget_json_starts(struct source *source, size_t at);
/*
 * Returns true if the source is at its YAML (`---` and a name) or the head of columns (PROC.PID
 * KSTACK).
 */
bool gadget_text_starts(struct source *source, struct tool_blocks *blocks);
/* Reads on while there are events. The error is the collector's, or for what --key names. */
struct error *gadget_json_read(struct dump *dump, const struct input_options *options,
	struct tool_blocks *blocks) must_check;
