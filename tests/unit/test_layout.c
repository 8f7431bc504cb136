// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "input/roles/layout.h"
#include "input/roles/roles.h"
#include "run.h"

static struct layout parse(const char *text)
{
	struct layout layout = {};
	struct error *err = layout_given(text, "--key-layout", "key.", NULL, &layout);

	ck_assert_msg(!err, "%s", err ? error_message(err) : "");
	return layout;
}

static void expect_field(const struct layout *layout, size_t i, const char *name, size_t offset,
	size_t size, enum field_kind kind)
{
	const struct layout_field *field = &layout->fields.data[i];

	ck_assert_str_eq(field->name, name);
	ck_assert_uint_eq(field->offset, offset);
	ck_assert_uint_eq(field->size, size);
	ck_assert_int_eq(field->kind, kind);
}

START_TEST(natural_alignment)
{
	struct layout layout = parse("u32 pid; u64 ip, more; s32 user; char comm[16]; bool b");

	expect_field(&layout, 0, "key.pid", 0, 4, FIELD_NUMBER);
	expect_field(&layout, 1, "key.ip", 8, 8, FIELD_NUMBER);
	expect_field(&layout, 2, "key.more", 16, 8, FIELD_NUMBER);
	expect_field(&layout, 3, "key.user", 24, 4, FIELD_NUMBER);
	expect_field(&layout, 4, "key.comm", 28, 16, FIELD_TEXT);
	expect_field(&layout, 5, "key.b", 44, 1, FIELD_NUMBER);
	ck_assert_uint_eq(layout.size, 48);
	ck_assert(layout_fits(&layout, 48) && layout_fits(&layout, 45));
	ck_assert(!layout_fits(&layout, 46));
	layout_deinit(&layout);
}
END_TEST

START_TEST(types_and_nesting)
{
	struct layout layout = parse("struct key_t { __u8 a; struct { uint64_t b; int32_t c; } in; "
				     "unsigned long long d; pid_t e; };");

	expect_field(&layout, 0, "key.a", 0, 1, FIELD_NUMBER);
	expect_field(&layout, 1, "key.in.b", 8, 8, FIELD_NUMBER);
	expect_field(&layout, 2, "key.in.c", 16, 4, FIELD_NUMBER);
	expect_field(&layout, 3, "key.d", 24, 8, FIELD_NUMBER);
	expect_field(&layout, 4, "key.e", 32, 4, FIELD_NUMBER);
	ck_assert_uint_eq(layout.size, 40);
	layout_deinit(&layout);
}
END_TEST

START_TEST(offsets_arrays_and_rest)
{
	struct layout layout = parse("u32 a@12; struct bpf_stack_build_id s[2]; u64 ips[]");
	uint8_t data[100] = {[12] = 7};
	struct field fields[3];

	expect_field(&layout, 0, "key.a", 12, 4, FIELD_NUMBER);
	expect_field(&layout, 1, "key.s", 16, 64, FIELD_BYTES);
	expect_field(&layout, 2, "key.ips", 80, 0, FIELD_WORDS);
	ck_assert(layout_decode(&layout, data, sizeof(data), fields));
	ck_assert_uint_eq(fields[0].number, 7);
	ck_assert_uint_eq(fields[2].len, 16);
	ck_assert(layout_decode(&layout, data, 50, fields));
	ck_assert_uint_eq(fields[1].len, 32);
	ck_assert_uint_eq(fields[2].len, 0);
	ck_assert(!layout_decode(&layout, data, 14, fields));
	layout_deinit(&layout);
}
END_TEST

START_TEST(numbers_are_extended)
{
	struct layout layout = parse("s16 a; u16 b; s32 c; char text[4]");
	const uint8_t data[] = {0xfe, 0xff, 0xfe, 0xff, 0xf2, 0xff, 0xff, 0xff, 'h', 'i', 0, 'x'};
	struct field fields[4];

	ck_assert(layout_decode(&layout, data, sizeof(data), fields));
	ck_assert_int_eq((int64_t)fields[0].number, -2);
	ck_assert_uint_eq(fields[1].number, 0xfffe);
	ck_assert_int_eq((int64_t)fields[2].number, -14);
	ck_assert_uint_eq(fields[3].len, 2);
	layout_deinit(&layout);
}
END_TEST

static const struct {
	const char *text, *message;
} wrong[] = {
	{"", "column 1: no field"},
	{"u33 a", "column 1: unknown type"},
	{"u32 a u32 b", "column 7: expected ';'"},
	{"u32", "column 4: expected a name"},
	{"u32 *p", "column 5: declare pointers as u64"},
	{"char c[0]", "column 9"},
	{"char c[99999999999]", "a million"},
	{"u64 a[131072]; u64 b", "larger than a megabyte"},
	{"u64 a[]; u32 b", "no field can follow"},
	{"struct { u32 a; ", "expected '}'"},
	{"struct { u32 a; } b[3]", "cannot be an array"},
	{"struct foo x", "bpf_stack_build_id"},
	{"u32 a@b", "expected an offset"},
	{"}", "expected a type"},
	{"struct{struct{struct{struct{struct{struct{struct{struct{struct{struct{", "nested"},
};

START_TEST(wrong_layouts)
{
	struct layout layout = {};
	struct error *err = layout_given(wrong[_i].text, "--key-layout", "key.", NULL, &layout);

	ck_assert_ptr_nonnull(err);
	ck_assert_int_eq(error_kind(err), ERROR_USAGE);
	ck_assert_msg(strstr(error_message(err), wrong[_i].message), "%s", error_message(err));
	error_destroy(err);
}
END_TEST

static struct roles roles_of(const char *const *names, size_t n, enum field_kind kind)
{
	struct role_overrides none = {};
	struct field fields[8] = {};
	struct roles roles;

	for (size_t i = 0; i < n; i++)
		fields[i] = (struct field){.name = names[i],
			.kind = strstr(names[i], "comm") ? FIELD_TEXT : FIELD_NUMBER};
	fields[n - 1].kind = kind;
	roles_find(&(struct row){fields, n}, &none, &roles);
	return roles;
}

START_TEST(roles_by_name)
{
	static const char *const offcpu[] = {"key.pid", "key.tgid", "key.user_stack_id",
		"key.kern_stack_id", "value.delta", "value.comm"};
	static const char *const nested[] = {
		"key.ids.pid", "key.usid", "value.stats.total_size", "value.stats.number"};
	static const char *const lonely[] = {"key.ksid", "value.frobs"};
	static const char *const events[] = {"pid", "kstack_sz", "ustack_sz", "ustack"};
	struct roles roles = roles_of(offcpu, 6, FIELD_TEXT);

	ck_assert_uint_eq(roles.field[ROLE_PID], 1);
	ck_assert_uint_eq(roles.field[ROLE_TID], 0);
	ck_assert_uint_eq(roles.field[ROLE_USER], 2);
	ck_assert_uint_eq(roles.field[ROLE_KERNEL], 3);
	ck_assert_uint_eq(roles.field[ROLE_WEIGHT], 4);
	ck_assert_uint_eq(roles.field[ROLE_COMM], 5);
	roles = roles_of(nested, 4, FIELD_NUMBER);
	ck_assert_uint_eq(roles.field[ROLE_PID], 0);
	ck_assert_uint_eq(roles.field[ROLE_TID], ROLE_NO_FIELD);
	ck_assert_uint_eq(roles.field[ROLE_WEIGHT], 2);
	roles = roles_of(lonely, 2, FIELD_NUMBER);
	ck_assert_uint_eq(roles.field[ROLE_WEIGHT], 1);
	roles = roles_of(events, 4, FIELD_WORDS);
	ck_assert_uint_eq(roles.field[ROLE_USER], 3);
	ck_assert_uint_eq(roles.length[ROLE_USER], 2);
	ck_assert_uint_eq(roles.field[ROLE_WEIGHT], ROLE_NO_FIELD);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("layout");

	tcase_add_test(tcase, natural_alignment);
	tcase_add_test(tcase, types_and_nesting);
	tcase_add_test(tcase, offsets_arrays_and_rest);
	tcase_add_test(tcase, numbers_are_extended);
	tcase_add_loop_test(tcase, wrong_layouts, 0, sizeof(wrong) / sizeof(*wrong));
	tcase_add_test(tcase, roles_by_name);
	return tests_run(tcase);
}
