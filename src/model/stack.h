/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Samples, as read from a dump: each has a user and a kernel stack of raw numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"

/*
 * How a machine splits addresses between processes and the kernel. Zero-filled: a 64-bit machine
 * whose kernel starts at 0xff00000000000000.
 */
struct address_halves {
	uint64_t kernel_start; /* first kernel address; 0: as above */
	bool separate;	       /* overlapping address spaces (s390x): a number can be either's */
};

/* Adds WEIGHT to SUM, which saturates. */
static inline void weight_add(uint64_t *sum, uint64_t weight)
{
	if (__builtin_add_overflow(*sum, weight, sum))
		*sum = UINT64_MAX;
}

/* What is printed for a value of an enum. Tables of these are indexed by the enum. */
struct words {
	const char *key;  /* stable word of JSON */
	const char *text; /* for people */
	const char *fix;  /* remedy, "": none */
};

/* X(NAME, key, text, fix): the state of one stack of a sample. key is the stable word of --json. */
#define STACK_STATES(X)                                                                            \
	X(ABSENT, "absent", "no stack", "")                                                        \
	X(PRESENT, "present", "present", "")                                                       \
	X(LOST_COLLISION, "lost-collision", "hash collision",                                      \
		"raise max_entries of the stack map, or set BPF_F_REUSE_STACKID")                  \
	X(LOST_FULL, "lost-full", "stack map full",                                                \
		"raise max_entries of the stack map, or clear it")                                 \
	X(LOST_ERROR, "lost-error", "bpf_get_stackid failed",                                      \
		"look up the error number in bpf-helpers(7)")                                      \
	X(LOST_ID, "lost-id", "stack ID not in the dump",                                          \
		"pass every stack map, dumped right after the counts")                             \
	X(LOST_AMBIGUOUS, "lost-ambiguous", "stack ID in several stack maps",                      \
		"choose the map with --user-stacks and --kernel-stacks")                           \
	X(LOST_SIDE, "lost-side", "user or kernel stack unknown",                                  \
		"on s390x addresses do not show it: use --user-stacks, --kernel-stacks or --key")

enum stack_state {
#define X(name, key, text, fix) STACK_##name,
	STACK_STATES(X)
#undef X
		STACK_STATE_COUNT,
};

/* The `fix` of a struct stack takes precedence. */
extern const struct words stack_state_words[];

/* The base of a value that a list or a text gives with a file. */
enum stack_file_base {
	STACK_FILE_LOADED, /* the file's load address, or SYMBOL's start */
	STACK_FILE_START,  /* the file's first byte */
	/*
	 * The first byte of the file that was at the path when it was mapped. Without SURE the
	 * value may also be an address, of a program at a fixed address.
	 */
	STACK_FILE_OFFSET,
	STACK_FILE_MAPPED,  /* the first byte of the executable mapping of SIZE bytes */
	STACK_FILE_ADDRESS, /* none: the value is an address in a file at a fixed address */
};

/* A file named by an address list or a text. */
struct stack_file {
	const char *path;   /* as written; NULL: not given, or the kernel */
	const char *symbol; /* base of the value; NULL: the load address */
	bool sure;	    /* the load address is the load bias: the value is an ELF address */
	/*
	 * Set for texts, which others may write: prefer the file of -e with that name, or what the
	 * sample's process has mapped, and never open files in /proc.
	 */
	bool searched;
	enum stack_file_base base;
	uint64_t load; /* STACK_FILE_ADDRESS: load address of a relocatable file; 0: unknown */
	uint64_t
		size; /* bytes of the kernel symbol with padding, or of the mapping; 0: not given */
	struct build_id build_id; /* of the file; len 0: not given */
	const char *module;	  /* kernel module; "": the kernel itself; NULL: neither */
};

/* An entry of a BPF_F_STACK_BUILD_ID stack, or BUILDID+OFFSET or PATH+OFFSET of an address list. */
struct stack_origin {
	struct build_id build_id;      /* len 0: none */
	const struct stack_file *file; /* NULL: none; without either the value is an address */
};

struct location;
struct stack_snapshot;
struct unwound;

struct stack {
	enum stack_state state;
	int32_t error;	 /* LOST_ERROR: the negative errno; else 0 */
	const char *fix; /* LOST: remedy in this case (a constant); NULL: that of STATE */
	int64_t id;	 /* stack ID in the dump; -1: the entry holds the stack itself */
	/*
	 * PRESENT: DEPTH values, leaf first. values[i] is an address of the process (or of the
	 * kernel), unless origins[i] has a build ID (then it is an offset in that file) or a file
	 * (then its base is origins[i].file->base). Zeros may occur between other values; trailing
	 * ones are trimmed.
	 */
	size_t depth;
	const uint64_t *values;
	const struct stack_origin *origins; /* DEPTH entries, or NULL: addresses only */
	/*
	 * DEPTH locations that an earlier run resolved, whose output is read back. Usually NULL.
	 */
	const struct location *const *known;
	bool truncated; /* all entries are in use: the root may be missing */
	bool exact;	/* all values are exact addresses (an address list), not return addresses */
	bool callers;	/* the first value is a return address too */
	bool unmarked;	/* none of the values is a mark like PERF_CONTEXT_USER */
	const struct unwound *unwound; /* how it was unwound; NULL: not from a snapshot */
};

#define SAMPLE_PID_GONE (-2)	/* no known process has or had this ID */
#define SAMPLE_PID_CHANGED (-3) /* the process with this ID has no code at the addresses */

struct sample {
	int64_t pid, tid; /* process (tgid) and thread, negative: unknown */
	const char *comm; /* NULL: unknown; raw bytes of the dump, not escaped */
	const char
		*process_comm; /* name of process PID at that time, if requested; NULL: unknown */
	uint64_t weight;       /* 1 if the dump has no counts */
	const char
		*weight_name; /* field of the weight, e.g. "value.delta"; NULL: unknown, or none */
	uint64_t time;	      /* in ns, of the dump's clock; 0: unknown */
	bool perf_clock;      /* TIME is of perf's clock, which is near CLOCK_MONOTONIC */
	bool converted;	      /* TIME has been converted to CLOCK_MONOTONIC, within 1 ms */
	bool early; /* TIME is 0 and may be before the first sample of the stream was read */
	struct stack user, kernel;
	const struct stack_snapshot *snapshot; /* to be unwound into the user stack; NULL: none */
	/*
	 * Boot ID of the addresses, "-": unknown. NULL: the current boot, or the recording's.
	 */
	const char *boot_id;
	/* the sample comes from an earlier run's output: PID may have been reused */
	bool read_back;
	uint64_t
		process_start; /* start of process PID, in clock ticks since boot (proc(5)); 0: unknown */
	const char *position; /* "FILE:LINE" or "FILE: byte N"; NULL: unknown */
};

/*
 * A snapshot: registers and a copy of the user stack, sent by a BPF program, and the result of
 * unwinding it.
 */

enum snapshot_machine {
	SNAPSHOT_AMD64,
	SNAPSHOT_AARCH64,
};

/* DWARF register numbers (System V ABI for AMD64, aadwarf64 for Arm). */
enum {
	AMD64_RBP = 6,
	AMD64_RSP = 7,
	AMD64_RIP = 16, /* the column of the return address */
	AARCH64_FP = 29,
	AARCH64_LR = 30,
	AARCH64_SP = 31,
	AARCH64_PC = 32,
	SNAPSHOT_REGISTERS = 33,
	SNAPSHOT_DEPTH_MAX = 1024, /* frames unwound at most */
};

struct stack_snapshot {
	enum snapshot_machine machine;
	uint64_t known; /* bit N: register N is in the event */
	uint64_t registers[SNAPSHOT_REGISTERS];
	const uint8_t *stack; /* LEN bytes of the process's memory from SP on */
	size_t len;
};

/* The source of unwind rules. */
enum unwind_mode {
	UNWIND_AUTO, /* SFrame, else CFI, else frame pointers, per frame */
	UNWIND_BY_SFRAME,
	UNWIND_BY_CFI,
	UNWIND_BY_FP,
};

/* X(NAME, key): how a frame's caller was found. */
#define UNWOUND_BY(X)                                                                              \
	X(NOTHING, "") /* outermost frame */                                                       \
	X(SFRAME, "sframe")                                                                        \
	X(EH_FRAME, "eh_frame")                                                                    \
	X(DEBUG_FRAME, "debug_frame")                                                              \
	X(FP, "fp")                                                                                \
	X(SIGNAL, "signal-frame") /* registers saved by the kernel */

enum unwound_by {
#define X(name, key) UNWOUND_BY_##name,
	UNWOUND_BY(X)
#undef X
};

extern const struct words unwound_by_words[];

/* X(NAME, key, text): why unwinding ended. */
#define UNWOUND_ENDS(X)                                                                            \
	X(OUTERMOST, "outermost", "outermost frame")                                               \
	X(COPY_ENDED, "copy-ended", "the copy of the stack ended")                                 \
	X(NO_RULE, "no-rule", "no unwind rule for the last frame")                                 \
	X(NO_VALUE, "no-value", "a register that the rule needs is not known")                     \
	X(OFF_STACK, "off-stack", "the next frame is not in the copy of the stack")                \
	X(NOT_CODE, "not-code", "the next value is not a return address")                          \
	X(DEPTH, "depth", "limit on unwound frames reached")                                       \
	X(MACHINE, "machine", "registers and program are of different machines")

enum unwound_end {
#define X(name, key, text) UNWOUND_##name,
	UNWOUND_ENDS(X)
#undef X
		UNWOUND_END_COUNT,
};

extern const struct words unwound_end_words[];

struct unwound_frame {
	uint8_t by; /* enum unwound_by: how its caller was found */
	bool exact; /* its address is the pc, not a return address */
};

/* How a snapshot was unwound. */
struct unwound {
	enum unwound_end end;
	const char *detail;		    /* details of END (a constant), or NULL */
	size_t copied;			    /* bytes in the copy of the stack */
	const struct unwound_frame *frames; /* one a frame of the stack */
};

/* X(NAME, text): what the weights of samples count. TEXT says it after "the weights are". */
#define WEIGHT_UNITS(X)                                                                            \
	X(UNKNOWN, "")                                                                             \
	X(SAMPLES, "a number of samples")                                                          \
	X(BYTES, "bytes")                                                                          \
	X(NANOSECONDS, "nanoseconds")                                                              \
	X(MICROSECONDS, "microseconds")

enum weight_unit {
#define X(name, text) WEIGHT_##name,
	WEIGHT_UNITS(X)
#undef X
};

/*
 * Returns what the field NAME counts, such as "value.total_ns". NAME may be NULL. Words such as
 * delta, total and value have no unit, because they can count anything.
 */
enum weight_unit weight_unit_of(const char *name);
extern const struct words weight_unit_words[];
