// SPDX-License-Identifier: GPL-2.0-or-later
/* Streams that are inflated in part; skipped parts are freed. */
#include <check.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>
#include <zlib.h>

#include "debug/files/inflate.h"
#include "run.h"
#include "util/xalloc.h"

enum { SIZE = 24 << 20 };

struct stream {
	uint8_t *plain, *packed;
	size_t len; /* of packed */
};

/* Words from the whole window of deflate, so that copies reach as far back as they can. */
static void fill(uint8_t *plain)
{
	unsigned state = 1;

	for (size_t i = 0; i < SIZE;) {
		state = state * 1103515245 + 12345;
		size_t len = 4 + (state >> 16) % 60, back = 1 + (state >> 8) % 32000;

		if (len > SIZE - i)
			len = SIZE - i;
		if (i < 40000 || state >> 28 == 0)
			memset(plain + i, (int)(state >> 20), len);
		else
			memcpy(plain + i, plain + i - (back < len ? len : back), len);
		plain[i] ^= (uint8_t)(state >> 24);
		i += len;
	}
}

static struct stream stream_make(void)
{
	uLongf len = SIZE + (1 << 20);
	struct stream stream = {xmalloc(SIZE), xmalloc(len), 0};

	fill(stream.plain);
	ck_assert_int_eq(compress2(stream.packed, &len, stream.plain, SIZE, 1), Z_OK);
	stream.len = len;
	return stream;
}

static void stream_free(struct stream *stream)
{
	free(stream->plain);
	free(stream->packed);
}

static struct inflater *open_memory(const struct stream *stream, size_t len)
{
	return inflater_create(&(struct inflate_source){stream->packed, len, false}, SIZE);
}

static void check_part(
	struct inflater *inflater, const struct stream *stream, size_t from, size_t to)
{
	ck_assert(inflater_reach(inflater, from, to));
	ck_assert_mem_eq(inflater_memory(inflater) + from, stream->plain + from, to - from);
}

START_TEST(parts_and_then_all)
{
	struct stream stream = stream_make();
	struct inflater *inflater = open_memory(&stream, stream.len);

	check_part(inflater, &stream, 100, 200);
	check_part(inflater, &stream, 9000000, 9001000);
	check_part(inflater, &stream, 9000500, 9001000);
	check_part(inflater, &stream, SIZE - 1000, SIZE);
	/* Most of the skipped part is not in memory. */
	ck_assert_uint_eq(inflater_memory(inflater)[4 << 20], 0);
	ck_assert_mem_eq(inflater_memory(inflater) + 9000000, stream.plain + 9000000, 1000);
	check_part(inflater, &stream, 12 << 20, 13 << 20);
	ck_assert(inflater_finish(inflater));
	check_part(inflater, &stream, 0, SIZE);
	ck_assert(!inflater_reach(inflater, 0, SIZE + 1));
	inflater_destroy(inflater);
	stream_free(&stream);
}
END_TEST

/*
 * A unit is read after its header: the part before it is not inflated a second time, and stays
 * freed.
 */
START_TEST(parts_that_grow)
{
	struct stream stream = stream_make();
	struct inflater *inflater = open_memory(&stream, stream.len);

	check_part(inflater, &stream, 9000000, 9000024);
	check_part(inflater, &stream, 9000000, 9000010);
	check_part(inflater, &stream, 9000000, 9900000);
	check_part(inflater, &stream, 9000010, 9900000);
	check_part(inflater, &stream, 9899990, 9999999);
	check_part(inflater, &stream, 12 << 20, SIZE);
	ck_assert_uint_eq(inflater_memory(inflater)[4 << 20], 0);
	check_part(inflater, &stream, 9000000, 9999999);
	ck_assert(inflater_finish(inflater));
	check_part(inflater, &stream, 0, SIZE);
	inflater_destroy(inflater);
	stream_free(&stream);
}
END_TEST

/* Released parts are freed, inflated again when they are needed, and kept once all were needed. */
START_TEST(parts_let_go)
{
	struct stream stream = stream_make();
	struct inflater *inflater = open_memory(&stream, stream.len);

	check_part(inflater, &stream, 2 << 20, 4 << 20);
	inflater_release(inflater, 2 << 20);
	ck_assert_mem_eq(inflater_memory(inflater) + (2 << 20), stream.plain + (2 << 20), 2 << 20);
	check_part(inflater, &stream, 8 << 20, 9 << 20);
	inflater_release(inflater, 2 << 20);
	ck_assert_uint_eq(inflater_memory(inflater)[3 << 20], 0);
	ck_assert_uint_eq(inflater_memory(inflater)[8 << 20], 0);
	check_part(inflater, &stream, (8 << 20) + 5, 10 << 20);
	check_part(inflater, &stream, 3 << 20, 8 << 20);
	inflater_release(inflater, 0);
	check_part(inflater, &stream, 100, SIZE - 100);
	ck_assert(inflater_finish(inflater));
	inflater_release(inflater, 0);
	ck_assert_mem_eq(inflater_memory(inflater), stream.plain, SIZE);
	inflater_destroy(inflater);
	stream_free(&stream);
}
END_TEST

/* A skipped part is inflated if it is needed later, and the rest stays freed. */
START_TEST(parts_in_any_order)
{
	struct stream stream = stream_make();
	struct inflater *inflater = open_memory(&stream, stream.len);

	check_part(inflater, &stream, SIZE - 1000, SIZE - 500);
	check_part(inflater, &stream, 5000000, 5001000);
	check_part(inflater, &stream, 4990000, 5002000);
	check_part(inflater, &stream, 4000000, 4000001);
	check_part(inflater, &stream, SIZE - 1000, SIZE);
	ck_assert_uint_eq(inflater_memory(inflater)[12 << 20], 0);
	ck_assert_uint_eq(inflater_memory(inflater)[2 << 20], 0);
	/* Needed again and again: then all is kept. */
	for (size_t at = SIZE - 3000000; at > 3000000; at -= 300000)
		check_part(inflater, &stream, at, at + 200000);
	ck_assert_mem_eq(inflater_memory(inflater) + 2500000, stream.plain + 2500000, 100000);
	check_part(inflater, &stream, 1 << 20, SIZE - (1 << 20));
	ck_assert(inflater_finish(inflater));
	check_part(inflater, &stream, 0, SIZE);
	inflater_destroy(inflater);
	stream_free(&stream);
}
END_TEST

START_TEST(from_a_file)
{
	struct stream stream = stream_make();
	char name[] = "/tmp/test_inflate.XXXXXX";
	int fd = mkstemp(name);

	unlink(name);
	ck_assert_int_eq(pwrite(fd, stream.packed, stream.len, 7), (ssize_t)stream.len);
	uint8_t *map = mmap(NULL, stream.len + 7, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert(map != MAP_FAILED);
	struct inflater *inflater =
		inflater_create(&(struct inflate_source){map + 7, stream.len, true}, SIZE);
	check_part(inflater, &stream, SIZE / 2, SIZE / 2 + 5);
	check_part(inflater, &stream, 0, 10);
	ck_assert(inflater_finish(inflater));
	check_part(inflater, &stream, 0, SIZE);
	inflater_destroy(inflater);
	munmap(map, stream.len + 7);
	close(fd);
	stream_free(&stream);
}
END_TEST

START_TEST(broken_streams)
{
	struct stream stream = stream_make();
	struct inflater *cut = open_memory(&stream, stream.len / 2);

	check_part(cut, &stream, 0, 1000);
	ck_assert(!inflater_reach(cut, SIZE - 10, SIZE));
	ck_assert(!inflater_finish(cut));
	inflater_destroy(cut);
	stream.packed[stream.len - 1] ^= 1;
	struct inflater *checksum = open_memory(&stream, stream.len);
	check_part(checksum, &stream, 0, SIZE - 100);
	ck_assert(!inflater_finish(checksum));
	inflater_destroy(checksum);
	struct inflater *longer = inflater_create(
		&(struct inflate_source){stream.packed, stream.len, false}, SIZE / 2);
	ck_assert(!inflater_finish(longer));
	inflater_destroy(longer);
	memset(stream.packed, 0xff, stream.len);
	struct inflater *noise = open_memory(&stream, stream.len);
	ck_assert(!inflater_reach(noise, 0, 1));
	inflater_destroy(noise);
	stream_free(&stream);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("inflate");

	tcase_add_test(tc, parts_and_then_all);
	tcase_add_test(tc, parts_that_grow);
	tcase_add_test(tc, parts_let_go);
	tcase_add_test(tc, parts_in_any_order);
	tcase_add_test(tc, from_a_file);
	tcase_add_test(tc, broken_streams);
	return tests_run(tc);
}
