/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the steps of recording share: looking into /proc, the kernel's symbols, following events. */
#ifndef RECORD_STATE_H
#define RECORD_STATE_H

#include <stdbool.h>
#include <stdint.h>

#include "model/mapping.h"
#include "record/record.h"
#include "record/recorder.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct space;

enum { MEMBERS = 4 };

/* A mount namespace: its mounts are made step by step after it begins, so they are read again. */
struct recorded_namespace {
	uint64_t inode, seen; /* seen: first, ns */
	uint64_t number;      /* as written: INODE, and 2^32 for each time it was used again */
	uint32_t pids[MEMBERS]; /* some processes in it, the first as long as it lives; 0: none */
	uint32_t n_pids;      /* that were seen */
	struct text mounts;   /* as written */
};

/* What was found out about a file. */
struct known_file {
	struct recorded_file file;
	bool may_be_copied_up;
};

struct record_bpf;
struct record_only;
struct record_watch;

struct record_state {
	const struct record_options *options;
	struct recorder recorder;
	struct VEC(struct recorded_namespace) namespaces;
	struct table namespace_by_inode; /* → index in namespaces */
	struct table file_by_inode; /* device, inode → index in files */
	struct VEC(struct known_file) files; /* that the kernel gave no build ID for */
	uint64_t scanned;    /* when /proc was looked at last, ns */
	uint64_t processes;  /* found or begun */
	bool vdso_done;
	uint64_t own_pid_namespace; /* inode */
	/* for record_jit.c */
	struct VEC(struct record_watch *) watches; /* owned */
	uint64_t jit_bytes, jit_updated; /* written in all; when, ns */
	struct record_only *only; /* of record_only.c, NULL: every process of those followed */
	struct record_bpf *bpf; /* of record_bpf.c, NULL: not recorded */
	uint64_t bpf_left_out; /* records of BPF programs that were too many */
	uint64_t untold; /* cgroups that the kernel does not report on */
	uint64_t unwatched; /* processes and pieces of code that were too many */
};

void record_state_deinit(struct record_state *state);
/* Whether it is enough, or what more there is cannot be written. */
bool record_stopped(const struct record_state *state);
/* ns of CLOCK. */
uint64_t record_now(int clock);
/* Appends the file NAME below the proc root. */
void record_read_proc(const struct record_state *state, const char *name, struct text *ret);

/* The recorded file of a mapping, as far as the mapping itself says. */
struct recorded_file record_file_of(const struct mapping *mapping);
/*
 * Fills in the build ID, size and time of a file that the kernel gave no build ID for. DIR_FD is
 * /proc/PID; SPACE may be NULL.
 */
void record_identify(struct record_state *state, int dir_fd, const struct space *space,
	const struct mapping *mapping, struct recorded_file *file);
/*
 * The same by the mapping's path here, for a process that is gone: nothing unless it is the inode that was
 * mapped at TIME (ns, CLOCK_MONOTONIC), and has not changed since.
 */
void record_identify_by_path(
	const struct mapping *mapping, uint64_t time, struct recorded_file *file);

/* PID was seen in a mount namespace (its inode; 0: unknown). Returns the number to write for it. */
uint64_t record_see_namespace(struct record_state *state, uint64_t inode, uint32_t pid);
/* Writes the numbers of process or thread PID in PID namespaces other than the recorder's. */
void record_pids(struct record_state *state, uint32_t pid, uint64_t time);
/* Writes the mounts of namespaces that are new, as far as they changed. */
void record_new_mounts(struct record_state *state);

/* Writes what /proc says now of the processes to record. */
void record_look(struct record_state *state);
/* Writes all that is known once more, for a segment that begins at TIME (ns). */
void record_again(struct record_state *state, uint64_t time);
/* Writes what it says of one; false: it is gone. */
bool record_look_at(struct record_state *state, uint32_t pid);
/* Writes this program's own vdso: the kernel has one for all processes. */
void record_own_vdso(struct record_state *state);
/* Writes kallsyms, modules and their build IDs. */
void record_kernel(struct record_state *state);

#endif
