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
#include "process/recording/columns.h"
#include "process/recording/recording.h"
#include "util/error.h"
#include "util/table.h"
#include "util/text.h"

/* Zero-filled but for FD is a recorder that has written nothing. */
struct recorder {
	int fd; /* where it goes; not owned */
	/* Not NULL and not 0: what a pipe does not take within half a second is given up. */
	const volatile sig_atomic_t *stop;
	struct text out; /* not written yet */
	/* Not in a block yet: of the system, and of processes; since when, ns, 0: just written */
	struct text lines;
	struct recorded_columns columns;
	uint64_t since;
	uint64_t
		complete; /* ns: all that happened before was given; set by who reads the events; 0: not yet */
	struct table files; /* what identifies a file → its number */
	uint64_t n_files;
	uint64_t n_events[RECORDED_EXIT + 1], lost; /* written, by kind */
	uint64_t bytes;				    /* in blocks so far, before they were packed */
	uint64_t written;			    /* to FD */
	bool looked, regular; /* whether FD is a regular file is known; it is */
	int errnum;	      /* of the first failed write, 0: none */
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
/* Only processes of this KIND ("cgroup", "tree", "process", "command") and NAME are recorded. */
void recorder_only(struct recorder *recorder, const char *kind, const char *name);
/* Copies of mapped files are in DIR, an absolute path. */
void recorder_keeps(struct recorder *recorder, const char *dir);
/* COPY->pid's mapping is of the file that COPY is of. */
void recorder_kept(struct recorder *recorder, const struct recorded_copy *copy);
/* The number of FILE, which is written when it is new. */
uint32_t recorder_file(struct recorder *recorder, const struct recorded_file *file);
/* EVENT->other of a mapping is the file's number; ->order is not looked at. */
void recorder_event(struct recorder *recorder, const struct recorded_event *event);
/* The mountinfo TEXT of a namespace, in place of an earlier one. */
void recorder_mounts(struct recorder *recorder, uint64_t namespace, const struct text *text);
/* The numbers of a task, "NAMESPACE:PID,…", the outermost first. */
void recorder_pids(struct recorder *recorder, uint32_t pid, uint64_t time, const char *numbers);
/* What of PID's JIT code is written from now on was not there at TIME. */
void recorder_jit_look(struct recorder *recorder, uint32_t pid, uint64_t time);
/* A symbol of MAP with its lines, made at TIME (EXACT) or some time before. */
void recorder_jit(struct recorder *recorder, uint32_t pid, uint64_t time, bool exact,
	const struct jit_map *map, const struct jit_symbol *symbol);
/* A BPF program or subprogram, kernel addresses [START, END), and then each of its lines. */
void recorder_bpf(
	struct recorder *recorder, uint64_t time, uint64_t start, uint64_t end, const char *name);
void recorder_bpf_line(struct recorder *recorder, uint64_t address, uint32_t line, uint32_t column,
	const char *file);
/* The one at START is no longer there. */
void recorder_bpf_gone(struct recorder *recorder, uint64_t time, uint64_t start);
/* Not all that came and went after SINCE and before TIME, ns, is known; what was there then follows. */
void recorder_bpf_lost(struct recorder *recorder, uint64_t time, uint64_t since);
/* The bytes of a [vdso]. */
void recorder_vdso(struct recorder *recorder, const char *image, size_t size);
/* Each line of TEXT as a record WORD. */
void recorder_lines(struct recorder *recorder, const char *word, const struct text *text);
/* Of the module NAME, or of the "kernel". */
void recorder_kernel_build_id(
	struct recorder *recorder, const char *name, const struct build_id *id);
/* COUNT events did not reach us after SINCE and before TIME, ns; the recording ends at TIME. */
void recorder_lost(struct recorder *recorder, uint64_t time, uint64_t count, uint64_t since);
/* Nothing that happened before TIME follows in this file. CONTINUES: the next segment goes on without a gap. */
void recorder_end(struct recorder *recorder, uint64_t time, bool continues);
/* Bytes of what was given so far, not packed. */
uint64_t recorder_given(const struct recorder *recorder);
/* Writes what is there. The error is a failed write, now or before. */
struct error *recorder_flush(struct recorder *recorder) must_check;
/* The same each second, for readers wait to see how far it is complete: NOW is ns of any clock. */
struct error *recorder_poll(struct recorder *recorder, uint64_t now) must_check;
