/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of code that comes and goes: modules (uevents), BPF programs and other code
 * that it makes while it runs (ksymbols). Two read them, each at its own time: the thread that
 * reads symbols again, and who names frames meanwhile. Whoever comes first takes it from the kernel
 * for both. It is said before the code can run, so a stack in hand is never ahead of it.
 */
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

#include "kernel/follow/code_history.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct ksymbols;
struct listener;

enum listener_client { CLIENT_READER, CLIENT_NAMER, LISTENER_CLIENTS };

/* Zero-filled is nothing. */
struct kernel_changes {
	uint64_t seq;  /* later changes have a larger one; from 1 */
	bool programs; /* BPF programs, or other code that the kernel makes, came or went */
	bool crowded; /* much has gone of which nothing can be forgotten but by reading symbols again */
	bool programs_lost, modules_lost; /* something was said that is not known */
	struct table modules;		  /* names */
};

/* Code that came or went, in [start, end). */
struct reported_code {
	uint64_t start, end, seq;
	bool bpf, gone;
	struct text name, other; /* as in kallsyms; empty: it has none, or it is unknown */
};

void kernel_changes_deinit(struct kernel_changes *changes);

/* UEVENTS is of uevent_open(), -1: none; KSYMBOLS may be NULL; both are taken over. */
struct listener *listener_create(int uevents, struct ksymbols *ksymbols);
void listener_destroy(struct listener *listener);
/* Takes from the kernel what it has said. True: CLIENT_READER has something to take. */
bool listener_hear(struct listener *listener);
/* The changes since the last call; RET must be empty. */
void listener_take(
	struct listener *listener, enum listener_client client, struct kernel_changes *ret);
/* False: nothing ever came or went at the kernel address ADDRESS. */
bool listener_choose(struct listener *listener, uint64_t address, const struct moment *moment,
	struct code_choice *ret);
/* The code of CHOICE, into RET whose texts are written anew. False: it was forgotten. */
bool listener_code(struct listener *listener, uint64_t address, const struct code_choice *choice,
	struct reported_code *ret);
/*
 * Symbols have all changes up to SETTLED (seq); LOST: a change up to this seq was missed, and what
 * was is worth nothing any more; 0: all was.
 */
void listener_settle(struct listener *listener, uint64_t settled, uint64_t lost);
struct pollfds VEC(struct pollfd);
/* Appends what to poll to RET. */
void listener_polls(struct listener *listener, struct pollfds *ret);
/* Whether changes of modules, or of BPF programs, are unknown. */
bool listener_misses_modules(struct listener *listener);
bool listener_misses_programs(const struct listener *listener);
