// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/counts/packed_bytes.h"

void packed_bytes_deinit(struct packed_bytes *bytes)
{
	text_deinit(&bytes->packed);
	text_deinit(&bytes->bytes);
}

void packed_bytes_pack(struct packed_bytes *bytes, const void *p, size_t len)
{
	text_clear(&bytes->packed);
	if (len < WORD_CODES_BYTES_MIN)
		text_add(&bytes->packed, p, len);
	else
		word_codes_add_bytes(bytes->words, p, len, &bytes->packed);
}

const uint8_t *packed_bytes_unpack(struct packed_bytes *bytes, const uint8_t *packed, size_t len)
{
	if (len < WORD_CODES_BYTES_MIN)
		return packed;
	text_clear(&bytes->bytes);
	text_reserve(&bytes->bytes, len);
	word_codes_next_bytes(bytes->words, &packed, bytes->bytes.data, len);
	return (const uint8_t *)bytes->bytes.data;
}
