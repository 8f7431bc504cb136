/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compresses raw keys or values of a map: those large enough for a stack become the codes of their
 * words. For inputs of one length, packed bytes are equal if and only if the inputs are.
 */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include "input/stacks/word_codes.h"
#include "util/text.h"

/* Zero-filled except for WORDS is empty. */
struct packed_bytes {
	struct word_codes *words; /* not owned, may be shared */
	struct text packed;	  /* last result of packed_bytes_pack() */
	struct text bytes;	  /* last result of packed_bytes_unpack(), if it was compressed */
};

void packed_bytes_deinit(struct packed_bytes *bytes);
/* Packs the LEN bytes at P into `packed`. */
void packed_bytes_pack(struct packed_bytes *bytes, const void *p, size_t len);
/* Returns the LEN bytes of PACKED, valid until the next call and not longer than PACKED. */
const uint8_t *packed_bytes_unpack(struct packed_bytes *bytes, const uint8_t *packed, size_t len);
