/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The pipeline: turns batches of samples with raw numbers into traces with named frames. Within a
 * batch each address is mapped to (object, ELF address) once, and each object resolves its sorted,
 * unique addresses in one sweep.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "input/processes.h"
#include "model/stack.h"
#include "model/frame.h"
#include "resolve/listed_place.h"
#include "resolve/lookup.h"
#include "resolve/targets.h"
#include "util/error.h"
#include "util/log.h"

struct symbolizer;

/* Creates a symbolizer; OPTIONS must outlive it. The error names the file that cannot be used. */
struct error *symbolizer_create(
	const struct symbolize_options *options, struct symbolizer **ret) must_check;
void symbolizer_destroy(struct symbolizer *symbolizer);
/*
 * Sets the style of `shown` names (SHORT or PLAIN; FULL: none), and whether frames need file and
 * line, for objects that are opened from now on. Call it before the first batch.
 */
void symbolizer_want(struct symbolizer *symbolizer, enum name_style names, bool lines);
/*
 * Adds to LOG, at the end, warnings about the recording, the kernel's symbols and files, and
 * downloads.
 */
void symbolizer_notes(struct symbolizer *symbolizer, struct log *log);

/* Begins to follow what processes map: samples may come while they change. */
void symbolizer_hear(struct symbolizer *symbolizer);
/* How the samples of a stream come. */
enum stream_kind {
	STREAM_ENTRIES, /* of maps, and dumps of events, which are taken for recent */
	STREAM_SAMPLES, /* one by one, as they are taken */
	STREAM_EVENTS,	/* so, and those without a time are of now, though there is a recording */
};
/*
 * Starts to follow changes of processes, for a stream; takes over from BEFORE, the symbolizer of an
 * earlier round (NULL: none).
 */
void symbolizer_follow(
	struct symbolizer *symbolizer, struct symbolizer *before, enum stream_kind kind);
/*
 * Declares that all samples read so far are resolved, and that samples read later were taken later.
 * LATE: except for those that other programs pass on.
 */
void symbolizer_mark(struct symbolizer *symbolizer, bool late);

/* Returns the traces of a batch, in the order of its samples, valid until the next batch. */
const struct trace *symbolizer_batch(
	struct symbolizer *symbolizer, const struct sample *samples, size_t n);

/*
 * Adds the addresses of all functions that WORD, in one of the forms of lookup.h, names: ELF
 * addresses, kernel addresses (KERNEL) or addresses of process PID, as in symbolizer_batch().
 * Returns FRAME_NAMED, or the reason if there are none: FRAME_OUTSIDE_SYMBOLS if everything was
 * searched.
 */
enum frame_status symbolizer_find_symbols(struct symbolizer *symbolizer, const char *word,
	bool kernel, int64_t pid, struct symbol_addresses *ret);

/*
 * Returns the start of the kernel function that FILE, from a text, names (module, symbol, size).
 * IN_FILE_RET: the function is in a file of -e, the start is 0, and FILE has to be the origin of a
 * user stack's value.
 */
struct named_start symbolizer_find_kernel(
	struct symbolizer *symbolizer, const struct stack_file *file, bool *in_file_ret);

/* What readers of dumps ask for; valid as long as the symbolizer. */
struct symbolizer_facts {
	const char *boot_id; /* that addresses belong to: the recording's or ours; NULL: unknown */
	struct address_halves halves; /* which addresses in dumps belong to the kernel */
	const struct input_processes *processes;
};

struct symbolizer_facts symbolizer_facts(struct symbolizer *symbolizer);

/* Returns the file of -e or -b, valid as long as SYMBOLIZER; never NULL, but its object may be. */
const struct fixed_file *symbolizer_fixed_file(const struct symbolizer *symbolizer);
