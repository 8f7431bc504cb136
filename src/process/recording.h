/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Recordings, as `stack2line record` writes them (man/stack2line-recording.5): what is known of
 * processes that may be gone, and of the kernel they ran on. This reads the bytes; what a process
 * looked like at some time is asked of process/recorded_life.h.
 */
#ifndef PROCESS_RECORDING_H
#define PROCESS_RECORDING_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "process/recorded_bpf.h"
#include "util/arena.h"
#include "util/error.h"
#include "util/log.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

#define RECORDING_MAGIC "stack2line-recording "
#define RECORDING_VERSION 1

/* A file that was mapped, or what stands for one: "[vdso]", "" for anonymous memory. */
struct recorded_file {
	uint32_t dev_major, dev_minor; /* as maps shows them */
	uint64_t inode;                /* 0: unknown, or no file */
	uint64_t size;                 /* bytes; 0: size and mtime are unknown */
	int64_t mtime, ctime;          /* ns since 1970; ctime 0: unknown */
	struct build_id build_id;      /* len 0: none is known */
	bool deleted;
	const char *path; /* a string of its own for each file */
};

enum recorded_kind {
	RECORDED_PROC,   /* what /proc said; the maps of the process follow */
	RECORDED_FORK,   /* the process began, as a copy of OTHER */
	RECORDED_THREAD, /* the thread PID of process OTHER began */
	RECORDED_EXEC,   /* all earlier mappings are gone */
	RECORDED_COMM,
	RECORDED_MAP,
	RECORDED_MOUNTS, /* moved to another mount namespace */
	RECORDED_EXIT,
};

struct recorded_event {
	uint64_t time; /* ns, CLOCK_MONOTONIC of the recorded machine */
	enum recorded_kind kind;
	uint32_t pid, order; /* order: of the line, among equal times */
	uint32_t other;      /* FORK: the parent; THREAD: the process; MAP: index in files */
	uint64_t start, end; /* MAP: process addresses, [start, end) */
	uint64_t offset;     /* MAP: bytes into the file; PROC, MOUNTS: mount namespace, 0: unknown */
	uint64_t started;    /* PROC: start time in clock ticks since boot */
	const char *comm;    /* PROC, EXEC, COMM */
	const char *nspid;   /* PROC: the pid in each namespace, comma-separated, outermost first */
};

/* Code of a JIT compiler, or a line of the code before it. */
struct recorded_jit {
	uint64_t since, time; /* ns: made not before SINCE and not after TIME; 0: SINCE is unknown */
	uint32_t pid, order;
	bool is_line;
	uint32_t line, column; /* of a line */
	uint64_t start, size;  /* process address, bytes; of a line the address alone */
	const char *text;      /* name or file */
};

/* A process or thread by its number in a PID namespace. */
struct recorded_pid {
	uint64_t namespace; /* inode */
	uint64_t time;      /* ns, when it was seen */
	uint32_t inner, outer; /* outer: as the recorder counts */
};

struct recorded_id;
struct recorded_life;

struct recording {
	char *name;    /* for messages; owned */
	bool foreign;  /* of another boot or machine: its device and inode numbers mean nothing here */
	char *boot_id; /* owned, NULL: not said */
	uint64_t begin, end; /* times of the first and last record */
	bool boottime;       /* SLEPT is known */
	uint64_t slept;      /* ns that CLOCK_BOOTTIME was ahead of CLOCK_MONOTONIC */
	struct VEC(struct recorded_file) files;
	struct VEC(struct recorded_event) events; /* by pid, then time, then order */
	struct VEC(struct recorded_jit) jits;     /* by pid, then time, then order */
	struct VEC(struct recorded_pid) pids;     /* by namespace, then inner, then time */
	struct table jit_looks; /* by pid, while it is read: when its code was looked at before, ns */
	struct table namespace_by_pid;            /* outer → inode of its PID namespace */
	struct VEC(struct text) mounts;           /* mountinfo texts */
	struct VEC(struct text) vdsos;            /* ELF images */
	struct recorded_bpfs bpfs;
	struct text kallsyms, modules;            /* as in /proc; empty: not recorded */
	struct text module_sections; /* lines "MODULE SECTION ADDRESS" */
	struct table kernel_build_ids; /* "kernel" or module → struct build_id *, in strings */
	uint64_t lost, odd, torn; /* records lost by the kernel; lines not understood; cut last line */
	/* How to find things. */
	struct table file_by_number, file_by_build_id; /* → index in files */
	struct table mounts_by_namespace;              /* → index in mounts */
	/* What was asked for, owned: who had an ID (by it), and processes (by ID and first event). */
	struct table id_by_number, life_by_task; /* → index in ids, lives */
	struct VEC(struct recorded_id *) ids;
	struct VEC(struct recorded_life *) lives;
	uint64_t effort; /* steps spent on lives so far, bounded */
	struct arena strings;
};

/*
 * Reads the bytes of a recording. BOOT_ID is this system's, NULL: unknown. The error is for what
 * is not a recording, or of a version that is not known; anything else is counted.
 */
struct error *recording_parse(const char *name, const char *text, size_t len,
	const char *boot_id, struct recording **ret) must_check;
/* Reads the file PATH; the system's boot ID comes from PROC_ROOT. */
struct error *recording_open(
	const char *path, const char *proc_root, struct recording **ret) must_check;
void recording_destroy(struct recording *recording);
/* Tells LOG what is missing or odd. */
void recording_notes(const struct recording *recording, struct log *log);

/* The events of PID, [*first, *end) in events. False: it is not in the recording. */
bool recording_events(
	const struct recording *recording, int64_t pid, size_t *first, size_t *end);
/* The same of its jits. */
bool recording_jits(const struct recording *recording, int64_t pid, size_t *first, size_t *end);
/* The PID namespace of process or thread PID, 0: not recorded. */
uint64_t recording_pid_namespace(const struct recording *recording, int64_t pid);
/*
 * The recorder's number of the task that was INNER in a PID namespace at TIME (ns; 0: unknown).
 * -1: there was none, or several were and the time does not tell.
 */
int64_t recording_outer_pid(const struct recording *recording, uint64_t namespace, int64_t inner,
	uint64_t time);
/* The mountinfo of a namespace, NULL: not recorded. */
const struct text *recording_mounts(const struct recording *recording, uint64_t namespace);
/* Some file with this build ID (perhaps zero-padded), NULL: none. */
const struct recorded_file *recording_file_of(
	const struct recording *recording, const struct build_id *id);
/*
 * The image of a [vdso] mapping of SIZE bytes at START. The kernel has one for 64-bit and one for
 * 32-bit processes; the address tells which. NULL: not recorded.
 */
const struct text *recording_vdso(
	const struct recording *recording, uint64_t start, uint64_t size);

#endif
