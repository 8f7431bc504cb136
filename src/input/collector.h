/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Takes what the format parsers read: keeps stack maps, joins counts with them, and passes samples
 * to the sink. The parsers know syntax, the collector knows meaning.
 *
 * Entries, rows, events and samples need not outlive the call. POSITION is "FILE:LINE" or
 * "FILE: byte N", for messages.
 */
#pragma once

#include "input/input.h"
#include "input/row.h"
#include "model/frame.h"

struct collector;

/* OPTIONS, LOG and SINK must outlive the collector. The error names the option that is wrong. */
struct error *collector_create(const struct input_options *options, struct log *log,
	struct input_sink *sink, struct collector **ret) must_check;
void collector_destroy(struct collector *collector);

/*
 * Begins a map, to which all entries before collector_map_end() belong. NAME is "FILE" or
 * "FILE (map 12)", and ROLE is from the command line. Two documents are two maps, even if their
 * names are equal.
 */
void collector_map_begin(struct collector *collector, const char *name, enum input_role role);
/* Marks the map as a single entry that was looked up: the next map may be another entry of it. */
void collector_map_is_lookup(struct collector *collector);
/*
 * Begins a map of the running kernel that is not a stack map. AUTOMATIC: it was found through its
 * program, and the user did not name it. PEEKED: it is a queue whose only entry was peeked at, with
 * live.clear: it is not counted, but shows how to read the entries that collector_taken() gets.
 */
void collector_count_map_begin(
	struct collector *collector, const char *name, bool automatic, bool peeked);
/*
 * Notes that WHAT, given as ROLE, may be counts but cannot be used. Stack maps are then not printed
 * on their own.
 */
void collector_no_counts(struct collector *collector, const char *what, enum input_role role);
/* Notes that part of the input cannot be used. The caller has logged why. */
void collector_refuse(struct collector *collector);
/*
 * Returns true if the last thing read is rows or events that are held back, although a stack map
 * was read.
 */
bool collector_holds_rows(const struct collector *collector);
/* Begins a map that is known to be a stack map. BUILD_IDS: it has BPF_F_STACK_BUILD_ID. */
void collector_stack_map_begin(struct collector *collector, const char *name, bool build_ids);

struct map_entry {
	const uint8_t *key, *value; /* raw bytes; NULL if there are only formatted fields */
	size_t key_len, value_len;
	int cpu;		     /* CPU of the value; -1: not a per-CPU map */
	bool distinct;		     /* no other entry has the key, and nobody looks it up later */
	const struct row *formatted; /* BTF fields "key…" and "value…", or NULL */
	const char *position;
};

/* Adds an entry. Replaces an earlier one with the same key and CPU, and counts replacements. */
void collector_entry(struct collector *collector, const struct map_entry *entry);
/* Logs that the value of an entry could not be read. TEXT is the reason. */
void collector_entry_error(struct collector *collector, const char *text);
/*
 * Ends the map. Decides from all its entries whether it holds stacks or counts, and addresses or
 * build IDs. An empty map is no error. TRUNCATED: the dump was cut before its end.
 */
void collector_map_end(struct collector *collector, bool truncated);

/*
 * Adds a row of a table. Its column names are the field names. ERROR_USAGE if --key names a
 * field that the first row lacks, or one that cannot have the role.
 */
struct error *collector_row(
	struct collector *collector, const struct row *row, const char *position) must_check;

/*
 * Adds an event of a perf or ring buffer, to be decoded by --event-layout. TIME is in ns; 0:
 * unknown. ERROR_USAGE without --event-layout.
 */
struct error *collector_event(struct collector *collector, const uint8_t *data, size_t len,
	uint64_t time, const char *position) must_check;
/*
 * Says that the following events are read from the kernel's buffer: their times are of
 * CLOCK_MONOTONIC, not of perf's clock. EARLY: events without a time may be older than this run.
 */
void collector_live_events(struct collector *collector, bool early);
void collector_lost_events(struct collector *collector, uint64_t count);

/*
 * Adds a sample whose stacks are in the input itself (address lists), not in stack maps. Copies
 * them, except locations of collector_name().
 */
struct error *collector_sample(struct collector *collector, const struct sample *sample) must_check;
/*
 * Returns a location that is only NAME, as a tool printed it; the same one for equal names. It is
 * valid up to the next collector_sample() that it is passed to.
 */
const struct location *collector_name(struct collector *collector, enum location_kind kind,
	enum frame_source source, const char *name);
/* Returns the number of samples so far, which is also the number of the next one, from 0. */
uint64_t collector_samples(const struct collector *collector);
/* Sets the unknown process of sample NUMBER to PID, unless the sample has been delivered. */
void collector_sample_process(struct collector *collector, uint64_t number, int64_t pid);
/* Says that the weights of collector_sample() are counts, even if all are 1. */
void collector_samples_count(struct collector *collector);

/*
 * Says that no further stack map will come, and joins what was held back. From now on samples go to
 * the sink with each full batch or collector_flush(). Called at the end, or earlier if the last
 * source is a stream.
 */
struct error *collector_stacks_complete(struct collector *collector) must_check;
struct join_live;
/* Makes the collector look up stack IDs by LIVE from now on, not in the stack maps it read. */
void collector_live_stacks(struct collector *collector, const struct join_live *live);
/* Passes all ready samples to the sink, with the flush flag set. */
struct error *collector_flush(struct collector *collector) must_check;
/* Ends the input: joins what was held back, flushes, and fills RET. */
struct error *collector_end(struct collector *collector, struct input_stats *ret) must_check;
/*
 * The following functions are for maps whose entries are deleted once they are printed. With
 * live.clear the joined maps are kept, so that after collector_end() these functions can add what
 * was counted until the deletion. collector_report() then logs its losses.
 */
/*
 * Returns true if the content of the map NAME was passed on: a stack map in which a stack ID was
 * found, or usable counts. Returns false for all counts if none of their stack IDs was found.
 */
bool collector_used(const struct collector *collector, const char *name);
/*
 * Passes on what was added to a key of the map NAME between its reading and its deletion. ENTRIES
 * are its N values at the deletion: one per CPU, or one. If they cannot be the earlier values plus
 * something, sets RET_OTHER and passes nothing on.
 */
struct error *collector_changed(struct collector *collector, const char *name,
	const struct map_entry *entries, size_t n, bool *ret_other) must_check;
/* Passes on N entries that were taken from the queue NAME. */
struct error *collector_taken(struct collector *collector, const char *name,
	const struct map_entry *entries, size_t n) must_check;
/* Logs what was lost since collector_end(). */
void collector_report(struct collector *collector);
/* Returns true if there were counts so far (struct input_stats). */
bool collector_weighted(const struct collector *collector);
bool collector_has_events(const struct collector *collector);
