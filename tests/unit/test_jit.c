// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdio.h>
#include <string.h>

#include "jit_check.h"
#include "model/frame.h"
#include "process/jit/files.h"
#include "process/maps.h"
#include "run.h"
#include "util/clock.h"
#include "util/text.h"

static struct jit_map parse(const char *text, size_t *odd)
{
	struct jit_map map = {};

	*odd = perf_map_parse(text, strlen(text), &map);
	history_finish(&map.history);
	return map;
}

static const char *name_at(const struct jit_map *map, uint64_t address)
{
	return jit_map_find(map, address, 0).name ?: "none";
}

static const struct jit_line *line_at(const struct jit_map *map, uint64_t address)
{
	return jit_map_find(map, address, 0).line;
}

START_TEST(what_a_full_map_left_out_hides_the_rest)
{
	struct jit_map map = {};

	ck_assert(jit_map_add(&map, 0x1000, 0x100, "old", 3));
	for (size_t i = 1; i < JIT_SYMBOLS_MAX - 1; i++)
		jit_map_add(&map, 0x2000, 0x100, "x", 1);
	history_finish(&map.history);
	ck_assert_str_eq(name_at(&map, 0x1010), "old");
	ck_assert(jit_map_add(&map, 0x3000, 0x100, "last", 4));
	ck_assert(!jit_map_add(&map, 0x1000, 0x100, "new", 3));
	history_finish(&map.history);
	ck_assert_str_eq(name_at(&map, 0x1010), "none");
	ck_assert_str_eq(name_at(&map, 0x3010), "none");
	jit_map_deinit(&map);
}
END_TEST

/* Three names of 10 MB that differ in their last byte or in length. */
START_TEST(long_names_are_cut_and_stay_different)
{
	const size_t len = 10 << 20;
	char *name = malloc(len + 1);
	struct jit_map map = {};
	const char *cut[4];

	memset(name, 'n', len + 1);
	for (size_t i = 0; i < 4; i++) {
		name[len - 1] = i == 1 ? 'm' : 'n';
		ck_assert(jit_map_add(&map, 0x1000 * (i + 1), 0x100, name, i == 2 ? len + 1 : len));
	}
	history_finish(&map.history);
	for (size_t i = 0; i < 4; i++) {
		cut[i] = name_at(&map, 0x1000 * (i + 1));
		ck_assert_uint_lt(strlen(cut[i]), NAME_KEPT + 64);
		ck_assert_ptr_nonnull(strstr(cut[i], "n...[104857"));
	}
	ck_assert_str_eq(cut[0], cut[3]);
	ck_assert_str_ne(cut[0], cut[1]);
	ck_assert_str_ne(cut[0], cut[2]);
	jit_map_deinit(&map);
	free(name);
}
END_TEST

START_TEST(perf_map_reads_both_dialects)
{
	size_t odd;
	struct jit_map map =
		parse("1000 10 LazyCompile:*tick /app/a b.js:3:9\n"
		      "0x0000000000002000 0x0000000000000020 int Foo::bar(java.lang.String)\n"
		      "3000 10 JS:* file:///app/x.js:1:2\n"
		      "4000 10 Builtin:Call /not/node.js:1:2\n"
		      "5000 0 empty\n6000 10\nffffffffffffffff 10 wraps\nnonsense\n",
			&odd);

	ck_assert_uint_eq(odd, 4);
	ck_assert_str_eq(name_at(&map, 0x100f), "LazyCompile:*tick");
	const struct jit_line *line = line_at(&map, 0x1008);
	ck_assert_str_eq(line->file, "/app/a b.js");
	ck_assert_uint_eq(line->line, 3);
	ck_assert_uint_eq(line->column, 9);
	ck_assert_str_eq(name_at(&map, 0x1010), "none");
	ck_assert_str_eq(name_at(&map, 0x2000), "int Foo::bar(java.lang.String)");
	ck_assert_str_eq(name_at(&map, 0x3000), "JS:* file:///app/x.js:1:2");
	ck_assert_str_eq(name_at(&map, 0x4000), "Builtin:Call /not/node.js:1:2");
	ck_assert_str_eq(name_at(&map, 0xfff), "none");
	jit_map_deinit(&map);
}
END_TEST

START_TEST(jit_map_lets_the_last_win)
{
	size_t odd;
	struct jit_map map =
		parse("1000 100 old\n1020 20 middle\n1000 30 new\n10f0 20 end\n", &odd);

	ck_assert_str_eq(name_at(&map, 0x1000), "new");
	ck_assert_str_eq(name_at(&map, 0x102f), "new");
	ck_assert_str_eq(name_at(&map, 0x1030), "middle");
	ck_assert_str_eq(name_at(&map, 0x1040), "old");
	ck_assert_str_eq(name_at(&map, 0x10ef), "old");
	ck_assert_str_eq(name_at(&map, 0x10f0), "end");
	ck_assert_str_eq(name_at(&map, 0x110f), "end");
	ck_assert_str_eq(name_at(&map, 0x1110), "none");
	jit_map_deinit(&map);
}
END_TEST

/* The plain reading of "last wins", on many small overlapping symbols that are added bit by bit. */
START_TEST(jit_map_agrees_with_a_slow_search)
{
	struct jit_map map = {};
	uint32_t seed = 1;

	for (int i = 0; i < 300; i++) {
		char name[16];

		seed = seed * 1103515245 + 12345;
		snprintf(name, sizeof(name), "%d", i);
		jit_map_add(&map, seed >> 16 & 1023, (seed >> 8 & 63) + 1, name, strlen(name));
		if (seed >> 24 & 1)
			history_finish(&map.history);
	}
	history_finish(&map.history);
	for (uint64_t address = 0; address < 1100; address++) {
		const struct history_span *wanted = NULL;

		vec_each(span, &map.history.spans)
			if (address >= span->start && address < span->end)
				wanted = span;
		ck_assert_ptr_eq(jit_map_find(&map, address, 0).span, wanted);
	}
	jit_map_deinit(&map);
}
END_TEST

static void add_u32(struct text *text, uint32_t value)
{
	text_add(text, (const char *)&value, sizeof(value));
}

static void add_u64(struct text *text, uint64_t value)
{
	text_add(text, (const char *)&value, sizeof(value));
}

static void add_record(struct text *text, uint32_t id, const struct text *body)
{
	add_u32(text, id);
	add_u32(text, (uint32_t)body->len + 16);
	add_u64(text, 0);
	text_add(text, body->data, body->len);
}

static void add_load(struct text *text, uint64_t address, const char *name)
{
	struct text body = {};

	add_u64(&body, 1);
	add_u64(&body, address);
	add_u64(&body, address);
	add_u64(&body, 0x10);
	add_u64(&body, 1);
	text_add(&body, name, strlen(name) + 1);
	text_add(&body, "0123456789abcdef", 0x10);
	add_record(text, 0, &body);
	text_deinit(&body);
}

static void add_debug_info(struct text *text, uint64_t address)
{
	struct text body = {};

	add_u64(&body, address);
	add_u64(&body, 2);
	add_u64(&body, address);
	add_u32(&body, 7);
	add_u32(&body, 0);
	text_add(&body, "/a.jl", 6);
	add_u64(&body, address + 8);
	add_u32(&body, 9);
	add_u32(&body, 0);
	text_add(&body, "\xff", 2);
	add_record(text, 2, &body);
	text_deinit(&body);
}

static void add_header(struct text *text)
{
	add_u32(text, 0x4a695444);
	add_u32(text, 1);
	add_u32(text, 40);
	add_u32(text, 62);
	add_u64(text, 0);
	add_u64(text, 0);
	add_u64(text, 0);
}

START_TEST(jitdump_gives_symbols_and_lines)
{
	struct text text = {}, move = {};
	struct jit_map map = {};

	add_header(&text);
	add_debug_info(&text, 0x1000);
	add_load(&text, 0x1000, "first");
	add_load(&text, 0x2000, "second");
	for (size_t i = 0; i < 3; i++)
		add_u64(&move, i == 2 ? 0x2000 : 0);
	move.len -= 8; /* pid and tid, vma */
	add_u64(&move, 0x2000);
	add_u64(&move, 0x3000);
	add_u64(&move, 0x10);
	add_u64(&move, 2);
	add_record(&text, 1, &move);
	add_load(&text, 0x4000, "cut");
	ck_assert(jitdump_parse(text.data, text.len - 1, &map));
	history_finish(&map.history);
	ck_assert_str_eq(name_at(&map, 0x1004), "first");
	ck_assert_str_eq(name_at(&map, 0x3004), "second");
	ck_assert_str_eq(name_at(&map, 0x4004), "none");
	ck_assert_uint_eq(line_at(&map, 0x1007)->line, 7);
	ck_assert_uint_eq(line_at(&map, 0x1008)->line, 9);
	ck_assert_str_eq(line_at(&map, 0x1008)->file, "/a.jl");
	ck_assert_ptr_null(line_at(&map, 0x2000));
	ck_assert(!jitdump_parse(text.data + 1, text.len - 1, &map));
	ck_assert(!jitdump_parse("", 0, &map));
	jit_map_deinit(&map);
	text_deinit(&text);
	text_deinit(&move);
}
END_TEST

static void pause_ms(long ms)
{
	nanosleep(&(struct timespec){.tv_nsec = ms * 1000000}, NULL);
}

static enum jit_news look_at(struct jit_file *file)
{
	enum jit_news news = jit_file_read(file, clock_ns(CLOCK_MONOTONIC));

	if (news != JIT_SAME)
		history_finish(&file->map.history);
	return news;
}

/* "NAME", or "NAME?" if other code may have been there. */
static const char *name_then(const struct jit_file *file, uint64_t time)
{
	static char text[32];
	struct jit_code code = jit_map_find(&file->map, 0x1000, time);

	snprintf(text, sizeof(text), "%s%s", code.name ?: "", code.ambiguous ? "?" : "");
	return text;
}

/* When code replaced other code is known from when its line was written. */
START_TEST(perf_map_lines_have_times)
{
	struct jit_file file;
	FILE *map = tmpfile();

	jit_file_init(&file, 0);
	jit_file_use(&file, dup(fileno(map)), false);
	fputs("1000 10 first\n", map);
	fflush(map);
	ck_assert_int_eq(look_at(&file), JIT_MORE);
	uint64_t early = clock_ns(CLOCK_MONOTONIC);
	pause_ms(100);
	uint64_t before = clock_ns(CLOCK_MONOTONIC);
	pause_ms(50); /* files have times of the system's timer, which ticks each 10 ms at least */
	fputs("1000 10 second\n", map);
	fflush(map);
	pause_ms(50);
	uint64_t after = clock_ns(CLOCK_MONOTONIC);
	ck_assert_int_eq(look_at(&file), JIT_MORE);
	ck_assert_str_eq(name_then(&file, early), "first");
	ck_assert_str_eq(name_then(&file, before), "first");
	ck_assert_str_eq(name_then(&file, after), "second");
	ck_assert_str_eq(name_then(&file, 0), "second?");
	/* Of two lines that were written since the last look, the first may be as old as that. */
	pause_ms(50);
	before = clock_ns(CLOCK_MONOTONIC);
	fputs("1000 10 third\n1000 10 fourth\n", map);
	fflush(map);
	ck_assert_int_eq(look_at(&file), JIT_MORE);
	ck_assert_str_eq(name_then(&file, before), "second?");
	ck_assert_str_eq(name_then(&file, clock_ns(CLOCK_MONOTONIC)), "fourth");
	/* If a part of a line follows, a line may be older than the last write. */
	fputs("1000 10 fifth\n", map);
	fflush(map);
	pause_ms(50);
	before = clock_ns(CLOCK_MONOTONIC);
	pause_ms(50);
	fputs("2000 10 si", map);
	fflush(map);
	ck_assert_int_eq(look_at(&file), JIT_MORE);
	ck_assert_str_eq(name_then(&file, before), "fourth?");
	ck_assert_str_eq(name_then(&file, clock_ns(CLOCK_MONOTONIC)), "fifth");
	/* Written anew, it says nothing of the code that was there before. */
	rewind(map);
	ck_assert_int_eq(ftruncate(fileno(map), 0), 0);
	fputs("1000 10 sixth\n", map);
	fflush(map);
	before = clock_ns(CLOCK_MONOTONIC);
	ck_assert_int_eq(look_at(&file), JIT_ANEW);
	ck_assert_uint_gt(file.anew, before);
	ck_assert_str_eq(name_then(&file, clock_ns(CLOCK_MONOTONIC)), "sixth");
	/* An empty file in its place has no code. */
	fclose(map);
	map = tmpfile();
	jit_file_use(&file, dup(fileno(map)), false);
	ck_assert_int_eq(look_at(&file), JIT_SAME);
	ck_assert_str_eq(name_then(&file, clock_ns(CLOCK_MONOTONIC)), "");
	jit_file_deinit(&file);
	fclose(map);
}
END_TEST

/* Whether mapping WHICH of TEXT is seen as the remapped text of the file that comes first. */
static bool remapped(const char *text, size_t which)
{
	struct maps maps = {};
	struct arena strings = {};

	maps_parse(text, strlen(text), &strings, &maps);
	const struct mapping *found = remapped_file(&maps, &maps.data[which]);
	bool first = found == maps.data;
	ck_assert(!found || first);
	vec_deinit(&maps);
	arena_deinit(&strings);
	return first;
}

START_TEST(remapped_text_lies_between_its_file)
{
	ck_assert(remapped("1000-2000 r--p 0 08:01 5 /a\n2000-4000 r-xp 0 00:00 0\n"
			   "4000-5000 r--p 3000 08:01 5 /a\n",
		1));
	ck_assert(remapped("1000-2000 r--p 0 08:01 5 /a\n2000-3000 r-xp 0 00:00 0\n"
			   "3000-4000 r-xp 0 00:00 0\n4000-5000 r--p 3000 08:01 5 /a\n",
		2));
	ck_assert(!remapped("1000-2000 r--p 0 08:01 5 /a\n2000-4000 r-xp 0 00:00 0\n"
			    "4000-5000 r--p 2000 08:01 5 /a\n",
		1));
	ck_assert(!remapped("1000-2000 r--p 0 08:01 5 /a\n2000-4000 r-xp 0 00:00 0\n"
			    "4000-5000 r--p 3000 08:01 6 /b\n",
		1));
	ck_assert(!remapped("1000-2000 r--p 0 08:01 5 /a\n2000-4000 r-xp 0 00:00 0\n"
			    "5000-6000 r--p 4000 08:01 5 /a\n",
		1));
	ck_assert(!remapped("2000-4000 r-xp 0 00:00 0\n", 0));
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("jit");

	tcase_add_test(all, what_a_full_map_left_out_hides_the_rest);
	tcase_add_test(all, long_names_are_cut_and_stay_different);
	tcase_add_test(all, perf_map_reads_both_dialects);
	tcase_add_test(all, jit_map_lets_the_last_win);
	tcase_add_test(all, jit_map_agrees_with_a_slow_search);
	tcase_add_test(all, jitdump_gives_symbols_and_lines);
	tcase_add_test(all, perf_map_lines_have_times);
	tcase_add_test(all, remapped_text_lies_between_its_file);
	return tests_run(all);
}
