/* SPDX-License-Identifier: GPL-2.0-or-later */
/* State shared by the files of src/record. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#include "process/follow/perf_events.h"
#include "process/mapping.h"
#include "record/record.h"
#include "record/recorder.h"
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

struct record_bpf;
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
	struct record_bpf *bpf;			   /* of bpf.c; NULL: not recorded */
	uint64_t bpf_left_out;			   /* BPF records over the limit */
	uint64_t untold;			   /* cgroups without events from the kernel */
	uint64_t unwatched;			   /* processes and JIT code over the limit */
};

/*
 * Returns true if recording is to stop or writing has failed. Each step of a long scan calls this:
 * it also makes room in the event buffers.
 */
bool record_checkpoint(const struct record_state *state);
