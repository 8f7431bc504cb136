/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording (man/stack2line-recording.5): append-only, whole blocks at a time, so that what
 * is there when the recorder is killed can be read.
 */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "process/jit/map.h"
#include "process/mapping.h"
#include "process/recording/block.h"
#include "process/recording/recording.h"
#include "util/error.h"
#include "util/table.h"
#include "util/text.h"

/* Rows that are not in a block yet. */
struct recorder_rows {
	struct text bytes;
	struct row_state state;
};

/* Zero-filled but for FD is a recorder that has written nothing. */
struct recorder {
	int fd; /* where it goes; not owned */
	/* Not NULL and not 0: what a pipe does not take within half a second is given up. */
	const volatile sig_atomic_t *stop;
	struct text out; /* not written yet */
	struct recorder_rows system, processes;
	struct ids ids, others; /* in PROCESSES; parents and numbers in PID namespaces */
	uint32_t records;	/* in PROCESSES */
	uint64_t first;		/* ns: the earliest event of them, 0: none */
	uint64_t since;		/* ns: when the first row came; 0: just written */
	uint64_t
		complete; /* ns: all that happened before was given; set by who reads the events; 0: not yet */
	struct table files; /* what identifies a file → its number */
	uint64_t n_files;
	uint64_t mappings, lost; /* given */
	uint64_t bytes;		 /* in blocks so far, before they were packed */
	uint64_t written;	 /* to FD */
	bool regular;		 /* FD is known to be a regular file */
	int errnum;		 /* of the first failed write, 0: none */
};

void recorder_deinit(struct recorder *recorder);
/* What the system's clocks say at one time, ns. */
struct recorder_clocks {
	uint64_t monotonic, realtime, boottime;
};

/* What was flushed stays where it is; what follows goes to FD, and nothing of what was before is known there. */
void recorder_renew(struct recorder *recorder, int fd);
/* The header: "-" for a BOOT_ID that is unknown; MACHINE and RELEASE are uname()'s. */
void recorder_begin(struct recorder *recorder, const char *boot_id, const char *machine,
	const char *release, const struct recorder_clocks *clocks);
/* Adds ROW, which is copied. */
void recorder_add(struct recorder *recorder, const struct recorded_row *row);
/* The same of KIND, with the string TEXT ("" if it has none) and numbers. */
#define recorder_row(recorder, kind_, text_, ...)                                                  \
	recorder_add(recorder,                                                                     \
		&(struct recorded_row){                                                            \
			.kind = (kind_), .text = scan_of(text_), .numbers = {__VA_ARGS__}})
/* The number of FILE, which is written when it is new. */
uint32_t recorder_file(struct recorder *recorder, const struct recorded_file *file);
/* At TIME, PID had MAPPING, of FILE. */
void recorder_map(struct recorder *recorder, uint32_t pid, uint64_t time,
	const struct mapping *mapping, const struct recorded_file *file);
/* The mountinfo TEXT of a namespace, in place of an earlier one. */
void recorder_mounts(struct recorder *recorder, uint64_t namespace, const struct text *text);
/* A symbol of MAP with its lines, made at TIME (EXACT) or some time before. */
void recorder_jit(struct recorder *recorder, uint32_t pid, uint64_t time, bool exact,
	const struct jit_map *map, const struct jit_symbol *symbol);
/* Each line of TEXT as a row of KIND. */
void recorder_lines(struct recorder *recorder, enum row_kind kind, const struct text *text);
/* Of the module NAME, or of the "kernel". */
void recorder_kernel_build_id(
	struct recorder *recorder, const char *name, const struct build_id *id);
/* Nothing that happened before TIME follows in this file. CONTINUES: the next segment goes on without a gap. */
void recorder_end(struct recorder *recorder, uint64_t time, bool continues);
/* Bytes of what was given so far, not packed. */
uint64_t recorder_given(const struct recorder *recorder);
/* Writes what is there. The error is a failed write, now or before. */
struct error *recorder_flush(struct recorder *recorder) must_check;
/* The same each second, for readers wait to see how far it is complete: NOW is ns of any clock. */
struct error *recorder_poll(struct recorder *recorder, uint64_t now) must_check;
