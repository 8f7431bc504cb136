// SPDX-License-Identifier: GPL-2.0-or-later
/* The reader with hand-made units, most of which no compiler would write. */
#include <check.h>
#include <dwarf.h>
#include <stdlib.h>

#include "bytes.h"
#include "debug/dwarf/split.h"
#include "debug/dwarf/reader.h"
#include "debug/files/companions.h"
#include "run.h"

/* Sections under construction, and the reader over them. */
struct program {
	struct text info, abbrev, aranges;
	size_t unit; /* where the unit began that was added last */
	struct arena arena;
	struct debug_options options;
	struct dwarf_reader *reader;
};

enum code {
	UNIT = 1,      /* low_pc, high_pc */
	FUNCTION,      /* name, low_pc, high_pc; children */
	LEAF_FUNCTION, /* the same without children */
	INLINED,       /* abstract_origin, low_pc, high_pc, call_line; children */
	BLOCK,	       /* children */
	ABSTRACT,      /* name, linkage name */
	REFERRING,     /* abstract_origin, low_pc, high_pc */
	SIBLING_TYPE,  /* a type with DW_AT_sibling; children */
	SKELETON,      /* low_pc, high_pc, dwo_name */
	REFERRED,      /* specification */
	NAMESPACE,     /* children */
};

static void add_abbrevs(struct text *bytes)
{
	add_bytes(bytes, UNIT, DW_TAG_compile_unit, 1, DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc,
		DW_FORM_data4, 0, 0);
	add_bytes(bytes, FUNCTION, DW_TAG_subprogram, 1, DW_AT_name, DW_FORM_string, DW_AT_low_pc,
		DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0);
	add_bytes(bytes, LEAF_FUNCTION, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0);
	add_bytes(bytes, INLINED, DW_TAG_inlined_subroutine, 1, DW_AT_abstract_origin, DW_FORM_ref4,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, DW_AT_call_line,
		DW_FORM_data1, 0, 0);
	add_bytes(bytes, BLOCK, DW_TAG_lexical_block, 1, 0, 0);
	add_bytes(bytes, ABSTRACT, DW_TAG_subprogram, 0, DW_AT_name, DW_FORM_string,
		DW_AT_linkage_name, DW_FORM_string, 0, 0);
	add_bytes(bytes, REFERRING, DW_TAG_subprogram, 0, DW_AT_abstract_origin, DW_FORM_ref_addr,
		DW_AT_low_pc, DW_FORM_addr, DW_AT_high_pc, DW_FORM_data4, 0, 0);
	add_bytes(bytes, SIBLING_TYPE, DW_TAG_structure_type, 1, DW_AT_sibling, DW_FORM_ref4, 0, 0);
	add_bytes(bytes, SKELETON, DW_TAG_skeleton_unit, 0, DW_AT_low_pc, DW_FORM_addr,
		DW_AT_high_pc, DW_FORM_data4, DW_AT_dwo_name, DW_FORM_string, 0, 0);
	add_bytes(
		bytes, REFERRED, DW_TAG_subprogram, 0, DW_AT_specification, DW_FORM_ref_addr, 0, 0);
	add_bytes(bytes, NAMESPACE, DW_TAG_namespace, 1, 0, 0, 0);
}

static void add_code(struct program *program, uint64_t start, uint32_t len)
{
	add_number(&program->info, start, 8);
	add_number(&program->info, len, 4);
}

static void begin_unit(struct program *program, uint8_t type)
{
	program->unit = program->info.len;
	add_number(&program->info, 0, 4);
	add_bytes(&program->info, 5, 0, type, 8, 0, 0, 0, 0);
	if (type == DW_UT_skeleton)
		add_number(&program->info, 0x1234, 8);
}

static void end_unit(struct program *program)
{
	set_length(&program->info, program->unit);
}

/* Offset in its unit of what comes next. */
static uint32_t here(const struct program *program)
{
	return (uint32_t)(program->info.len - program->unit);
}

static void add_function(
	struct program *program, enum code code, char name, uint64_t start, uint32_t len)
{
	add_bytes(&program->info, code, (uint8_t)name, 0);
	add_code(program, start, len);
}

static void open_reader(struct program *program)
{
	struct slice slices[SECTION_COUNT] = {
		[SECTION_INFO] = slice_of(&program->info),
		[SECTION_ABBREV] = slice_of(&program->abbrev),
		[SECTION_ARANGES] = slice_of(&program->aranges),
	};

	if (!program->abbrev.len)
		add_abbrevs(&program->abbrev);
	slices[SECTION_ABBREV] = slice_of(&program->abbrev);
	program->options = (struct debug_options){.root = "", .inlines = true, .lines = true};
	dwarf_reader_destroy(program->reader);
	program->reader = dwarf_reader_create_from(
		sections_from_slices(slices), &program->options, &program->arena);
}

static void program_deinit(struct program *program)
{
	dwarf_reader_destroy(program->reader);
	text_deinit(&program->info);
	text_deinit(&program->abbrev);
	text_deinit(&program->aranges);
	arena_deinit(&program->arena);
}

/* Asserts the names at ADDRESS, innermost first with blanks between, "" for no unit. */
static void assert_names(struct program *program, uint64_t address, const char *expected)
{
	struct reader_answer answer;
	struct text out = {};

	dwarf_reader_find(program->reader, address, &program->arena, &answer);
	for (size_t i = 0; i < answer.n_frames; i++) {
		const struct frame *frame = &answer.frames[i];

		text_printf(&out, "%s%s%s%s", i ? " " : "", frame->function ? frame->function : "?",
			frame->linkage ? "/" : "", frame->linkage ? frame->linkage : "");
	}
	ck_assert_str_eq(out.data ? out.data : "", expected);
	text_deinit(&out);
}

/* A function with two inlined calls, one in the other; asked often enough for both ways to read. */
START_TEST(test_inlined)
{
	struct program program = {};

	begin_unit(&program, DW_UT_compile);
	add_bytes(&program.info, UNIT);
	add_code(&program, 0x1000, 0x1000);
	uint32_t abstract = here(&program);
	add_bytes(&program.info, ABSTRACT, 'a', 0, 'l', 0);
	add_function(&program, FUNCTION, 'f', 0x1000, 0x100);
	for (int i = 0; i < 2; i++) {
		add_bytes(&program.info, INLINED);
		add_number(&program.info, abstract, 4);
		add_code(&program, 0x1010 + (uint64_t)i * 0x10, 0x40 - (uint32_t)i * 0x20);
		add_bytes(&program.info, (uint8_t)(7 + i));
	}
	add_bytes(&program.info, 0, 0, 0);
	add_function(&program, LEAF_FUNCTION, 'g', 0x1100, 0x10);
	add_bytes(&program.info, 0);
	end_unit(&program);
	open_reader(&program);
	for (int i = 0; i < 4; i++) {
		assert_names(&program, 0x1000, "f");
		assert_names(&program, 0x1010, "a/l f");
		assert_names(&program, 0x1020, "a/l a/l f");
		assert_names(&program, 0x103f, "a/l a/l f");
		assert_names(&program, 0x1040, "a/l f");
		assert_names(&program, 0x1050, "f");
	}
	assert_names(&program, 0x110f, "g");
	assert_names(&program, 0x1110, "?");
	assert_names(&program, 0xfff, "");
	for (size_t len = program.info.len; len--;) { /* cut anywhere */
		struct reader_answer answer;

		program.info.len = len;
		open_reader(&program);
		dwarf_reader_find(program.reader, 0x1020, &program.arena, &answer);
	}
	program_deinit(&program);
}
END_TEST

struct found_calls {
	uint64_t sum;
	size_t n;
};

static void found_call(void *context, uint64_t address)
{
	struct found_calls *found = context;

	found->sum += address;
	found->n++;
}

/* Inlined calls by name: the second search reads nothing. */
START_TEST(test_search)
{
	struct program program = {};
	struct frame_names names = {};
	const char *const words[] = {"b", "a", "b", "f", "a"};

	begin_unit(&program, DW_UT_compile);
	add_bytes(&program.info, UNIT);
	add_code(&program, 0x1000, 0x1000);
	uint32_t abstract = here(&program);
	add_bytes(&program.info, ABSTRACT, 'a', 0, 'a', 0);
	add_function(&program, FUNCTION, 'f', 0x1000, 0x100);
	uint32_t calls = here(&program);
	for (int i = 0; i < 3; i++) {
		add_bytes(&program.info, INLINED);
		add_number(&program.info, abstract, 4);
		add_code(&program, 0x1010 + (uint64_t)i * 0x10,
			0x10 * (i < 2)); /* one without code */
		add_bytes(&program.info, 7, 0);
	}
	add_bytes(&program.info, 0, 0);
	end_unit(&program);
	open_reader(&program);
	array_each(word, words, array_len(words)) {
		struct found_calls found = {};
		const struct inlined_search search = {*word, &names, found_call, &found};

		dwarf_reader_find_inlined(program.reader, &search);
		ck_assert_uint_eq(found.n, **word == 'a' ? 2 : 0);
		ck_assert_uint_eq(found.sum, **word == 'a' ? 0x1010 + 0x1020 : 0);
		memset(program.info.data + calls, 0, program.info.len - calls);
	}
	frame_names_deinit(&names);
	program_deinit(&program);
}
END_TEST

/* Origins that lead to themselves, to each other, between units, and nowhere. */
START_TEST(test_origins)
{
	struct program program = {};

	begin_unit(&program, DW_UT_compile);
	add_bytes(&program.info, UNIT);
	add_code(&program, 0x1000, 0x1000);
	uint32_t self = here(&program), where[] = {self, self + 34, 1 << 20, 0, 3, self + 85};
	for (size_t i = 0; i < 6; i++) {
		add_bytes(&program.info, REFERRING);
		add_number(&program.info, where[i], 4);
		add_code(&program, 0x1000 + i * 0x10, 0x10);
	}
	end_unit(&program);
	ck_assert_uint_eq(here(&program), self + 102);
	begin_unit(&program, DW_UT_compile);
	add_bytes(&program.info, UNIT);
	add_code(&program, 0x3000, 0);
	uint32_t other = (uint32_t)program.info.len;
	add_bytes(&program.info, ABSTRACT, 'x', 0, 'y', 0);
	end_unit(&program);
	memcpy(program.info.data + self + 2 * 17 + 1, &other, 4);
	open_reader(&program);
	assert_names(&program, 0x1000, "?");
	assert_names(&program, 0x1010, "x/y");
	assert_names(&program, 0x1020, "x/y");
	for (uint64_t address = 0x1030; address < 0x1060; address += 0x10)
		assert_names(&program, address, "?");
	program_deinit(&program);
}
END_TEST

/* A million nested blocks are not followed to the end. */
START_TEST(test_depth)
{
	struct program program = {};

	begin_unit(&program, DW_UT_compile);
	add_bytes(&program.info, UNIT);
	add_code(&program, 0x1000, 0x1000);
	add_function(&program, FUNCTION, 'f', 0x1000, 0x100);
	for (int i = 0; i < 1000000; i++)
		add_bytes(&program.info, BLOCK);
	end_unit(&program);
	open_reader(&program);
	for (int i = 0; i < 5; i++)
		assert_names(&program, 0x1000, "f");
	assert_names(&program, 0x1800, "?");
	program_deinit(&program);
}
END_TEST

/* DW_AT_sibling that leads back, to itself, beyond the unit: the children are walked instead. */
START_TEST(test_siblings)
{
	static const uint32_t siblings[] = {0, 1, 25, 0xffffffff, 1000};

	for (size_t i = 0; i < sizeof(siblings) / sizeof(*siblings); i++) {
		struct program program = {};

		begin_unit(&program, DW_UT_compile);
		add_bytes(&program.info, UNIT);
		add_code(&program, 0x1000, 0x1000);
		add_bytes(&program.info, SIBLING_TYPE);
		add_number(&program.info, siblings[i], 4);
		add_bytes(&program.info, ABSTRACT, 'a', 0, 0, 0);
		add_function(&program, LEAF_FUNCTION, 'f', 0x1000, 0x100);
		add_bytes(&program.info, 0);
		end_unit(&program);
		open_reader(&program);
		assert_names(&program, 0x1000, "f");
		program_deinit(&program);
	}
}
END_TEST

/*
 * Entries in namespaces are read at once, entries in functions if nothing else is at the address.
 */
START_TEST(test_nested)
{
	struct program program = {};

	begin_unit(&program, DW_UT_compile);
	add_bytes(&program.info, UNIT);
	add_code(&program, 0x1000, 0x1000);
	add_bytes(&program.info, NAMESPACE);
	add_function(&program, FUNCTION, 'f', 0x1000, 0x100);
	add_bytes(&program.info, BLOCK);
	add_function(&program, LEAF_FUNCTION, 'n', 0x1200, 0x10);
	add_bytes(&program.info, 0, 0, 0);
	add_function(&program, LEAF_FUNCTION, 'g', 0x1100, 0x10);
	add_bytes(&program.info, 0);
	end_unit(&program);
	open_reader(&program);
	assert_names(&program, 0x1000, "f");
	assert_names(&program, 0x1200, "n");
	assert_names(&program, 0x1100, "g");
	program_deinit(&program);
}
END_TEST

/* .debug_aranges that names a wrong unit, no unit, and misses one. */
START_TEST(test_aranges)
{
	static const uint32_t offsets[] = {0, 44, 5, 1000};

	for (size_t i = 0; i < 4; i++) {
		struct program program = {};

		for (uint64_t unit = 0; unit < 2; unit++) {
			begin_unit(&program, DW_UT_compile);
			add_bytes(&program.info, UNIT);
			add_code(&program, 0x1000 + unit * 0x1000, 0x1000);
			add_function(&program, LEAF_FUNCTION, unit ? 'g' : 'f',
				0x1000 + unit * 0x1000, 0x100);
			add_bytes(&program.info, 0);
			end_unit(&program);
		}
		add_number(&program.aranges, 44, 4);
		add_number(&program.aranges, 2, 2);
		add_number(&program.aranges, offsets[i], 4);
		add_bytes(&program.aranges, 8, 0, 0, 0, 0, 0);
		add_number(&program.aranges, 0x1000, 8);
		add_number(&program.aranges, 0x80, 8);
		add_number(&program.aranges, 0, 8);
		add_number(&program.aranges, 0, 8);
		open_reader(&program);
		assert_names(&program, 0x1000, "f");
		assert_names(&program, 0x10ff, "f");
		assert_names(&program, 0x2000, "g");
		assert_names(&program, 0x3000, "");
		program_deinit(&program);
	}
}
END_TEST

START_TEST(test_other_units)
{
	struct program program = {};
	struct reader_answer answer;

	begin_unit(&program, DW_UT_skeleton);
	add_bytes(&program.info, SKELETON);
	add_code(&program, 0x1000, 0x1000);
	add_bytes(&program.info, 'd', 0);
	end_unit(&program);
	begin_unit(&program, 9); /* unknown type: passed over */
	end_unit(&program);
	begin_unit(&program, DW_UT_compile);
	program.info.data[program.unit + 4] = 9; /* unknown version */
	end_unit(&program);
	begin_unit(&program, DW_UT_compile);
	add_bytes(&program.info, UNIT);
	add_code(&program, 0x2000, 0x1000);
	end_unit(&program);
	open_reader(&program);
	ck_assert(dwarf_reader_find(program.reader, 0x1000, &program.arena, &answer));
	ck_assert(answer.n_frames == 1 && !answer.has_function && answer.gap == GAP_DWO);
	ck_assert_str_eq(answer.detail, "split debug info d is missing");
	ck_assert(dwarf_reader_find(program.reader, 0x2000, &program.arena, &answer));
	ck_assert(answer.n_frames == 1 && !answer.has_function);
	ck_assert(!dwarf_reader_find(program.reader, 0x3000, &program.arena, &answer));
	program_deinit(&program);
}
END_TEST

/* An index of two units in four slots; the second one's info lies beyond its section. */
START_TEST(test_package)
{
	const uint64_t slots[4] = {0x11, 0x22, 0, 0};
	const uint32_t rows[4] = {2, 1, 0, 0};
	const uint32_t columns[2] = {1, 3}; /* info, abbrev */
	const uint32_t offsets[4] = {4, 0, 90, 0}, sizes[4] = {6, 3, 20, 3};
	const uint8_t bytes[100] = {};
	struct text index = {};
	struct package package;

	add_number(&index, 5, 4);
	add_number(&index, 2, 4);
	add_number(&index, 2, 4);
	add_number(&index, 4, 4);
	for (int i = 0; i < 4; i++)
		add_number(&index, slots[(i + 3) % 4], 8);
	for (int i = 0; i < 4; i++)
		add_number(&index, rows[(i + 3) % 4], 4);
	for (int i = 0; i < 2; i++)
		add_number(&index, columns[i], 4);
	for (int i = 0; i < 4; i++)
		add_number(&index, offsets[i], 4);
	for (int i = 0; i < 4; i++)
		add_number(&index, sizes[i], 4);
	struct slice slices[SECTION_COUNT] = {[SECTION_INFO] = {bytes, sizeof(bytes), false},
		[SECTION_ABBREV] = {bytes, sizeof(bytes), false},
		[SECTION_CU_INDEX] = slice_of(&index)};
	struct sections *sections = sections_from_slices(slices);
	ck_assert(package_read(sections, &package));
	struct sections *unit = package_unit(&package, 0x22, 0);
	ck_assert_ptr_nonnull(unit);
	ck_assert_ptr_eq(sections_get(unit, SECTION_INFO).data, bytes + 4);
	ck_assert_uint_eq(sections_get(unit, SECTION_INFO).len, 6);
	ck_assert_uint_eq(sections_get(unit, SECTION_ABBREV).len, 3);
	sections_destroy(unit);
	ck_assert_ptr_null(package_unit(&package, 0x11, 0)); /* its info is not there */
	ck_assert_ptr_null(package_unit(&package, 0x44, 0));
	sections_destroy(sections);

	/* If it is truncated, or the number of slots is no power of two, it is no index. */
	for (size_t len = 0; len < index.len; len++) {
		slices[SECTION_CU_INDEX].len = len;
		sections = sections_from_slices(slices);
		ck_assert(!package_read(sections, &package));
		sections_destroy(sections);
	}
	slices[SECTION_CU_INDEX].len = index.len;
	index.data[12] = 3;
	sections = sections_from_slices(slices);
	ck_assert(!package_read(sections, &package));
	sections_destroy(sections);
	text_deinit(&index);
}
END_TEST

static void assert_candidates(struct candidates *candidates, const char *expected)
{
	struct text text = {};

	candidates_say(candidates, &text);
	ck_assert_str_eq(text.data, expected);
	text_deinit(&text);
	candidates_deinit(candidates);
}

START_TEST(test_companions)
{
	const char *dirs[] = {"/d"};
	struct path_rule rule = {"/build/", "/here"};
	struct debug_options options = {.debug_dirs = {.data = dirs, .len = 1},
		.root = "/root",
		.path = "/bin/p",
		.rules = {.data = &rule, .len = 1}};
	struct elf_image program = {.path = "/root/bin/p", .build_id = {2, {0xab, 0xcd}}};
	const struct companions companions = {&program, &program, &options};
	struct candidates candidates = {};

	companions_dwo(&companions, "/build", "o/a.dwo", &candidates);
	assert_candidates(&candidates,
		"/here/o/a.dwo, /root/build/o/a.dwo, /root/bin/o/a.dwo, /root/bin/a.dwo, "
		"/root/d/build/o/a.dwo, /d/build/o/a.dwo, /root/d/o/a.dwo, /d/o/a.dwo, "
		"/root/d/a.dwo, /d/a.dwo");
	companions_dwo(&companions, "/build", "/abs/a.dwo", &candidates);
	assert_candidates(&candidates, "/root/abs/a.dwo, /root/bin/a.dwo, /root/d/abs/a.dwo, "
				       "/d/abs/a.dwo, /root/d/a.dwo, /d/a.dwo");
	options.root = "";
	companions_dwp(&companions, &candidates);
	assert_candidates(&candidates, "/bin/p.dwp, /d/.build-id/ab/cd.debug.dwp, "
				       "/d/.build-id/ab/cd.dwp, /d/bin/p.dwp, /d/p.dwp");
	const struct build_id id = {2, {1, 2}};
	companions_alt(&companions, "../.dwz/x/y.debug", &id, &candidates);
	assert_candidates(&candidates, "/bin/../.dwz/x/y.debug, /d/.build-id/01/02.debug, "
				       "/d/.dwz/x/y.debug, /bin/y.debug");
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("dwarf_reader");
	const TTest *const tests[] = {test_inlined, test_search, test_origins, test_depth,
		test_siblings, test_nested, test_aranges, test_other_units, test_package,
		test_companions};

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tcase_add_test(tcase, tests[i]);
	return tests_run(tcase);
}
