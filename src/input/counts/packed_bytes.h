/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Raw keys, or values, of a map in few bytes: those that may hold a stack are the codes of their words.
 * What is the same is packed as the same bytes, and nothing else of its length is.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "input/stacks/word_codes.h"
#include "util/text.h"

/* Zero-filled but for WORDS is empty. */
struct packed_bytes {
	struct word_codes *words; /* not owned: others may have the same words */
	struct text packed;	  /* what packed_bytes_pack() made last */
	struct text bytes;	  /* what packed_bytes_unpack() made last */
};

void packed_bytes_deinit(struct packed_bytes *bytes);
/* Packs the LEN bytes at P. */
void packed_bytes_pack(struct packed_bytes *bytes, const void *p, size_t len);
/* The LEN bytes that were PACKED; good as long as that, and until the next ones are unpacked. */
const uint8_t *packed_bytes_unpack(struct packed_bytes *bytes, const uint8_t *packed, size_t len);
