/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The address space of a live or recorded process. It is read once, when it is first requested. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "model/build_id.h"
#include "process/follow/follower.h"
#include "process/jit/files.h"
#include "process/maps.h"
#include "door/mountinfo.h"
#include "process/pid_namespace.h"
#include "process/recording/process_record.h"
#include "process/recording/recording.h"
#include "process/space_files.h"
#include "util/table.h"

enum space_status {
	SPACE_READ,
	SPACE_GONE,	    /* no such process */
	SPACE_DENIED,	    /* EACCES or EPERM */
	SPACE_NO_MAPPINGS,  /* a kernel thread, or a zombie */
	SPACE_NOT_RECORDED, /* the recording must have the process, but has none at that time */
	SPACE_AMBIGUOUS, /* several recorded processes had the ID, and the time does not decide */
};

/* A thread's name. */
struct thread_name {
	char comm[16];
};

/* The names that threads of a process were seen to have, without duplicates. */
struct thread_names {
	struct VEC(struct thread_name) all;
	uint64_t looked; /* ns; when all threads were last read; 0 if never */
};

struct space {
	int64_t pid;
	int64_t process;  /* the process that PID is or is a thread of */
	uint64_t read[2]; /* ns; before and after its mappings were last read from /proc */
	/* unique among all spaces that the cache ever read */
	uint64_t version;
	bool used;	   /* true if requested since the last space_cache_refresh() */
	uint64_t last_use; /* round of the cache in which it was last requested */
	enum space_status status;
	/* owned; NULL if there is no process, or it exited; use space_dir() */
	struct space_files *files;
	char *comm; /* NULL if unknown */
	struct maps maps;
	struct arena strings;
	const struct process_record *record; /* NULL for a live process */
	/* SPACE_READ, or why it is not to be read from the recording or /proc */
	enum space_status known;
	/*
	 * ns, CLOCK_MONOTONIC: the process certainly had not started before, so an older sample is
	 * of an earlier process with this ID. 0 if unknown.
	 */
	uint64_t started;
	bool is_leader;		  /* true if PID certainly is a process, not a further thread */
	bool is_dead;		  /* a zombie, which had mappings; a kernel thread never had any */
	uint64_t start_ticks;	  /* start time in clock ticks since boot (proc(5)); 0 if unknown */
	struct mountinfo *mounts; /* owned, never NULL; use space_mounts() */
	struct thread_names *threads; /* owned, never NULL; use fits_comm() */
	struct jit *jit;	      /* owned; NULL if there was no process; use jit_find() */
	/* from the follower's record: the live process, if it runs the same program; else NULL */
	const struct space *live;
};

/* Spaces by PID. Zero-filled except for PROC_ROOT is empty. */
struct space_cache {
	const char *proc_root;	     /* not owned */
	struct recording *recording; /* searched before PROC_ROOT; owned; NULL if none */
	struct pid_namespace pids;   /* PID namespace of the samples' PIDs */
	struct table by_pid;	     /* {PID, known, address of RECORD} → index in SPACES */
	struct VEC(struct space *) spaces;
	struct space_pool *pool; /* owned; NULL until needed */
	uint64_t begun;		 /* start of the current round, ns */
	uint64_t refreshed;	 /* when live processes were last read again, ns; 0 if never */
	uint64_t round;		 /* number of calls of space_cache_refresh() */
	uint64_t versions;	 /* last version given to a space */
	/* last result of space_at(), which holds for a whole stack; NULL at the start of a round */
	struct space *last;
	int64_t last_pid;
	uint64_t last_time;
	/* true for a stream: live processes must be known as of the samples' times */
	bool streams;
	bool recent; /* samples without a time are recent, not from any time of the recording */
	struct follower *follower; /* owned; NULL if none */
	size_t past;		   /* number of spaces from the follower's records */
	size_t counted;		   /* number of spaces when BYTES was computed; 0 if outdated */
	/* memory of the spaces and its maximum, in bytes; BYTES_MAX 0 if not set yet */
	size_t bytes, bytes_max;
};

/*
 * Returns true if a sample of TIME (0: unknown) is recent, so that running processes are tried
 * before the recording.
 */
bool space_is_recent(const struct space_cache *cache, uint64_t time);
/* Sets SPACE to process PID, not read yet. For the cache only, as are the next three functions. */
void space_init(struct space *space, int64_t pid);
void space_deinit(struct space *space);
void space_destroy(struct space *space);
void space_cache_clear(struct space_cache *cache);
/*
 * Reads the process from /proc. space_tell() then adds it to the follower, if nothing changed
 * meanwhile.
 */
enum space_status space_read(struct space *space, struct space_cache *cache);
void space_tell(const struct space *space, struct space_cache *cache);
/* Returns process PID as the follower knows it at TIME, or NULL. */
struct space *space_of_past(struct space_cache *cache, int64_t pid, uint64_t time);
void space_cache_deinit(struct space_cache *cache);
/*
 * Returns the entry of cache.by_pid with the index of a space, to be set if ADDED. RECORD and KNOWN
 * are as in struct space.
 */
uint64_t *space_index(struct space_cache *cache, int64_t pid, const struct process_record *record,
	enum space_status known, bool *added);
/*
 * Returns the space of process or thread PID; PID is an ID in /proc, or the recorder's. Never NULL:
 * absence is a status. Owned by the cache.
 */
struct space *space_of(struct space_cache *cache, int64_t pid);
/*
 * As space_of(), for an ID in the namespace cache.pids at TIME (ns, CLOCK_MONOTONIC; 0 if unknown):
 * IDs are reused.
 */
struct space *space_at(struct space_cache *cache, int64_t pid, uint64_t time);

/*
 * Returns a descriptor of /proc/PID, or of /proc/TID of a thread if the leader has exited; -1 if
 * the process has exited. Owned by SPACE. Use it immediately, because calls for other spaces may
 * close it.
 */
int space_dir(const struct space *space);
/*
 * Returns the mapping at ADDRESS, of a recorded process at TIME (ns, CLOCK_MONOTONIC; 0 if
 * unknown), or NULL.
 */
const struct mapping *space_mapping(const struct space *space, uint64_t time, uint64_t address);
/* As space_mapping(), or the mapping that ends at ADDRESS: a call may be its last instruction. */
const struct mapping *space_mapping_at(const struct space *space, uint64_t time, uint64_t address);
/* Returns true if the process still has MAPPING, an element of its maps. */
bool space_still_maps(const struct space *space, const struct mapping *mapping);
/*
 * Asks the kernel for the build ID of MAPPING's file (PROCMAP_QUERY, Linux 6.11,
 * include/uapi/linux/fs.h). Returns false if the kernel has no such ioctl, if there is no build ID,
 * or if another file has been mapped there since maps was read.
 */
bool space_build_id(const struct space *space, const struct mapping *mapping, struct build_id *ret);
/*
 * Returns false if the process has exited or run another program since its mappings were read: the
 * same addresses may then have other files.
 */
bool space_is_current(const struct space *space);
/*
 * Returns true if the process has exited and was recorded in another mount namespace than ours: its
 * paths do not apply here.
 */
bool space_was_contained(const struct space *space);
/*
 * Returns true if MAPPING is on a user-space file system (FUSE), which may deny access to other
 * users.
 */
bool space_is_fuse(const struct space *space, const struct mapping *mapping);
/* Returns the mounts of the process; none if they cannot be read, as those of a zombie. */
const struct mountinfo *space_mounts(const struct space *space);
/*
 * Returns the root directory of the process as a path in its mount namespace, malloc'ed. Usually
 * "/"; under chroot, the paths in maps begin with it.
 */
char *space_root(const struct space *space);
/*
 * Returns the bytes [START, END) of the process's memory, malloc'ed, or NULL if they cannot be
 * read. At most 1 MiB, intended for the vdso.
 */
void *space_memory(const struct space *space, uint64_t start, uint64_t end);
