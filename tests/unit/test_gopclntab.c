// SPDX-License-Identifier: GPL-2.0-or-later
/* The table of Go programs in all its formats, whole and truncated. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "debug/go/gopclntab.h"
#include "go_table.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

static const struct debug_options options = {.inlines = true, .lines = true};

static struct elf_image *image_of(const void *bytes, size_t len)
{
	struct elf_image *image = NULL;
	size_t size;
	void *file = go_file_make(bytes, len, &size);
	struct error *err = elf_image_from_memory(file, size, "go", &image);

	ck_assert_ptr_null(err);
	return image;
}

static void check_frame(const struct frame *frame, const char *function, const char *file,
	uint32_t line, bool inlined)
{
	ck_assert_str_eq(frame->function, function);
	ck_assert_str_eq(frame->file, file);
	ck_assert_uint_eq(frame->line, line);
	ck_assert_int_eq(frame->inlined, inlined);
}

START_TEST(all_versions)
{
	scope_guard(text_deinit) struct text bytes = {};
	struct arena arena = {};
	struct reader_answer answer;
	bool inlines = _i >= GO_ERA_1_9;

	go_table_make((enum go_era)_i, &bytes);
	scope_guard(elf_image_cleanup) struct elf_image *image = image_of(bytes.data, bytes.len);
	struct gopclntab *table = gopclntab_create(image, &options);
	ck_assert_ptr_nonnull(table);
	ck_assert(gopclntab_find(table, GO_TEXT + 0x1f, &arena, &answer));
	ck_assert_uint_eq(answer.n_frames, 1);
	ck_assert_uint_eq(answer.entry, GO_TEXT);
	check_frame(&answer.frames[0], "outer", "a.go", 10, false);
	ck_assert(gopclntab_find(table, GO_TEXT + 0x20, &arena, &answer));
	ck_assert_uint_eq(answer.n_frames, inlines ? 2 : 1);
	check_frame(&answer.frames[0], inlines ? "inner" : "outer", "b.go", 77, inlines);
	if (inlines)
		check_frame(&answer.frames[1], "outer", "a.go", 12, false);
	ck_assert(gopclntab_find(table, GO_TEXT + 0x3f, &arena, &answer));
	check_frame(&answer.frames[0], "outer", "a.go", 12, false);
	ck_assert_int_eq(answer.gap, GAP_NONE);
	ck_assert(!gopclntab_find(table, GO_TEXT - 1, &arena, &answer));
	ck_assert(!gopclntab_find(table, GO_TEXT + 0x40, &arena, &answer));
	gopclntab_destroy(table);
	arena_deinit(&arena);
}
END_TEST

/* If a version keeps inlined calls elsewhere, only these are missing, which is reported. */
START_TEST(unknown_place_of_calls)
{
	scope_guard(text_deinit) struct text bytes = {};
	struct arena arena = {};
	struct reader_answer answer;

	go_table_make(GO_ERA_1_27, &bytes);
	/* In the module, the bounds of the part that has the calls. */
	memset(bytes.data + bytes.len - (50 - 43) * sizeof(uint64_t), 0, 2 * sizeof(uint64_t));
	scope_guard(elf_image_cleanup) struct elf_image *image = image_of(bytes.data, bytes.len);
	struct gopclntab *table = gopclntab_create(image, &options);
	ck_assert(gopclntab_find(table, GO_TEXT + 0x20, &arena, &answer));
	ck_assert_uint_eq(answer.n_frames, 1);
	check_frame(&answer.frames[0], "outer", "b.go", 77, false);
	ck_assert_int_eq(answer.gap, GAP_GO);
	ck_assert(gopclntab_find(table, GO_TEXT, &arena, &answer));
	ck_assert_int_eq(answer.gap, GAP_NONE);
	gopclntab_destroy(table);
	arena_deinit(&arena);
}
END_TEST

/* Since Go 1.17 functions have flags that .debug_frame knows nothing of. */
START_TEST(rules)
{
	static const uint8_t before[] = {3, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 4}; /* n_funcdata last */
	static const uint8_t flags[] = {0, 1, 2, 4};
	scope_guard(text_deinit) struct text bytes = {};

	for (size_t i = 0; i < sizeof(flags); i++) {
		go_table_make(GO_ERA_1_18, &bytes);
		uint8_t *at = memmem(bytes.data, bytes.len, before, sizeof(before));
		ck_assert_ptr_nonnull(at);
		at[9] = flags[i];
		scope_guard(elf_image_cleanup) struct elf_image *image =
			image_of(bytes.data, bytes.len);
		struct gopclntab *table = gopclntab_create(image, &options);
		struct unwind_rule rule = {.ra = {.kind = UNWIND_MEMORY}};
		const char *reason = gopclntab_correct_rule(table, GO_TEXT + 0x10, &rule);

		ck_assert_int_eq(!!reason, flags[i] == 2);
		ck_assert_int_eq(rule.ra.kind, flags[i] == 1 ? UNWIND_UNDEFINED : UNWIND_MEMORY);
		ck_assert_ptr_null(gopclntab_correct_rule(table, GO_TEXT + 0x40, &rule));
		gopclntab_destroy(table);
	}
}
END_TEST

/* Since Go 1.26 only the module says where the code is: without it no name is right. */
START_TEST(no_module)
{
	scope_guard(text_deinit) struct text bytes = {};

	go_table_make(GO_ERA_1_26, &bytes);
	scope_guard(elf_image_cleanup) struct elf_image *image =
		image_of(bytes.data, bytes.len - 50 * sizeof(uint64_t));
	ck_assert_ptr_null(gopclntab_create(image, &options));
}
END_TEST

/* If the linker moved parts of the code, offsets from its start would give wrong names. */
START_TEST(code_in_pieces)
{
	static const uint64_t pieces[] = {0, 0x20, GO_TEXT, 0x20, 0x40, GO_TEXT + 0x20};
	uint64_t list[] = {0, 2};
	scope_guard(text_deinit) struct text bytes = {};

	go_table_make(GO_ERA_1_20, &bytes);
	list[0] = GO_TABLE + bytes.len;
	memcpy(bytes.data + bytes.len - (50 - 41) * sizeof(uint64_t), list, sizeof(list));
	text_add(&bytes, (const char *)pieces, sizeof(pieces));
	for (int moved = 0; moved <= 1; moved++) {
		scope_guard(elf_image_cleanup) struct elf_image *image =
			image_of(bytes.data, bytes.len);
		struct gopclntab *table = gopclntab_create(image, &options);

		ck_assert_int_eq(!table, moved);
		gopclntab_destroy(table);
		bytes.data[bytes.len - sizeof(uint64_t)] += 0x10;
	}
}
END_TEST

/* A truncated or damaged table may lose names, but gives no wrong ones and no crash. */
START_TEST(broken_tables)
{
	scope_guard(text_deinit) struct text bytes = {};
	struct arena arena = {};
	struct reader_answer answer;

	go_table_make((enum go_era)_i, &bytes);
	for (size_t at = 0; at < 2 * bytes.len; at++) {
		size_t len = at < bytes.len ? at : bytes.len;
		auto_free char *copy = xmalloc(bytes.len);

		memcpy(copy, bytes.data, bytes.len);
		if (at >= bytes.len)
			copy[at - bytes.len] ^= (char)0xa5;
		scope_guard(elf_image_cleanup) struct elf_image *image = image_of(copy, len);
		struct gopclntab *table = gopclntab_create(image, &options);
		for (uint64_t offset = 0; table && offset < 0x40; offset += 16)
			gopclntab_find(table, GO_TEXT + offset, &arena, &answer);
		gopclntab_destroy(table);
	}
	arena_deinit(&arena);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("gopclntab");

	tcase_add_loop_test(all, all_versions, GO_ERA_1_2, GO_ERAS);
	tcase_add_loop_test(all, broken_tables, GO_ERA_1_2, GO_ERAS);
	tcase_add_test(all, unknown_place_of_calls);
	tcase_add_test(all, rules);
	tcase_add_test(all, no_module);
	tcase_add_test(all, code_in_pieces);
	return tests_run(all);
}
