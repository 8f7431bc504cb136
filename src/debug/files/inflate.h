/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * A zlib stream as memory that is filled where it is asked for. What is asked for first may lie far
 * into hundreds of megabytes: what was passed over on the way there is not kept, and asked for
 * later costs inflating up to 1 MB, or a 256th of it, once more.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflater;

/* The packed bytes. */
struct inflate_source {
	const uint8_t *data;
	size_t len;
	bool pages; /* of a mapped file: they need not stay in memory when they were read */
};

/* Lets go of the pages that lie between two offsets of the source. */
void inflate_source_drop(const struct inflate_source *source, size_t from, size_t to);
/* SIZE: what the stream inflates to. NULL: no memory for that. SOURCE stays the caller's. */
struct inflater *inflater_create(const struct inflate_source *source, size_t size);
void inflater_destroy(struct inflater *inflater);
/* The memory, SIZE bytes; only what was asked for is valid in it, until inflater_release(). */
const uint8_t *inflater_memory(const struct inflater *inflater);
/* Makes [FROM, TO) of the memory valid. False: the stream is broken before that, or too short. */
bool inflater_reach(struct inflater *inflater, size_t from, size_t to);
/*
 * Releases what is valid if that is more than MOST bytes, but not if it is all, nor if much was
 * asked for again.
 */
void inflater_release(struct inflater *inflater, size_t most);
/* Makes all of it valid; also false if the stream goes on after that or its checksum is wrong. */
bool inflater_finish(struct inflater *inflater);
