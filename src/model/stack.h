/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What input makes of a dump: samples, each with a user and a kernel stack of raw numbers. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"

/*
 * X(NAME, key, text, fix): what became of one stack of a sample. key is the stable word of --json.
 */
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
		"on s390x addresses do not tell: use --user-stacks, --kernel-stacks or --key")

enum stack_state {
#define X(name, key, text, fix) STACK_##name,
	STACK_STATES(X)
#undef X
		STACK_STATE_COUNT,
};

const char *stack_state_key(enum stack_state state);
const char *stack_state_text(enum stack_state state);
/* What keeps it from happening again, "" where nothing would; struct stack may know better. */
const char *stack_state_fix(enum stack_state state);

/* What a value counts from that a list or a text gives with a file. */
enum stack_file_base {
	STACK_FILE_LOADED, /* where the file is loaded, or SYMBOL begins */
	STACK_FILE_START,  /* the first byte of the file */
	/*
	 * The same, of a file that was at the path when it was mapped; without SURE perhaps nothing: of a
	 * program that is not moved when it is loaded.
	 */
	STACK_FILE_OFFSET,
	STACK_FILE_MAPPED,  /* the first byte of its executable mapping, of SIZE bytes */
	STACK_FILE_ADDRESS, /* nothing: it is an address, of a file that is at a fixed one */
};

/* A file that an address list or a text names. */
struct stack_file {
	const char *path;   /* as it stands there; NULL: it does not, or a kernel's */
	const char *symbol; /* what the value counts from; NULL: where the file is loaded */
	bool sure;	    /* and that is the load bias: the value is an ELF address */
	/*
	 * In texts, which others write: a file of -e with that name, or what the sample's process has
	 * mapped, comes first, and none of /proc is opened.
	 */
	bool searched;
	enum stack_file_base base;
	uint64_t
		load; /* with STACK_FILE_ADDRESS: where the file was loaded if it can be moved; 0: unknown */
	uint64_t
		size; /* of the kernel's symbol, with what fills up to the next; of the mapping; 0: not said */
	struct build_id build_id; /* the file has it; len 0: not said */
	const char *module;	  /* of a kernel, "": the kernel itself; NULL: not a kernel's */
};

/* A slot of a BPF_F_STACK_BUILD_ID stack, or a BUILDID+OFFSET or PATH+OFFSET of an address list. */
struct stack_origin {
	struct build_id build_id;      /* len 0: none */
	const struct stack_file *file; /* NULL: none; with neither the slot's value is an address */
};

struct location;
struct stack_snapshot;
struct unwound;

struct stack {
	enum stack_state state;
	int32_t error;	 /* LOST_ERROR: the negative errno; else 0 */
	const char *fix; /* LOST: what helps in this case (a constant); NULL: stack_state_fix() */
	int64_t id;	 /* the stack ID as dumped, -1 when the stack stood inline */
	/*
	 * PRESENT: DEPTH values, leaf first. values[i] is an address of the process (or of the kernel),
	 * unless origins is set and origins[i].build_id.len > 0: then it is an offset in the file with
	 * that build ID; with origins[i].file it counts as said there. Zeros may stand between others;
	 * trailing ones are trimmed.
	 */
	size_t depth;
	const uint64_t *values;
	const struct stack_origin *origins; /* DEPTH entries, or NULL: addresses only */
	/*
	 * What was found out of each slot before, by a run whose output is read back: DEPTH entries.
	 * NULL: nothing, as is usual.
	 */
	const struct location *const *known;
	bool truncated; /* every slot was in use: the root may be missing */
	bool exact;    /* all values are exact addresses (an address list), none a return address */
	bool callers;  /* the first value is a return address, too */
	bool unmarked; /* surely none of the values is a mark like PERF_CONTEXT_USER */
	const struct unwound *unwound; /* what made it of a snapshot; NULL: it was none */
};

#define SAMPLE_PID_GONE (-2) /* no process is known that has or had the number in the dump */

struct sample {
	int64_t pid, tid;	  /* process (tgid) and thread, negative: unknown */
	const char *comm;	  /* NULL: unknown; raw bytes of the dump, not escaped */
	const char *process_comm; /* name of process PID then, if it was asked for; NULL: unknown */
	uint64_t weight;	  /* 1 when the dump has no counts */
	const char *
		weight_name; /* the field that it is of, as "value.delta"; NULL: unknown, or none */
	uint64_t time;	     /* ns of the dump's clock, 0: unknown */
	bool perf_clock;     /* which is that of perf events, near CLOCK_MONOTONIC */
	bool converted; /* TIME was made one of CLOCK_MONOTONIC, within 1 ms: while it is resolved */
	struct stack user, kernel;
	const struct stack_snapshot *snapshot; /* the user stack is to be made of it; NULL: none */
	/*
	 * The boot that the addresses belong to, "-": unknown. NULL: the one that is asked about, this
	 * system's or the recording's.
	 */
	const char *boot_id;
	/*
	 * The output of a run is read back: PID may be another process's by now.
	 */
	bool read_back;
	uint64_t process_start; /* of process PID, clock ticks since boot (proc(5)); 0: unknown */
	const char *position; /* "FILE:LINE" or "FILE: byte N" where it came from; NULL: unknown */
};

/*
 * A snapshot: registers and a copy of the user stack, as a BPF program sent them, and what
 * unwinding makes of it.
 */

enum snapshot_machine {
	SNAPSHOT_AMD64,
	SNAPSHOT_AARCH64,
};

/* Numbers of registers in DWARF (the System V ABI of AMD64, aadwarf64 of Arm). */
enum {
	AMD64_RBP = 6,
	AMD64_RSP = 7,
	AMD64_RIP = 16, /* the return address' column */
	AARCH64_FP = 29,
	AARCH64_LR = 30,
	AARCH64_SP = 31,
	AARCH64_PC = 32,
	SNAPSHOT_REGISTERS = 33,
	SNAPSHOT_DEPTH_MAX = 1024, /* frames that are unwound */
};

struct stack_snapshot {
	enum snapshot_machine machine;
	uint64_t known; /* bits by number: the registers that the event has */
	uint64_t registers[SNAPSHOT_REGISTERS];
	const uint8_t *stack; /* LEN bytes of the process's memory from SP on */
	size_t len;
};

/* What may be asked: where rules are looked for. */
enum unwind_mode {
	UNWIND_AUTO, /* SFrame, else CFI, else frame pointers, per frame */
	UNWIND_BY_SFRAME,
	UNWIND_BY_CFI,
	UNWIND_BY_FP,
};

/* X(NAME, key): what found the caller of a frame. */
#define UNWOUND_BY(X)                                                                              \
	X(NOTHING, "") /* the last one */                                                          \
	X(SFRAME, "sframe")                                                                        \
	X(EH_FRAME, "eh_frame")                                                                    \
	X(DEBUG_FRAME, "debug_frame")                                                              \
	X(FP, "fp")                                                                                \
	X(SIGNAL, "signal-frame") /* the registers that the kernel saved */

enum unwound_by {
#define X(name, key) UNWOUND_BY_##name,
	UNWOUND_BY(X)
#undef X
};

/* "" for NOTHING. */
const char *unwound_by_key(enum unwound_by by);

/* X(NAME, key, text): why there is no further frame. */
#define UNWOUND_ENDS(X)                                                                            \
	X(OUTERMOST, "outermost", "outermost frame")                                               \
	X(COPY_ENDED, "copy-ended", "the copy of the stack ended")                                 \
	X(NO_RULE, "no-rule", "no unwind rule for the last frame")                                 \
	X(NO_VALUE, "no-value", "a register that the rule needs is not known")                     \
	X(OFF_STACK, "off-stack", "the next frame is not in the copy of the stack")                \
	X(NOT_CODE, "not-code", "what was found is no return address")                             \
	X(DEPTH, "depth", "as many frames as are unwound")                                         \
	X(MACHINE, "machine", "the registers are of another machine than the program")

enum unwound_end {
#define X(name, key, text) UNWOUND_##name,
	UNWOUND_ENDS(X)
#undef X
		UNWOUND_END_COUNT,
};

const char *unwound_end_key(enum unwound_end end);
const char *unwound_end_text(enum unwound_end end);

struct unwound_frame {
	uint8_t by; /* enum unwound_by: what found its caller */
	bool exact; /* its address is the pc, none behind a call */
};

/* How a snapshot became a stack of addresses. */
struct unwound {
	enum unwound_end end;
	const char *detail;		    /* more about END (a constant); NULL: nothing */
	size_t copied;			    /* bytes that the copy of the stack had */
	const struct unwound_frame *frames; /* as many as the stack has */
};
