/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A resolved address: a location (object, status) with its frame and the frames inlined in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "model/stack.h"
#include "util/arena.h"

/*
 * What is missing from a stack, or wrong in it. The kernel collects user stacks for BPF by
 * following frame pointers; code without them breaks that chain silently. X(NAME, key, text): key
 * is the stable word of JSON. Kinds from TRUNCATED on are not visible in frames.
 */
#define HEALTH_KINDS(X)                                                                            \
	X(LOST_CALLER, "lost-caller", "caller missing")                                            \
	X(ENDED_EARLY, "ended-early", "ended early")                                               \
	X(DOUBTFUL, "not-a-return-address", "not a return address")                                \
	X(TEXT, "text-as-address", "text as address")                                              \
	X(UNJUDGED, "cannot-tell", "cannot tell whether a caller is missing")                      \
	X(TRUNCATED, "truncated", "truncated")                                                     \
	X(COLLIDED, "collided", "hash collision")                                                  \
	X(LOST, "lost", "lost")

enum health_kind {
#define X(name, key, text) HEALTH_##name,
	HEALTH_KINDS(X)
#undef X
		HEALTH_KIND_COUNT,
};

extern const struct words health_kind_words[];

/*
 * X(NAME, key, text): why a walk along frame pointers misses a frame's caller. key is the stable
 * word of --json.
 */
#define LOST_CALLERS(X)                                                                            \
	X(NONE, "", "")                                                                            \
	X(LEAF, "leaf", "leaf keeps no frame pointer")                                             \
	X(FUNCTION, "function", "function keeps no frame pointer")                                 \
	X(PROLOGUE, "prologue", "leaf has not set up its frame yet, or left it already")           \
	X(PLT, "plt", "a PLT stub has no frame")                                                   \
	X(SIGNAL, "signal", "frame pointers do not lead to the interrupted function")

enum lost_caller {
#define X(name, key, text) CALLER_##name,
	LOST_CALLERS(X)
#undef X
		CALLER_COUNT,
};

extern const struct words lost_caller_words[];

/* Whether a stack may end at a frame. */
enum stack_end {
	END_NOT,
	END_SIGNAL,    /* return address of a signal handler: may end */
	END_MAIN,      /* main(): may end */
	END_FIRST,     /* starts programs, threads or stacks: ends, nothing is missing */
	END_OUTERMOST, /* has no caller by its unwind rule: likewise */
	END_ENTRY,     /* entry point of the file, which nothing calls: ends */
	END_GARBAGE,   /* not a return address: no call precedes it */
};

struct stack_health {
	unsigned int kinds; /* bits: 1 << enum health_kind */
	/*
	 * Values after the outermost frame that are no return addresses, and were removed from the
	 * trace.
	 */
	size_t cut;
};

enum location_kind {
	LOCATION_USER,
	LOCATION_KERNEL,
	LOCATION_BPF,  /* kernel frame: JIT code of a BPF program */
	LOCATION_JIT,  /* named by a perf map or jitdump */
	LOCATION_LOST, /* placeholder for a lost stack, without address */
};

extern const struct words location_kind_words[];

/*
 * X(NAME, key, text, fix): key is the stable word of --json and --why, text the reason for people,
 * fix the remedy ("": none).
 */
#define FRAME_STATUSES(X)                                                                             \
	X(NAMED, "named", "named", "")                                                                \
	X(NO_PID, "no-pid", "the dump does not say which process", "-p PID, or --key pid=FIELD")      \
	X(PROCESS_GONE, "process-gone", "no such process: it has exited",                             \
		"resolve while it runs, or run stack2line record beside it")                          \
	X(PROCESS_DENIED, "process-denied", "no permission to read the process's mappings",           \
		"run as root or with CAP_SYS_PTRACE")                                                 \
	X(PROCESS_NO_MAPPINGS, "process-no-mappings", "a kernel thread or zombie has no mappings",    \
		"")                                                                                   \
	X(PROCESS_CHANGED, "process-changed",                                                         \
		"the process does not match the sample: it may have run exec since",                  \
		"resolve sooner, or run stack2line record beside it")                                 \
	X(UNMAPPED, "unmapped", "no mapping of the process covers the address",                       \
		"probably after an exec or dlclose: use stack2line record; otherwise build with "     \
		"-fno-omit-frame-pointer")                                                            \
	X(NOT_RECORDED, "not-recorded", "the process is not in the recording",                        \
		"start stack2line record -a before the stacks are taken")                             \
	X(AMBIGUOUS_PROCESS, "ambiguous-process", "several processes had this ID over time",          \
		"--key time=FIELD: a time (bpf_ktime_get_ns) decides which one")                      \
	X(ELSEWHERE, "elsewhere", "the address is from another machine or boot",                      \
		"--recording FILE, recorded there")                                                   \
	X(AMBIGUOUS_MAPPING, "ambiguous-mapping", "several files were mapped here over time",         \
		"--key time=FIELD: a time (bpf_ktime_get_ns) decides which one")                      \
	X(AMBIGUOUS_CODE, "ambiguous-code", "several JIT functions were here over time",              \
		"--key time=FIELD: a time (bpf_ktime_get_ns) decides which one")                      \
	X(ANONYMOUS, "anonymous", "anonymous memory: JIT code, or not code", "")                      \
	X(JIT_LIMIT, "jit-limit", "the perf map or jitdump is too large",                             \
		"restart the process to begin a new one")                                             \
	X(NOT_EXECUTABLE, "not-executable", "the mapping is not executable: not a return address",    \
		"build the program with -fno-omit-frame-pointer")                                     \
	X(FILE_ABSENT, "file-absent", "the mapped file is not there",                                 \
		"keep the file, or run while it exists")                                              \
	X(FILE_DENIED, "file-denied", "no permission to open the mapped file",                        \
		"run as root, or with CAP_CHECKPOINT_RESTORE")                                        \
	X(FILE_WRONG, "file-wrong", "another file is at the path now",                                \
		"restart the process, or run as root (map_files)")                                    \
	X(FILE_IN_CONTAINER, "file-in-container",                                                     \
		"the path belongs to a container (another mount namespace) whose files are not here", \
		"keep its layers or directory, or pass its tree with --sysroot")                      \
	X(FILE_BROKEN, "file-broken", "not a readable ELF file", "")                                  \
	X(BUILD_ID_ABSENT, "build-id-absent", "no file with this build ID is here",                   \
		"-e FILE, or install its debug package")                                              \
	X(OUTSIDE_SEGMENTS, "outside-segments", "no segment of the file covers the offset", "")       \
	X(NO_SYMBOLS, "no-symbols", "stripped: no symbols and no debug info",                         \
		"install its debug package, or use --debug-dir")                                      \
	X(OUTSIDE_SYMBOLS, "outside-symbols", "no symbol covers the address",                         \
		"install its debug package, or use --debug-dir")                                      \
	X(OTHER_LAYOUT, "other-layout", "its debug file is for another load address (prelink?)",      \
		"install the debug file that was made with this file")                                \
	X(KALLSYMS_DENIED, "kallsyms-denied", "/proc/kallsyms hides addresses",                       \
		"run with CAP_SYSLOG, or lower kernel.kptr_restrict")                                 \
	X(KALLSYMS_ABSENT, "kallsyms-absent", "kallsyms cannot be read", "mount /proc")               \
	X(KALLSYMS_OUTSIDE, "kallsyms-outside", "no kernel symbol covers the address",                \
		"the module or BPF program may be gone: resolve while it is loaded")                  \
	X(BPF_GONE, "bpf-gone", "no BPF program is there now: it was unloaded",                       \
		"resolve while the program is loaded")                                                \
	X(NOT_AN_ADDRESS, "not-an-address", "not an address: a broken frame-pointer chain",           \
		"build the program with -fno-omit-frame-pointer")                                     \
	X(NO_ADDRESS, "no-address", "the input gives no address", "have the tool print addresses")    \
	X(INTERRUPTED, "interrupted", "interrupted before it was resolved", "try again")              \
	X(LOST, "lost", "the stack was lost", "")

enum frame_status {
#define X(name, key, text, fix) FRAME_##name,
	FRAME_STATUSES(X)
#undef X
		FRAME_STATUS_COUNT,
};

extern const struct words frame_status_words[];

/* X(NAME, key): the source of a name. */
#define FRAME_SOURCES(X)                                                                           \
	X(NONE, "none")                                                                            \
	X(DWARF, "dwarf")                                                                          \
	X(SYMTAB, "symtab")                                                                        \
	X(DYNSYM, "dynsym")                                                                        \
	X(PLT, "plt")                                                                              \
	X(GOPCLNTAB, "gopclntab") /* of the Go runtime */                                          \
	X(KALLSYMS, "kallsyms")                                                                    \
	X(BPF, "bpf") /* the loaded program itself, absent from kallsyms */                        \
	X(PERF_MAP, "perf-map")                                                                    \
	X(FIXED, "fixed") /* [vsyscall], which no file describes */                                \
	/* names printed by these tools, read as text */                                           \
	X(PERF, "perf")                                                                            \
	X(BPFTRACE, "bpftrace")                                                                    \
	X(BCC, "bcc")                                                                              \
	X(FOLDED, "folded")                                                                        \
	X(GADGET, "inspektor-gadget")

enum frame_source {
#define X(name, key) SOURCE_##name,
	FRAME_SOURCES(X)
#undef X
		SOURCE_COUNT,
	SOURCE_TEXT = SOURCE_PERF, /* first of the tools whose text was read */
};

extern const struct words frame_source_words[];

/*
 * X(NAME, text, fix): debug info that is missing although the name is right. A server could have
 * had what is missing from DWZ on.
 */
#define FRAME_GAPS(X)                                                                              \
	X(NONE, "", "")                                                                            \
	X(DWO, "split debug info (.dwo) is missing: no inlined calls",                             \
		"keep the .dwo files or a .dwp beside the program, or use --debug-dir")            \
	X(GO, "the inlined calls of its Go version cannot be read: callers only", "")              \
	X(LARGE, "its debug info is larger than the limits: no lines, no inlined calls", "")       \
	X(DWZ, "debug info shared by dwz is missing: names are lost",                              \
		"install the whole debug package, or use --debug-dir")                             \
	X(ABSENT, "no debug info found for it: no lines, no inlined calls",                        \
		"install its debug package, or use --debug-dir")                                   \
	X(FETCH, "its debug info was not fetched: no lines, no inlined calls", "")

enum frame_gap {
#define X(name, text, fix) GAP_##name,
	FRAME_GAPS(X)
#undef X
		GAP_COUNT,
};

extern const struct words frame_gap_words[];

/* When functions of the same name get a qualifier. */
enum qualify {
	QUALIFY_AUTO, /* if the symbol tables have several of that name */
	QUALIFY_ALWAYS,
	QUALIFY_NEVER,
};

/* X(NAME, word): how much of a function's name is printed; word is that of --names. */
#define NAME_STYLES(X)                                                                             \
	X(SHORT, short)	    /* plain, with folded template arguments and the like */               \
	X(PLAIN, plain)	    /* demangled, without arguments and return type */                     \
	X(FULL, full)	    /* demangled */                                                        \
	X(MANGLED, mangled) /* as in the symbol table */

enum name_style {
#define X(name, word) NAMES_##name,
	NAME_STYLES(X)
#undef X
};

/* Source lines around a frame's line. */
struct source_excerpt {
	uint32_t first;		  /* number of the first line, 1-based */
	size_t n;		  /* lines; may be 0 if there is a note */
	const char *const *lines; /* without newlines and tabs, not escaped */
	const char *note;	  /* warning about the file, or NULL */
};

struct frame {
	const char *function; /* name to print (demangled), not escaped; NULL: unknown */
	const char *linkage;  /* name in the symbol table; NULL: unknown */
	/*
	 * Name for people (--names=short or plain), not escaped, unique in its object. NULL:
	 * `function` is printed.
	 */
	const char *shown;
	/*
	 * Suffix that distinguishes functions of the same name: "(file.c)", "[module]", "@0x1139".
	 * NULL: not needed.
	 */
	const char *qualifier;
	uint64_t
		offset; /* bytes from the function's start to the location's address, if has_offset */
	/* Where a lambda is declared; 0: unknown, or no lambda. */
	uint32_t closure_line, closure_column;
	bool has_offset;
	bool inlined;		       /* inlined into the next frame of the location */
	const char *file;	       /* NULL: unknown */
	uint32_t line, column;	       /* 1-based, 0: unknown */
	uint32_t discriminator;	       /* of the innermost row of the line table; 0: none */
	const char *const *prototypes; /* distinct C declarations of the function */
	uint32_t n_prototypes;
	bool prototype_sure; /* true: there is one, and it is right; false: candidates */
	const struct source_excerpt *source; /* NULL: not asked for, or none */
};

/* The object that contains an address. Strings live as long as the symbolizer. */
struct frame_object {
	const char *path;   /* as the process sees it; "[vdso]", "[kernel]", "[nf_tables]" */
	const char *name;   /* its last component */
	const char *module; /* kernel module; "": the kernel itself; NULL: neither */
	struct build_id build_id;
	const char *found_by;	 /* search that found the file; NULL: not known */
	const char *debug_path;	 /* file with the debug info; NULL: the object itself */
	const char *not_fetched; /* why debuginfod failed; NULL: it did not, or was not asked */
	const char *fetch_fix;	 /* remedy for that (a constant); NULL: none */
	bool go;		 /* linked by Go, contains its runtime */
};

#define SERIAL_KNOWN (1ULL << 48)

/*
 * One address of a stack, resolved. FRAMES are innermost first: all but the last are inlined. An
 * unnamed location has exactly one frame, whose function is NULL.
 */
struct location {
	/* millions of these are kept */
	enum location_kind kind : 8;
	enum frame_status status : 8;
	enum frame_source source : 8;
	enum frame_gap gap : 8; /* missing debug info; DETAIL has more */
	/* why the next frame is not its caller; NONE: no reason known */
	enum lost_caller lost_caller : 8;
	enum stack_end end : 8;
	enum stack_state lost : 8; /* LOCATION_LOST: why */
	bool has_address : 1;	   /* false: build ID and offset, or LOST */
	bool has_file_offset : 1, has_elf_address : 1, has_start : 1;
	bool doubtful : 1; /* the names are uncertain: DETAIL says why */
	/* at a function's first instruction: only the kernel may have added its caller */
	bool entered : 1;
	bool misled : 1;   /* its frame pointer was data: the next address is not its caller */
	bool unjudged : 1; /* cannot tell whether its caller is lost */
	bool guessed : 1;  /* not in the stack: inserted because of the code */
	bool caller_guessed : 1; /* the next location is the guessed caller */
	int32_t lost_error;	 /* LOST_ERROR: negative errno */
	/*
	 * Locations of one symbolizer with the same number are equal; 0: not numbered. SERIAL_KNOWN
	 * and above: read from text, not resolved.
	 */
	uint64_t serial;
	/*
	 * Numbered locations with the same value here have the same object and frames, but for
	 * offsets; 0: not known.
	 */
	uint64_t names;
	uint64_t address; /* value in the dump (a file offset in build-ID stacks) */
	const struct frame_object *object; /* NULL: unknown */
	uint64_t file_offset; /* offset in the object's file, in bytes, if has_file_offset */
	uint64_t elf_address; /* virtual address in the ELF file, if has_elf_address */
	uint64_t start;	      /* ELF address of an unnamed function's start, if has_start */
	const struct frame *frames;
	size_t n_frames;    /* at least 1 */
	const char *detail; /* details of STATUS or the uncertainty, e.g. an error; NULL: none */
	const char *fix;    /* remedy in this case (a constant, perhaps ""); NULL: that of STATUS */
};

/* Returns the remedy for a LOCATION without a name; "": none. */
const char *location_fix(const struct location *location);

/* A resolved sample. Locations are leaf first; a lost stack has one. */
struct trace {
	const struct sample *sample;
	const struct location *const *user, *const *kernel;
	size_t n_user, n_kernel;
	struct stack_health user_health, kernel_health;
};

/*
 * Longest name, and the part kept of a longer one, in bytes. C++ has names of 10,000 bytes, but a
 * perf map or a symbol table can have names of megabytes, which would be printed again and again.
 */
#define NAME_LIMIT (16 << 10)
#define NAME_KEPT (4 << 10)

/*
 * Returns a copy of NAME in ARENA. A longer one than the limit is cut, with its length and the hash
 * of the whole name after it: "abc...[10485760 bytes, #0123456789abcdef]".
 */
const char *name_limit_copy(struct arena *arena, const char *name, size_t len);
