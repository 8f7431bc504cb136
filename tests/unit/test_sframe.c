// SPDX-License-Identifier: GPL-2.0-or-later
/* SFrame sections that no assembler here writes, damaged ones, and rules about frame pointers. */
#include <check.h>
#include <elf.h>
#include <string.h>

#include "debug/sframe/sframe.h"
#include "debug/unwind/unwind_rule.h"
#include "run.h"

enum { HEADER = 28, ADDRESS = 0x10000, SIZE = 512 };

/* ---- an encoder ----------------------------------------------------------------------------- */

/* Filled from its start to its end. */
struct encoder {
	uint8_t bytes[SIZE];
	size_t len;
	bool big_endian;
};

static void put(struct encoder *to, uint64_t value, unsigned size)
{
	for (unsigned i = 0; i < size; i++)
		to->bytes[to->len++] = (uint8_t)(value >> 8 * (to->big_endian ? size - 1 - i : i));
}

static struct encoder begin(
	unsigned version, unsigned flags, enum sframe_abi abi, int fixed_ra, unsigned functions)
{
	struct encoder to = {.big_endian = abi == SFRAME_AARCH64_BE || abi == SFRAME_S390X};

	put(&to, 0xdee2, 2);
	put(&to, version, 1);
	put(&to, flags, 1);
	put(&to, abi, 1);
	put(&to, 0, 1);
	put(&to, (uint8_t)fixed_ra, 1);
	put(&to, 0, 1);
	put(&to, functions, 4);
	put(&to, 1000, 4);
	put(&to, 0, 4); /* bytes of rows: by finish() */
	put(&to, 0, 4);
	put(&to, functions * (version == 3 ? 16 : version == 2 ? 20 : 17), 4);
	return to;
}

/* An entry of version 3 for SIZE bytes of code at START; its attribute is at OFFSET of the rows. */
static void put_index(struct encoder *to, uint64_t start, uint32_t size, uint32_t offset)
{
	uint64_t from = to->bytes[3] & SFRAME_PCREL ? ADDRESS + to->len : ADDRESS;

	put(to, start - from, 8);
	put(to, size, 4);
	put(to, offset, 4);
}

static void put_attribute(
	struct encoder *to, unsigned rows, unsigned info, unsigned type, unsigned block)
{
	put(to, rows, 2);
	put(to, info, 1);
	put(to, type, 1);
	put(to, block, 1);
}

/* A row whose start has 1 byte, with N words of SIZE bytes. */
static void put_row(struct encoder *to, unsigned start, unsigned base, unsigned size, unsigned n,
	const int64_t *words)
{
	put(to, start, 1);
	put(to, base | n << 1 | (size == 4 ? 2U : size - 1) << 5, 1);
	for (unsigned i = 0; i < n; i++)
		put(to, (uint64_t)words[i], size);
}

#define row(to, start, base, size, ...)                                                            \
	put_row(to, start, base, size, sizeof((int64_t[]){__VA_ARGS__}) / sizeof(int64_t),         \
		(const int64_t[]){__VA_ARGS__})

/* Sets the length of the rows, which begin after FUNCTIONS entries. */
static void finish(struct encoder *to)
{
	size_t len = to->len;
	struct sframe header;

	/* Without rows it can be opened, and its header gives their position. */
	ck_assert_ptr_null(sframe_open(to->bytes, len, ADDRESS, &header));
	to->len = 16;
	put(to, len - (size_t)(header.rows - to->bytes), 4);
	to->len = len;
}

static struct sframe open_bytes(const struct encoder *from)
{
	struct sframe sframe;

	ck_assert_ptr_null(sframe_open(from->bytes, from->len, ADDRESS, &sframe));
	return sframe;
}

/* A section of version 3 with one function at 0x2000 of 64 bytes. */
static struct encoder one_function(enum sframe_abi abi, unsigned rows, unsigned info, unsigned type)
{
	struct encoder to =
		begin(3, SFRAME_SORTED | SFRAME_PCREL, abi, abi == SFRAME_AMD64 ? -8 : 0, 1);

	put_index(&to, 0x2000, 64, 0);
	put_attribute(&to, rows, info, type, 0);
	return to;
}

static struct unwind_rule rule_at(const struct encoder *from, uint16_t machine, uint64_t address)
{
	struct sframe sframe = open_bytes(from);
	struct unwind_rule rule;

	ck_assert_ptr_null(sframe_rule(&sframe, machine, address, &rule));
	return rule;
}

static const char *reason_at(const struct encoder *from, uint64_t address)
{
	struct sframe sframe = open_bytes(from);
	struct unwind_rule rule;
	const char *reason = sframe_rule(&sframe, EM_X86_64, address, &rule);

	return reason ? reason : "";
}

static void check_place(
	const struct unwind_place *place, enum unwind_kind kind, unsigned base, int offset)
{
	ck_assert_int_eq(place->kind, kind);
	ck_assert_uint_eq(place->base, base);
	ck_assert_int_eq(place->offset, offset);
}

/* ---- valid sections ------------------------------------------------------------------------- */

/* The control word of a register's rule: 1 by register, 2 the word there. */
static int64_t by_register(unsigned reg, unsigned deref)
{
	return reg << 3 | deref << 1 | 1;
}

START_TEST(flexible)
{
	for (unsigned size = 1; size <= 4; size *= 2) {
		struct encoder to = one_function(SFRAME_AMD64, 4, 0, 1);

		row(&to, 0, 0, size, by_register(7, 0), 8);
		row(&to, 4, 0, size, by_register(10, 0), 0, 0, by_register(6, 1), 0);
		row(&to, 9, 0, size, by_register(6, 1), -8, 0, by_register(6, 1), 0);
		row(&to, 20, 0, size, by_register(7, 0), 16, 2, -24, by_register(3, 0), 5);
		finish(&to);

		struct unwind_rule rule = rule_at(&to, EM_X86_64, 0x2003);
		ck_assert_uint_eq(rule.start, 0x2000);
		ck_assert_uint_eq(rule.end, 0x2004);
		check_place(&rule.cfa, UNWIND_VALUE, 7, 8);
		check_place(&rule.ra, UNWIND_MEMORY, UNWIND_CFA, -8);
		ck_assert_int_eq(rule.registers[6].kind, UNWIND_SAME);
		check_place(&rule.registers[7], UNWIND_VALUE, UNWIND_CFA, 0);
		ck_assert_int_eq(rule.registers[3].kind, UNWIND_UNDEFINED);
		ck_assert_int_eq(unwind_fp_walk(&rule), UNWIND_FP_LOST);

		rule = rule_at(&to, EM_X86_64, 0x2004);
		check_place(&rule.cfa, UNWIND_VALUE, 10, 0);
		check_place(&rule.ra, UNWIND_MEMORY, UNWIND_CFA, -8);
		check_place(&rule.registers[6], UNWIND_MEMORY, 6, 0);
		ck_assert_int_eq(unwind_fp_walk(&rule), UNWIND_FP_UNKNOWN);

		rule = rule_at(&to, EM_X86_64, 0x2010);
		check_place(&rule.cfa, UNWIND_MEMORY, 6, -8);
		ck_assert_int_eq(unwind_fp_walk(&rule), UNWIND_FP_RIGHT);

		rule = rule_at(&to, EM_X86_64, 0x203f);
		ck_assert_uint_eq(rule.end, 0x2040);
		check_place(&rule.ra, UNWIND_MEMORY, UNWIND_CFA, -24);
		check_place(&rule.registers[6], UNWIND_VALUE, 3, 5);
		ck_assert_str_eq(
			reason_at(&to, 0x2040), "its SFrame section does not cover this code");
	}
}
END_TEST

START_TEST(s390x)
{
	struct encoder to = one_function(SFRAME_S390X, 3, 0, 1);

	row(&to, 0, 0, 1, by_register(15, 0), 0);
	row(&to, 4, 0, 1, by_register(15, 0), 20, by_register(17, 0), 0, by_register(16, 0), 0);
	row(&to, 8, 0, 1, by_register(15, 0), 0, 2, -48, 2, -72);
	finish(&to);
	struct unwind_rule rule = rule_at(&to, EM_S390, 0x2000);
	check_place(&rule.cfa, UNWIND_VALUE, 15, 160);
	ck_assert_int_eq(rule.ra.kind, UNWIND_SAME);
	check_place(&rule.registers[15], UNWIND_VALUE, UNWIND_CFA, -160);
	rule = rule_at(&to, EM_S390, 0x2004);
	check_place(&rule.cfa, UNWIND_VALUE, 15, 320);
	check_place(&rule.ra, UNWIND_VALUE, 17, 0);
	check_place(&rule.registers[11], UNWIND_VALUE, 16, 0);
	rule = rule_at(&to, EM_S390, 0x2008);
	check_place(&rule.ra, UNWIND_MEMORY, UNWIND_CFA, -48);
	check_place(&rule.registers[11], UNWIND_MEMORY, UNWIND_CFA, -72);
	ck_assert_int_eq(unwind_fp_walk(&rule), UNWIND_FP_UNKNOWN);
}
END_TEST

/* In version 2 a bit of the offset says that it is a register. */
START_TEST(s390x_of_version_2)
{
	struct encoder to = begin(2, SFRAME_SORTED, SFRAME_S390X, 0, 1);

	put(&to, 0x2000 - ADDRESS, 4);
	put(&to, 64, 4);
	put(&to, 0, 4);
	put(&to, 1, 4);
	put(&to, 0, 4); /* info, block, padding */
	row(&to, 0, 1, 1, 0, 17 << 1 | 1, -72);
	finish(&to);
	struct unwind_rule rule = rule_at(&to, EM_S390, 0x2000);
	check_place(&rule.ra, UNWIND_VALUE, 17, 0);
	check_place(&rule.registers[11], UNWIND_MEMORY, UNWIND_CFA, -72);
}
END_TEST

START_TEST(aarch64)
{
	for (unsigned abi = SFRAME_AARCH64_BE; abi <= SFRAME_AARCH64_LE; abi++) {
		struct encoder to = one_function(abi, 3, 0x20, 0);

		row(&to, 0, 1, 1, 0);
		row(&to, 4, 0x81, 2, 4096);
		row(&to, 8, 0x80, 1, 32, -24, -32);
		finish(&to);
		struct unwind_rule rule = rule_at(&to, EM_AARCH64, 0x2000);
		ck_assert_int_eq(rule.ra.kind, UNWIND_SAME);
		ck_assert(!rule.mangled_ra);
		rule = rule_at(&to, EM_AARCH64, 0x2007);
		check_place(&rule.cfa, UNWIND_VALUE, 31, 4096);
		ck_assert(rule.mangled_ra);
		ck_assert_int_eq(unwind_fp_walk(&rule), UNWIND_FP_LOST);
		rule = rule_at(&to, EM_AARCH64, 0x2008);
		check_place(&rule.cfa, UNWIND_VALUE, 29, 32);
		check_place(&rule.ra, UNWIND_MEMORY, UNWIND_CFA, -24);
		check_place(&rule.registers[29], UNWIND_MEMORY, UNWIND_CFA, -32);
		ck_assert_int_eq(unwind_fp_walk(&rule), UNWIND_FP_RIGHT);
	}
}
END_TEST

START_TEST(outermost_and_signals)
{
	struct encoder none = one_function(SFRAME_AMD64, 0, 0, 0);
	struct encoder empty = one_function(SFRAME_AMD64, 1, 0, 0);
	struct encoder signal = one_function(SFRAME_AMD64, 1, 0x80, 0);

	finish(&none);
	put_row(&empty, 0, 1, 1, 0, NULL);
	finish(&empty);
	row(&signal, 0, 1, 1, 8);
	finish(&signal);
	struct unwind_rule a = rule_at(&none, EM_X86_64, 0x2010);
	struct unwind_rule b = rule_at(&empty, EM_X86_64, 0x2010);
	ck_assert_int_eq(a.ra.kind, UNWIND_UNDEFINED);
	ck_assert_int_eq(unwind_fp_walk(&a), UNWIND_FP_OUTERMOST);
	ck_assert(unwind_rules_agree(&a, &b, 0x2010));
	struct unwind_rule c = rule_at(&signal, EM_X86_64, 0x2010);
	ck_assert(c.signal_frame && !unwind_rules_agree(&a, &c, 0x2010));
}
END_TEST

START_TEST(blocks)
{
	struct encoder to = begin(3, SFRAME_SORTED | SFRAME_PCREL, SFRAME_AMD64, -8, 1);

	put_index(&to, 0x2000, 44, 0);
	put_attribute(&to, 2, 0x10, 0, 16);
	row(&to, 0, 1, 1, 8);
	row(&to, 11, 1, 1, 16);
	finish(&to);
	struct unwind_rule rule = rule_at(&to, EM_X86_64, 0x2010);
	ck_assert(rule.stub);
	ck_assert_uint_eq(rule.start, 0x2010);
	ck_assert_uint_eq(rule.end, 0x201b);
	rule = rule_at(&to, EM_X86_64, 0x201f);
	ck_assert_int_eq(rule.cfa.offset, 16);
	ck_assert_uint_eq(rule.end, 0x2020);
	/* The last one is truncated. */
	ck_assert_uint_eq(rule_at(&to, EM_X86_64, 0x202b).end, 0x202c);
}
END_TEST

/* Functions in any order, with code between them that belongs to none. */
START_TEST(unsorted)
{
	struct encoder to = begin(3, 0, SFRAME_AMD64, -8, 3);
	static const uint64_t starts[] = {0x3000, 0x2000, 0x2800};

	for (unsigned i = 0; i < 3; i++)
		put_index(&to, starts[i], 16, 9 * i);
	for (unsigned i = 0; i < 3; i++) {
		put_attribute(&to, 1, 1, 0, 0);
		put(&to, 0, 2);
		put(&to, 1 | 1 << 1, 1);
		put(&to, 8 * (i + 1), 1);
	}
	finish(&to);
	for (unsigned i = 0; i < 3; i++)
		ck_assert_int_eq(rule_at(&to, EM_X86_64, starts[i] + 15).cfa.offset, 8 * (i + 1));
	ck_assert_str_eq(reason_at(&to, 0x2010), "its SFrame section does not cover this code");
}
END_TEST

/* ---- damaged sections ----------------------------------------------------------------------- */

static const char *open_changed(const struct encoder *from, size_t at, uint8_t byte)
{
	struct encoder copy = *from;
	struct sframe sframe;

	copy.bytes[at] = byte;
	return sframe_open(copy.bytes, copy.len, ADDRESS, &sframe) ?: "";
}

START_TEST(broken_headers)
{
	struct encoder to = one_function(SFRAME_AMD64, 1, 0, 0);
	struct sframe sframe;

	row(&to, 0, 1, 1, 8);
	finish(&to);
	ck_assert_str_eq(open_changed(&to, 0, 0), "its SFrame section has no magic number");
	ck_assert_str_eq(open_changed(&to, 2, 4), "its SFrame version is not known");
	ck_assert_str_eq(open_changed(&to, 2, 0), "its SFrame version is not known");
	ck_assert_str_eq(open_changed(&to, 3, 2), "its SFrame header has unknown flags");
	ck_assert_str_eq(open_changed(&to, 3, 8), "its SFrame header has unknown flags");
	ck_assert_str_eq(open_changed(&to, 4, 5), "its SFrame section is for an unknown machine");
	ck_assert_str_eq(
		open_changed(&to, 4, SFRAME_S390X), "its SFrame section has the wrong byte order");
	for (size_t at = 7; at < HEADER; at++)
		if (at == 7 || at == 11 || (at >= 19 && at % 4 == 3))
			ck_assert_str_eq(
				open_changed(&to, at, 0xff), "its SFrame section is too short");
	for (size_t len = 1; len < to.len; len++)
		ck_assert_str_eq(sframe_open(to.bytes, len, ADDRESS, &sframe),
			"its SFrame section is too short");
	ck_assert_str_eq(sframe_open(to.bytes, 0, ADDRESS, &sframe), "it has no SFrame section");
}
END_TEST

/* The rule at 0x2004 if the attribute, or the row after it, is replaced. */
START_TEST(broken_rows)
{
	struct encoder to = one_function(SFRAME_AMD64, 1, 0, 0);
	static const char broken[] = "its SFrame rows for this code are broken";
	static const char absent[] = "its SFrame section does not cover this code";
	size_t attribute = to.len - 5;
	static const struct {
		unsigned at;
		uint8_t byte;
		const char *reason;
	} cases[] = {
		{0, 2, broken},	   /* a second row */
		{1, 0x40, absent}, /* more than the header has */
		{2, 3, absent},	   /* starts of no size */
		{3, 2, "its SFrame section has no usable entry for this address"},
		{3, 1, broken},	   /* flexible, but the offset is missing */
		{5, 5, broken},	   /* the first row is behind the address */
		{6, 0x63, broken}, /* words of no size */
		{6, 0x1f, broken}, /* more words than bytes */
	};

	row(&to, 0, 1, 1, 8);
	finish(&to);
	ck_assert_str_eq(reason_at(&to, 0x2004), "");
	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		struct encoder copy = to;

		copy.bytes[attribute + cases[i].at] = cases[i].byte;
		ck_assert_str_eq(reason_at(&copy, 0x2004), cases[i].reason);
	}
	/* The attribute beyond the rows. */
	struct encoder copy = to;
	copy.bytes[HEADER + 12] = 0xff;
	ck_assert_str_eq(reason_at(&copy, 0x2004), absent);
}
END_TEST

START_TEST(odd_rows)
{
	struct encoder far = one_function(SFRAME_AMD64, 1, 0, 1);
	struct encoder descending = one_function(SFRAME_AMD64, 2, 0, 0);
	struct encoder plain = one_function(SFRAME_AMD64, 1, 0, 1);

	row(&far, 0, 0, 2, by_register(200, 0), 8);
	finish(&far);
	ck_assert_str_eq(
		reason_at(&far, 0x2004), "its SFrame rows have a register that is not known");
	row(&descending, 4, 1, 1, 8);
	row(&descending, 0, 1, 1, 16);
	finish(&descending);
	ck_assert_str_eq(
		reason_at(&descending, 0x2004), "its SFrame rows for this code are broken");
	/* A CFA that counts from itself. */
	row(&plain, 0, 0, 1, 2, 8);
	finish(&plain);
	ck_assert_str_eq(reason_at(&plain, 0x2004), "its SFrame rows for this code are broken");
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("sframe");

	tcase_add_test(tests, flexible);
	tcase_add_test(tests, s390x);
	tcase_add_test(tests, s390x_of_version_2);
	tcase_add_test(tests, aarch64);
	tcase_add_test(tests, outermost_and_signals);
	tcase_add_test(tests, blocks);
	tcase_add_test(tests, unsorted);
	tcase_add_test(tests, broken_headers);
	tcase_add_test(tests, broken_rows);
	tcase_add_test(tests, odd_rows);
	return tests_run(tests);
}
