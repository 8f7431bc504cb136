// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/block.h"

#include <endian.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

/* Higher ones take twice the time for a tenth. */
enum { LEVEL = 3, CRC_AT = BLOCK_HEAD - 4 };

static const char magic[] = "S2LB";

static uint32_t crc_of(const void *p, size_t len)
{
	return (uint32_t)crc32_z(0, p, len);
}

static void put32(uint8_t *at, uint32_t number)
{
	number = htole32(number);
	memcpy(at, &number, sizeof(number));
}

static void put64(uint8_t *at, uint64_t number)
{
	number = htole64(number);
	memcpy(at, &number, sizeof(number));
}

static uint32_t get32(const uint8_t *at)
{
	uint32_t number;

	memcpy(&number, at, sizeof(number));
	return le32toh(number);
}

static uint64_t get64(const uint8_t *at)
{
	uint64_t number;

	memcpy(&number, at, sizeof(number));
	return le64toh(number);
}

void block_add(struct text *ret, const struct block_head *head, const struct text *index,
	const struct text *unpacked)
{
	size_t bound = ZSTD_compressBound(unpacked->len);
	uint8_t bytes[BLOCK_HEAD] = {};
	size_t head_at = ret->len;

	text_add(ret, (const char *)bytes, sizeof(bytes));
	text_add(ret, index->data ? index->data : "", index->len);
	text_reserve(ret, bound);
	size_t packed = ZSTD_compress(ret->data + ret->len, bound,
		unpacked->data ? unpacked->data : "", unpacked->len, LEVEL);
	if (ZSTD_isError(packed)) /* ZSTD_compressBound() is enough, so memory is short */
		xalloc_failed();
	ret->len += packed;
	memcpy(bytes, magic, strlen(magic));
	bytes[4] = (uint8_t)head->kind;
	put32(bytes + 8, (uint32_t)index->len);
	put32(bytes + 12, (uint32_t)packed);
	put32(bytes + 16, (uint32_t)unpacked->len);
	put32(bytes + 20, head->records);
	put64(bytes + 24, head->first);
	put64(bytes + 32, head->last);
	put32(bytes + 40, crc_of(ret->data + head_at + BLOCK_HEAD, index->len));
	put32(bytes + 44, crc_of(ret->data + head_at + BLOCK_HEAD + index->len, packed));
	put32(bytes + CRC_AT, crc_of(bytes, CRC_AT));
	memcpy(ret->data + head_at, bytes, sizeof(bytes));
}

bool block_head_read(const void *p, struct block_head *ret)
{
	const uint8_t *bytes = p;

	if (memcmp(bytes, magic, strlen(magic)) != 0 ||
		get32(bytes + CRC_AT) != crc_of(bytes, CRC_AT))
		return false;
	*ret = (struct block_head){
		.kind = bytes[4],
		.index = get32(bytes + 8),
		.packed = get32(bytes + 12),
		.unpacked = get32(bytes + 16),
		.records = get32(bytes + 20),
		.first = get64(bytes + 24),
		.last = get64(bytes + 32),
		.index_crc = get32(bytes + 40),
		.packed_crc = get32(bytes + 44),
	};
	return ret->index <= BLOCK_INDEX_MAX && ret->packed <= BLOCK_PACKED_MAX &&
	       ret->unpacked <= BLOCK_UNPACKED_MAX && ret->records <= BLOCK_RECORDS_MAX;
}

bool block_index_is_whole(const struct block_head *head, const void *index)
{
	return crc_of(index, head->index) == head->index_crc;
}

bool block_unpack(const struct block_head *head, const void *packed, struct text *ret)
{
	if (crc_of(packed, head->packed) != head->packed_crc)
		return false;
	text_reserve(ret, head->unpacked);
	size_t got = ZSTD_decompress(ret->data + ret->len, head->unpacked, packed, head->packed);

	if (ZSTD_isError(got) || got != head->unpacked)
		return false;
	ret->len += got;
	ret->data[ret->len] = '\0';
	return true;
}
