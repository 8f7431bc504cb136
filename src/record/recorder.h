/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording (man/stack2line-recording.5). Only whole blocks are appended, so that
 * everything written can be read if the recorder is killed.
 */
#pragma once

#include <signal.h>
#include <stddef.h>
#include <stdint.h>

#include "process/recording/block.h"
#include "process/recording/recording.h"
#include "util/error.h"
#include "util/table.h"
#include "util/text.h"

/* Rows not in a block yet. */
struct recorder_rows {
	struct text bytes;
	struct row_state state;
};

/* Zero-filled except for FD is a recorder that has written nothing. */
struct recorder {
	int fd; /* output file; not owned */
	/* May be NULL. If set, writing fails if a pipe takes nothing for half a second. */
	const volatile sig_atomic_t *stop;
	struct text out; /* blocks not written yet */
	struct recorder_rows system, processes;
	struct ids ids, others; /* index of PROCESSES; OTHERS: parents, and IDs in PID namespaces */
	uint32_t records;	/* rows of PROCESSES */
	uint64_t first;		/* ns: earliest event of PROCESSES; 0: none */
	uint64_t since;		/* ns: first recorder_poll() since the last write; 0: none */
	/* ns: all events before it were added; set by the reader of events; 0: unknown */
	uint64_t complete;
	struct table files; /* identity of a file → its number */
	uint64_t n_files;
	uint64_t mappings, lost; /* mappings added and events lost so far */
	uint64_t bytes;		 /* bytes of all blocks so far, uncompressed */
	uint64_t written;	 /* bytes written to FD */
	bool regular;		 /* FD is known to be a regular file */
	int errnum;		 /* errno of the first failed write; 0: none */
};

void recorder_deinit(struct recorder *recorder);
/* Readings of the system's clocks at one time, in ns. */
struct recorder_clocks {
	uint64_t monotonic, realtime, boottime;
};

/*
 * Adds the header of a new file FD, where no earlier row is known. Flush before FD changes. BOOT_ID
 * is "-" if unknown; MACHINE and RELEASE are those of uname().
 */
void recorder_begin(struct recorder *recorder, const char *boot_id, const char *machine,
	const char *release, const struct recorder_clocks *clocks);
/* Adds a copy of ROW. */
void recorder_add(struct recorder *recorder, const struct recorded_row *row);
/* Adds a row of KIND with the string TEXT ("" if it has none) and numbers. */
#define recorder_row(recorder, kind_, text_, ...)                                                  \
	recorder_add(recorder,                                                                     \
		&(struct recorded_row){                                                            \
			.kind = (kind_), .text = scan_of(text_), .numbers = {__VA_ARGS__}})
/* Returns the number of FILE, and adds a row for it if it is new. */
uint32_t recorder_file(struct recorder *recorder, const struct recorded_file *file);
/* Adds the mountinfo TEXT of a mount namespace, which replaces an earlier one. */
void recorder_mounts(struct recorder *recorder, uint64_t namespace, const struct text *text);
/* Adds each line of TEXT as a row of KIND. */
void recorder_lines(struct recorder *recorder, enum row_kind kind, const struct text *text);
/* Adds the build ID of the module NAME, or of the kernel (NAME "kernel"). */
void recorder_kernel_build_id(
	struct recorder *recorder, const char *name, const struct build_id *id);
/*
 * Adds the last row: no event before TIME (ns) is missing. CONTINUES: another segment follows
 * without a gap.
 */
void recorder_end(struct recorder *recorder, uint64_t time, bool continues);
/* Returns the size of all rows so far in bytes, uncompressed. */
uint64_t recorder_given(const struct recorder *recorder);
/* Writes all blocks. Returns an error if this or an earlier write failed. */
struct error *recorder_flush(struct recorder *recorder) must_check;
/*
 * Flushes once a second: readers wait for the time up to which the recording is complete. NOW is in
 * ns, of any one clock.
 */
struct error *recorder_poll(struct recorder *recorder, uint64_t now) must_check;
