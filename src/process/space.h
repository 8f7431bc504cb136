/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address space of a live or recorded process, read once when it is first asked for. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"
#include "process/follow/follower.h"
#include "process/jit/state.h"
#include "process/maps.h"
#include "door/mountinfo.h"
#include "process/pid_namespace.h"
#include "process/recording/life.h"
#include "process/recording/recording.h"
#include "process/space_files.h"
#include "util/table.h"

enum space_status {
	SPACE_READ,
	SPACE_GONE,	    /* no such process */
	SPACE_DENIED,	    /* EACCES or EPERM */
	SPACE_NO_MAPPINGS,  /* a kernel thread, or a zombie */
	SPACE_NOT_RECORDED, /* a recording that must have it does not have it at that time */
	SPACE_AMBIGUOUS, /* the recording has several processes with this ID, and no time tells */
};

/* A thread's comm. */
struct thread_name {
	char comm[16];
};

/* What threads of a process were seen to be called, each name once. */
struct thread_names {
	struct VEC(struct thread_name) all;
	uint64_t looked; /* when at all of them last, ns; 0: not yet */
};

struct space {
	int64_t pid;
	int64_t process;  /* that PID is, or is a thread of */
	uint64_t read[2]; /* ns: before and after its mappings were read from /proc */
	uint64_t changed; /* round of the cache when they were found to be others; 0: never */
	uint64_t
		version; /* nothing else that the cache has read, or forgotten since, has the same */
	bool used;	 /* asked for since space_cache_refresh() looked at it */
	uint64_t last_use; /* round of the cache when it was asked for last */
	enum space_status status;
	struct space_files
		*files; /* owned; NULL: no process, or it no longer runs. Ask space_dir() */
	char *comm;	/* NULL: unknown */
	struct maps maps;
	struct arena strings;
	const struct recorded_life *life; /* what a recording says; NULL: a live process */
	enum space_status
		known; /* why it was not read by the recording's word; SPACE_READ: it was */
	/*
	 * Before this time (ns, CLOCK_MONOTONIC) the process had certainly not started, so that an
	 * older sample is of another one that had the same ID; 0: unknown.
	 */
	uint64_t started;
	bool is_leader; /* PID is surely the number of a process, none of a further thread */
	bool is_dead;	/* a zombie: it had mappings; a kernel thread without them never had any */
	uint64_t start_ticks; /* when it started, in clock ticks since boot (proc(5)); 0: unknown */
	struct mountinfo *mounts;     /* owned, never NULL; ask space_mounts() */
	struct thread_names *threads; /* owned, never NULL; ask fits_comm() */
	struct jit *jit;	      /* owned; NULL: there was no process. Ask jit_find() */
};

/* Spaces by pid. Zero-filled but for PROC_ROOT is empty. */
struct space_cache {
	const char *proc_root;	     /* not owned */
	struct recording *recording; /* asked before PROC_ROOT; owned, NULL: none */
	struct pid_namespace pids;   /* whose numbers the pids are */
	struct table by_pid; /* by ID, and of recorded processes by their life → index in spaces */
	struct VEC(struct space *) spaces;
	struct space_pool *pool; /* owned, NULL: not yet needed */
	uint64_t begun;		 /* the last round, ns */
	uint64_t refreshed;	 /* when, ns; 0: never */
	uint64_t round;		 /* counts calls of space_cache_refresh() */
	uint64_t versions;	 /* given to spaces */
	/* What space_at() said last, of all the slots of a stack: NULL: nothing since the last round. */
	struct space *last;
	int64_t last_pid;
	uint64_t last_time;
	/* A stream: what lives must be known as of the samples' times. */
	bool streams;
	bool recent; /* samples without a time are of now, not of any time of the recording */
	struct follower *follower; /* owned; NULL: there is none */
	size_t past;		   /* spaces that are known by the follower's word */
	size_t counted; /* how many spaces there were when BYTES was counted; 0: it is to be */
	size_t bytes, bytes_max; /* that spaces have, and may have; BYTES_MAX 0: not decided */
};

/* Returns true if a sample of TIME (0: unknown) is of now: what runs is asked before the recording. */
bool space_is_recent(const struct space_cache *cache, uint64_t time);
/* For the cache alone: makes SPACE that of a process of which nothing was read; frees what it owns. */
void space_init(struct space *space, int64_t pid);
void space_deinit(struct space *space);
void space_destroy(struct space *space);
void space_cache_clear(struct space_cache *cache);
/* What /proc says of the process; and lets the follower know, if it is of one time. */
enum space_status space_read(struct space *space, struct space_cache *cache);
void space_tell(const struct space *space, struct space_cache *cache);
/* Process PID as the follower knows it at TIME; NULL: it does not. */
struct space *space_of_past(struct space_cache *cache, int64_t pid, uint64_t time);
void space_cache_deinit(struct space_cache *cache);
/* Where it stands in cache.spaces, for who keeps them: LIFE and KNOWN are as in struct space. */
uint64_t *space_index(struct space_cache *cache, int64_t pid, const struct recorded_life *life,
	enum space_status known, bool *added);
/*
 * The space of process or thread PID by /proc's or the recorder's number. Never NULL: absence is a
 * status. Owned by the cache.
 */
struct space *space_of(struct space_cache *cache, int64_t pid);
/*
 * The same for a number of the namespace that cache.pids says, at TIME (ns, CLOCK_MONOTONIC; 0:
 * unknown), as numbers are used again.
 */
struct space *space_at(struct space_cache *cache, int64_t pid, uint64_t time);

/*
 * /proc/PID, or /proc/TID of a thread when the leader has exited; -1: it has gone. Belongs to the space,
 * and is closed when others are asked for theirs: to be used at once.
 */
int space_dir(const struct space *space);
/*
 * The mapping at ADDRESS, of a recorded process at TIME (ns, CLOCK_MONOTONIC; 0: unknown). NULL:
 * none.
 */
const struct mapping *space_mapping(const struct space *space, uint64_t time, uint64_t address);
/* The same, or the one that ends there: a caller's last instruction may be its call. */
const struct mapping *space_mapping_at(const struct space *space, uint64_t time, uint64_t address);
/* Whether the process still has MAPPING, which its maps had when they were read. */
bool space_still_maps(const struct space *space, const struct mapping *mapping);
/*
 * The build ID of MAPPING's file by the kernel's word (PROCMAP_QUERY, Linux 6.11, include/uapi/linux/fs.h). False: the
 * kernel has no such ioctl, the mapping no build ID, or another file is mapped there since maps was read.
 */
bool space_build_id(const struct space *space, const struct mapping *mapping, struct build_id *ret);
/*
 * False: the process has exited or runs another program since its mappings were read, which may have
 * other files at the same addresses.
 */
bool space_is_current(const struct space *space);
/*
 * Whether it is gone, and was in another mount namespace than we are by the recording's word: a path of
 * it is none of ours.
 */
bool space_was_contained(const struct space *space);
/* Whether MAPPING is of a file system in user space (FUSE), which may admit its user only. */
bool space_is_fuse(const struct space *space, const struct mapping *mapping);
/* The process's mounts; none when they cannot be read (a zombie's cannot). */
const struct mountinfo *space_mounts(const struct space *space);
/*
 * The process's root directory as its namespace's paths name it: what maps shows begins with it
 * under chroot. "/" usually; malloc'ed.
 */
char *space_root(const struct space *space);
/*
 * The bytes [START, END) of the process's memory, malloc'ed; NULL if they cannot be read. At most
 * 1 MiB: meant for the vdso.
 */
void *space_memory(const struct space *space, uint64_t start, uint64_t end);
