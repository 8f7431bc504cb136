/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Parses how the command line selects a live BPF map: with bpftool's words
 *
 *	id:12   name:counts   pinned:/sys/fs/bpf/counts   prog:34/counts   prog:34
 *
 * or by the process that holds it: comm:profile   pid:4711
 */
#pragma once

#include <stdint.h>

#include "util/error.h"

enum live_spec_kind {
	LIVE_SPEC_ID,
	LIVE_SPEC_NAME,
	LIVE_SPEC_PINNED,
	LIVE_SPEC_PROG, /* maps that a program uses */
	LIVE_SPEC_COMM, /* maps that a process holds, and that its programs use */
	LIVE_SPEC_PID,
};

struct live_spec {
	enum live_spec_kind kind;
	uint32_t id;	  /* ID of the map or program, or PID */
	const char *name; /* NAME, PATH, COMM, or the map's name in PROG (NULL: all of its maps) */
};

/* Parses TEXT; RET points into it. Other forms are an ERROR_USAGE that begins with OPTION. */
struct error *live_spec_parse(
	const char *text, const char *option, struct live_spec *ret) must_check;
