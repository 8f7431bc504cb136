/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of code that comes and goes: modules (uevents), BPF programs and other code
 * that it makes while it runs (ksymbols). Two want to hear it, each at its own time: the thread that
 * reads symbols again, and who names frames meanwhile. Whoever comes first takes it from the kernel
 * for both. It is said before the code can run, so a stack in hand is never ahead of it.
 */
#ifndef KERNEL_LISTENER_H
#define KERNEL_LISTENER_H

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "util/table.h"
#include "util/vec.h"

struct ksymbols;
struct listener;

enum hearer { HEARER_READER, HEARER_NAMER, HEARERS };

/* Code that came or went, kernel addresses [start, end). */
struct code_change {
	uint64_t start, end;
	uint64_t time; /* ns, CLOCK_MONOTONIC */
	uint64_t seq;  /* as in struct heard */
	char *name;    /* as kallsyms has it; "": it has none. Owned */
	bool bpf, gone;
};

/* Zero-filled is nothing. */
struct heard {
	uint64_t seq; /* what is heard later has a larger one; from 1 */
	bool programs, other;   /* BPF programs; code of ftrace or kprobes */
	bool programs_lost, modules_lost; /* something was said that is not known */
	struct table modules;             /* names */
	struct VEC(struct code_change) codes; /* for HEARER_NAMER */
};

void heard_deinit(struct heard *heard);

/* UEVENTS is of uevent_open(), -1: none; KSYMBOLS may be NULL; both are taken over. */
struct listener *listener_create(int uevents, struct ksymbols *ksymbols);
void listener_destroy(struct listener *listener);
/* Takes from the kernel what it has said. True: HEARER_READER has something to take. */
bool listener_hear(struct listener *listener);
/* What was heard since the last call; RET must be empty. */
void listener_take(struct listener *listener, enum hearer hearer, struct heard *ret);
struct pollfds VEC(struct pollfd);
/* Appends what to poll to RET. */
void listener_polls(struct listener *listener, struct pollfds *ret);
/* Whether nobody tells of modules; of BPF programs. */
bool listener_deaf_to_modules(struct listener *listener);
bool listener_deaf_to_programs(const struct listener *listener);

#endif
