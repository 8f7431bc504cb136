/* SPDX-License-Identifier: GPL-2.0-or-later */
/* A thread that writes while more text is made. */
#ifndef OUTPUT_WRITER_H
#define OUTPUT_WRITER_H

#include <stdio.h>

#include "util/text.h"

struct writer;

/* Nobody else writes to FILE until writer_finish(). NULL: there is no CPU, or no thread, for it. */
struct writer *writer_create(FILE *file);
/*
 * Hands TEXT over, which becomes empty, when the one before is written. The errno that writing has
 * failed with so far, 0: none; from there on text is thrown away.
 */
int writer_give(struct writer *writer, struct text *text);
/* Frees WRITER when all is written; the errno, 0: none. 0 for NULL. */
int writer_finish(struct writer *writer);
/* Without a thread: the errno, 0: none. */
int writer_write(FILE *file, const struct text *text);

#endif
