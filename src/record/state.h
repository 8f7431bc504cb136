/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the steps of recording share: looking into /proc, the kernel's symbols, following events. */
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

/* A mount namespace: its mounts are made step by step after it begins, so they are read again. */
struct recorded_namespace {
	uint64_t inode, seen;	/* seen: first, ns */
	uint64_t number;	/* as written: INODE, and 2^32 for each time it was used again */
	uint32_t pids[MEMBERS]; /* some processes in it, the first as long as it lives; 0: none */
	uint32_t n_pids;	/* that were seen */
	struct text mounts;	/* as written */
};

/* What was found out about a mapped file. */
struct known_file {
	struct recorded_file file;
	uint64_t seen; /* when it was as FILE says, ns */
	bool may_be_copied_up;
	uint64_t here; /* hash of the path that it has here, too; 0: unknown */
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
	/* By PID modulo PARENTS_N, 0: unknown. ROOTED: it itself, if its root was looked at. */
	uint32_t parents[PARENTS_N], rooted[PARENTS_N];
	bool roots;	    /* some process has another root than its namespace */
	uint64_t scanned;   /* when /proc was looked at last, ns */
	uint64_t processes; /* found or begun */
	uint64_t own_namespace, own_pid_namespace; /* inodes */
	/* for record.c */
	struct VEC(uint32_t) tids; /* to be followed */
	uint64_t lost_seen; /* lost records that were made up for by looking into /proc again */
	pid_t child;	    /* COMMAND, 0: none or gone */
	int go_fd;	    /* a byte lets COMMAND begin, -1: none */
	int command_status;
	uint64_t segment;  /* when the segment began, ns */
	uint64_t complete; /* ns: all that happened before was given to the recorder */
	/* for jit.c */
	struct VEC(struct record_watch *) watches; /* owned */
	uint64_t jit_bytes, jit_updated;	   /* written in all; when, ns */
	struct record_only *only; /* of only.c, NULL: every process of those followed */
	struct record_keep *keep; /* of record/keep.c, NULL: nothing is kept */
	struct record_bpf *bpf;	  /* of bpf.c, NULL: not recorded */
	uint64_t bpf_left_out;	  /* records of BPF programs that were too many */
	uint64_t untold;	  /* cgroups that the kernel does not report on */
	uint64_t unwatched;	  /* processes and pieces of code that were too many */
};

/*
 * Returns true if recording is to end, or if nothing more can be written. Each step of a long look calls this:
 * it makes room for events meanwhile.
 */
bool record_checkpoint(const struct record_state *state);
