/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses the processes whose files the copier copies (--keep-files). It checks each recorded
 * process every few seconds, because a file may be deleted while it is mapped. A process is checked
 * at once if it maps a deleted file or is in another mount namespace. Without --keep-files these
 * functions do nothing.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/error.h"
#include "util/log.h"

struct record_state;

/*
 * Starts the copier, before anything is recorded. Returns an error if it cannot start, or if the
 * directory is not safe.
 */
struct error *record_keep_begin(struct record_state *state) must_check;
void record_keep_deinit(struct record_state *state);

/* Notes that PID is recorded and in mount NAMESPACE (its inode; 0: unknown). */
void record_keep_found(struct record_state *state, uint32_t pid, uint64_t namespace);
/* Notes that PID was forked from PARENT. */
void record_keep_fork(struct record_state *state, uint32_t pid, uint32_t parent);
/* Notes that PID is now in mount NAMESPACE (its inode). */
void record_keep_namespace(struct record_state *state, uint32_t pid, uint64_t namespace);
/* Notes that PID has mapped a file. DELETED: the file was deleted already. */
void record_keep_mapping(struct record_state *state, uint32_t pid, bool deleted);
void record_keep_exit(struct record_state *state, uint32_t pid);
/* Makes the copier report all copies again, after a segment began or a loss was repaired. */
void record_keep_again(struct record_state *state);
/* Writes copies and checks processes. To be called after the events of a round. */
void record_keep_update(struct record_state *state);
/*
 * Waits for running copies at the end, half a second at most. The caller reads the events up to
 * then, which show whose the copies are, and calls record_keep_write().
 */
void record_keep_end(struct record_state *state);
void record_keep_write(struct record_state *state);
/* Returns the absolute path of the directory; NULL if there is none. */
const char *record_keep_path(const struct record_state *state);
/* Adds warnings to LOG about files that were not kept. */
void record_keep_notes(const struct record_state *state, struct log *log);
