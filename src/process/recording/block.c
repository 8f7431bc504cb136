// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/block.h"

#include <endian.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>
#include <zlib.h>
#include <zstd.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/sort.h"
#include "util/number.h"
#include "util/xalloc.h"

/* higher levels take twice the time to save a tenth */
enum { LEVEL = 3 };

static const char magic[4] = {'S', '2', 'L', 'B'};

static uint32_t crc_of(const void *p, size_t len)
{
	return (uint32_t)crc32_z(0, p, len);
}

/* Changes the numbers of HEAD but its CRC to the file's byte order, or back. */
static void head_swap(struct block_head *head)
{
	head->index = htole32(head->index);
	head->packed = htole32(head->packed);
	head->unpacked = htole32(head->unpacked);
	head->records = htole32(head->records);
	head->first = htole64(head->first);
	head->complete = htole64(head->complete);
	head->index_crc = htole32(head->index_crc);
	head->packed_crc = htole32(head->packed_crc);
}

void block_add(struct text *ret, const struct block_head *head, const struct text *index,
	const struct text *unpacked)
{
	size_t bound = ZSTD_compressBound(unpacked->len);
	struct block_head bytes = *head;
	size_t head_at = ret->len;

	memcpy(bytes.magic, magic, sizeof(magic));
	bytes.index = (uint32_t)index->len;
	bytes.unpacked = (uint32_t)unpacked->len;
	bytes.index_crc = crc_of(index->data, index->len);
	text_add(ret, (const char *)&bytes, BLOCK_HEAD); /* completed below */
	text_add(ret, index->data ? index->data : "", index->len);
	text_reserve(ret, bound);
	size_t packed = ZSTD_compress(ret->data + ret->len, bound,
		unpacked->data ? unpacked->data : "", unpacked->len, LEVEL);
	if (ZSTD_isError(packed)) /* the bound suffices, so memory ran out */
		xalloc_failed();
	bytes.packed = (uint32_t)packed;
	bytes.packed_crc = crc_of(ret->data + ret->len, packed);
	head_swap(&bytes);
	bytes.crc = htole32(crc_of(&bytes, offsetof(struct block_head, crc)));
	ret->len += packed;
	memcpy(ret->data + head_at, &bytes, BLOCK_HEAD);
}

/* Consecutive IDs, [first, end). */
struct id_run {
	uint64_t first, end;
};

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

/*
 * Reads the next run of SET and advances SET. RUN is the previous run, zero-filled at first.
 * Returns false at the end.
 */
static bool next_run(struct scan *set, struct id_run *run)
{
	uint64_t gap, n;

	if (!varint_read(set, &gap) || !varint_read(set, &n) || gap > UINT32_MAX || n > UINT32_MAX)
		return false;
	run->first = run->end + gap;
	run->end = run->first + n;
	return run->end <= UINT32_MAX;
}

/* ---- blocks of a file ------------------------------------------------------------------------ */

/* maximum memory of unpacked blocks; the newest one may exceed it */
enum { UNPACKED_BYTES_MAX = 64 << 20 };
/*
 * 2^GROUP_BITS IDs are a group. The kernel's maximum is 2^22 (PID_MAX_LIMIT); higher IDs share the
 * last group.
 */
enum { GROUP_BITS = 8, GROUP_LAST = 1 << 14 };

static void forget_unpacked(struct recorded_blocks *blocks, struct recorded_block *block)
{
	struct unpacked_block *unpacked = take(block->unpacked);

	blocks->bytes -= unpacked->rows.cap;
	text_deinit(&unpacked->rows);
	free(unpacked);
}

void recorded_blocks_deinit(struct recorded_blocks *blocks)
{
	for (size_t i = 0; i < blocks->unpacked.len; i++)
		forget_unpacked(blocks, &blocks->all.data[blocks->unpacked.data[i]]);
	vec_each(source, &blocks->sources)
		close(source->fd);
	array_each(groups, blocks->groups, array_len(blocks->groups)) {
		vec_each(group, groups)
			vec_deinit(group);
		vec_deinit(groups);
	}
	vec_deinit(&blocks->sources);
	vec_deinit(&blocks->all);
	vec_deinit(&blocks->unpacked);
	arena_deinit(&blocks->indexes);
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool read_at(const struct recorded_source *source, uint64_t at, void *ret, size_t len)
{
	return file_read_at(source->fd, ret, len, at) == len;
}

/* Appends the unpacked content at AT to RET. Returns false if it cannot be read or is damaged. */
static bool unpack(const struct recorded_source *source, const struct block_head *head, uint64_t at,
	struct text *ret)
{
	auto_free char *packed = xmalloc(head->packed + 1);

	if (!read_at(source, at, packed, head->packed) ||
		crc_of(packed, head->packed) != head->packed_crc)
		return false;
	text_reserve(ret, head->unpacked);
	size_t got = ZSTD_decompress(ret->data + ret->len, head->unpacked, packed, head->packed);
	if (ZSTD_isError(got) || got != head->unpacked)
		return false;
	ret->len += got;
	ret->data[ret->len] = '\0';
	return true;
}

/* Checks only the index; damaged content is found when it is unpacked. */
static bool add_processes(
	struct recorded_blocks *blocks, uint32_t source, uint64_t at, const struct block_head *head)
{
	struct recorded_block block = {.head = *head, .source = source, .at = at + head->index};
	char *index = arena_alloc(&blocks->indexes, head->index + 1);
	struct scan sets = {index, index + head->index};
	uint64_t len;

	if (!read_at(&blocks->sources.data[source], at, index, head->index) ||
		crc_of(index, head->index) != head->index_crc || !varint_read(&sets, &len) ||
		len > scan_left(&sets))
		return false;
	block.ids[0] = (struct scan){sets.at, sets.at + len};
	block.ids[1] = (struct scan){sets.at + len, sets.end};
	vec_push(&blocks->all, block);
	blocks->records += head->records;
	return true;
}

enum block_next recorded_blocks_next(
	struct recorded_blocks *blocks, uint32_t number, struct text *rows, struct block_head *head)
{
	struct recorded_source *source = &blocks->sources.data[number];
	uint64_t at = source->at + BLOCK_HEAD;
	struct block_head bytes;
	char last;

	if (!read_at(source, source->at, &last, 1))
		return BLOCK_NONE;
	if (!read_at(source, source->at, &bytes, BLOCK_HEAD) ||
		memcmp(bytes.magic, magic, sizeof(magic)) != 0 ||
		le32toh(bytes.crc) != crc_of(&bytes, offsetof(struct block_head, crc)))
		return BLOCK_CUT;
	head_swap(&bytes);
	if (bytes.index > BLOCK_INDEX_MAX || bytes.packed > BLOCK_PACKED_MAX ||
		bytes.unpacked > BLOCK_UNPACKED_MAX || bytes.records > BLOCK_RECORDS_MAX)
		return BLOCK_CUT;
	*head = bytes;
	uint64_t len = (uint64_t)head->index + head->packed;
	if (len && !read_at(source, at + len - 1, &last, 1))
		return BLOCK_CUT;
	if (head->kind == BLOCK_SYSTEM && !unpack(source, head, at + head->index, rows))
		return BLOCK_CUT;
	if (head->kind == BLOCK_PROCESSES && !add_processes(blocks, number, at, head))
		return BLOCK_CUT;
	source->at = at + len;
	return BLOCK_READ;
}

/* ---- finding blocks ------------------------------------------------------------------------- */

static size_t group_of(uint64_t id)
{
	id >>= GROUP_BITS;
	return id < GROUP_LAST ? (size_t)id : GROUP_LAST;
}

static struct ids *group_at(struct block_groups *groups, size_t i)
{
	while (groups->len <= i)
		(void)vec_add(groups);
	return &groups->data[i];
}

static void add_to_groups(struct block_groups *groups, struct scan set, uint32_t block)
{
	for (struct id_run run = {}; next_run(&set, &run);)
		for (size_t i = group_of(run.first); i <= group_of(run.end); i++) {
			struct ids *group = group_at(groups, i);

			if (!group->len || *vec_last(group) != block)
				vec_push(group, block);
		}
}

static bool has_id(struct scan set, uint64_t id)
{
	for (struct id_run run = {}; next_run(&set, &run);)
		if (id < run.end)
			return id >= run.first;
	return false;
}

bool recorded_blocks_find(
	struct recorded_blocks *blocks, uint64_t id, bool others, size_t *at, uint32_t *ret)
{
	for (; blocks->grouped < blocks->all.len; blocks->grouped++)
		for (int i = 0; i < 2; i++)
			add_to_groups(&blocks->groups[i], blocks->all.data[blocks->grouped].ids[i],
				(uint32_t)blocks->grouped);
	const struct ids *group = group_at(&blocks->groups[others], group_of(id));

	while (*at < group->len) {
		*ret = group->data[(*at)++];
		if (has_id(blocks->all.data[*ret].ids[others], id))
			return true;
	}
	return false;
}

/* ---- unpacking ------------------------------------------------------------------------------ */

static bool are_whole(const struct text *text)
{
	struct rows rows = {.bytes = text_scan(text)};
	struct recorded_row row;

	while (rows_next(&rows, &row))
		if (row.kind >= ROW_SYSTEM)
			return false;
	return !scan_left(&rows.bytes);
}

/* Unpacks block N, and forgets others if necessary. */
static void unpack_block(struct recorded_blocks *blocks, uint32_t n)
{
	struct recorded_block *block = &blocks->all.data[n];
	struct unpacked_block *unpacked = xnew(unpacked);
	size_t forgotten = 0;

	while (blocks->bytes > UNPACKED_BYTES_MAX && forgotten < blocks->unpacked.len)
		forget_unpacked(blocks, &blocks->all.data[blocks->unpacked.data[forgotten++]]);
	vec_drop(&blocks->unpacked, forgotten);
	unpacked->damaged = !unpack(&blocks->sources.data[block->source], &block->head, block->at,
				    &unpacked->rows) ||
			    !are_whole(&unpacked->rows);
	block->unpacked = unpacked;
	blocks->bytes += unpacked->rows.cap;
	blocks->n_unpacked++;
	blocks->damaged += unpacked->damaged;
	vec_push(&blocks->unpacked, n);
}

bool recorded_blocks_rows(struct recorded_blocks *blocks, uint32_t n, struct rows *ret)
{
	if (!blocks->all.data[n].unpacked)
		unpack_block(blocks, n);
	const struct unpacked_block *unpacked = blocks->all.data[n].unpacked;
	*ret = (struct rows){.bytes = text_scan(&unpacked->rows)};
	return !unpacked->damaged;
}
