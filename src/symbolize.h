/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline: samples of raw numbers in, traces of named frames out, a batch at a time. Within a
 * batch every address is turned into (object, ELF address) once, and each object answers its
 * sorted, unique addresses in one sweep.
 */
#ifndef SYMBOLIZE_H
#define SYMBOLIZE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/processes.h"
#include "model/address_halves.h"
#include "model/build_id.h"
#include "model/frame.h"
#include "model/stack.h"
#include "object/fetch/fetcher.h"
#include "object/find/options.h"
#include "util/error.h"
#include "util/log.h"
#include "util/vec.h"

struct symbolize_options {
	struct find_options find;      /* with proc_root: "/proc", or what stands for it */
	const char *recording;         /* of `stack2line record`; NULL: none */
	const char *const *btf_files;  /* saved BTF; NULL-terminated */
	const char *kallsyms;          /* a saved /proc/kallsyms; NULL: this system's */
	int64_t pid_namespace;         /* a process of the namespace that PIDs are of; 0: /proc's */
	const char *modules;           /* a saved /proc/modules or /sys/module; NULL: this system's */
	const char *vmlinux;           /* the kernel's own file; NULL: looked for */
	const char *const *files;      /* -e: looked at first for build IDs; NULL-terminated */
	/*
	 * What the values of exact user stacks (bare addresses) are: addresses of the sample's
	 * process, or, with one of these, ELF addresses of the first of FILES or of BUILD_ID.
	 */
	bool addresses_of_file;
	struct build_id build_id; /* len 0: none */
	bool inlines, lines, demangle;
	struct fetch_options fetch; /* from debuginfod servers; without urls nothing is */
	bool prototypes; /* of the kernel's functions */
	enum qualify qualify;
	bool source;		 /* frames get lines of their source files */
	unsigned source_context; /* how many before and behind */
	bool dwarf_names; /* as binutils: a cold part ("f.cold") is called "f", as DWARF does */
	bool relative_names; /* source files without their compilation directory */
	const char *package; /* of split units (.dwp), looked at first; NULL: none is given */
	bool libdw; /* read DWARF through libdw only */
	bool once; /* no address is asked for twice: what a batch found is forgotten with it */
	bool unnamed; /* only find out which file and offset, for stacks named elsewhere */
};

struct symbolizer;

/* The bit of find.forbidden for the finder NAME; 0: there is none. */
uint64_t symbolize_finder_bit(const char *name);
/* The name of the finder NUMBER, counted from 0; NULL behind the last. */
const char *symbolize_finder_name(size_t number);

/* OPTIONS must outlive the result. The error names the file that cannot be used. */
struct error *symbolizer_create(
	const struct symbolize_options *options, struct symbolizer **ret) must_check;
void symbolizer_destroy(struct symbolizer *symbolizer);
/* Tells LOG, when all is done, what was odd about the recording, the kernel's symbols and files, and
   what became of downloads. */
void symbolizer_notes(struct symbolizer *symbolizer, struct log *log);

/* The traces of a batch, in the order of its samples; valid until the next batch. */
const struct trace *symbolizer_batch(
	struct symbolizer *symbolizer, const struct sample *samples, size_t n);

/* Where the functions of a name are: ascending, each once. Zero-filled is empty. */
#define SYMBOL_ADDRESSES_MAX 1024
struct symbol_addresses {
	struct VEC(uint64_t) all;
	uint64_t more; /* how many were left out */
};
/*
 * Adds the addresses of all functions that WORD names, in one of the forms of symbol_word.h: ELF
 * addresses, kernel addresses (KERNEL) or addresses of process PID, as symbolizer_batch() takes them.
 * FRAME_NAMED, or why there are none: FRAME_OUTSIDE_SYMBOLS if all was looked at.
 */
enum frame_status symbolizer_find_symbols(struct symbolizer *symbolizer, const char *word,
	bool kernel, int64_t pid, struct symbol_addresses *ret);

/* The boot ID of the system that addresses belong to: the recording's, or this one. NULL: unknown. */
const char *symbolizer_boot_id(const struct symbolizer *symbolizer);

/* Which addresses of dumps are the kernel's. */
struct address_halves symbolizer_halves(struct symbolizer *symbolizer);

/* What input may ask about processes; good as long as SYMBOLIZER. */
const struct input_processes *symbolizer_processes(const struct symbolizer *symbolizer);

/* How the addresses of the file of -e are meant. */
enum section_answer {
	SECTION_FOUND,
	SECTION_ABSENT,    /* there is no such section */
	SECTION_AMBIGUOUS, /* several code sections of the relocatable file are that long */
};
/*
 * OFFSET in a section of the file that exact addresses belong to, as symbolizer_batch() takes it. SECTION NULL: OFFSET
 * is an ELF address, but in a relocatable file (a kernel module, a .o) the offset in its only code
 * section that is long enough, or the FIRST one.
 */
enum section_answer symbolizer_fixed_address(const struct symbolizer *symbolizer,
	const char *section, uint64_t offset, bool first, uint64_t *ret);
/* What is declared at VALUE, or called NAME, in that file: variables, which samples never hold. */
bool symbolizer_fixed_variable(
	struct symbolizer *symbolizer, uint64_t value, struct frame *ret);
bool symbolizer_find_variable(struct symbolizer *symbolizer, const char *name, uint64_t *ret);
/*
 * What is said to be at a value that symbolizer_batch() takes for that file: the offset in a section of
 * a relocatable file, else the value itself.
 */
uint64_t symbolizer_fixed_shown(const struct symbolizer *symbolizer, uint64_t value);
/* Whether that file is ELFCLASS64. */
bool symbolizer_fixed_is_64bit(const struct symbolizer *symbolizer);

#endif
