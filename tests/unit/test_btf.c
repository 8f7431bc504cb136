// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <linux/bpf.h>

#include "btf_builder.h"
#include "kernel/bpf/prog.h"
#include "kernel/btf/btf.h"
#include "run.h"

static struct btf built(struct btf_builder *builder, const struct btf *base)
{
	struct btf btf = {};
	size_t len;
	char *bytes = builder_finish(builder, &len);

	ck_assert_int_eq(btf_is_split(bytes, len), base != NULL);
	ck_assert_ptr_null(btf_init(bytes, len, base, &btf));
	return btf;
}

static void check_prototype(const struct btf *btf, const char *name, const char *wanted)
{
	struct text text = {};
	size_t first;

	ck_assert_uint_eq(btf_functions_named(btf, name, &first), 1);
	ck_assert(btf_print_function(btf, btf->functions.data[first], &text));
	ck_assert_str_eq(text.data, wanted);
	text_deinit(&text);
}

/* Functions on int, struct file, const char *, function pointers, arrays, varargs. */
static void build_functions(struct btf_builder *b)
{
	uint32_t i = builder_int(b, "int");
	uint32_t c = builder_int(b, "char");
	uint32_t file = builder_type(b, "file", BTF_KIND_FWD, 0, 0);
	uint32_t file_p = builder_type(b, "", BTF_KIND_PTR, 0, file);
	uint32_t const_c = builder_type(b, "", BTF_KIND_CONST, 0, c);
	uint32_t text = builder_type(b, "", BTF_KIND_PTR, 0, const_c);
	uint32_t const_text = builder_type(b, "", BTF_KIND_CONST, 0, text);
	uint32_t void_p = builder_type(b, "", BTF_KIND_PTR, 0, 0);
	uint32_t loff = builder_type(b, "loff_t", BTF_KIND_TYPEDEF, 0, i);
	uint32_t loff_p = builder_type(b, "", BTF_KIND_PTR, 0, loff);

	builder_type(b, "read_it", BTF_KIND_FUNC, 0,
		builder_proto(b, i,
			(struct builder_parameter[]){
				{"file", file_p}, {"buf", text}, {"pos", loff_p}, {}}));
	builder_type(b, "nothing", BTF_KIND_FUNC, 0,
		builder_proto(b, 0, (struct builder_parameter[]){{}}));
	builder_type(b, "print", BTF_KIND_FUNC, 0,
		builder_proto(
			b, i, (struct builder_parameter[]){{"format", const_text}, {"", 0}, {}}));

	uint32_t handler = builder_proto(b, i, (struct builder_parameter[]){{"", void_p}, {}});
	uint32_t handler_p = builder_type(b, "", BTF_KIND_PTR, 0, handler);
	builder_type(b, "set_handler", BTF_KIND_FUNC, 0,
		builder_proto(b, handler_p, (struct builder_parameter[]){{"new", handler_p}, {}}));
	uint32_t row = builder_type(b, "", BTF_KIND_ARRAY, 0, 0);
	builder_word(b, i), builder_word(b, i), builder_word(b, 3);
	uint32_t row_p = builder_type(b, "", BTF_KIND_PTR, 0, row);
	uint32_t anonymous = builder_type(b, "", BTF_KIND_UNION, 0, 8);
	uint32_t anonymous_p = builder_type(b, "", BTF_KIND_PTR, 0, anonymous);
	builder_type(b, "arrays", BTF_KIND_FUNC, 0,
		builder_proto(b, row_p,
			(struct builder_parameter[]){{"rows", row_p}, {"u", anonymous_p}, {}}));
	uint32_t printer = builder_proto(b, i, (struct builder_parameter[]){{"", const_text}, {}});
	uint32_t printer_p = builder_type(b, "", BTF_KIND_PTR, 0, printer);
	builder_type(b, "call", BTF_KIND_FUNC, 0,
		builder_proto(b, i, (struct builder_parameter[]){{"printer", printer_p}, {}}));
}

START_TEST(btf_functions_print_as_c)
{
	struct btf_builder builder = {};

	build_functions(&builder);
	struct btf btf = built(&builder, NULL);
	check_prototype(
		&btf, "read_it", "int read_it(struct file *file, const char *buf, loff_t *pos)");
	check_prototype(&btf, "nothing", "void nothing(void)");
	check_prototype(&btf, "print", "int print(const char *const format, ...)");
	check_prototype(&btf, "set_handler", "int (*set_handler(int (*new)(void *)))(void *)");
	check_prototype(&btf, "arrays", "int (*arrays(int (*rows)[3], union {...} *u))[3]");
	check_prototype(&btf, "call", "int call(int (*printer)(const char *const))");
	btf_deinit(&btf);
}
END_TEST

START_TEST(btf_of_modules_counts_on_from_the_base)
{
	struct btf_builder builder = {};

	build_functions(&builder);
	uint32_t n = builder.n_types, len = (uint32_t)builder.strings.len;
	struct btf base = built(&builder, NULL);
	builder = (struct btf_builder){.n_types = n, .first_string = len};
	uint32_t own = builder_type(&builder, "own", BTF_KIND_STRUCT, 0, 4);
	uint32_t own_p = builder_type(&builder, "", BTF_KIND_PTR, 0, own);
	builder_type(&builder, "mod_init", BTF_KIND_FUNC, 0,
		builder_proto(&builder, 1,
			(struct builder_parameter[]){{"own", own_p}, {"file", 4}, {}}));
	struct btf split = built(&builder, &base);
	check_prototype(&split, "mod_init", "int mod_init(struct own *own, struct file *file)");
	btf_deinit(&split);
	btf_deinit(&base);
}
END_TEST

START_TEST(btf_finds_functions_by_name)
{
	struct btf_builder builder = {};
	struct btf btf;
	size_t first;
	uint32_t proto = builder_proto(&builder, 0, (struct builder_parameter[]){{}});
	uint32_t one = builder_type(&builder, "show", BTF_KIND_FUNC, 0, proto);
	uint32_t two = builder_type(&builder, "show", BTF_KIND_FUNC, 0, proto);

	builder_type(&builder, "none", BTF_KIND_FUNC, 0, proto);
	builder_tag(&builder, "bpf_kfunc", one);
	btf = built(&builder, NULL);
	ck_assert_uint_eq(btf_functions_named(&btf, "show", &first), 2);
	ck_assert_uint_eq(btf.functions.data[first], one);
	ck_assert_uint_eq(btf.functions.data[first + 1], two);
	ck_assert_uint_eq(btf_functions_named(&btf, "absent", &first), 0);
	ck_assert_uint_eq(btf_functions_named(&btf, "", &first), 0);
	btf_deinit(&btf);
}
END_TEST

/* Types that contain themselves, in every way that a printer could follow. */
START_TEST(btf_loops_end)
{
	struct btf_builder builder = {};
	struct text text = {};
	size_t first;

	builder_type(&builder, "", BTF_KIND_CONST, 0, 1);
	builder_type(&builder, "", BTF_KIND_PTR, 0, 2);
	struct builder_parameter many[200] = {};
	for (size_t i = 0; i < 199; i++)
		many[i] = (struct builder_parameter){"callback", 4};
	builder_proto(&builder, 3, many);
	builder_type(&builder, "", BTF_KIND_PTR, 0, 3);
	builder_type(&builder, "f", BTF_KIND_FUNC, 0, 3);
	builder_type(&builder, "g", BTF_KIND_FUNC, 0, 99);
	struct btf btf = built(&builder, NULL);
	ck_assert_uint_eq(btf_functions_named(&btf, "f", &first), 1);
	ck_assert(btf_print_function(&btf, btf.functions.data[first], &text));
	ck_assert_uint_lt(text.len, 100000);
	ck_assert_uint_eq(btf_functions_named(&btf, "g", &first), 1);
	ck_assert(!btf_print_function(&btf, btf.functions.data[first], &text));
	text_deinit(&text);
	btf_deinit(&btf);
}
END_TEST

START_TEST(btf_that_is_cut_is_refused)
{
	struct btf_builder builder = {};
	size_t len;

	build_functions(&builder);
	char *bytes = builder_finish(&builder, &len);
	for (size_t cut = 0; cut < len; cut++) {
		char *part = xmalloc(cut + 1);
		struct btf btf = {};

		memcpy(part, bytes, cut);
		struct error *error = btf_init(part, cut, NULL, &btf);
		ck_assert_ptr_nonnull(error);
		error_destroy(error);
	}
	free(bytes);
}
END_TEST

START_TEST(bpf_lines_are_those_of_the_function)
{
	struct btf_builder builder = {};
	uint32_t file = builder_string(&builder, "a.bpf.c"),
		 text = builder_string(&builder, "f();");
	const struct bpf_line_info records[] = {{0, file, text, 10 << 10 | 1},
		{2, file, text, 11 << 10 | 5}, {3, file, text, 12 << 10 | 2},
		{4, file, text, 20 << 10 | 1}, {5, 0, 0, 21 << 10 | 1}};
	/* The second record's instruction was not translated; the last has no file. */
	const uint64_t addresses[] = {0x1000, 0x1010, 0x1010, 0x800, 0x820};
	struct btf btf = built(&builder, NULL);
	struct s2l_bpf_lines lines = {};

	bpf_lines_init((const char *)records, 5, sizeof(*records), addresses, &btf, &lines);
	ck_assert_uint_eq(bpf_lines_find(&lines, 0x1000, 0x1000)->line, 10);
	ck_assert_uint_eq(bpf_lines_find(&lines, 0x1000, 0x100f)->line, 10);
	ck_assert_uint_eq(bpf_lines_find(&lines, 0x1000, 0x1010)->line, 12);
	ck_assert_uint_eq(bpf_lines_find(&lines, 0x1000, 0x1fff)->column, 2);
	ck_assert_uint_eq(bpf_lines_find(&lines, 0x800, 0x830)->line, 20);
	ck_assert_str_eq(bpf_lines_find(&lines, 0x800, 0x800)->file, "a.bpf.c");
	ck_assert_str_eq(bpf_lines_find(&lines, 0x800, 0x800)->text, "f();");
	ck_assert_ptr_null(bpf_lines_find(&lines, 0x900, 0x910));
	ck_assert_ptr_null(bpf_lines_find(&lines, 0x700, 0x7ff));
	vec_deinit(&lines);
	btf_deinit(&btf);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("btf");

	tcase_add_test(all, btf_functions_print_as_c);
	tcase_add_test(all, btf_of_modules_counts_on_from_the_base);
	tcase_add_test(all, btf_finds_functions_by_name);
	tcase_add_test(all, btf_loops_end);
	tcase_add_test(all, btf_that_is_cut_is_refused);
	tcase_add_test(all, bpf_lines_are_those_of_the_function);
	return tests_run(all);
}
