/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places: the mapped location of a raw stack value. Each (process, value) is looked up once, and
 * named later by the object's debug info or the kernel's symbols.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/kernel.h"
#include "model/frame.h"
#include "object/object_cache.h"
#include "process/space_stream.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/* The meaning of a raw value. */
enum place_domain {
	PLACE_PROCESS,		/* address in a process */
	PLACE_FIXED,		/* ELF address in the object of -e or -b */
	PLACE_BUILD_ID,		/* offset in the file with a build ID */
	PLACE_FILE,		/* offset from the load address of a file that a list names */
	PLACE_KERNEL,		/* kernel address */
	PLACE_ELSEWHERE,	/* process address of another boot, about which nothing is known */
	PLACE_KERNEL_ELSEWHERE, /* kernel address of another boot */
};

/* The role of a place in a stack. */
enum place_use {
	PLACE_CALLER,  /* return address */
	PLACE_EXACT,   /* program counter */
	PLACE_WALKED,  /* exact; its caller was found by frame pointers */
	PLACE_UNWOUND, /* return address whose caller was found by an unwind rule */
};

struct place {
	struct location base;	   /* object and offsets without names, or a status */
	struct object *object;	   /* has an image; NULL: no debug info to ask */
	const struct space *live;  /* the process, if it runs and has OBJECT mapped; else NULL */
	const struct space *jit;   /* set if it may be JIT code */
	uint64_t jit_versions[2];  /* versions of the JIT names in NAMED */
	struct code_choice code;   /* for a kernel address */
	uint64_t time;		   /* sample time if it selects a BPF program; else 0 */
	struct taken taken;	   /* if the sample time selects a JIT function; else 0 */
	bool trampoline;	   /* return address of a signal frame: an exact start */
	struct location *named[4]; /* by enum place_use; NULL: not named yet */
};

/* A recently used place of a process or the kernel. */
struct recent_place {
	uint64_t value;
	int64_t pid;	     /* PLACE_KERNEL_PID for PLACE_KERNEL; else a PLACE_PROCESS */
	struct place *place; /* NULL: none */
	/*
	 * Locations as PLACE_CALLER and PLACE_UNWOUND if they need no other checks; else NULL. See
	 * place_callers().
	 */
	const struct location *callers[2];
};

/* The last comparison of a sample's name with its process; an empty name: none. */
struct comm_seen {
	int64_t pid;
	char comm[16];
	bool fits;
};

#define PLACES_RECENT 4096 /* a power of two */
#define PLACE_KERNEL_PID INT64_MIN
#define PLACE_FIXED_PID (INT64_MIN + 1)

/* Zero-filled but for spaces.proc_root is empty. */
struct places {
	bool kernel_given; /* kernel addresses belong to the kernel that the user gave */
	struct space_cache spaces;
	struct object_cache objects;
	struct object *fixed; /* for PLACE_FIXED */
	struct table by_key;  /* struct place_key → index in all */
	struct table
		choices; /* what a recording chose for a sample's time → number, part of the keys */
	struct VEC(struct place *) all;
	struct recent_place
		*recent;    /* PLACES_RECENT by value, as most values repeat; NULL: none yet */
	struct arena arena; /* places and what they refer to */
	struct table
		pages; /* process and page → whether the code equals the file's, see place_doubt.c */
	struct comm_seen comm;
	size_t unnamed; /* forgotten names that are still in the arena */
};

void places_deinit(struct places *places);
/* Forgets the places and the arena, but keeps spaces and objects. */
void places_forget(struct places *places);
/* Forgets the names of kernel addresses. */
void places_forget_kernel_names(struct places *places);
/*
 * Returns the place of VALUE, never NULL. SAMPLE gives process and time; TIMELESS is the result of
 * place_is_timeless() for SAMPLE and DOMAIN. ID is used for PLACE_BUILD_ID only.
 */
struct place *place_of(struct places *places, const struct sample *sample, enum place_domain domain,
	bool timeless, uint64_t value, const struct build_id *id);
/*
 * Returns the place of kernel address VALUE. Code there may depend on TIME, the sample's, as
 * kernel_choose() says. CALLER: VALUE is a return address.
 */
struct place *place_of_code(struct places *places, struct kernel *kernel,
	const struct sample *sample, bool timeless, uint64_t value, bool caller,
	const struct sample_time *time);
#define PLACE_NOWHERE UINT64_MAX /* unknown position in the file */
/* The meaning of a value in a file. */
enum file_value {
	FILE_VALUE_FROM_START,	/* bytes from the load address, see object_loaded_address() */
	FILE_VALUE_FROM_BIAS,	/* likewise, from the load bias */
	FILE_VALUE_ADDRESS,	/* ELF address, also in a relocatable file */
	FILE_VALUE_OTHER_BUILD, /* likewise, but the file is probably another build */
	FILE_VALUE_OF_PATH, /* likewise, in the file now at a path; without image: file offset */
};
/*
 * Returns the place of VALUE in OBJECT, never NULL. Use PLACE_NOWHERE for an object without image.
 */
struct place *place_in_file(
	struct places *places, struct object *object, uint64_t value, enum file_value meaning);
/* Returns true if values of the process or kernel mean the same at any sample time. */
bool place_is_timeless(
	struct places *places, const struct sample *sample, enum place_domain domain);
/*
 * Gives the locations that place_set_caller() stored for the first of N VALUES, of a timeless
 * sample of PID, since places_forget(). Returns how many in a row are known. UNWOUND: they are
 * PLACE_UNWOUND, else PLACE_CALLER.
 */
size_t place_callers(const struct places *places, int64_t pid, bool unwound, const uint64_t *values,
	size_t n, const struct location **ret);
/* Stores LOCATION for place_callers() if the place, of a timeless sample, is among recent ones. */
void place_set_caller(struct places *places, int64_t pid, bool unwound, uint64_t value,
	const struct location *location);
/* Returns FRAME_NAMED if the mappings of SPACE were read, else the reason. */
enum frame_status place_space_status(const struct space *space);
/* The frame of unnamed locations. */
extern const struct frame place_unknown_frame;

/*
 * Evidence from a process and its code that a name may be wrong, and remedies for missing names.
 */

/* Whether the process that was found is the sample's, in the same state. */
enum process_match {
	MATCH_SAME,
	MATCH_LATER,	  /* started after the sample */
	MATCH_UNKNOWN,	  /* unknown: output of an earlier run does not have the start time */
	MATCH_UNFOLLOWED, /* mappings were read before the sample, and changes are not followed */
	MATCH_MOVED,	  /* the mapping changed since the sample, or may have */
	MATCH_EARLY,	  /* the sample may be older than this run */
	MATCH_ENDED,	  /* the recording does not cover the sample's time */
	MATCH_BEFORE,	  /* the recording begins after the sample */
	MATCH_UNHEARD,	  /* lost events may include an exec, a new process or a new mapping */
	MATCH_CAME,	  /* the program is unknown, because the process was not recorded yet */
	MATCH_RENAMED,	  /* other name in the sample, at an address that other programs use too */
	MATCH_OTHER,	  /* another process: the start times differ */
	MATCH_CHANGED,	  /* no thread has the sample's name: explains an unmapped address */
};

struct taken place_taken(const struct sample *sample);
enum process_match place_match_process(struct places *places, const struct space *space,
	const struct sample *sample, uint64_t address);
/* Marks the names of PLACE as uncertain for this reason. */
void place_doubt_process(struct place *place, enum process_match match);
/*
 * Returns false if no thread of the sample's process has the sample's name: it may have run another
 * program at that time, or have been another process.
 */
bool place_comm_fits(struct places *places, const struct sample *sample);
/*
 * Marks PLACE, which has a file offset in its object, as uncertain if the code of the live process
 * SPACE differs from the file's there, ignoring uprobes. For use without a build ID only.
 */
void place_compare_code(struct places *places, const struct space *space, struct place *place);
enum page_match {
	PAGE_UNKNOWN,
	PAGE_SAME, /* except for uprobes */
	PAGE_OTHER,
};
/* Compares the page at ADDRESS in the process with that at FILE_OFFSET in the file. */
enum page_match place_compare_page(const struct space *space, const struct object *object,
	uint64_t address, uint64_t file_offset);

/*
 * Returns a better remedy than that of STATUS for an unnamed address of a process, or NULL. MAPPING
 * may be NULL.
 */
const char *place_fix(
	const struct space *space, const struct mapping *mapping, enum frame_status status);
