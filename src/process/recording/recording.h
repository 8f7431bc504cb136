/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads recordings of `stack2line record` (man/stack2line-recording.5): what is known of processes
 * that may have exited, and of the kernel they ran on. The records of the system are read when the
 * recording is opened, those of a process on request. See process/recording/process_record.h for
 * the state of a process at a given time.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/build_id.h"
#include "process/recording/block.h"
#include "process/recording/bpf.h"
#include "process/recording/recording_row.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/log.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

#define RECORDING_MAGIC "stack2line-recording "
#define RECORDING_VERSION 3

/* A mapped file, or a name such as "[vdso]"; an empty path means anonymous memory. */
struct recorded_file {
	uint32_t dev_major, dev_minor; /* as in /proc/PID/maps */
	uint64_t inode;		       /* 0 if unknown or not a file */
	uint64_t size;		       /* in bytes; 0 if size and mtime are unknown */
	int64_t mtime, ctime;	       /* ns since 1970; ctime is 0 if unknown */
	struct build_id build_id;      /* len 0 if unknown */
	bool deleted;
	const char *path; /* each file has its own copy */
};

/* The records of one ID, or of all IDs. */
struct recorded_tasks {
	struct VEC(struct recorded_row) rows; /* sorted by pid, class, then time or file order */
	bool damaged; /* true if some could not be read, which makes the others unreliable */
	struct arena strings;
};

struct recording {
	char *name; /* path; owned */
	/* true if from another boot or machine: device and inode numbers are meaningless here */
	bool foreign;
	char *boot_id;	     /* owned; NULL if unknown */
	uid_t owner;	     /* owner of its segments */
	uint64_t begin, end; /* ns; the recording is complete between them */
	/* true if the last record is `end`: no record before END can follow */
	bool ended;
	bool boottime;	/* true if SLEPT is known */
	uint64_t slept; /* ns that CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC */
	uint64_t real;	/* ns that CLOCK_REALTIME is ahead of CLOCK_MONOTONIC; 0 if unknown */
	struct VEC(struct recorded_file *) files; /* allocated in STRINGS */
	struct VEC(struct text) mounts;		  /* mountinfo texts */
	struct VEC(struct text) vdsos;		  /* ELF images */
	struct recorded_bpfs bpfs;
	struct text kallsyms, modules; /* as in /proc; empty if not recorded */
	struct text module_sections;   /* lines "MODULE SECTION ADDRESS" */
	uint32_t source_of[ROW_KINDS]; /* index of the last source with a row of this kind */
	/* "kernel" or module name → struct build_id *, allocated in STRINGS */
	struct table kernel_build_ids;
	/* directories with copies of mapped files, allocated in STRINGS; few */
	struct VEC(const char *) kept_dirs;
	/* message that lists the recorded processes; empty if all are recorded */
	struct text only;
	/* records lost by the kernel; records not understood; 1 if the last source is truncated */
	uint64_t lost, odd, torn;
	struct recorded_losses losses;
	struct recorded_blocks blocks; /* blocks with rows of processes */
	struct recorded_tasks all;     /* records of all processes, if HAS_ALL */
	bool has_all;
	/* records examined so far to find those of one ID */
	uint64_t scanned;
	/* {ID, others} (see recorded_blocks_find()) → struct recorded_tasks *, owned, or 0 */
	struct table tasks_by_id;
	size_t forgotten; /* number of forgotten entries in TASKS_BY_ID */
	/* true if there is no file: TASKS_BY_ID has all records (process/follow/follower.h) */
	bool in_memory;
	/* start of the last source, in ns; true if the next segment follows it without a gap */
	uint64_t source_begin;
	bool continues;
	/* index of the source that is being read: each source numbers its own files */
	uint32_t source;
	struct table file_by_number, file_by_build_id; /* → index in FILES */
	struct table mounts_by_namespace;	       /* → index in MOUNTS */
	struct VEC(struct recorded_id) ids;	       /* a cache; see recorded_task_at() */
	struct table id_by_number;		       /* → index in IDS */
	struct table record_by_task; /* cache: {ID, first event} → struct process_record *, owned */
	/* steps spent on building process records so far; limited */
	uint64_t effort;
	struct arena strings;
};

/* Returns TIME, or 0 (unknown) if the recording does not cover it. */
static inline uint64_t recorded_time(const struct recording *recording, uint64_t time)
{
	return time < recording->begin || time > recording->end ? 0 : time;
}

/* Opens PATH and checks the version in its first line. */
struct error *recording_source_open(const char *path, struct recorded_source *ret) must_check;
/* Reads the file PATH and its segments. This system's boot ID is read from PROC_ROOT. */
struct error *recording_open(
	const char *path, const char *proc_root, struct recording **ret) must_check;
/*
 * Reads what was appended since, to the file or to a new file of that name, unless the recording is
 * already complete up to TIME (ns, CLOCK_MONOTONIC). If a recorder is running, waits up to two
 * seconds for it to write the records up to TIME. Returns true if anything was read; pointers
 * returned by process_record_of() and similar functions are then invalid.
 */
bool recording_await(struct recording *recording, uint64_t time);
void recording_destroy(struct recording *recording);
/* Adds messages about missing or unreadable records to LOG. */
void recording_notes(const struct recording *recording, struct log *log);

/* Returns the mountinfo of NAMESPACE, or NULL if not recorded. */
const struct text *recording_mounts(const struct recording *recording, uint64_t namespace);
/* Returns any file with this build ID, which may be padded with zeros, or NULL. */
const struct recorded_file *recording_file_of(
	const struct recording *recording, const struct build_id *id);
/* Returns the build ID of the module NAME, or of the "kernel"; len 0 if not recorded. */
struct build_id recording_kernel_build_id(const struct recording *recording, const char *name);
/*
 * Returns the image of a [vdso] mapping of SIZE bytes at START, or NULL if not recorded. The kernel
 * has one image for 64-bit and one for 32-bit processes; below 4 GiB it is the latter.
 */
const struct text *recording_vdso(const struct recording *recording, uint64_t start, uint64_t size);

/* Interprets the rows of a recording (man/stack2line-recording.5). */

/* Adds ROW, a row of the system, to RECORDING. Returns false if it is not understood. */
bool recording_read_row(struct recording *recording, const struct recorded_row *row);
