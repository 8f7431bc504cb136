/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Records the BPF programs that are loaded at the start and those that are loaded and unloaded
 * later. The kernel reports names and addresses at once (ksymbol events); lines are read from each
 * new program while it is loaded.
 */
#pragma once

#include <stdint.h>

struct record_state;

/* Records the loaded programs, and opens ksymbol events unless /proc is read only once. */
void record_bpf_begin(struct record_state *state);
/* Records the programs loaded now, for a segment that begins at TIME (ns). */
void record_bpf_again(struct record_state *state, uint64_t time);
/* Records programs loaded and unloaded since the last call. */
void record_bpf_update(struct record_state *state);
void record_bpf_deinit(struct record_state *state);
