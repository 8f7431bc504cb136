// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/inflate.h"

#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#ifdef WITHOUT_ISAL
#include <zlib.h>
#else
#include <isa-l/igzip_lib.h>
#endif

#include "util/stop.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { INPUT_SIZE = 1 << 17, STEP = 1 << 20 };
/* Size of the buffer for skipped bytes, which should stay in the processor's cache. */
enum { PASS = 1 << 18 };
/*
 * Readable bytes needed after the output: ISA-L's adler32 for NEON reads the output in blocks,
 * beyond its end (libisal 2.30 on arm64).
 */
enum { SLACK = 4096 };
/*
 * Checkpoints of a stream take about 55 KB each. There are at most POINTS_MAX, at least
 * POINT_DISTANCE bytes apart.
 */
enum { POINTS_MAX = 256, POINT_DISTANCE = 1 << 20 };

struct valid_range {
	size_t from, to; /* [from, to) */
};

/* The state of a stream at one offset, from which inflating can resume. */
struct point {
	size_t done;  /* bytes inflated so far */
	size_t input; /* bytes of the source fed to the stream */
	int status;   /* 0: running; 1: the stream has ended; negative: broken or truncated */
#ifdef WITHOUT_ISAL
	z_stream state;
#else
	struct inflate_state state;
#endif
};

struct inflater {
	struct inflate_source source;
	uint8_t *memory;
	size_t size;
	size_t furthest;		      /* end of what was ever inflated, in bytes */
	size_t again;			      /* bytes inflated more than once */
	size_t kept;			      /* bytes made valid since the last release */
	bool whole;			      /* all before NOW is valid; no more skipping */
	struct VEC(struct point *) points;    /* ascending */
	struct VEC(struct valid_range) parts; /* ascending, with gaps between them */
	struct point *now;
	uint8_t *passed; /* buffer of PASS bytes for skipped output; NULL until needed */
};

/*
 * Zlib allocates parts of its state. If that fails, later calls reject the state, and the stream
 * counts as broken.
 */
static struct point *point_create(void)
{
	struct point *point = xnew(point);

#ifdef WITHOUT_ISAL
	inflateInit(&point->state);
#else
	isal_inflate_init(&point->state);
	point->state.crc_flag = ISAL_ZLIB;
#endif
	return point;
}

static void point_destroy(struct point *point)
{
#ifdef WITHOUT_ISAL
	inflateEnd(&point->state);
#endif
	free(point);
}

static struct point *point_copy(struct point *from)
{
	struct point *point = xmalloc(sizeof(*point));

#ifdef WITHOUT_ISAL
	*point = *from;
	point->state = (z_stream){};
	inflateCopy(&point->state, &from->state);
#else
	/* copy TMP_OUT_BUFFER, inflated bytes not yet returned, only as far as it is filled */
	memcpy(point, from,
		offsetof(struct point, state.tmp_out_buffer[from->state.tmp_out_valid]));
#endif
	return point;
}

struct inflater *inflater_create(const struct inflate_source *source, size_t size)
{
	void *memory = size > SIZE_MAX - SLACK ? NULL : xmap(size + SLACK);

	if (!memory)
		return NULL;
	struct inflater *inflater = xnew(inflater);
	inflater->source = *source;
	inflater->memory = memory;
	inflater->size = size;
	inflater->now = point_create();
	return inflater;
}

void inflater_destroy(struct inflater *inflater)
{
	if (!inflater)
		return;
	munmap(inflater->memory, inflater->size + SLACK);
	vec_destroy(&inflater->points, point_destroy);
	point_destroy(inflater->now);
	vec_deinit(&inflater->parts);
	free(inflater->passed);
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

/* Inflates LEN bytes to OUT. Returns fewer if the stream ended or broke. */
static size_t produce(struct inflater *inflater, uint8_t *out, size_t len)
{
	const struct inflate_source *source = &inflater->source;
	struct point *now = inflater->now;

	now->state.next_out = out;
	now->state.avail_out = (uint32_t)len;
	while (now->state.avail_out && !now->status) {
		if (!now->state.avail_in) {
			size_t rest = source->len - now->input;
			size_t fed = rest < INPUT_SIZE ? rest : INPUT_SIZE;

			if (now->input > INPUT_SIZE)
				inflate_source_drop(source, now->input - INPUT_SIZE, now->input);
			now->state.next_in = (uint8_t *)(uintptr_t)source->data + now->input;
			now->state.avail_in = (uint32_t)fed;
			now->input += fed;
		}
#ifdef WITHOUT_ISAL
		now->status = inflate(&now->state, Z_NO_FLUSH);
#else
		uint32_t left = now->state.avail_in + now->state.avail_out;

		now->status = isal_inflate(&now->state);
		if (now->status >= 0)
			now->status =
				now->state.block_state == ISAL_BLOCK_FINISH
					? 1
					: -(now->state.avail_in + now->state.avail_out == left);
#endif
	}
	return len - now->state.avail_out;
}

/*
 * Inflates up to TO: into the memory if KEEP, else only to skip the bytes. Returns false if the
 * stream ends or breaks before TO, or on interrupt.
 */
static bool advance(struct inflater *inflater, size_t to, bool keep)
{
	const size_t part = inflater->size / POINTS_MAX;
	const size_t distance = part > POINT_DISTANCE ? part : POINT_DISTANCE;
	struct point *now = inflater->now;

	if (!keep && !inflater->passed)
		inflater->passed = xmalloc(PASS + SLACK);
	while (now->done < to && !stop_asked()) {
		size_t left = to - now->done, most = keep ? STEP : PASS;
		size_t len = left < most ? left : most;
		size_t n = produce(
			inflater, keep ? inflater->memory + now->done : inflater->passed, len);

		if (now->done < inflater->furthest)
			inflater->again += n;
		now->done += n;
		if (now->done > inflater->furthest)
			inflater->furthest = now->done;
		if (n < len)
			return false;
		if (keep)
			inflater->kept += n;
		size_t last = inflater->points.len ? (*vec_last(&inflater->points))->done : 0;
		if (!inflater->whole && now->done >= last + distance)
			vec_push(&inflater->points, point_copy(now));
	}
	return now->done >= to;
}

/* Returns the end of the valid bytes that begin at FROM; FROM if there are none. */
static size_t valid_end(const struct inflater *inflater, size_t from)
{
	size_t n = sorted_count(inflater->parts.data, inflater->parts.len, .from <= from);
	size_t end = n ? inflater->parts.data[n - 1].to : 0;

	if (inflater->whole && inflater->now->done > end)
		end = inflater->now->done;
	return end > from ? end : from;
}

/* Marks [FROM, TO) as valid, and merges it with the ranges that it touches. */
static void add_part(struct inflater *inflater, size_t from, size_t to)
{
	size_t first = sorted_count(inflater->parts.data, inflater->parts.len, .to < from);
	size_t next = sorted_count(inflater->parts.data, inflater->parts.len, .from <= to);
	struct valid_range part = {from, to};

	vec_push(&inflater->parts, part); /* room for one more */
	struct valid_range *parts = inflater->parts.data;
	if (first < next) {
		part.from = parts[first].from < from ? parts[first].from : from;
		part.to = parts[next - 1].to > to ? parts[next - 1].to : to;
	}
	memmove(&parts[first + 1], &parts[next], (inflater->parts.len - 1 - next) * sizeof(*parts));
	parts[first] = part;
	inflater->parts.len -= next - first;
}

/*
 * Goes back to the last checkpoint at or before FROM (else to the start) if the stream is past
 * FROM; also goes forward to it if that saves inflating.
 */
static void go_to(struct inflater *inflater, size_t from)
{
	size_t n = sorted_count(inflater->points.data, inflater->points.len, ->done <= from);
	struct point *point = n ? inflater->points.data[n - 1] : NULL;
	size_t done = inflater->now->done;

	if (done <= from && (!point || point->done <= done))
		return;
	point_destroy(inflater->now);
	inflater->now = point ? point_copy(point) : point_create();
}

/* Fills all gaps, each from the last checkpoint before it, and skips nothing from now on. */
static void make_whole(struct inflater *inflater)
{
	if (inflater->whole)
		return;
	for (size_t at = 0, next; at < inflater->furthest; at = next) {
		size_t from = valid_end(inflater, at);
		size_t n = sorted_count(inflater->parts.data, inflater->parts.len, .from <= from);

		next = n < inflater->parts.len ? inflater->parts.data[n].from : inflater->furthest;
		if (from >= next)
			continue;
		go_to(inflater, from);
		if (!advance(inflater, from, false) || !advance(inflater, next, true))
			return;
		add_part(inflater, from, next);
	}
	vec_destroy(&inflater->points, point_destroy);
	inflater->whole = true;
}

bool inflater_reach(struct inflater *inflater, size_t from, size_t to)
{
	if (from > to || to > inflater->size)
		return false;
	from = valid_end(inflater, from);
	if (from >= to)
		return true;
	/* with random access, inflate everything rather than much of it again and again */
	if (inflater->again > inflater->size)
		make_whole(inflater);
	if (!inflater->whole) {
		go_to(inflater, from);
		if (!advance(inflater, from, false))
			return false;
	}
	if (!advance(inflater, to, true))
		return false;
	add_part(inflater, from, to);
	return true;
}

void inflater_release(struct inflater *inflater, size_t most)
{
	/* keep the memory once a quarter of it was inflated again */
	if (inflater->whole || inflater->kept <= most || inflater->again > inflater->size / 4)
		return;
	madvise(inflater->memory, inflater->size + SLACK, MADV_DONTNEED);
	inflater->parts.len = 0;
	inflater->kept = 0;
}

bool inflater_finish(struct inflater *inflater)
{
	uint8_t more[SLACK] = {};

	make_whole(inflater);
	return advance(inflater, inflater->size, true) && !produce(inflater, more, 1) &&
	       inflater->now->status == 1;
}
