/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Places: where the raw value of a stack slot lies. Each (process, value) is looked up once; what
 * is found there is named later, by the object's debug info or the kernel's symbols.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "kernel/follow/code_history.h"
#include "model/frame.h"
#include "object/object_cache.h"
#include "process/space.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

/* What a raw value is. */
enum place_domain {
	PLACE_PROCESS,		/* an address of a process */
	PLACE_FIXED,		/* an ELF address of the object given with -e or -b */
	PLACE_BUILD_ID,		/* an offset into the file with a build ID */
	PLACE_FILE,		/* an offset from where a file is loaded that a list names */
	PLACE_KERNEL,		/* an address of the kernel */
	PLACE_ELSEWHERE,	/* an address of another boot, of which nothing is known here */
	PLACE_KERNEL_ELSEWHERE, /* the same, and the kernel's */
};

/* As what a place stands in a stack. */
enum place_use {
	PLACE_CALLER,
	PLACE_EXACT,
	PLACE_WALKED,  /* exact, and frame pointers were to lead from it to its caller */
	PLACE_UNWOUND, /* a caller, from which a rule led to its own: frame pointers do not matter */
};

struct place {
	struct location base;	   /* without names: object, offsets, or the status why not */
	struct object *object;	   /* with an image; NULL: its debug info cannot be asked */
	const struct space *jit;   /* may have JIT code there; ask place_name_jit(); NULL: not */
	uint64_t jit_versions[2];  /* of the names in NAMED */
	struct code_choice code;   /* of a kernel address */
	const char *jit_names[2];  /* what was found first; NULL: nothing yet */
	uint64_t time;		   /* when it tells which BPF program or JIT function; else 0 */
	bool trampoline;	   /* a signal frame's return address: the exact start */
	struct location *named[4]; /* by enum place_use, NULL until wanted */
};

/* One that was asked for lately: of a process, or of the kernel. */
struct recent_place {
	uint64_t value;
	int64_t pid;	     /* PLACE_KERNEL_PID: PLACE_KERNEL; else PLACE_PROCESS */
	struct place *place; /* NULL: none */
	/*
	 * Of a caller (PLACE_CALLER, PLACE_UNWOUND), where nothing else has to be asked; NULL: not known.
	 * See place_callers().
	 */
	const struct location *caller, *unwound;
};

/* The last process and name of a sample that were compared. */
struct comm_seen {
	int64_t pid;
	char comm[16];
	bool known, fits;
};

#define PLACES_RECENT 4096 /* a power of two */
#define PLACE_KERNEL_PID INT64_MIN
#define PLACE_FIXED_PID (INT64_MIN + 1)

/* Zero-filled but for spaces.proc_root is empty. */
struct places {
	bool kernel_given; /* kernel addresses are of the kernel that the user names */
	struct space_cache spaces;
	struct object_cache objects;
	struct object *fixed; /* for PLACE_FIXED */
	struct table by_key;  /* struct place_key → index in all */
	struct table
		choices; /* what a recording and a sample's time chose → its number, for the keys */
	struct VEC(struct place *) all;
	struct recent_place *recent; /* PLACES_RECENT by value: most slots repeat; NULL: none yet */
	struct arena arena;	     /* places and what hangs off them */
	struct table
		pages; /* process and page → whether its code is the file's, see place_doubt.c */
	struct comm_seen comm;
	size_t unnamed; /* names that were forgotten since, which the arena still holds */
};

void places_deinit(struct places *places);
/* Forgets the places and what is in the arena, not the spaces and objects. */
void places_forget(struct places *places);
/* Whether most of them are never looked up again: addresses of a file, but for the recent ones. */
bool places_are_passed(const struct places *places);
/* Forgets what the addresses of the kernel are called. */
void places_forget_kernel_names(struct places *places);
/*
 * SAMPLE says whose value it is and when it was seen; TIMELESS is place_is_timeless() of both. ID
 * only for PLACE_BUILD_ID. Never NULL.
 */
struct place *place_of(struct places *places, const struct sample *sample, enum place_domain domain,
	bool timeless, uint64_t value, const struct build_id *id);
/* Whether the recording says which BPF program lay at ADDRESS, a kernel address, at TIME. */
bool place_is_recorded(const struct places *places, uint64_t time, uint64_t address);
/* An address of the kernel, in code that kernel_choose() chose of what lay there at times. */
struct place *place_in_code(
	struct places *places, uint64_t value, bool caller, const struct code_choice *choice);
#define PLACE_NOWHERE UINT64_MAX /* nobody knows where in the file */
/* What the value of a file is. */
enum file_value {
	FILE_VALUE_FROM_START,	/* bytes from where it is loaded, see object_loaded_address() */
	FILE_VALUE_FROM_BIAS,	/* the same, where that is SURE */
	FILE_VALUE_ADDRESS,	/* an ELF address, also of a relocatable file */
	FILE_VALUE_OTHER_BUILD, /* the same, but the file is rather another build */
	FILE_VALUE_OF_PATH, /* the same, of what is at a path now; without image: bytes into the file */
};
/* The place of VALUE in OBJECT. Never NULL. PLACE_NOWHERE is for an object without image. */
struct place *place_in_file(
	struct places *places, struct object *object, uint64_t value, enum file_value meaning);
/* Where a value of the process or the kernel means the same whenever it was seen. */
bool place_is_timeless(
	struct places *places, const struct sample *sample, enum place_domain domain);
/*
 * What place_set_caller() said lately of VALUES, of a timeless sample of PID, until
 * places_forget(): up to the first one of which it said nothing. How many of the N that are. USE is
 * PLACE_CALLER or PLACE_UNWOUND.
 */
size_t place_callers(const struct places *places, int64_t pid, enum place_use use,
	const uint64_t *values, size_t n, const struct location **ret);
/* Remembers LOCATION for place_callers(), if the place is among the recent ones. */
void place_set_caller(struct places *places, int64_t pid, enum place_use use, uint64_t value,
	const struct location *location);
/* FRAME_NAMED: the mappings of SPACE were read; else why not. */
enum frame_status place_space_status(const struct space *space);
/* A frame without a name, for locations that have none. */
extern const struct frame place_unknown_frame;
