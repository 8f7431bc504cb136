/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Looking into /proc: what it says of processes, their files and mounts. */
#pragma once

#include "record/state.h"

/* Writes MAPPING, which PID made at TIME (ns, CLOCK_MONOTONIC). */
void record_mapping(
	struct record_state *state, uint32_t pid, uint64_t time, const struct mapping *mapping);
/* PID was seen in a mount namespace (its inode; 0: unknown). Returns the number to write for it. */
uint64_t record_see_namespace(struct record_state *state, uint64_t inode, uint32_t pid);
/* Writes the numbers of process or thread PID in PID namespaces other than the recorder's. */
void record_pids(struct record_state *state, uint32_t pid, uint64_t time);
/* Writes the mounts of namespaces that are new, as far as they changed. */
void record_new_mounts(struct record_state *state);
/* Writes what /proc says now of the processes to record. */
void record_look(struct record_state *state);
/* Writes all that is known once more, for a segment that begins at TIME (ns). */
void record_again(struct record_state *state, uint64_t time);
/* Writes what it says of those that record_only_update() found. */
void record_look_new(struct record_state *state);
/* Writes this program's own vdso: the kernel has one for all processes. */
void record_own_vdso(struct record_state *state);
