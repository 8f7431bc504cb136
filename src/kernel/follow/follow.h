/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What changes in the kernel's code while a stream runs: modules (uevents), BPF programs and other code that it
 * makes (ksymbols). It is said before the code can run, so a stack in hand is never ahead of it. What the
 * symbols lack then has them read again, at most once an interval.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "kernel/follow/code_history.h"
#include "kernel/follow/ksymbol.h"
#include "kernel/kallsyms/kallsyms.h"
#include "util/log.h"
#include "util/table.h"

/* Bits of what was heard. */
enum {
	FOLLOW_MODULES = 1,  /* modules came or went, or may have */
	FOLLOW_PROGRAMS = 2, /* BPF programs, or other code that the kernel makes, came or went */
	FOLLOW_LOST = 4,     /* some of these may have, unheard */
};

/* What a reading of symbols brought. */
enum kernel_news {
	KERNEL_AS_BEFORE,
	KERNEL_CODE_CHANGED, /* names may be others now, though kernel_choose() chooses the same */
	KERNEL_SYMBOLS_READ, /* the same, and the symbols are others */
};

struct follow {
	char *path;		   /* of kallsyms; owned */
	uint64_t interval;	   /* ns between two readings */
	int uevents;		   /* -1: changes of modules are not reported */
	struct ksymbols *ksymbols; /* NULL: changes of programs are not */
	uint64_t seq;		   /* number of the last hearing that brought something; from 1 */
	uint64_t now;		   /* the number of this one, if it does */
	unsigned int heard;	   /* FOLLOW_ bits since the caller cleared it */
	struct code_history history;
	uint64_t pruned;		      /* ns, CLOCK_MONOTONIC */
	struct table modules;		      /* name → seq of when it came or went last */
	uint64_t programs_lost, modules_lost; /* seq of when a change was missed; 0: never */
	uint64_t settled;		      /* the symbols have all changes up to this seq */
	uint64_t
		known_since; /* ns, CLOCK_MONOTONIC: of programs before, changes were missed; 0: none of these */
	bool running;			/* the symbols are older than an interval: it is a stream */
	bool stale;			/* they are to be read again */
	bool missed;			/* and only because of a miss */
	unsigned int tries;		/* of a reading beside which modules came or went */
	uint64_t last_read, miss_delay; /* ns */
	int failed; /* errno, of the last reading that failed; -1: hidden or empty */
};

/*
 * For symbols that are read from PATH after this call. UEVENTS is of uevent_open(), -1: none; KSYMBOLS may be
 * NULL; both are taken over.
 */
struct follow *follow_create(
	const char *path, int uevents, struct ksymbols *ksymbols, uint64_t interval);
/* NULL is fine. */
void follow_destroy(struct follow *follow);
/* Takes from the kernel what it has said since. Returns the FOLLOW_ bits of it. */
unsigned int follow_hear(struct follow *follow);
/* Reads SYMBOLS again if they are stale, and it is time. */
enum kernel_news follow_read(struct follow *follow, struct kallsyms *symbols);
/*
 * An address had no name. Where the kernel does not tell what changes, it is looked for; less and
 * less often while nothing is found.
 */
void follow_miss(struct follow *follow);
/* Tells LOG what failed. */
void follow_notes(const struct follow *follow, struct log *log);

/* Returns true if the kernel makes the code of MODULE while it runs: BPF, ftrace, kprobes. */
bool follow_is_made(const char *module);
/*
 * True if the symbols of MODULE ("bpf", "__builtin__ftrace", "nf_tables") may be of code that has gone: it is
 * not known what changed, or not where.
 */
bool follow_doubts(const struct follow *follow, const char *module);
/* The same of code that the kernel made while it runs, whose last change is SEQ. */
bool follow_doubts_since(const struct follow *follow, uint64_t seq);
