/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Maps without BTF whose entries are known: of which process each is, and what it counts. A test
 * chooses the fields of the key; what is read is compared with the truth.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define INIT 6 /* the process with ID 1 and one thread; others have the numbers 0 to 5 */

/* Fields of a key. */
enum part {
	PID,
	TID,
	TGID,
	PID_TGID,
	CPU,
	PPID,
	UID,
	TIME,
	USER,
	KERNEL,
	FAILED,
	COMM,
	PAD,
	BPFTRACE_USTACK,
	BPFTRACE_KSTACK,
	BPFTRACE_PID,
	BPFTRACE_PPID,
	BPFTRACE_CPU,
	STR64,
	PARTS,
	OTHER_USER, /* a user stack of the next process */
	TAG,	    /* text that is nobody's name */
	LONG_TAG,   /* as short, in 64 bytes */
	FLAG,	    /* one byte */
	PRIORITY,   /* a constant */
	PACKED_USER /* not aligned */
};

/* What differs from a machine on which all processes live. */
struct machine {
	int64_t changed; /* runs another program since; 0: none does */
	int64_t ended;	 /* a process that has ended with all of its threads; 0: none has */
	bool shells;	 /* the parent of each but the forked one is its own shell */
	bool fixed;	 /* all have their code at the same addresses: names tell them apart */
	bool unknown;	 /* nothing is known of any process */
};
extern struct machine machine;

/* Facts about the samples that were received. */
struct outcome {
	unsigned int first, n; /* processes */
	uint64_t weight;
	unsigned int samples, wrong, with_pid, with_tid, with_comm, failed_user, failed_kernel;
};

/*
 * Reads a map of N processes from number FIRST on, whose keys have PARTS, and checks that nothing is
 * wrong: returns 0 if it was refused, 1 if it was read without, 2 with processes. ADVICE: what a
 * refusal must say; NULL: nothing more than a reading to choose.
 */
int read_keys(const enum part *parts, size_t n_parts, unsigned int first, unsigned int n,
	const char *advice, struct outcome *ret);
int read_layout(const enum part *parts, size_t n_parts, unsigned int first, unsigned int n);

#define LAYOUT(...)                                                                                \
	(const enum part[]){__VA_ARGS__},                                                          \
		sizeof((const enum part[]){__VA_ARGS__}) / sizeof(enum part)
