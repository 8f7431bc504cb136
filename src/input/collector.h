/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where the format parsers put what they read. It keeps stack maps, joins count records with them
 * and hands samples to the sink: parsers know syntax, the collector knows meaning.
 *
 * All pointers given to collector_ functions are only read during the call. POSITION is "FILE:LINE"
 * or "FILE: byte N", for messages.
 */
#pragma once

#include "input/input.h"
#include "input/row.h"

struct collector;

/* The error says which of OPTIONS is wrong. */
struct error *collector_create(const struct input_options *options, struct log *log,
	struct input_sink *sink, struct collector **ret) must_check;
void collector_destroy(struct collector *collector);

/*
 * One map's dump begins: NAME is "FILE" or "FILE (map 12)". Entries until collector_map_end() are
 * of this map. ROLE is what the command line said. Two documents are two maps, even with one name.
 */
void collector_map_begin(struct collector *collector, const char *name, enum input_role role);
/* The map that was begun is one entry that was looked up: the next one may be of the same map. */
void collector_map_is_lookup(struct collector *collector);
/*
 * The same for a map of the running kernel that is no stack map; AUTOMATIC: it is one of a program's,
 * which the user did not name.
 */
void collector_count_map_begin(struct collector *collector, const char *name, bool automatic);
/*
 * WHAT, given as ROLE, could have been counts and is of no use: stacks alone are not all there was.
 */
void collector_no_counts(struct collector *collector, const char *what, enum input_role role);
/* Part of the input is of no use, as the log says, although it was not empty. */
void collector_refuse(struct collector *collector);
/* Whether rows or events, the last thing read, are held back although a stack map was read. */
bool collector_holds_rows(const struct collector *collector);
/*
 * The map that was begun is a queue: its only entry is not given, but says how to read those that
 * collector_taken() will bring. Only with `live.clear`.
 */
void collector_map_is_peeked(struct collector *collector);
/* The same for what is known to be a stack map, and whether it has BPF_F_STACK_BUILD_ID. */
void collector_stack_map_begin(struct collector *collector, const char *name, bool build_ids);

struct map_entry {
	const uint8_t *key, *value; /* raw bytes; NULL: the dump gives formatted fields only */
	size_t key_len, value_len;
	int cpu;		     /* per-CPU value of this CPU, -1: not a per-CPU map */
	bool distinct;		     /* no entry with its key comes again, and none is asked for */
	const struct row *formatted; /* BTF fields "key…" and "value…"; NULL: none */
	const char *position;
};

/* A key that comes again (with the same CPU) replaces the earlier entry and is counted. */
void collector_entry(struct collector *collector, const struct map_entry *entry);
/* An entry whose value could not be read (vanished meanwhile, or TEXT says why). */
void collector_entry_error(struct collector *collector, const char *text);
/*
 * Decides what the map was (stacks or counts, addresses or build IDs) from all its entries. An
 * empty map is fine. TRUNCATED: the dump was cut before its end.
 */
void collector_map_end(struct collector *collector, bool truncated);

/* A row of a table: column names are the field names. */
struct error *collector_row(
	struct collector *collector, const struct row *row, const char *position) must_check;

/* An event of a perf or ring buffer; decoded by --event-layout. TIME in ns, 0: unknown. */
struct error *collector_event(struct collector *collector, const uint8_t *data, size_t len,
	uint64_t time, const char *position) must_check;
/*
 * From now on events are read from the kernel's buffer: their times are of CLOCK_MONOTONIC, not of
 * perf's own clock. EARLY: those without a time may have been there before this program read the
 * first one.
 */
void collector_live_events(struct collector *collector, bool early);
void collector_lost_events(struct collector *collector, uint64_t count);

/* A stack that stood in the input itself (address lists). SAMPLE's stacks are final. */
struct error *collector_sample(struct collector *collector, const struct sample *sample) must_check;
/* How many samples were given: the number of the next one. */
uint64_t collector_samples(const struct collector *collector);
/* The unknown process of sample NUMBER has exited. Does nothing if that was delivered. */
void collector_sample_ended(struct collector *collector, uint64_t number);
/* The samples that collector_sample() gets say how often, also where they weigh 1. */
void collector_samples_count(struct collector *collector);

/*
 * Says that no further stack map will come: from now on samples go to the sink as soon as
 * collector_flush() or a full batch lets them. Called before the last source when it streams, and
 * at the end.
 */
struct error *collector_stacks_complete(struct collector *collector) must_check;
struct join_live;
/* From now on stack IDs are looked up by LIVE, not in the stack maps as they were read. */
void collector_live_stacks(struct collector *collector, const struct join_live *live);
/* Gives what is ready to the sink, with its flush flag set. */
struct error *collector_flush(struct collector *collector) must_check;
/* Everything was read: joins what was held back, flushes, and fills RET. */
struct error *collector_end(struct collector *collector, struct input_stats *ret) must_check;
/*
 * For maps whose entries are deleted when they have been given: with `live.clear` all is kept, so
 * that after collector_end() these may be called, for one round more, and then collector_report()
 * for what was lost in it.
 */
/*
 * Whether what the map NAME held was given: stacks that counts name, or counts, some of whose stacks
 * were found at least.
 */
bool collector_used(const struct collector *collector, const char *name);
/*
 * A key of the map NAME, which was given, held ENTRIES (N, one for each CPU, or one) when it was
 * deleted: what came since is given. RET_OTHER: they say something else; nothing is given then.
 */
struct error *collector_changed(struct collector *collector, const char *name,
	const struct map_entry *entries, size_t n, bool *ret_other) must_check;
/* N entries that were taken from the queue NAME are given. */
struct error *collector_taken(struct collector *collector, const char *name,
	const struct map_entry *entries, size_t n) must_check;
void collector_report(struct collector *collector);
/* Whether counts were seen so far (struct input_stats). */
bool collector_weighted(const struct collector *collector);
/* Whether there were events. */
bool collector_has_events(const struct collector *collector);
