/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline: samples of raw numbers in, traces of named frames out, a batch at a time. Within a
 * batch every address is turned into (object, ELF address) once, and each object answers its
 * sorted, unique addresses in one sweep.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/processes.h"
#include "model/address_halves.h"
#include "model/build_id.h"
#include "model/frame.h"
#include "model/stack.h"
#include "resolve/fixed_file.h"
#include "resolve/lookup.h"
#include "resolve/options.h"
#include "util/error.h"
#include "util/log.h"

struct symbolizer;

/* OPTIONS must outlive the result. The error names the file that cannot be used. */
struct error *symbolizer_create(
	const struct symbolize_options *options, struct symbolizer **ret) must_check;
void symbolizer_destroy(struct symbolizer *symbolizer);
/* Before the first batch: whether frames need file and line, where the input decides it. */
void symbolizer_want_lines(struct symbolizer *symbolizer, bool lines);
/* Likewise: FULL, or with SHORT or PLAIN also what frames are called for people. */
void symbolizer_want_names(struct symbolizer *symbolizer, enum name_style names);
/*
 * Tells LOG, when all is done, what was odd about the recording, the kernel's symbols and files,
 * and what became of downloads.
 */
void symbolizer_notes(struct symbolizer *symbolizer, struct log *log);

/*
 * From now on samples come while processes change (a stream): what they map is followed, as it was
 * by BEFORE (NULL: nothing was) in an earlier round. RECENT: samples without a time are of now,
 * though there is a recording.
 */
void symbolizer_follow(struct symbolizer *symbolizer, struct symbolizer *before, bool recent);
/*
 * All samples that were read are resolved, and what is read from now on is younger. LATE: but for
 * what other programs pass on.
 */
void symbolizer_mark(struct symbolizer *symbolizer, bool late);

/* The traces of a batch, in the order of its samples; valid until the next batch. */
const struct trace *symbolizer_batch(
	struct symbolizer *symbolizer, const struct sample *samples, size_t n);

/*
 * Adds the addresses of all functions that WORD names, in one of the forms of symbol_word.h: ELF
 * addresses, kernel addresses (KERNEL) or addresses of process PID, as symbolizer_batch() takes
 * them. FRAME_NAMED, or why there are none: FRAME_OUTSIDE_SYMBOLS if all was looked at.
 */
enum frame_status symbolizer_find_symbols(struct symbolizer *symbolizer, const char *word,
	bool kernel, int64_t pid, struct symbol_addresses *ret);

/*
 * Where the function of the kernel begins that FILE of a text names (module, symbol, size):
 * FRAME_NAMED, or why that is unknown. It is of a file of -e, and FILE to be the origin of a user
 * stack's slot, if IN_FILE_RET says so: START_RET is untouched then. DOUBTFUL_RET: its size is
 * another.
 */
enum frame_status symbolizer_find_kernel(struct symbolizer *symbolizer,
	const struct stack_file *file, uint64_t *start_ret, bool *doubtful_ret, bool *in_file_ret);

/*
 * The boot ID of the system that addresses belong to: the recording's, or this one. NULL: unknown.
 */
const char *symbolizer_boot_id(const struct symbolizer *symbolizer);

/* Which addresses of dumps are the kernel's. */
struct address_halves symbolizer_halves(struct symbolizer *symbolizer);

/* What input may ask about processes; good as long as SYMBOLIZER. */
const struct input_processes *symbolizer_processes(const struct symbolizer *symbolizer);

/* The file of -e or -b, good as long as SYMBOLIZER; never NULL, its object may be. */
const struct fixed_file *symbolizer_fixed_file(const struct symbolizer *symbolizer);
