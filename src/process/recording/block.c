// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/block.h"

#include <endian.h>
#include <stddef.h>
#include <string.h>
#include <zlib.h>
#include <zstd.h>

#include "util/cleanup.h"
#include "util/sort.h"
#include "util/varint.h"
#include "util/xalloc.h"

/* higher levels take twice the time to save a tenth */
enum { LEVEL = 3 };

static const char magic[4] = {'S', '2', 'L', 'B'};

static uint32_t crc_of(const void *p, size_t len)
{
	return (uint32_t)crc32_z(0, p, len);
}

/* A head as in the file, in little-endian. */
struct packed_head {
	char magic[4];
	uint8_t kind, zero[3];
	uint32_t index, packed, unpacked, records;
	uint64_t first, complete;
	uint32_t index_crc, packed_crc, crc;
};

void block_add(struct text *ret, const struct block_head *head, const struct text *index,
	const struct text *unpacked)
{
	size_t bound = ZSTD_compressBound(unpacked->len);
	struct packed_head bytes = {
		.kind = (uint8_t)head->kind,
		.index = htole32((uint32_t)index->len),
		.unpacked = htole32((uint32_t)unpacked->len),
		.records = htole32(head->records),
		.first = htole64(head->first),
		.complete = htole64(head->complete),
		.index_crc = htole32(crc_of(index->data, index->len)),
	};
	size_t head_at = ret->len;

	memcpy(bytes.magic, magic, sizeof(magic));
	text_add(ret, (const char *)&bytes, BLOCK_HEAD);
	text_add(ret, index->data ? index->data : "", index->len);
	text_reserve(ret, bound);
	size_t packed = ZSTD_compress(ret->data + ret->len, bound,
		unpacked->data ? unpacked->data : "", unpacked->len, LEVEL);
	if (ZSTD_isError(packed)) /* the bound suffices, so memory ran out */
		xalloc_failed();
	bytes.packed = htole32((uint32_t)packed);
	bytes.packed_crc = htole32(crc_of(ret->data + ret->len, packed));
	bytes.crc = htole32(crc_of(&bytes, offsetof(struct packed_head, crc)));
	ret->len += packed;
	memcpy(ret->data + head_at, &bytes, BLOCK_HEAD);
}

bool block_head_read(const void *p, struct block_head *ret)
{
	struct packed_head bytes;

	memcpy(&bytes, p, BLOCK_HEAD);
	if (memcmp(bytes.magic, magic, sizeof(magic)) != 0 ||
		le32toh(bytes.crc) != crc_of(&bytes, offsetof(struct packed_head, crc)))
		return false;
	*ret = (struct block_head){
		.kind = bytes.kind,
		.index = le32toh(bytes.index),
		.packed = le32toh(bytes.packed),
		.unpacked = le32toh(bytes.unpacked),
		.records = le32toh(bytes.records),
		.first = le64toh(bytes.first),
		.complete = le64toh(bytes.complete),
		.index_crc = le32toh(bytes.index_crc),
		.packed_crc = le32toh(bytes.packed_crc),
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

COMPARE(compare_ids, uint32_t, order_of(*a, *b))

static void add_runs(struct text *text, struct ids *ids)
{
	struct id_run run = {};

	vec_sort(ids, compare_ids);
	for (size_t i = 0; i < ids->len;) {
		varint_add(text, ids->data[i] - run.end);
		run.first = run.end = ids->data[i];
		for (; i < ids->len && ids->data[i] <= run.end; i++)
			run.end = ids->data[i] + 1ULL;
		varint_add(text, run.end - run.first);
	}
}

void block_index_add(struct text *index, struct ids *ids, struct ids *others)
{
	struct text runs = {};

	add_runs(&runs, ids);
	varint_add(index, runs.len);
	text_add_scan(index, text_scan(&runs));
	add_runs(index, others);
	text_deinit(&runs);
}

bool block_index_read(struct scan index, struct scan sets_ret[2])
{
	uint64_t len;

	if (!varint_read(&index, &len) || len > scan_left(&index))
		return false;
	sets_ret[0] = (struct scan){index.at, index.at + len};
	sets_ret[1] = (struct scan){index.at + len, index.end};
	return true;
}

bool block_index_next(struct scan *set, struct id_run *run)
{
	uint64_t gap, n;

	if (!varint_read(set, &gap) || !varint_read(set, &n) || gap > UINT32_MAX || n > UINT32_MAX)
		return false;
	run->first = run->end + gap;
	run->end = run->first + n;
	return run->end <= UINT32_MAX;
}
