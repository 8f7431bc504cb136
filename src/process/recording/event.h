/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a process did, as recordings have it. */
#pragma once

#include <stdint.h>

/* The numbers are those of the file. */
enum recorded_kind {
	RECORDED_PROC = 0,   /* what /proc said; the maps of the process follow */
	RECORDED_FORK = 1,   /* the process began, as a copy of OTHER */
	RECORDED_THREAD = 2, /* the thread PID of process OTHER began */
	RECORDED_EXEC = 3,   /* all earlier mappings are gone */
	RECORDED_COMM = 4,
	RECORDED_MAP = 5,
	RECORDED_MOUNTS = 6, /* moved to another mount namespace */
	RECORDED_EXIT = 7,
};

struct recorded_event {
	uint64_t time; /* ns, CLOCK_MONOTONIC of the recorded machine */
	enum recorded_kind kind;
	uint32_t pid, order; /* order: of the line, among equal times */
	uint32_t other;	     /* FORK: the parent; THREAD: the process; MAP: the file */
	uint64_t start, end; /* MAP: process addresses, [start, end) */
	uint64_t offset;   /* MAP: bytes into the file; PROC, MOUNTS: mount namespace, 0: unknown */
	uint64_t started;  /* PROC: start time in clock ticks since boot */
	const char *comm;  /* PROC, EXEC, COMM */
	const char *nspid; /* PROC: the pid in each namespace, comma-separated, outermost first */
};
