/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The BPF programs while processes are recorded: what is loaded at the start, and what comes and
 * goes. The kernel tells names and addresses at once (ksymbols); lines are asked of each new program
 * while it is loaded.
 */
#pragma once

#include <stdint.h>

struct record_state;

/* Records what is loaded; begins to listen unless all is looked at only once. */
void record_bpf_begin(struct record_state *state);
/* For a new segment, which begins at TIME (ns): records what is loaded now. */
void record_bpf_again(struct record_state *state, uint64_t time);
/* Records what came and went since. */
void record_bpf_update(struct record_state *state);
void record_bpf_deinit(struct record_state *state);
