// SPDX-License-Identifier: GPL-2.0-or-later
/* What readers of debug info use: images, ranges, demangled names, source paths. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "debug/range_map.h"
#include "debug/source_file.h"
#include "debug/symbols/demangle.h"
#include "elf_builder.h"
#include "object/elf_image.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

#define auto_image scope_guard(elf_image_cleanup)

START_TEST(image_translates_offsets)
{
	struct elf_builder builder = {
		.loads = {
			{PT_LOAD, PF_R, 0, 0x10000, 0, 0x180, 0x200, 0x1000},
			{PT_LOAD, PF_R | PF_X, 0x100, 0x21100, 0, 0x100, 0x100, 0x1000},
		}};
	auto_image struct elf_image *image = builder_image(&builder, "x");
	uint64_t value = 7;
	char bytes[4];

	ck_assert(elf_image_address(image, 0x40, &value));
	ck_assert_uint_eq(value, 0x10040);
	/* Both segments contain it: the executable one is used. */
	ck_assert(elf_image_address(image, 0x110, &value));
	ck_assert_uint_eq(value, 0x21110);
	ck_assert(!elf_image_address(image, 0x200, &value));
	ck_assert(elf_image_offset(image, 0x211ff, &value));
	ck_assert_uint_eq(value, 0x1ff);
	/* In memory, but not in the file. */
	ck_assert(!elf_image_offset(image, 0x10180, &value));
	ck_assert_uint_eq(value, 0x1ff);
	ck_assert(elf_image_bytes(image, 0x10000, bytes, 4));
	ck_assert_mem_eq(bytes, ELFMAG, 4);
	ck_assert(!elf_image_bytes(image, 0x1017e, bytes, 4));
}
END_TEST

START_TEST(image_refuses_broken_files)
{
	struct elf_builder builder = {};
	struct elf_image *image = NULL;
	size_t size;
	auto_free char *file = builder_finish(&builder, &size);

	for (size_t n = 0; n < sizeof(Elf64_Ehdr); n++) {
		auto_free char *cut = xmalloc(n);

		memcpy(cut, file, n);
		struct error *err = elf_image_from_memory(take(cut), n, "cut", &image);
		ck_assert_ptr_nonnull(err);
		ck_assert_ptr_nonnull(strstr(error_message(err), "cut: "));
		error_destroy(err);
	}
	((Elf64_Ehdr *)file)->e_type = ET_CORE;
	struct error *err = elf_image_from_memory(take(file), size, "core", &image);
	ck_assert_ptr_nonnull(err);
	error_destroy(err);
	err = elf_image_open(open("/", O_RDONLY), "/", &image);
	ck_assert_ptr_nonnull(err);
	error_destroy(err);
	err = elf_image_open(-1, "nothing", &image);
	ck_assert_ptr_nonnull(err);
	error_destroy(err);
}
END_TEST

START_TEST(image_reads_the_build_id)
{
	struct elf_builder builder = {};

	builder_build_id(&builder, 0xab, 8);
	auto_image struct elf_image *image = builder_image(&builder, "x");
	ck_assert_str_eq(build_id_hex(&image->build_id).digits, "abababababababab");
}
END_TEST

/* A relocatable file with a .text of TEXT bytes and a .data, or a library with as much. */
static struct elf_image *module_image(bool relocatable, size_t text, bool data)
{
	static const char bytes[64];
	struct elf_builder builder = {
		.loads = {{PT_LOAD, PF_R | PF_X, 0, 0x1000, 0, text, text, 0x1000}}};
	struct elf_image *image = NULL;
	size_t size;

	builder_section(&builder, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0, bytes, text);
	if (data)
		builder_section(
			&builder, ".data", SHT_PROGBITS, SHF_ALLOC | SHF_WRITE, 0, bytes, 16);
	void *file = builder_finish(&builder, &size);
	if (relocatable)
		((Elf64_Ehdr *)file)->e_type = ET_REL;
	ck_assert_ptr_null(elf_image_from_memory(file, size, "x", &image));
	ck_assert(elf_image_is_relocatable(image) == relocatable);
	return image;
}

/* A kernel module's debug file has sections of the same sizes, or it is of another build. */
START_TEST(image_compares_layouts)
{
	auto_image struct elf_image *image = module_image(true, 32, true);
	auto_image struct elf_image *same = module_image(true, 32, true);
	auto_image struct elf_image *larger = module_image(true, 48, true);
	auto_image struct elf_image *fewer = module_image(true, 32, false);
	auto_image struct elf_image *library = module_image(false, 32, true);
	auto_image struct elf_image *other = module_image(false, 48, true);

	ck_assert(elf_image_same_layout(image, same));
	ck_assert(!elf_image_same_layout(image, larger));
	ck_assert(!elf_image_same_layout(larger, image));
	ck_assert(!elf_image_same_layout(image, fewer));
	ck_assert(!elf_image_same_layout(fewer, image));
	ck_assert(!elf_image_same_layout(image, library));
	ck_assert(!elf_image_same_layout(library, image));
	/* In files that are loaded at their own addresses, the address decides. */
	ck_assert(elf_image_same_layout(library, other));
}
END_TEST

static int at(const struct range_map *map, uint64_t address)
{
	const struct range *range = range_map_find(map, address);

	return range ? (int)range->value : -1;
}

/* An address in several ranges belongs to the range that the finished map has there. */
START_TEST(ranges_innermost)
{
	struct range_map map = {};

	ck_assert_ptr_null(range_map_innermost(&map));
	for (uint32_t i = 0; i < 200; i++) {
		range_map_add(&map, 100 - i * 7 % 13, 101 + i * 5 % 11, i, i % 3);
		uint32_t innermost = range_map_innermost(&map)->value;
		struct range_map finished = {};
		for (size_t j = 0; j < map.len; j++)
			range_map_add(&finished, map.data[j].start, map.data[j].end,
				map.data[j].value, map.data[j].rank);
		range_map_finish(&finished);
		ck_assert_int_eq(at(&finished, 100), innermost);
		vec_deinit(&finished);
	}
	vec_deinit(&map);
}
END_TEST

START_TEST(ranges_nest_and_overlap)
{
	struct range_map map = {};

	range_map_add(&map, 10, 100, 1, 0);
	range_map_add(&map, 20, 30, 2, 0);
	range_map_add(&map, 20, 30, 3, 1);
	range_map_add(&map, 90, 120, 4, 0);
	range_map_add(&map, 50, 50, 5, 0);
	range_map_add(&map, UINT64_MAX - 1, UINT64_MAX, 6, 0);
	range_map_finish(&map);
	ck_assert_int_eq(at(&map, 9), -1);
	ck_assert_int_eq(at(&map, 10), 1);
	ck_assert_int_eq(at(&map, 20), 3);
	ck_assert_int_eq(at(&map, 29), 3);
	ck_assert_int_eq(at(&map, 30), 1);
	ck_assert_int_eq(at(&map, 50), 1);
	ck_assert_int_eq(at(&map, 90), 4);
	ck_assert_int_eq(at(&map, 119), 4);
	ck_assert_int_eq(at(&map, 120), -1);
	ck_assert_int_eq(at(&map, UINT64_MAX - 1), 6);
	ck_assert_uint_eq(range_map_next(&map, 0), 10);
	ck_assert_uint_eq(range_map_next(&map, UINT64_MAX), UINT64_MAX);
	vec_deinit(&map);
}
END_TEST

static const struct {
	const char *mangled, *expected; /* NULL: left alone */
} names[] = {
	{"_ZN2ns1fEi", "ns::f(int)"},
	{"_Z1fv.isra.0", "f() [clone .isra.0]"},
	{"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE", "core::fmt::Formatter::write_str"},
	{"_ZN1a1b17h0123456789abcdefE.llvm.12", "a::b"},
	{"_ZN1a1b17h0123456789abcdefE.cold.1", "a::b [clone .cold.1]"},
	{"_ZN1a1b17h0123456789abcdefE.llvm.12.__part.3", "a::b [clone .__part.3]"},
	{"_ZN13_$LT$E..b$GT$1b17h0123456789abcdefE.cold", "<E::b>::b [clone .cold]"},
	{"_RNvCs4fqI2P2rA04_5crate4main", "crate::main"},
	{"_RNvCs4fqI2P2rA04_5crate4main.cold", "crate::main [clone .cold]"},
	{"_RNvCs4fqI2P2rA04_5crate4main.llvm.9D1C9369@@16", "crate::main"},
	{"_D9short", NULL},
	{"_Dmain", "D main"},
	{"_D3foo3barFiZv", "foo.bar(int)"},
	{"main", NULL},
	{"_Zfoo", NULL},
	{"_", NULL},
	{"", NULL},
	{"_Z", NULL},
};

START_TEST(demangle_table)
{
	auto_free char *s = demangle(names[_i].mangled);

	if (names[_i].expected)
		ck_assert_str_eq(s, names[_i].expected);
	else
		ck_assert_ptr_null(s);
}
END_TEST

START_TEST(demangle_is_bounded)
{
	auto_free char *huge = xmalloc(DEMANGLE_INPUT_MAX + 16);
	/* Each pair doubles what S_ stands for: 2^30 bytes if nobody stopped it. */
	auto_free char *bomb = xmalloc(4096);
	char *at_end = stpcpy(bomb, "_Z1f1AIiE");
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	memset(huge, 'a', DEMANGLE_INPUT_MAX + 15);
	huge[DEMANGLE_INPUT_MAX + 15] = '\0';
	memcpy(huge, "_Z", 2);
	ck_assert_ptr_null(demangle(huge));
	at_end = stpcpy(at_end, "S_IS0_S0_E");
	for (int i = 1; i < 34; i++)
		at_end += sprintf(at_end, "S_IS%c_S%c_E", digits[i], digits[i]);
	ck_assert_ptr_null(demangle(bomb));
}
END_TEST

START_TEST(paths_join_the_compilation_directory)
{
	struct arena arena = {};

	ck_assert_str_eq(source_path(&arena, "/b/d", "../x.c"), "/b/d/../x.c");
	ck_assert_str_eq(source_path(&arena, "/b/d", "/x.c"), "/x.c");
	ck_assert_str_eq(source_path(&arena, NULL, "x.c"), "x.c");
	ck_assert_str_eq(source_path(&arena, "", "x.c"), "x.c");
	ck_assert_str_eq(source_path(&arena, "./d", "./d/x.c"), "./d/x.c");
	ck_assert_str_eq(source_path(&arena, "./d", "./dd/x.c"), "./d/./dd/x.c");
	ck_assert_ptr_null(source_path(&arena, "/b", NULL));
	arena_deinit(&arena);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("debug");

	tcase_add_test(tc, image_translates_offsets);
	tcase_add_test(tc, image_refuses_broken_files);
	tcase_add_test(tc, image_reads_the_build_id);
	tcase_add_test(tc, image_compares_layouts);
	tcase_add_test(tc, ranges_innermost);
	tcase_add_test(tc, ranges_nest_and_overlap);
	tcase_add_loop_test(tc, demangle_table, 0, (int)(sizeof(names) / sizeof(names[0])));
	tcase_add_test(tc, demangle_is_bounded);
	tcase_add_test(tc, paths_join_the_compilation_directory);
	return tests_run(tc);
}
