/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Follows changes of the kernel's code while a stream runs: modules (uevents), BPF programs and
 * other generated code (ksymbols). The kernel reports code before it can run, so a stack never
 * contains code that was not reported yet. Symbols are read again if they have become stale, at
 * most once per interval.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/follow/reports.h"
#include "kernel/kallsyms/kallsyms.h"
#include "util/log.h"
#include "util/table.h"
#include "util/vec.h"

/*
 * The history of code that the kernel generates at run time (BPF programs, trampolines, instruction
 * slots), from the reports of its changes: what was at an address when a stack was taken. Changes
 * may be added in any order; the times of the events count. Addresses are kernel addresses, times
 * are in ns of CLOCK_MONOTONIC.
 */

/* One piece of code in [start, end). */
struct loaded_code {
	uint64_t start, end;
	/* times of its load and unload; CAME 0: before we listened; GONE 0: still loaded */
	uint64_t came, gone;
	uint64_t seq;	 /* sequence number of its last change (struct follow) */
	uint64_t number; /* unique number, from 1 */
	char *name;	 /* owned: name as in kallsyms; "" if it has none */
	bool bpf;
	bool forgotten; /* what was here before is no longer known */
};

struct code_history {
	struct VEC(struct loaded_code) all; /* sorted by start, then by CAME */
	uint64_t longest;		    /* size of the largest code, in bytes */
	uint64_t numbers;
	size_t n_gone;
};

/* The time at which a stack was taken. */
struct sample_time {
	uint64_t from, to; /* the stack was taken in [from, to] */
	uint64_t ended;	   /* code unloaded before this time had stopped running */
};

void code_history_deinit(struct code_history *history);
/*
 * Adds EVENT of kind KSYMBOL_BPF or KSYMBOL_OTHER, with the sequence number SEQ. Returns false if
 * there is no room.
 */
bool code_history_add(
	struct code_history *history, const struct ksymbol_event *event, uint64_t seq);
/* The code at an address when a sample was taken. */
struct code_choice {
	/* number of the code there at the end of that time, or of the last before; 0: none */
	uint64_t number;
	/*
	 * number of code with another name that may have been there instead; 0: none. Equal to
	 * NUMBER: there may have been unknown code.
	 */
	uint64_t other;
	bool later; /* NUMBER is 0, because all known code at the address was loaded later */
	bool over;  /* NUMBER had been unloaded, and no known code had replaced it */
	/* NUMBER is 0, and some changes of that time are unknown (kernel_choose()) */
	bool incomplete;
};

/*
 * Finds the code at ADDRESS within TIME. Returns false if no code is known at ADDRESS at any
 * time.
 */
bool code_history_choose(const struct code_history *history, uint64_t address,
	const struct sample_time *time, struct code_choice *ret);
/*
 * Returns code NUMBER, which covers ADDRESS, or NULL if it was forgotten. The result is valid until
 * the next change.
 */
const struct loaded_code *code_history_find(
	const struct code_history *history, uint64_t address, uint64_t number);
/*
 * Forgets code unloaded before HORIZON if other code has since replaced it, or if its last change
 * is in the symbols, which have all changes up to SETTLED (sequence number). Returns how many
 * entries of that age are left.
 */
size_t code_history_prune(struct code_history *history, uint64_t settled, uint64_t horizon);
/* Forgets changes up to sequence number SEQ, because symbols read since then contain them. */
void code_history_forget(struct code_history *history, uint64_t seq);

/* Bit mask of reported changes. */
enum {
	FOLLOW_MODULES = 1,  /* modules were loaded or unloaded, or may have been */
	FOLLOW_PROGRAMS = 2, /* BPF programs or other generated code were loaded or unloaded */
	FOLLOW_LOST = 4,     /* reports of such code were lost */
};

/* Result of reading the symbols again. */
enum kernel_news {
	KERNEL_AS_BEFORE,
	/* symbols are the same, but names may differ although kernel_choose() chooses the same */
	KERNEL_CODE_CHANGED,
	KERNEL_SYMBOLS_READ, /* the symbols have changed, and so may names */
};

struct follow {
	char *path;		   /* owned: path of kallsyms */
	uint64_t interval;	   /* minimum time between two readings, in ns */
	int uevents;		   /* of uevent_open(); -1: changes of modules are not reported */
	struct ksymbols *ksymbols; /* NULL: changes of programs are not reported */
	uint64_t seq;	    /* sequence number of the last follow_hear() with changes, from 1 */
	uint64_t now;	    /* sequence number of the current follow_hear(), if it has changes */
	unsigned int heard; /* FOLLOW_ bits since the caller cleared it */
	struct code_history history;
	uint64_t pruned;		      /* time of the last pruning (ns, CLOCK_MONOTONIC) */
	struct table modules;		      /* name → seq of its last load or unload */
	uint64_t programs_lost, modules_lost; /* seq of the last loss of reports; 0: none */
	uint64_t settled;		      /* the symbols have all changes up to this seq */
	/* time since which all changes of programs are known (ns, CLOCK_MONOTONIC); 0: always */
	uint64_t known_since;
	bool running;	    /* the symbols are older than an interval, so this is a stream */
	bool stale;	    /* the symbols must be read again */
	bool missed;	    /* STALE is set only because of follow_miss() */
	unsigned int tries; /* successive readings discarded because modules changed meanwhile */
	/* ns: time of the last reading (CLOCK_MONOTONIC), and interval between readings for misses */
	uint64_t last_read, miss_delay;
	int failed; /* errno of the last failed reading; -1: hidden or empty; 0: none failed */
};

/*
 * Creates a follower for symbols that are read from PATH after this call. Takes ownership of
 * UEVENTS, a descriptor of uevent_open() or -1, and of KSYMBOLS, which may be NULL. INTERVAL is in
 * ns.
 */
struct follow *follow_create(
	const char *path, int uevents, struct ksymbols *ksymbols, uint64_t interval);
/* Frees FOLLOW, which may be NULL. */
void follow_destroy(struct follow *follow);
/* Reads the kernel's reports since the last call. Returns their FOLLOW_ bits. */
unsigned int follow_hear(struct follow *follow);
/* Reads SYMBOLS again if they are stale and the interval has passed. */
enum kernel_news follow_read(struct follow *follow, struct kallsyms *symbols);
/*
 * Reports that an address has no name. If the kernel does not report all changes, this makes the
 * symbols stale. The interval grows as long as such readings find nothing.
 */
void follow_miss(struct follow *follow);
/* Logs failures and missing permissions. */
void follow_notes(const struct follow *follow, struct log *log);

/*
 * Returns true if MODULE (NULL: the kernel itself) stands for code generated at run time: BPF,
 * ftrace, kprobes.
 */
bool follow_is_made(const char *module);
/*
 * Returns true if symbols of MODULE ("bpf", "__builtin__ftrace", "nf_tables") may be outdated: it
 * has changed since they were read, or reports were lost.
 */
bool follow_doubts(const struct follow *follow, const char *module);
/*
 * Returns true if generated code with the last change SEQ may be outdated, because reports after
 * that were lost.
 */
bool follow_doubts_since(const struct follow *follow, uint64_t seq);
