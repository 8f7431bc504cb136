/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads /proc and records processes, their files and their mounts. */
#pragma once

#include "record/state.h"

/* Writes MAPPING, which PID made at TIME (ns, CLOCK_MONOTONIC), and identifies its file. */
void record_mapping(
	struct record_state *state, uint32_t pid, uint64_t time, const struct mapping *mapping);
/* Notes that PID is in mount namespace INODE (0: unknown). Returns the number to write for it. */
uint64_t record_see_namespace(struct record_state *state, uint64_t inode, uint32_t pid);
/* Writes the IDs of process or thread PID in PID namespaces other than the recorder's. */
void record_pids(struct record_state *state, uint32_t pid, uint64_t time);
/* Writes the mounts of new namespaces, unless they are unchanged. */
void record_new_mounts(struct record_state *state);
/* Writes the current state in /proc of all processes to record. */
void record_look(struct record_state *state);
/* Writes everything known again, for a segment that begins at TIME (ns). */
void record_again(struct record_state *state, uint64_t time);
/* Writes the state in /proc of the processes that record_only_next() returns. */
void record_look_new(struct record_state *state);
/* Writes this program's own vdso: the kernel has one for all processes. */
void record_own_vdso(struct record_state *state);
