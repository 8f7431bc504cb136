// SPDX-License-Identifier: GPL-2.0-or-later
/* The parts of the DWARF reader: numbers, forms, abbreviations, ranges, line programs. */
#include <check.h>
#include <dwarf.h>
#include <stdio.h>
#include <stdlib.h>

#include "bytes.h"
#include "debug/dwarf/abbrev.h"
#include "debug/dwarf/cursor.h"
#include "debug/dwarf/line_table.h"
#include "debug/dwarf/die.h"
#include "run.h"

static const struct encoding encoding_5 = {5, 8, 4};

static struct cursor cursor_of(const struct text *bytes)
{
	return cursor_at(slice_of(bytes), 0);
}

START_TEST(test_numbers)
{
	struct text bytes = {};

	add_bytes(&bytes, 0x7f, 0xe5, 0x8e, 0x26, 0x7f, 0x80, 0x7f);
	struct cursor cursor = cursor_of(&bytes);
	ck_assert_uint_eq(cursor_uleb(&cursor), 127);
	ck_assert_uint_eq(cursor_uleb(&cursor), 624485);
	ck_assert_int_eq(cursor_sleb(&cursor), -1);
	ck_assert_int_eq(cursor_sleb(&cursor), -128);
	ck_assert(!cursor.failed && !cursor_left(&cursor));
	ck_assert_uint_eq(cursor_u8(&cursor), 0);
	ck_assert(cursor.failed);
	text_deinit(&bytes);
}
END_TEST

START_TEST(test_leb_overflow)
{
	struct text bytes = {};

	for (int i = 0; i < 40; i++)
		add_bytes(&bytes, 0xff);
	struct cursor cursor = cursor_of(&bytes);
	ck_assert_uint_eq(cursor_uleb(&cursor), 0);
	ck_assert(cursor.failed);
	cursor = cursor_of(&bytes);
	ck_assert_int_eq(cursor_sleb(&cursor), 0);
	ck_assert(cursor.failed);
	add_bytes(&bytes, 0x01);
	cursor = cursor_of(&bytes);
	ck_assert_uint_eq(cursor_uleb(&cursor), UINT64_MAX);
	ck_assert(!cursor.failed);
	text_deinit(&bytes);
}
END_TEST

START_TEST(test_unit_lengths)
{
	struct text bytes = {};
	uint8_t size;

	add_number(&bytes, 3, 4);
	add_bytes(&bytes, 1, 2);
	struct cursor cursor = cursor_of(&bytes);
	size = cursor_enter_unit(&cursor);
	ck_assert(cursor.failed);
	text_clear(&bytes);
	add_number(&bytes, UINT32_MAX, 4);
	add_number(&bytes, 1, 8);
	add_bytes(&bytes, 9, 9);
	cursor = cursor_of(&bytes);
	size = cursor_enter_unit(&cursor);
	ck_assert(!cursor.failed && size == 8 && cursor_left(&cursor) == 1);
	text_clear(&bytes);
	add_number(&bytes, 0xfffffff4, 4);
	cursor = cursor_of(&bytes);
	size = cursor_enter_unit(&cursor);
	ck_assert(cursor.failed);
	text_deinit(&bytes);
}
END_TEST

/* Reading and skipping have to agree, for every form and for every truncation. */
START_TEST(test_forms)
{
	uint8_t zeros[64] = {1, 2, 3};

	for (unsigned form = 0; form <= 0x1f30; form += form == 0x40 ? 0x1ec0 : 1) {
		for (size_t len = 0; len <= 32; len++) {
			struct cursor read = {zeros, zeros + len, false, false}, skip = read;
			unsigned size = 0;
			struct form_value value = form_read(&read, form, 7, &encoding_5);
			enum form_shape shape = form_shape(form, &encoding_5, &size);

			if (shape == FORM_FIXED)
				cursor_skip(&skip, size);
			else
				form_skip(&skip, shape, &encoding_5);
			if (read.failed != skip.failed || read.at != skip.at ||
				(read.failed && value.form))
				ck_abort_msg("form %x of %zu", form, len);
		}
	}
}
END_TEST

START_TEST(test_indirect)
{
	struct text bytes = {};

	add_bytes(&bytes, DW_FORM_data2, 0x34, 0x12);
	struct cursor cursor = cursor_of(&bytes);
	struct form_value value = form_read(&cursor, DW_FORM_indirect, 0, &encoding_5);
	ck_assert_uint_eq(value.form, DW_FORM_data2);
	ck_assert_uint_eq(form_constant(&value), 0x1234);
	text_clear(&bytes);
	add_bytes(&bytes, DW_FORM_indirect, DW_FORM_indirect, DW_FORM_data1, 1);
	cursor = cursor_of(&bytes);
	form_read(&cursor, DW_FORM_indirect, 0, &encoding_5);
	ck_assert(cursor.failed);
	text_deinit(&bytes);
}
END_TEST

START_TEST(test_abbrevs)
{
	struct abbrev_cache cache = {};
	struct text bytes = {};

	add_bytes(&bytes, 1, DW_TAG_variable, 1, DW_AT_name, DW_FORM_strp, DW_AT_sibling,
		DW_FORM_ref4, DW_AT_decl_line, DW_FORM_implicit_const, 5, 0, 0);
	add_bytes(&bytes, 2, DW_TAG_subprogram, 0, DW_AT_location, DW_FORM_exprloc, DW_AT_low_pc,
		DW_FORM_addr, 0, 0, 0);
	const struct abbrev_table *table =
		abbrev_cache_get(&cache, slice_of(&bytes), 0, &encoding_5);
	ck_assert_ptr_nonnull(table);
	ck_assert(table->dense);
	const struct abbrev *abbrev = abbrev_get(table, 1);
	ck_assert(abbrev->children && abbrev->size == 8 && abbrev->sibling_at == 4 &&
		  abbrev->sibling_size == 4);
	abbrev = abbrev_get(table, 2);
	ck_assert(abbrev->size == ABBREV_VARIES && abbrev->has_code && !abbrev->placed);
	const uint8_t die[] = {2, 0, 0, 1, 2, 3, 4, 5, 6, 7, 8};
	struct cursor cursor = {die, die + sizeof(die), false, false};
	abbrev_skip(table, abbrev, &cursor, &encoding_5);
	ck_assert(!cursor.failed && !cursor_left(&cursor));
	ck_assert_ptr_null(abbrev_get(table, 0));
	ck_assert_ptr_null(abbrev_get(table, 3));
	ck_assert_ptr_eq(abbrev_cache_get(&cache, slice_of(&bytes), 0, &encoding_5), table);
	abbrev_cache_deinit(&cache);
	text_deinit(&bytes);
}
END_TEST

/* Codes far apart and out of order, an unknown form, and tables of every truncated length. */
START_TEST(test_abbrevs_odd)
{
	struct text bytes = {};

	add_bytes(&bytes, 0xff, 0xff, 0x03, DW_TAG_variable, 0, 0, 0);
	add_bytes(&bytes, 7, DW_TAG_variable, 0, DW_AT_name, DW_FORM_data1, 0, 0);
	add_bytes(&bytes, 8, DW_TAG_variable, 0, DW_AT_name, 0x7e, 0, 0, 0);
	for (size_t len = 0; len <= bytes.len; len++) {
		struct abbrev_cache cache = {};
		struct slice cut = {(const uint8_t *)bytes.data, len, false};
		const struct abbrev_table *table = abbrev_cache_get(&cache, cut, 0, &encoding_5);

		if (len == bytes.len) {
			ck_assert_uint_eq(abbrev_get(table, 7)->size, 1);
			ck_assert_uint_eq(abbrev_get(table, 0xffff)->size, 0);
			ck_assert_ptr_null(abbrev_get(table, 8));
		}
		abbrev_cache_deinit(&cache);
	}
	text_deinit(&bytes);
}
END_TEST

/* Tables that overlap: one begins at every offset. */
START_TEST(test_abbrevs_budget)
{
	struct abbrev_cache cache = {};
	struct text bytes = {};

	for (int i = 0; i < 20000; i++)
		add_bytes(&bytes, 1, 1, 0, 0, 0);
	for (size_t at = 0; at < bytes.len; at += 5)
		abbrev_cache_get(&cache, slice_of(&bytes), at, &encoding_5);
	ck_assert_uint_eq(cache.budget, 0);
	abbrev_cache_deinit(&cache);
	text_deinit(&bytes);
}
END_TEST

/* All ranges of a unit with LIST in a section, as "start-end ". */
static char *list_ranges(const struct text *list, enum section_id id, uint8_t version,
	unsigned form, uint64_t number)
{
	static const uint64_t addresses[] = {0x5000, 0x5100, 0x5200};
	struct slice slices[SECTION_COUNT] = {};
	struct dwarf dwarf = {.range_budget = 1000};
	struct code code = {.ranges = {.form = (uint16_t)form, .number = number}};
	struct text out = {};
	struct ranges ranges;
	uint64_t start, end;

	slices[id] = slice_of(list);
	slices[SECTION_ADDR] = (struct slice){(const uint8_t *)addresses, sizeof(addresses), false};
	dwarf.sections = sections_from_slices(slices);
	struct unit unit = {.dwarf = &dwarf, .encoding = {version, 8, 4}, .low_pc = 0x1000};
	ranges_begin(&ranges, &unit, &code);
	while (ranges_next(&ranges, &start, &end))
		text_printf(&out, "%lx-%lx ", (unsigned long)start, (unsigned long)end);
	sections_destroy(dwarf.sections);
	return text_take(&out);
}

static void assert_ranges(const struct text *list, enum section_id id, uint8_t version,
	unsigned form, uint64_t number, const char *expected)
{
	char *s = list_ranges(list, id, version, form, number);

	ck_assert_str_eq(s, expected);
	free(s);
}

START_TEST(test_rnglists)
{
	struct text list = {};

	add_number(&list, 4, 4); /* offset of the only list, for rnglistx */
	add_bytes(&list, DW_RLE_offset_pair, 0x10, 0x20, DW_RLE_base_addressx, 1,
		DW_RLE_offset_pair, 0, 8, DW_RLE_startx_endx, 0, 1, DW_RLE_startx_length, 2, 4,
		DW_RLE_base_address);
	add_number(&list, 0x9000, 8);
	add_bytes(&list, DW_RLE_offset_pair, 1, 2, DW_RLE_offset_pair, 5, 5, DW_RLE_start_end);
	add_number(&list, 0xa000, 8);
	add_number(&list, 0xa001, 8);
	add_bytes(&list, DW_RLE_start_length);
	add_number(&list, 0, 8); /* discarded */
	add_bytes(&list, 0x20, DW_RLE_start_length);
	add_number(&list, UINT64_MAX, 8);
	add_bytes(&list, 1, DW_RLE_startx_endx, 9, 9, DW_RLE_end_of_list);
	const char *all = "1010-1020 5100-5108 5000-5100 5200-5204 9001-9002 a000-a001 ";
	assert_ranges(&list, SECTION_RNGLISTS, 5, DW_FORM_rnglistx, 0, all);
	assert_ranges(&list, SECTION_RNGLISTS, 5, DW_FORM_sec_offset, 4, all);
	assert_ranges(&list, SECTION_RNGLISTS, 5, DW_FORM_rnglistx, 1, "");
	assert_ranges(&list, SECTION_RNGLISTS, 5, DW_FORM_rnglistx, UINT64_MAX, "");
	assert_ranges(&list, SECTION_RNGLISTS, 5, DW_FORM_sec_offset, 4000, "");
	for (size_t len = list.len; len--;) { /* never beyond the end */
		list.len = len;
		free(list_ranges(&list, SECTION_RNGLISTS, 5, DW_FORM_sec_offset, 4));
	}
	text_deinit(&list);
}
END_TEST

START_TEST(test_ranges_old)
{
	struct text list = {};
	const uint64_t numbers[] = {0x10, 0x20, 0x30, 0x30, UINT64_MAX, 0, 1, 1, 0x700, 0x701,
		UINT64_MAX, UINT64_MAX - 1, 5, 6, 0, 0, 0x40, 0x41};

	text_add(&list, (const char *)numbers, sizeof(numbers));
	assert_ranges(&list, SECTION_RANGES, 4, DW_FORM_sec_offset, 0, "1010-1020 700-701 ");
	list.len -= 40; /* no end of list */
	assert_ranges(&list, SECTION_RANGES, 4, DW_FORM_data4, 0, "1010-1020 700-701 ");
	text_deinit(&list);
}
END_TEST

#define MD5 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16

struct table_options {
	uint8_t version, min_instruction, opcode_base, line_range;
};

/* The header of a table with a directory "d" and a file "f"; the program is to follow. */
static void add_line_header(struct text *bytes, const struct table_options *options)
{
	static const uint8_t lengths[] = {0, 1, 1, 1, 1, 0, 0, 0, 1, 0, 0, 1, 2, 3};

	add_number(bytes, 0, 4);
	add_number(bytes, options->version, 2);
	if (options->version == 5)
		add_bytes(bytes, 8, 0);
	size_t at = bytes->len;
	add_number(bytes, 0, 4);
	add_bytes(bytes, options->min_instruction);
	if (options->version >= 4)
		add_bytes(bytes, 1);
	add_bytes(bytes, 1, (uint8_t)-3, options->line_range, options->opcode_base);
	text_add(bytes, (const char *)lengths, options->opcode_base - 1u);
	if (options->version == 5)
		add_bytes(bytes, 1, DW_LNCT_path, DW_FORM_string, 2, 'c', 0, 'd', 0, 3,
			DW_LNCT_path, DW_FORM_string, DW_LNCT_directory_index, DW_FORM_udata,
			DW_LNCT_MD5, DW_FORM_data16, 2, 'z', 0, 0, MD5, 'f', 0, 1, MD5);
	else
		add_bytes(bytes, 'd', 0, 0, 'f', 0, 1, 0, 0, 0);
	set_length(bytes, at);
}

static void add_set_address(struct text *bytes, uint64_t address)
{
	add_bytes(bytes, 0, 9, DW_LNE_set_address);
	add_number(bytes, address, 8);
}

/* Asks the table in BYTES, with big-endian numbers if BIG: "path:line:column" or "none". */
static char *ask_table(const struct text *bytes, bool big, uint64_t address)
{
	struct slice slices[SECTION_COUNT] = {
		[SECTION_LINE] = {(const uint8_t *)bytes->data, bytes->len, big}};
	struct dwarf dwarf = {.sections = sections_from_slices(slices), .line_budget = 1 << 20};
	struct unit unit = {.dwarf = &dwarf, .encoding = {5, 8, 4}, .comp_dir = "/c"};
	struct line_table *table = lines_create(&unit);
	struct line_row row;
	struct arena arena = {};
	struct text out = {};

	if (table && lines_find(table, &dwarf, address, &row)) {
		const char *path = lines_path(table, &unit, row.file, &arena);

		text_printf(&out, "%s:%u:%u/%u", path ? path : "??", row.line, row.column,
			row.discriminator);
	} else {
		text_add_string(&out, table ? "none" : "broken");
	}
	lines_destroy(table);
	sections_destroy(dwarf.sections);
	arena_deinit(&arena);
	return text_take(&out);
}

static char *ask_line(const struct text *bytes, uint64_t address)
{
	return ask_table(bytes, false, address);
}

static void assert_line(const struct text *bytes, uint64_t address, const char *expected)
{
	char *s = ask_line(bytes, address);

	ck_assert_str_eq(s, expected);
	free(s);
}

START_TEST(test_lines)
{
	for (uint8_t version = 2; version <= 5; version++) {
		struct table_options options = {version, 1, 13, 12};
		struct text bytes = {};

		add_line_header(&bytes, &options);
		add_set_address(&bytes, 0x1000);
		add_bytes(&bytes, DW_LNS_set_column, 7, DW_LNS_advance_line, 9, DW_LNS_copy);
		add_bytes(&bytes, 0, 2, DW_LNE_set_discriminator, 3);
		add_bytes(&bytes, 13 + 12 * 4 + 4); /* address + 4, line + 1 */
		add_bytes(&bytes, DW_LNS_const_add_pc, DW_LNS_fixed_advance_pc, 0, 1);
		add_bytes(&bytes, DW_LNS_advance_line, 0x75, DW_LNS_copy); /* line - 11: 0 */
		add_bytes(&bytes, DW_LNS_advance_pc, 2, 0, 1, DW_LNE_end_sequence);
		set_length(&bytes, 0);
		assert_line(&bytes, 0xfff, "none");
		assert_line(&bytes, 0x1000, "/c/d/f:10:7/0");
		assert_line(&bytes, 0x1003, "/c/d/f:10:7/0");
		assert_line(&bytes, 0x1004, "/c/d/f:11:7/3");
		assert_line(&bytes, 0x1004 + 20 + 0x100, "/c/d/f:0:7/0");
		assert_line(&bytes, 0x1004 + 20 + 0x101, "/c/d/f:0:7/0");
		assert_line(&bytes, 0x1004 + 20 + 0x102, "none");
		for (size_t len = bytes.len; len--;) {
			bytes.len = len;
			free(ask_line(&bytes, 0x1004));
		}
		text_deinit(&bytes);
	}
}
END_TEST

/* As old compilers for PowerPC write them: an address with each row. */
START_TEST(test_big_endian_lines)
{
	static const uint8_t table[] = {0, 0, 0, 62, 0, 2, 0, 0, 0, 23, 1, 1, 1, 12, 10, 0, 1, 1, 1,
		1, 0, 0, 0, 1, 'd', 0, 0, 'f', 0, 1, 0, 0, 0,
		/* the program */ 0, 9, DW_LNE_set_address, 0, 0, 0, 0, 0, 0, 0x10, 0, DW_LNS_copy,
		0, 9, DW_LNE_set_address, 0, 0, 0, 0, 0, 0, 0x20, 0, 10, DW_LNS_fixed_advance_pc, 1,
		2, 11, DW_LNS_advance_pc, 4, 0, 1, DW_LNE_end_sequence};
	struct text bytes = {};

	text_add(&bytes, (const char *)table, sizeof(table));
	for (uint64_t address = 0x0fff; address < 0x2108; address++) {
		char *s = ask_table(&bytes, true, address);

		ck_assert_str_eq(s, address < 0x1000   ? "none"
				    : address < 0x2000 ? "/c/d/f:1:0/0"
				    : address < 0x2102 ? "/c/d/f:2:0/0"
				    : address < 0x2106 ? "/c/d/f:4:0/0"
						       : "none");
		free(s);
	}
	text_deinit(&bytes);
}
END_TEST

START_TEST(test_line_parameters)
{
	struct table_options options = {4, 4, 10, 12};
	struct text bytes = {};

	add_line_header(&bytes, &options); /* opcodes 10 to 12 are special ones here */
	add_set_address(&bytes, 0x1000);
	add_bytes(&bytes, 10 + 3, 10 + 12 * 2 + 4, 12, 10 + 12, 0, 1, DW_LNE_end_sequence);
	set_length(&bytes, 0);
	assert_line(&bytes, 0x1007, "/c/d/f:1:0/0");
	assert_line(&bytes, 0x1008, "/c/d/f:1:0/0");
	text_clear(&bytes);
	options.opcode_base = 15; /* 13 takes two operands, 14 three */
	add_line_header(&bytes, &options);
	add_set_address(&bytes, 0x1000);
	add_bytes(&bytes, 13, 1, 2, 14, 1, 2, 0x83, 3, DW_LNS_copy, DW_LNS_advance_pc, 1, 0, 1,
		DW_LNE_end_sequence);
	set_length(&bytes, 0);
	assert_line(&bytes, 0x1003, "/c/d/f:1:0/0");
	text_clear(&bytes);
	options.line_range = 0;
	add_line_header(&bytes, &options);
	set_length(&bytes, 0);
	assert_line(&bytes, 0x1000, "broken");
	text_deinit(&bytes);
}
END_TEST

/* More rows than one state covers, and a sequence whose addresses fall. */
START_TEST(test_line_runs)
{
	struct table_options options = {5, 1, 13, 12};
	struct text bytes = {};

	add_line_header(&bytes, &options);
	add_set_address(&bytes, 0x1000);
	for (int i = 0; i < 100; i++)
		add_bytes(&bytes, 13 + 12 + 4);
	add_set_address(&bytes, 0x800);
	for (int i = 0; i < 100; i++)
		add_bytes(&bytes, 13 + 12 + 4);
	add_bytes(&bytes, 0, 1, DW_LNE_end_sequence);
	set_length(&bytes, 0);
	for (int i = 1; i < 100; i++) {
		char expected[32];

		snprintf(expected, sizeof(expected), "/c/d/f:%d:0/0", i + 1);
		assert_line(&bytes, 0x1000 + (uint64_t)i, i < 100 ? expected : "none");
		snprintf(expected, sizeof(expected), "/c/d/f:%d:0/0", i + 101);
		assert_line(&bytes, 0x800 + (uint64_t)i, expected);
	}
	text_deinit(&bytes);
}
END_TEST

/* Counts that are larger than the data. */
START_TEST(test_line_counts)
{
	struct table_options options = {5, 1, 13, 12};
	struct text bytes = {};

	add_line_header(&bytes, &options);
	size_t at = 12 + 6 + 12; /* of the directory columns */
	bytes.len = at;
	add_bytes(&bytes, 0, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f);
	set_length(&bytes, 0);
	assert_line(&bytes, 0x1000, "broken");
	bytes.len = at;
	add_bytes(&bytes, 1, DW_LNCT_path, DW_FORM_flag_present, 0xff, 0xff, 0xff, 0x7f);
	set_length(&bytes, 0);
	assert_line(&bytes, 0x1000, "broken");
	text_deinit(&bytes);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("dwarf");
	const TTest *const tests[] = {test_numbers, test_leb_overflow, test_unit_lengths,
		test_forms, test_indirect, test_abbrevs, test_abbrevs_odd, test_abbrevs_budget,
		test_rnglists, test_ranges_old, test_lines, test_big_endian_lines,
		test_line_parameters, test_line_runs, test_line_counts};

	for (size_t i = 0; i < sizeof(tests) / sizeof(*tests); i++)
		tcase_add_test(tcase, tests[i]);
	return tests_run(tcase);
}
