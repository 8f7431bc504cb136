/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State shared by the files of src/record. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/follow/perf_events.h"
#include "process/maps.h"
#include "record/record.h"
#include "record/recorder.h"
#include "util/error.h"
#include "util/log.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct space;

enum { MEMBERS = 4, PARENTS_N = 1 << 12 };

/* A mount namespace. Mounts are made step by step after it begins: mountinfo is read again. */
struct recorded_namespace {
	uint64_t inode, seen;	/* SEEN: first seen, ns */
	uint64_t number;	/* in the recording: INODE, plus 2^32 for each reuse of INODE */
	uint32_t pids[MEMBERS]; /* some members, 0: none; the first one until it has left */
	uint32_t n_pids;	/* times a member was seen */
	struct text mounts;	/* mountinfo, as last written */
};

/* Identity of a mapped file. */
struct known_file {
	struct recorded_file file;
	uint64_t seen; /* time of FILE's status, ns */
	bool may_be_copied_up;
	uint64_t here; /* hash of a path that leads to it in our root; 0: unknown */
};

struct ksymbols;
struct record_keep;
struct record_only;
struct record_watch;

struct record_state {
	const struct record_options *options;
	struct recorder recorder;
	struct s2l_perf_events *events; /* NULL with --once */
	struct VEC(struct recorded_namespace) namespaces;
	struct table namespace_by_inode; /* → index in namespaces */
	struct table file_by_inode;	 /* device, inode → index in files */
	struct VEC(struct known_file) files;
	/* By PID modulo PARENTS_N; 0: unknown. ROOTED: the PID itself once its root was read. */
	uint32_t parents[PARENTS_N], rooted[PARENTS_N];
	bool roots;	    /* some process has a root other than its namespace's */
	uint64_t scanned;   /* end of the last scan of /proc, ns */
	uint64_t processes; /* found in /proc or started since */
	uint64_t own_namespace, own_pid_namespace; /* inodes */
	/* for record.c */
	struct VEC(uint32_t) tids; /* to follow */
	uint64_t lost_seen; /* value of RECORDER.lost at the last scan of /proc after a loss */
	pid_t child;	    /* COMMAND; 0: none or exited */
	int go_fd;	    /* a byte written here starts COMMAND; -1: none */
	int command_status;
	uint64_t segment;  /* start of the segment, ns */
	uint64_t complete; /* ns: every event before this time was added to RECORDER */
	/* for jit.c */
	struct VEC(struct record_watch *) watches; /* owned */
	uint64_t jit_bytes, jit_updated;	   /* bytes in this segment; last update, ns */
	struct record_only *only;		   /* of only.c; NULL: no limits */
	struct record_keep *keep;		   /* of keep.c; NULL: no copies */
	char *keep_path; /* absolute path of the directory of copies; owned; NULL: none */
	/* for bpf.c */
	struct ksymbols *ksymbols;		/* owned; NULL: changes are not followed */
	uint32_t bpf_last_id;			/* highest ID seen; the kernel counts up */
	uint64_t bpf_bytes;			/* bytes written in this segment */
	uint64_t bpf_looked, bpf_looked_before; /* ns: the last two times that changes were read */
	uint64_t bpf_left_out;			/* BPF records over the limit */
	uint64_t untold;			/* cgroups without events from the kernel */
	uint64_t unwatched;			/* processes and JIT code over the limit */
};

/*
 * Returns true if recording is to stop or writing has failed. Each step of a long scan calls this:
 * it also makes room in the event buffers.
 */
static inline bool record_checkpoint(const struct record_state *state)
{
	perf_events_take(state->events);
	return *state->options->stop || state->recorder.errnum;
}

/* With --kernel, writes kallsyms, modules, addresses of their sections, and build IDs. */
void record_kernel(struct record_state *state);

/*
 * Records the BPF programs that are loaded at the start and those that are loaded and unloaded
 * later. The kernel reports names and addresses at once (ksymbol events); lines are read from each
 * new program while it is loaded.
 */

/* Records the loaded programs, and opens ksymbol events unless /proc is read only once. */
void record_bpf_begin(struct record_state *state);
/* Records the programs loaded now, for a segment that begins at TIME (ns). */
void record_bpf_again(struct record_state *state, uint64_t time);
/* Records programs loaded and unloaded since the last call. */
void record_bpf_update(struct record_state *state);

/*
 * Records perf maps and jitdumps of the recorded processes. A process that may have JIT code is
 * watched: its /tmp and these files are kept open, so that what it wrote last can be read after it
 * and its container have gone.
 */

/*
 * Watches PID if its MAPPING, made at TIME (ns), may hold JIT code. DIR_FD is /proc/PID; -1: not
 * open. Calls need not be in order of TIME: older events may follow a look at /proc.
 */
void record_jit_mapping(struct record_state *state, uint32_t pid, uint64_t time, int dir_fd,
	const struct mapping *mapping);
/*
 * Watches what a watched process forks, because it has the same code, and what TASK maps. At an
 * exec or exit, records what the process wrote until then, and stops watching it.
 */
void record_jit_event(struct record_state *state, const struct task_event *task);
/* Records what was written since the last call; at most every 200 ms unless LAST. */
void record_jit_update(struct record_state *state, bool last);
/* Records everything known again, for a segment that begins at TIME (ns). */
void record_jit_again(struct record_state *state, uint64_t time);
void record_jit_deinit(struct record_state *state);

/* Reads /proc and records processes, their files and their mounts. */

/* Writes MAPPING, which PID made at TIME (ns, CLOCK_MONOTONIC), and identifies its file. */
void record_mapping(
	struct record_state *state, uint32_t pid, uint64_t time, const struct mapping *mapping);
/* Notes that PID is in mount namespace INODE (0: unknown). Returns the number to write for it. */
uint64_t record_see_namespace(struct record_state *state, uint64_t inode, uint32_t pid);
/* Writes the IDs of process or thread PID in PID namespaces other than the recorder's. */
void record_pids(struct record_state *state, uint32_t pid, uint64_t time);
/* Writes the mounts of new namespaces, unless they are unchanged. */
void record_new_mounts(struct record_state *state);
/* Writes the current state in /proc of all processes to record. */
void record_look(struct record_state *state);
/* Writes the state in /proc of the processes that record_only_next() returns. */
void record_look_new(struct record_state *state);
/* Writes this program's own vdso: the kernel has one for all processes. */
void record_own_vdso(struct record_state *state);

/*
 * Chooses the processes whose files the copier copies (--keep-files). It checks each recorded
 * process every few seconds, because a file may be deleted while it is mapped. A process is checked
 * at once if it maps a deleted file or is in another mount namespace. Without --keep-files these
 * functions do nothing.
 */

/*
 * Starts the copier, before anything is recorded. Returns an error if it cannot start, or if the
 * directory is not safe.
 */
struct error *record_keep_begin(struct record_state *state) must_check;
void record_keep_deinit(struct record_state *state);

/* Notes that PID is recorded and in mount NAMESPACE (its inode; 0: unknown). */
void record_keep_found(struct record_state *state, uint32_t pid, uint64_t namespace);
/* Notes what TASK says of a recorded process. */
void record_keep_event(struct record_state *state, const struct task_event *task);
/* Makes the copier report all copies again, after a segment began or a loss was repaired. */
void record_keep_again(struct record_state *state);
/* Writes copies and checks processes. To be called after the events of a round. */
void record_keep_update(struct record_state *state);
/*
 * At the end, checks the processes that still wait for it and waits for their copies, half a second
 * at most. The caller reads the events up to then, which show whose the copies are, and calls
 * record_keep_write(). Both need --keep-files.
 */
void record_keep_end(struct record_state *state);
void record_keep_write(struct record_state *state);
/* Adds warnings to LOG about files that were not kept. */
void record_keep_notes(const struct record_state *state, struct log *log);
