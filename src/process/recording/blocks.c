// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/blocks.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "process/recording/id_set.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

/* Unpacked blocks take no more than this, but for one. */
enum { UNPACKED_BYTES_MAX = 64 << 20 };
/* IDs of a group; the kernel has no more than 2^22 (PID_MAX_LIMIT), others share the last group. */
enum { GROUP_BITS = 8, GROUP_LAST = 1 << 14 };

static void groups_deinit(struct block_groups *groups)
{
	for (size_t i = 0; i < groups->all.len; i++)
		vec_deinit(&groups->all.data[i].blocks);
	vec_deinit(&groups->all);
}

static void forget_unpacked(struct recorded_blocks *blocks, struct recorded_block *block)
{
	struct unpacked_block *unpacked = take(block->unpacked);

	blocks->bytes -= unpacked->bytes;
	recorded_block_events_deinit(&unpacked->events);
	text_deinit(&unpacked->text);
	free(unpacked);
}

void recorded_blocks_deinit(struct recorded_blocks *blocks)
{
	for (size_t i = 0; i < blocks->unpacked.len; i++)
		forget_unpacked(blocks, &blocks->all.data[blocks->unpacked.data[i]]);
	for (size_t i = 0; i < blocks->sources.len; i++)
		if (blocks->sources.data[i].fd >= 0)
			close(blocks->sources.data[i].fd);
	groups_deinit(&blocks->ids);
	groups_deinit(&blocks->others);
	vec_deinit(&blocks->sources);
	vec_deinit(&blocks->all);
	vec_deinit(&blocks->unpacked);
	arena_deinit(&blocks->indexes);
}

/* ---- reading -------------------------------------------------------------------------------- */

static bool source_read(const struct recorded_source *source, uint64_t at, void *p, size_t len)
{
	if (source->fd < 0) {
		if (at > source->len || source->len - at < len)
			return false;
		memcpy(p, source->data + at, len);
		return true;
	}
	return file_read_at(source->fd, p, len, at) == len;
}

static bool at_end(const struct recorded_source *source)
{
	char byte;

	return !source_read(source, source->at, &byte, 1);
}

/* Reads what is packed at AT, and unpacks it. */
static bool unpack(const struct recorded_source *source, const struct block_head *head, uint64_t at,
	struct text *ret)
{
	auto_free char *packed = xmalloc(head->packed + 1);

	return source_read(source, at, packed, head->packed) && block_unpack(head, packed, ret);
}

/* The sets of IDs that an index is. */
static bool read_index(const char *index, size_t len, struct recorded_block *block)
{
	struct scan s = {index, index + len};

	block->ids = block->others = s;
	if (!id_set_skip(&s))
		return false;
	block->ids.end = block->others.at = s.at;
	return id_set_skip(&s) && !scan_left(&s);
}

/* Only the index is looked at: that what is packed is whole shows when it is unpacked. */
static bool add_events(
	struct recorded_blocks *blocks, uint32_t source, uint64_t at, const struct block_head *head)
{
	struct recorded_block block = {.head = *head, .source = source, .at = at + head->index};
	char *index = arena_alloc(&blocks->indexes, head->index + 1);

	if (!source_read(&blocks->sources.data[source], at, index, head->index) ||
		!block_index_is_whole(head, index) || !read_index(index, head->index, &block))
		return false;
	vec_push(&blocks->all, block);
	blocks->records += head->records;
	return true;
}

static bool read_lines(const struct recorded_source *source, uint64_t at,
	const struct block_head *head, struct text *ret)
{
	return !head->index && unpack(source, head, at, ret);
}

enum block_next recorded_blocks_next(struct recorded_blocks *blocks, uint32_t number,
	struct text *lines, struct block_head *head)
{
	struct recorded_source *source = &blocks->sources.data[number];
	uint64_t at = source->at + BLOCK_HEAD;
	char bytes[BLOCK_HEAD], last;

	if (at_end(source))
		return BLOCK_NONE;
	if (!source_read(source, source->at, bytes, sizeof(bytes)) || !block_head_read(bytes, head))
		return BLOCK_CUT;
	uint64_t len = (uint64_t)head->index + head->packed;
	if (len && !source_read(source, at + len - 1, &last, 1))
		return BLOCK_CUT;
	if (head->kind == BLOCK_LINES && !read_lines(source, at, head, lines))
		return BLOCK_CUT;
	if (head->kind == BLOCK_EVENTS && !add_events(blocks, number, at, head))
		return BLOCK_CUT;
	source->at = at + len;
	return BLOCK_READ;
}

/* ---- looking for blocks --------------------------------------------------------------------- */

static size_t group_of(uint64_t id)
{
	id >>= GROUP_BITS;
	return id < GROUP_LAST ? (size_t)id : GROUP_LAST;
}

static struct block_group *group_at(struct block_groups *groups, size_t i)
{
	while (groups->all.len <= i)
		(void)vec_add(&groups->all);
	return &groups->all.data[i];
}

static void add_to_groups(struct block_groups *groups, struct scan set, uint32_t block)
{
	struct id_runs runs;

	for (bool more = id_runs_begin(set, &runs); more && id_runs_next(&runs);)
		for (size_t i = group_of(runs.first); i <= group_of(runs.end - 1); i++) {
			struct block_group *group = group_at(groups, i);
			size_t n = group->blocks.len;

			if (!n || group->blocks.data[n - 1] != block)
				vec_push(&group->blocks, block);
		}
}

static void make_groups(struct recorded_blocks *blocks)
{
	for (; blocks->grouped < blocks->all.len; blocks->grouped++) {
		const struct recorded_block *block = &blocks->all.data[blocks->grouped];

		add_to_groups(&blocks->ids, block->ids, (uint32_t)blocks->grouped);
		add_to_groups(&blocks->others, block->others, (uint32_t)blocks->grouped);
	}
}

bool recorded_blocks_find(
	struct recorded_blocks *blocks, uint64_t id, bool others, size_t *at, uint32_t *ret)
{
	make_groups(blocks);
	const struct block_group *group =
		group_at(others ? &blocks->others : &blocks->ids, group_of(id));

	while (*at < group->blocks.len) {
		uint32_t n = group->blocks.data[(*at)++];
		const struct recorded_block *block = &blocks->all.data[n];

		if (id_set_has(others ? block->others : block->ids, id)) {
			*ret = n;
			return true;
		}
	}
	return false;
}

/* ---- unpacking ------------------------------------------------------------------------------ */

static void make_room(struct recorded_blocks *blocks)
{
	size_t forgotten = 0;

	while (blocks->bytes > UNPACKED_BYTES_MAX && forgotten < blocks->unpacked.len)
		forget_unpacked(blocks, &blocks->all.data[blocks->unpacked.data[forgotten++]]);
	blocks->unpacked.len -= forgotten;
	if (forgotten)
		memmove(blocks->unpacked.data, blocks->unpacked.data + forgotten,
			blocks->unpacked.len * sizeof(*blocks->unpacked.data));
}

static void unpack_block(struct recorded_blocks *blocks, uint32_t n)
{
	struct recorded_block *block = &blocks->all.data[n];
	struct unpacked_block *unpacked = xcalloc(1, sizeof(*unpacked));

	unpacked->damaged = !unpack(&blocks->sources.data[block->source], &block->head, block->at,
				    &unpacked->text) ||
			    !recorded_columns_read(text_scan(&unpacked->text), &unpacked->events);
	unpacked->bytes = sizeof(*unpacked) + unpacked->text.cap + unpacked->events.strings.bytes +
			  unpacked->events.all.cap * sizeof(*unpacked->events.all.data);
	block->unpacked = unpacked;
	blocks->bytes += unpacked->bytes;
	blocks->n_unpacked++;
	blocks->damaged += unpacked->damaged;
	vec_push(&blocks->unpacked, n);
}

const struct recorded_block_events *recorded_blocks_events(
	struct recorded_blocks *blocks, uint32_t n)
{
	if (!blocks->all.data[n].unpacked) {
		make_room(blocks);
		unpack_block(blocks, n);
	}
	const struct unpacked_block *unpacked = blocks->all.data[n].unpacked;
	return unpacked->damaged ? NULL : &unpacked->events;
}
