/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which processes are asked for files to copy (--keep-files): each of those that are recorded every few
 * seconds, as a file may be deleted while it is mapped, and those at once that map something which is deleted
 * already or is of another mount namespace. Without --keep-files these do nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"
#include "util/log.h"

struct record_state;

/* Before anything is recorded. The error is for a directory that is not safe. */
struct error *record_keep_begin(struct record_state *state) must_check;
void record_keep_deinit(struct record_state *state);

/* PID is recorded, and was found in this mount NAMESPACE (its inode; 0: unknown). */
void record_keep_found(struct record_state *state, uint32_t pid, uint64_t namespace);
/* PID began as a copy of PARENT. */
void record_keep_fork(struct record_state *state, uint32_t pid, uint32_t parent);
/* It is in this mount namespace now. */
void record_keep_namespace(struct record_state *state, uint32_t pid, uint64_t namespace);
/* It has mapped a file. */
void record_keep_mapping(struct record_state *state, uint32_t pid, bool deleted);
void record_keep_exit(struct record_state *state, uint32_t pid);
/* What was said of copies is to be said again, as a segment begins or /proc was looked at after a loss. */
void record_keep_again(struct record_state *state);
/* After the events of a round. */
void record_keep_update(struct record_state *state);
/*
 * After the last one: waits for running copies, half a second at most. What they brought is written when the
 * events until then were read: they tell of which program it is.
 */
void record_keep_end(struct record_state *state);
void record_keep_write(struct record_state *state);
/* The directory, absolute; NULL: none. */
const char *record_keep_path(const struct record_state *state);
/* Tells LOG what was not kept. */
void record_keep_notes(const struct record_state *state, struct log *log);
