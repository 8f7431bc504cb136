// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/inflate.h"

#include <isa-l/igzip_lib.h>
#include <sys/mman.h>
#include <unistd.h>

#include "util/stop.h"
#include "util/vec.h"
#include "util/xalloc.h"

/*
 * What was passed over is given back in blocks of large pages, well before the point that is being
 * written, because deflate copies from the 32 KB before it.
 */
enum { INPUT_SIZE = 1 << 17, STEP = 1 << 20, BLOCK = 2 << 20, BEHIND = 1 << 20 };
/*
 * What follows the bytes that were inflated and may be read: ISA-L's adler32 for NEON goes through them
 * once more in blocks, and reads beyond their end (libisal 2.30 on arm64).
 */
enum { SLACK = 4096 };
/* With more parts than this asked for, all is kept from then on. */
enum { PARTS_MAX = 64 };

struct valid_range {
	size_t from, to; /* [from, to) is valid */
};

struct inflater {
	struct inflate_source source;
	uint8_t *memory;
	size_t size, done; /* done: how far the stream was inflated */
	size_t input;	   /* bytes of the source that were given to the stream */
	size_t released;   /* multiple of BLOCK: what is before it was given back or is kept */
	bool holes;	   /* something before DONE was given back */
	bool failed, finished;
	struct VEC(struct valid_range) parts; /* what was asked for, while there are holes */
	struct inflate_state state;
};

static void start(struct inflater *inflater)
{
	isal_inflate_init(&inflater->state);
	inflater->state.crc_flag = ISAL_ZLIB;
	inflater->done = 0;
	inflater->input = 0;
}

struct inflater *inflater_create(const struct inflate_source *source, size_t size)
{
	void *memory = size > SIZE_MAX - SLACK ? NULL : xmap(size + SLACK);

	if (!memory)
		return NULL;
	struct inflater *inflater = xcalloc(1, sizeof(*inflater));
	inflater->source = *source;
	inflater->memory = memory;
	inflater->size = size;
	start(inflater);
	return inflater;
}

void inflater_destroy(struct inflater *inflater)
{
	if (!inflater)
		return;
	munmap(inflater->memory, inflater->size + SLACK);
	vec_deinit(&inflater->parts);
	free(inflater);
}

const uint8_t *inflater_memory(const struct inflater *inflater)
{
	return inflater->memory;
}

void inflate_source_drop(const struct inflate_source *source, size_t from, size_t to)
{
	uintptr_t page = (uintptr_t)getpagesize(), data = (uintptr_t)source->data;
	uintptr_t start = (data + from + page - 1) & -page, end = (data + to) & -page;

	if (source->pages && start < end)
		madvise((void *)start, end - start, MADV_DONTNEED);
}

/* Gives the stream its next bytes; false: there are none. */
static bool feed(struct inflater *inflater)
{
	const struct inflate_source *source = &inflater->source;
	size_t left = source->len - inflater->input;
	size_t len = left < INPUT_SIZE ? left : INPUT_SIZE;

	if (!len)
		return false;
	if (inflater->input > INPUT_SIZE)
		inflate_source_drop(source, inflater->input - INPUT_SIZE, inflater->input);
	inflater->state.next_in = (uint8_t *)(uintptr_t)source->data + inflater->input;
	inflater->state.avail_in = (uint32_t)len;
	inflater->input += len;
	return true;
}

/* Inflates LEN bytes to OUT; returns how many came before the stream ended or broke. */
static size_t produce(struct inflater *inflater, uint8_t *out, size_t len)
{
	struct inflate_state *state = &inflater->state;

	state->next_out = out;
	state->avail_out = (uint32_t)len;
	while (state->avail_out && state->block_state != ISAL_BLOCK_FINISH) {
		uint32_t in = state->avail_in, room = state->avail_out;

		if (isal_inflate(state) < 0) {
			inflater->failed = true;
			break;
		}
		bool moved = state->avail_in != in || state->avail_out != room;
		if (state->avail_out && !state->avail_in && !feed(inflater))
			break;
		if (state->avail_in == in && !moved)
			break;
	}
	return len - state->avail_out;
}

/* Gives back blocks that are before DONE and after what is kept. */
static void release(struct inflater *inflater)
{
	if (inflater->done < BEHIND)
		return;
	size_t to = (inflater->done - BEHIND) / BLOCK * BLOCK;
	if (to <= inflater->released)
		return;
	madvise(inflater->memory + inflater->released, to - inflater->released, MADV_DONTNEED);
	inflater->released = to;
	inflater->holes = true;
}

static bool advance(struct inflater *inflater, size_t to, bool keep)
{
	while (inflater->done < to && !inflater->failed && !stop_asked()) {
		size_t left = to - inflater->done, len = left < STEP ? left : STEP;
		size_t n = produce(inflater, inflater->memory + inflater->done, len);

		inflater->done += n;
		inflater->failed |= n < len;
		if (!keep)
			release(inflater);
	}
	return !inflater->failed && inflater->done >= to;
}

static bool is_kept(const struct inflater *inflater, size_t from, size_t to)
{
	if (!inflater->holes)
		return to <= inflater->done;
	for (size_t i = 0; i < inflater->parts.len; i++)
		if (inflater->parts.data[i].from <= from && to <= inflater->parts.data[i].to)
			return true;
	return false;
}

/* Once more from the beginning, now without holes: the same bytes come to the same places. */
static void refill(struct inflater *inflater)
{
	if (!inflater->holes)
		return;
	start(inflater);
	inflater->holes = false;
	inflater->released = SIZE_MAX / BLOCK * BLOCK;
}

/* The part that has FROM and goes on to what is inflated next: a header, whose unit is wanted now. */
static struct valid_range *last_part(struct inflater *inflater, size_t from)
{
	for (size_t i = 0; i < inflater->parts.len; i++) {
		struct valid_range *part = &inflater->parts.data[i];

		if (part->from <= from && from <= part->to && part->to == inflater->done)
			return part;
	}
	return NULL;
}

bool inflater_reach(struct inflater *inflater, size_t from, size_t to)
{
	if (from > to || to > inflater->size)
		return false;
	if (is_kept(inflater, from, to))
		return true;
	struct valid_range *last = last_part(inflater, from);
	if (!last && (from < inflater->done || inflater->parts.len == PARTS_MAX))
		refill(inflater);
	else if (!last)
		advance(inflater, from, false);
	if (!advance(inflater, to, true))
		return false;
	if (last)
		last->to = to;
	else
		vec_push(&inflater->parts, (struct valid_range){from, to});
	size_t kept = (to + BLOCK - 1) / BLOCK * BLOCK;
	if (kept > inflater->released)
		inflater->released = kept;
	return true;
}

bool inflater_finish(struct inflater *inflater)
{
	uint8_t more[SLACK] = {};

	if (inflater->finished)
		return !inflater->failed;
	inflater->finished = true;
	refill(inflater);
	if (advance(inflater, inflater->size, true) &&
		(produce(inflater, more, 1) || inflater->state.block_state != ISAL_BLOCK_FINISH))
		inflater->failed = true;
	return !inflater->failed;
}
