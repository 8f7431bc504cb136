/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings, as `stack2line record` writes them (man/stack2line-recording.5): what is known of
 * processes that may be gone, and of the kernel they ran on. This reads the bytes: of the system when
 * it is opened, of processes as they are asked for. What a process looked like at some time is asked
 * of process/recording/life.h.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include "model/build_id.h"
#include "process/recording/blocks.h"
#include "process/recording/bpf.h"
#include "process/recording/loss.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/log.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

#define RECORDING_MAGIC "stack2line-recording "
#define RECORDING_VERSION 3

/* A file that was mapped, or what stands for one: "[vdso]", "" for anonymous memory. */
struct recorded_file {
	uint32_t dev_major, dev_minor; /* as maps shows them */
	uint64_t inode;		       /* 0: unknown, or no file */
	uint64_t size;		       /* bytes; 0: size and mtime are unknown */
	int64_t mtime, ctime;	       /* ns since 1970; ctime 0: unknown */
	struct build_id build_id;      /* len 0: none is known */
	bool deleted;
	const char *path; /* a string of its own for each file */
};

/* What is recorded of one ID, or of all. */
struct recorded_tasks {
	struct VEC(struct recorded_row) rows; /* by pid, then class, then time or order */
	bool damaged; /* some of it could not be read: the rest is not to be believed */
	struct arena strings;
};

struct recording {
	char *name;   /* its path; owned */
	bool foreign; /* of another boot or machine: its device and inode numbers mean nothing here */
	char *boot_id;	     /* owned, NULL: not said */
	uid_t owner;	     /* of its segments */
	uint64_t begin, end; /* ns: it has all that happened in between */
	bool ended;	/* the last record says so: nothing can be added that is older than END */
	bool boottime;	/* SLEPT is known */
	uint64_t slept; /* ns that CLOCK_BOOTTIME was ahead of CLOCK_MONOTONIC */
	uint64_t real;	/* ns that CLOCK_REALTIME was ahead of it; 0: unknown */
	struct VEC(struct recorded_file *) files; /* in strings */
	struct VEC(struct text) mounts;		  /* mountinfo texts */
	struct VEC(struct text) vdsos;		  /* ELF images */
	struct recorded_bpfs bpfs;
	struct text kallsyms, modules; /* as in /proc; empty: not recorded */
	struct text module_sections;   /* lines "MODULE SECTION ADDRESS" */
	/* Which source said so last. */
	uint32_t kallsyms_source, modules_source, module_sections_source, only_source;
	struct table kernel_build_ids; /* "kernel" or module → struct build_id *, in strings */
	struct VEC(const char *) kept_dirs; /* where copies of mapped files are, in strings; few */
	struct text only; /* a sentence that says which processes it has; empty: every one */
	uint64_t lost, odd, torn; /* records lost by the kernel; not understood; cut ends */
	struct recorded_losses losses;
	struct recorded_blocks blocks; /* of processes */
	struct recorded_tasks all;     /* of all processes, if they were read */
	bool has_all;
	uint64_t scanned; /* events that were looked at for one ID */
	struct table
		tasks_by_id; /* IDs that were asked for → struct recorded_tasks *, owned; 0: forgotten */
	size_t forgotten; /* of these */
	bool in_memory;	  /* there is no file: TASKS_BY_ID has all (process/follow/follower.h) */
	/* While it is read: when the last source began, ns, and whether it says that there is no gap behind it. */
	uint64_t source_begin;
	bool continues;
	/* How to find things. */
	uint32_t source; /* of blocks, while it is read: each numbers its files */
	struct table file_by_number, file_by_build_id; /* → index in files */
	struct table mounts_by_namespace;	       /* → index in mounts */
	/* What was asked for, owned: who had an ID, and processes by ID and first event. */
	struct table id_by_number,
		life_by_task; /* → struct recorded_id *, struct recorded_life * */
	uint64_t effort;      /* steps spent on lives so far, bounded */
	struct arena strings;
};

/* TIME, or 0 when it is not of the recording. */
static inline uint64_t recorded_time(const struct recording *recording, uint64_t time)
{
	return time < recording->begin || time > recording->end ? 0 : time;
}

/*
 * Reads the bytes of a recording, which must outlive RET. BOOT_ID is this system's, NULL: unknown. The
 * error is for what is not a recording, or of a version that is not known; anything else is counted.
 */
struct error *recording_parse(const char *name, const char *text, size_t len, const char *boot_id,
	struct recording **ret) must_check;
/* Opens PATH, and reads the line that says which version it is. */
struct error *recording_source_open(const char *path, struct recorded_source *ret) must_check;
/* Reads the file PATH; the system's boot ID comes from PROC_ROOT. */
struct error *recording_open(
	const char *path, const char *proc_root, struct recording **ret) must_check;
/*
 * Reads what has been added since, in the file or a new one with its name, if that may be of TIME (ns,
 * CLOCK_MONOTONIC). Waits two seconds at most until a recorder that runs has written it. True: there was
 * something, and what recorded_life_of() and others handed out is gone.
 */
bool recording_await(struct recording *recording, uint64_t time);
void recording_destroy(struct recording *recording);
/* Tells LOG what is missing or odd. */
void recording_notes(const struct recording *recording, struct log *log);

/* The mountinfo of a namespace, NULL: not recorded. */
const struct text *recording_mounts(const struct recording *recording, uint64_t namespace);
/* Some file with this build ID (perhaps zero-padded), NULL: none. */
const struct recorded_file *recording_file_of(
	const struct recording *recording, const struct build_id *id);
/* The build ID of a module, or of the "kernel"; len 0: not recorded. */
struct build_id recording_kernel_build_id(const struct recording *recording, const char *name);
/*
 * The image of a [vdso] mapping of SIZE bytes at START. The kernel has one for 64-bit and one for
 * 32-bit processes; the address tells which. NULL: not recorded.
 */
const struct text *recording_vdso(const struct recording *recording, uint64_t start, uint64_t size);
