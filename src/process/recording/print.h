/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Recordings as text: version 1 of man/stack2line-recording.5, a record a line. */
#pragma once

#include <stdio.h>

#include "process/recording/event.h"
#include "util/error.h"
#include "util/text.h"

/* Adds EVENT as a line. */
void recorded_event_add(struct text *text, const struct recorded_event *event);
/* Adds a blank and S as the last field of a line: bytes that could end it stand as %HH. */
void recorded_string_add(struct text *text, const char *s, size_t len);
/*
 * Prints the recording PATH to OUT. The error is for what is not a recording, one that is cut or
 * damaged (what stood before is printed), and a failed write.
 */
struct error *recording_print(const char *path, FILE *out) must_check;
