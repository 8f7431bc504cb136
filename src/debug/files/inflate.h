/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Inflates a zlib stream into memory on demand. The first bytes wanted may be hundreds of megabytes
 * into the stream, so bytes skipped on the way are not kept. Reading those later inflates at most 1
 * MiB, or a 256th of the stream if that is more, again.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct inflater;

/* The compressed bytes. */
struct inflate_source {
	const uint8_t *data;
	size_t len;
	bool pages; /* DATA is pages of a mapped file, which may leave memory once read */
};

/* Drops from memory the whole pages between two offsets of SOURCE. */
void inflate_source_drop(const struct inflate_source *source, size_t from, size_t to);
/*
 * Creates an inflater for a stream that inflates to SIZE bytes. Copies SOURCE, whose bytes must
 * outlive it. Returns NULL if there is not enough memory.
 */
struct inflater *inflater_create(const struct inflate_source *source, size_t size);
void inflater_destroy(struct inflater *inflater);
/*
 * Returns the memory, SIZE bytes. Only ranges given to inflater_reach() are valid, until
 * inflater_release().
 */
const uint8_t *inflater_memory(const struct inflater *inflater);
/*
 * Makes [FROM, TO) of the memory valid. Returns false if the stream is broken before TO or ends
 * there.
 */
bool inflater_reach(struct inflater *inflater, size_t from, size_t to);
/*
 * Invalidates and frees the memory if more than MOST bytes are valid. Does nothing once the whole
 * stream is kept, or if much of it was inflated twice.
 */
void inflater_release(struct inflater *inflater, size_t most);
/*
 * Makes all the memory valid. Returns false if the stream is broken, too long or too short, or if
 * its checksum is wrong.
 */
bool inflater_finish(struct inflater *inflater);
