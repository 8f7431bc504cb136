/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process did, as recordings have it. */
#pragma once

#include "process/recording/row.h"

struct recorded_event {
	uint64_t time;	     /* ns, CLOCK_MONOTONIC of the recorded machine */
	enum row_kind kind;  /* up to ROW_EXIT */
	uint32_t pid, order; /* order: of the record, among equal times */
	uint32_t other;	     /* FORK: the parent; THREAD: the process; MAP: the file */
	uint64_t start, end; /* MAP: process addresses, [start, end) */
	uint64_t offset;     /* MAP: bytes into the file; PROC, NS: mount namespace, 0: unknown */
	uint64_t started;    /* PROC: start time in clock ticks since boot */
	uint32_t levels;     /* PROC: how many PID namespaces it has a number in, 0: unknown */
	const char *comm;    /* PROC, EXEC, COMM */
	const char *root;    /* ROOT: its root directory, as its mount namespace has it */
};
