/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What an address became: a location (object, status) of one frame and the frames inlined in it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "model/health.h"
#include "model/stack.h"

enum location_kind {
	LOCATION_USER,
	LOCATION_KERNEL,
	LOCATION_BPF,  /* JIT code of a BPF program, a kernel frame */
	LOCATION_JIT,  /* named by a perf map */
	LOCATION_LOST, /* stands for a whole stack that was lost: no address */
};

/* The stable word of --json. */
const char *location_kind_key(enum location_kind kind);

/*
 * X(NAME, key, text, fix): key is the stable word of --json and --why, text the reason a person
 * reads, fix what would help ("" where nothing would).
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
	X(PROCESS_CHANGED, "process-changed", "the process has another name than in the sample",      \
		"it runs another program since: resolve sooner, or run stack2line record beside it")  \
	X(UNMAPPED, "unmapped", "no mapping of the process covers the address",                       \
		"probably after an exec or dlclose: use stack2line record; otherwise build with "     \
		"-fno-omit-frame-pointer")                                                            \
	X(NOT_RECORDED, "not-recorded", "the process is not in the recording",                        \
		"start stack2line record -a before the stacks are taken")                             \
	X(AMBIGUOUS_PROCESS, "ambiguous-process", "several processes had this ID over time",          \
		"--key time=FIELD: a time (bpf_ktime_get_ns) tells which one")                        \
	X(ELSEWHERE, "elsewhere", "the address is from another machine or boot",                      \
		"--recording FILE, recorded there")                                                   \
	X(AMBIGUOUS_MAPPING, "ambiguous-mapping", "several files were mapped here over time",         \
		"--key time=FIELD: a time (bpf_ktime_get_ns) tells which one")                        \
	X(AMBIGUOUS_CODE, "ambiguous-code", "several JIT functions were here over time",              \
		"--key time=FIELD: a time (bpf_ktime_get_ns) tells which one")                        \
	X(ANONYMOUS, "anonymous", "anonymous memory: JIT code, or not code", "")                      \
	X(JIT_LIMIT, "jit-limit", "the perf map or jitdump is larger than is read",                   \
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
		"install the debug file of this very file")                                           \
	X(KALLSYMS_DENIED, "kallsyms-denied", "/proc/kallsyms hides addresses",                       \
		"run with CAP_SYSLOG, or lower kernel.kptr_restrict")                                 \
	X(KALLSYMS_ABSENT, "kallsyms-absent", "kallsyms cannot be read", "mount /proc")               \
	X(KALLSYMS_OUTSIDE, "kallsyms-outside", "no kernel symbol covers the address",                \
		"the module or BPF program may be gone: resolve while it is loaded")                  \
	X(BPF_GONE, "bpf-gone", "no BPF program is there now: it was unloaded",                       \
		"resolve while the program is loaded")                                                \
	X(NOT_AN_ADDRESS, "not-an-address", "not an address: a broken frame-pointer chain",           \
		"build the program with -fno-omit-frame-pointer")                                     \
	X(NO_ADDRESS, "no-address", "the text that was read has no address of it",                    \
		"have the tool print addresses")                                                      \
	X(INTERRUPTED, "interrupted", "a signal ended the run before the address was looked up",      \
		"try again")                                                                          \
	X(LOST, "lost", "the stack was lost", "")

enum frame_status {
#define X(name, key, text, fix) FRAME_##name,
	FRAME_STATUSES(X)
#undef X
		FRAME_STATUS_COUNT,
};

const char *frame_status_key(enum frame_status status);
/* The status with this key. False: there is none. */
bool frame_status_parse(const char *key, enum frame_status *ret);
const char *frame_status_text(enum frame_status status);
const char *frame_status_fix(enum frame_status status);

/* X(NAME, key): where a name came from. */
#define FRAME_SOURCES(X)                                                                           \
	X(NONE, "none")                                                                            \
	X(DWARF, "dwarf")                                                                          \
	X(SYMTAB, "symtab")                                                                        \
	X(DYNSYM, "dynsym")                                                                        \
	X(PLT, "plt")                                                                              \
	X(GOPCLNTAB, "gopclntab") /* of the Go runtime */                                          \
	X(KALLSYMS, "kallsyms")                                                                    \
	X(BPF, "bpf") /* the loaded program itself: kallsyms does not list it */                   \
	X(PERF_MAP, "perf-map")                                                                    \
	X(FIXED, "fixed") /* [vsyscall], which no file describes */                                \
	/* these named it themselves, in the text that is read */                                  \
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
	SOURCE_TEXT = SOURCE_PERF, /* from here on, of those that the text was printed by */
};

const char *frame_source_key(enum frame_source source);
bool frame_source_parse(const char *key, enum frame_source *ret);

/* X(NAME, text, fix): debug info that names may lack although they are right. */
#define FRAME_GAPS(X)                                                                              \
	X(NONE, "", "")                                                                            \
	X(DWO, "split debug info (.dwo) is missing: no inlined calls",                             \
		"keep the .dwo files or a .dwp beside the program, or use --debug-dir")            \
	X(DWZ, "debug info shared by dwz is missing: names are lost",                              \
		"install the whole debug package, or use --debug-dir")                             \
	X(GO, "the inlined calls of its Go version cannot be read: callers only", "")              \
	X(FETCH, "its debug info was not fetched: no lines, no inlined calls", "")                 \
	X(LARGE, "its debug info is larger than the limits: no lines, no inlined calls", "")

enum frame_gap {
#define X(name, text, fix) GAP_##name,
	FRAME_GAPS(X)
#undef X
		GAP_COUNT,
};

const char *frame_gap_text(enum frame_gap gap);
const char *frame_gap_fix(enum frame_gap gap);

/* When functions of one name are told apart. */
enum qualify {
	QUALIFY_AUTO, /* where the symbol tables have several of that name */
	QUALIFY_ALWAYS,
	QUALIFY_NEVER,
};

/* X(NAME, word): how much of a function's name is printed, the word of --names. */
#define NAME_STYLES(X)                                                                             \
	X(SHORT, short)	    /* plain, and template arguments and the like are folded */            \
	X(PLAIN, plain)	    /* without arguments and return type */                                \
	X(FULL, full)	    /* demangled */                                                        \
	X(MANGLED, mangled) /* as it is in the file */

enum name_style {
#define X(name, word) NAMES_##name,
	NAME_STYLES(X)
#undef X
};

/* Lines of a source file around that of a frame. */
struct source_excerpt {
	uint32_t first;		  /* number of the first line, from 1 */
	size_t n;		  /* may be 0 where there is a note */
	const char *const *lines; /* without newlines and tabs, not escaped */
	const char *note;	  /* what is odd about the file; NULL: nothing */
};

struct frame {
	const char *function; /* as it is to be printed (demangled), not escaped; NULL: unknown */
	const char *linkage;  /* as in the symbol table; NULL: unknown */
	/*
	 * Its name for people (--names=short or plain), not escaped, with what tells it from others of the
	 * object that would be called the same. NULL: as `function`.
	 */
	const char *shown;
	/*
	 * What tells the function from others of this name: "(file.c)", "[module]", "@0x1139"; to be
	 * printed behind it. NULL: nothing has to.
	 */
	const char *qualifier;
	uint64_t offset; /* of the location's address in the function, if has_offset */
	/* Where the lambda is declared that this is; 0: unknown, or none. */
	uint32_t closure_line, closure_column;
	bool has_offset;
	bool inlined;		/* was inlined into the frame that follows it in the location */
	const char *file;	/* NULL: unknown */
	uint32_t line, column;	/* 1-based, 0: unknown */
	uint32_t discriminator; /* of the innermost line row, 0: none */
	const char *const *prototypes; /* C declarations of the function, each another */
	uint32_t n_prototypes;
	bool prototype_sure; /* there is one, and it is this function's; else: one of these may be */
	const struct source_excerpt *source; /* NULL: not wanted, or nothing to show */
};

/* The object an address lies in. Strings live as long as the symbolizer. */
struct frame_object {
	const char *path;   /* as the process sees it; "[vdso]", "[kernel]", "[nf_tables]" */
	const char *name;   /* its last component */
	const char *module; /* the kernel module; "": the kernel itself; NULL: neither */
	struct build_id build_id;
	const char *found_by;	/* the finder that got at the file; NULL: not said */
	const char *debug_path; /* where the debug info came from; NULL: from the file itself */
	const char
		*not_fetched;  /* why debuginfod did not bring it; NULL: it did, or was not asked */
	const char *fetch_fix; /* what would help there (a constant); NULL: nothing */
	bool go;	       /* linked by Go, with its runtime */
};

#define SERIAL_KNOWN (1ULL << 48)

/*
 * One slot of a stack. FRAMES are innermost first: all but the last are inlined. An unnamed
 * location has exactly one frame, whose function is NULL.
 */
struct location {
	enum location_kind kind;
	enum frame_status status;
	enum frame_source source;
	enum frame_gap gap;	      /* what the names lack, and DETAIL says more of */
	enum lost_caller lost_caller; /* why the next frame is not its caller's; NONE: not known */
	enum stack_end end;
	/*
	 * Where two of one symbolizer have the same number they say the same; 0: not numbered. From
	 * SERIAL_KNOWN on: what was read, not found.
	 */
	uint64_t serial;
	/*
	 * Where two numbered ones have the same, object and frames say the same, but for offsets; 0: not
	 * known.
	 */
	uint64_t names;
	uint64_t address; /* the slot's value as dumped (an offset for build-ID slots) */
	bool has_address; /* false: the slot was a build ID and offset, or LOST */
	const struct frame_object *object; /* NULL: unknown */
	uint64_t file_offset;		   /* bytes into the object's file, if has_file_offset */
	uint64_t elf_address;		   /* virtual address in the ELF file, if has_elf_address */
	uint64_t start; /* ELF address where the function begins that has no name, if has_start */
	bool has_file_offset, has_elf_address, has_start;
	bool doubtful; /* the names are of a file that was not verified to be the mapped one */
	bool entered; /* at the first instruction of a function: if the kernel did not add it, the caller is lost */
	bool misled;   /* its frame pointer was data: the next slot is not its caller */
	bool unjudged; /* neither unwind tables nor the code tell whether its caller is lost */
	bool guessed;  /* no slot of the stack: the code says that it belongs here */
	bool caller_guessed; /* the lost caller is the next location, which is guessed */
	const struct frame *frames;
	size_t n_frames;    /* at least 1 */
	const char *detail; /* more about STATUS for this location, e.g. the error; NULL: nothing */
	enum stack_state lost; /* LOCATION_LOST: why */
	int32_t lost_error;    /* LOST_ERROR: negative errno */
	const char *
		fix; /* what helps in this case (a constant, maybe ""); NULL: location_fix() knows */
};

/* What would help where LOCATION has no name, "" where nothing would. */
const char *location_fix(const struct location *location);

/* A resolved sample. The locations are leaf first, like the stacks; a lost stack has one. */
struct trace {
	const struct sample *sample;
	const struct location *const *user, *const *kernel;
	size_t n_user, n_kernel;
	struct stack_health user_health, kernel_health;
};
