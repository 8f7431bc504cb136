/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Writes a recording (man/stack2line-recording.5): append-only, whole lines at a time, so that what
 * is there when the recorder is killed can be read.
 */
#ifndef PROCESS_RECORDER_H
#define PROCESS_RECORDER_H

#include <stddef.h>
#include <stdint.h>

#include "process/recording.h"
#include "util/error.h"
#include "util/table.h"
#include "util/text.h"

/* Zero-filled but for FD is a recorder that has written nothing. */
struct recorder {
	int fd;            /* where it goes; not owned */
	struct text text;  /* not written yet */
	struct table files; /* what identifies a file → its number */
	uint64_t n_files;
	uint64_t n_events[RECORDED_EXIT + 1], lost; /* written, by kind */
	int errnum;       /* of the first failed write, 0: none */
};

void recorder_deinit(struct recorder *recorder);
/* The header. NOW and REALTIME are ns of CLOCK_MONOTONIC and CLOCK_REALTIME. */
void recorder_begin(struct recorder *recorder, const char *boot_id, const char *machine,
	const char *release, uint64_t now, uint64_t realtime);
/* The number of FILE, which is written when it is new. */
uint32_t recorder_file(struct recorder *recorder, const struct recorded_file *file);
/* EVENT->other of a mapping is the file's number; ->order is not looked at. */
void recorder_event(struct recorder *recorder, const struct recorded_event *event);
/* The mountinfo TEXT of a namespace, in place of an earlier one. */
void recorder_mounts(struct recorder *recorder, uint64_t namespace, const struct text *text);
void recorder_vdso(struct recorder *recorder, const char *image, size_t size);
/* Each line of TEXT as a record WORD. */
void recorder_lines(struct recorder *recorder, const char *word, const char *text, size_t len);
void recorder_kernel_build_id(
	struct recorder *recorder, const char *name, const struct build_id *id);
void recorder_lost(struct recorder *recorder, uint64_t time, uint64_t count);
void recorder_end(struct recorder *recorder, uint64_t time);
/* Writes what is there. The error is a failed write, now or before. */
struct error *recorder_flush(struct recorder *recorder) must_check;

#endif
