// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/blocks.h"

#include <string.h>

#include "model/stack.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/text.h"

void blocks_deinit(struct blocks *blocks)
{
	table_deinit(&blocks->headers);
	table_deinit(&blocks->numbers);
	arena_deinit(&blocks->memory);
	vec_deinit(&blocks->all);
	vec_deinit(&blocks->key);
}

/*
 * Returns the number of the sample's process and name, so that blocks of different processes are
 * never merged.
 */
static uint32_t header_number(struct blocks *blocks, const struct sample *sample)
{
	auto_text struct text header = {};

	text_printf(&header, "%lld %s", (long long)sample->pid, sample->comm ?: "");
	return (uint32_t)table_number(&blocks->headers, header.data, header.len);
}

static void begin_block(
	struct blocks *blocks, const struct sample *sample, const uint32_t *exact, size_t n)
{
	struct block block = {.n = n,
		.pid = sample->pid,
		.tid = sample->tid,
		.first = sample->time,
		.last = sample->time,
		.number = blocks->all.len};

	block.runs = arena_alloc(&blocks->memory, n * sizeof(*block.runs) + 1);
	memcpy(block.runs, exact, n * sizeof(*block.runs));
	if (sample->comm)
		block.comm = arena_string(&blocks->memory, sample->comm);
	vec_push(&blocks->all, block);
}

static void merge(struct block *block, const struct sample *sample, const uint32_t *exact,
	const uint32_t *common)
{
	if (block->tid != sample->tid)
		block->tid = -1;
	if (!sample->time || !block->first) {
		block->first = block->last = 0;
	} else {
		block->first = sample->time < block->first ? sample->time : block->first;
		block->last = sample->time > block->last ? sample->time : block->last;
	}
	for (size_t i = 0; i < block->n; i++)
		if (block->runs[i] != exact[i])
			block->runs[i] = common[i];
}

void blocks_add(struct blocks *blocks, const struct sample *sample, const uint32_t *exact,
	const uint32_t *common, size_t n)
{
	blocks->key.len = 0;
	vec_push(&blocks->key, header_number(blocks, sample));
	vec_append(&blocks->key, common, n);
	uint64_t number = table_number(
		&blocks->numbers, blocks->key.data, blocks->key.len * sizeof(*blocks->key.data));
	if (number > blocks->all.len)
		begin_block(blocks, sample, exact, n);
	else
		merge(&blocks->all.data[number - 1], sample, exact, common);
	weight_add(&blocks->all.data[number - 1].weight, sample->weight);
}

COMPARE(compare_blocks, struct block,
	order_of(b->weight, a->weight) ?: order_of(a->number, b->number))

size_t blocks_order(struct blocks *blocks)
{
	vec_sort(&blocks->all, compare_blocks);
	return blocks->all.len;
}
