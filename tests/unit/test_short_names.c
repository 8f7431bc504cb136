// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "debug/names/shown_names.h"
#include "debug/names/name_path.h"
#include "debug/names/short_name.h"
#include "debug/symbols/demangle.h"
#include "model/mark.h"
#include "run.h"

/* EXPECTED NULL: NAME stays as it is. */
static void check_form(
	enum short_name_form form, const char *name, const char *expected, bool dropped)
{
	struct text text = {};
	bool is_dropped = false;

	text_add_string(&text, "");
	ck_assert_msg(
		short_name_add(&text, name, form, &is_dropped) == (expected != NULL), "%s", name);
	ck_assert_str_eq(text.data, expected ? expected : "");
	ck_assert_msg(is_dropped == dropped, "%s", name);
	text_deinit(&text);
}

#define CXX(name, expected, dropped) check_form(SHORT_NAME_CXX, name, expected, dropped)
#define PLAIN(name, expected, dropped) check_form(SHORT_NAME_PLAIN, name, expected, dropped)
#define RUST(name, expected, dropped) check_form(SHORT_NAME_RUST, name, expected, dropped)

START_TEST(cxx_names)
{
	CXX("foo::bar", "foo::bar", false);
	CXX("std::vector<int, std::allocator<int> >::push_back", "std::vector<…>::push_back", true);
	CXX("Foo<Bar>::f<(char)60>", "Foo<Bar>::f<(char)60>", false);
	CXX("Foo<Bar<Baz> >::f", "Foo<Bar<Baz> >::f", false);
	CXX("(anonymous namespace)::A::f[abi:cxx11]", "(anon)::A::f", true);
	CXX("main::{lambda(int)#1}::operator()", "main::{lambda#1}::operator()", true);
	CXX("main::{lambda()#2}::operator()", "main::{lambda#2}::operator()", false);
	CXX("f<main::{lambda(std::vector<int>)#1}>", "f<…>", true);
	CXX("st::{unnamed type#1}::f", "st::{unnamed type#1}::f", false);
	CXX("f(int)::{default arg#1}", "f::{default arg#1}", true);
	CXX("A::f(std::vector<int> (*)(int)) const &::B::g", "A::f::B::g", true);
	CXX("A::operator()(int)::{lambda()#1}::operator()", "A::operator()::{lambda#1}::operator()",
		true);
	CXX("decltype (a)::f", "decltype (a)::f", false);
}
END_TEST

START_TEST(plain_names)
{
	PLAIN("(anonymous namespace)::f<std::vector<int, std::allocator<int> > >[abi:x]",
		"(anonymous namespace)::f<std::vector<int, std::allocator<int> > >[abi:x]", false);
	PLAIN("f(int)::{lambda(int)#1}::operator()", "f::{lambda(int)#1}::operator()", true);
	PLAIN("f<int", NULL, false);
}
END_TEST

START_TEST(cxx_operators)
{
	static const char *const symbols[] = {"<", ">", "<<", ">>", "<=", ">=", "<=>",
		"<<=", ">>=", "->", "->*", "()", "[]", "bool", "new[]", "\"\" _x", ","};

	for (size_t i = 0; i < sizeof(symbols) / sizeof(*symbols); i++) {
		struct text name = {}, expected = {};

		text_printf(&name, "A<std::vector<int, Long> >::operator%s", symbols[i]);
		text_printf(&expected, "A<…>::operator%s", symbols[i]);
		CXX(name.data, expected.data, true);
		text_deinit(&name);
		text_deinit(&expected);
	}
	CXX("A::operator<< <int>", "A::operator<< <int>", false);
	CXX("A::operator< <int, a_long_name, another>", "A::operator< <…>", true);
	CXX("A::operator std::map<int, a_long_name, another>", "A::operator std::map<…>", true);
	CXX("my_operator<int, a_long_name, another>", "my_operator<…>", true);
	CXX("f<&(A::operator>(A const&)), int>", "f<…>", true);
	CXX("f<((1)<(2)), void (*)(int)>::g", "f<…>::g", true);
	CXX("f<((1)>(2)), void (*)(int)>::g", "f<…>::g", true);
	CXX("f<decltype (a->b), long_name>", "f<…>", true);
}
END_TEST

START_TEST(odd_names)
{
	char deep[300];

	CXX("f<int", NULL, false);
	CXX("f<int)", NULL, false);
	CXX("f>", "f>", false);
	CXX("", "", false);
	CXX("operator", "operator", false);
	CXX("{lambda(", "{lambda(", false);
	CXX("[abi:", "[abi:", false);
	memset(deep, '<', sizeof(deep));
	deep[sizeof(deep) - 1] = '\0';
	CXX(deep, NULL, false);
	RUST(deep, NULL, false);
}
END_TEST

static void check_lambda(const char *name, uint32_t line, const char *expected)
{
	struct text lined = {}, bare = {};

	ck_assert_int_eq(short_name_add_lambda(&lined, name, line), expected != NULL);
	if (expected) {
		ck_assert_str_eq(lined.data, expected);
		ck_assert(short_name_add_unlined(&bare, lined.data));
		ck_assert_str_eq(bare.data, name);
	}
	text_deinit(&lined);
	text_deinit(&bare);
}

START_TEST(lambdas)
{
	check_lambda("main::{lambda#1}::operator()", 27, "main::{lambda#1:27}::operator()");
	check_lambda("f::{lambda(int)#12}::operator()<int>", 3,
		"f::{lambda(int)#12:3}::operator()<int>");
	check_lambda("main::$_0::operator()#fwhb1sqk", 9, "main::{$_0:9}::operator()#fwhb1sqk");
	check_lambda("main::{lambda#2}::operator()<int>::{lambda#1}::operator()", 8,
		"main::{lambda#2}::operator()<int>::{lambda#1:8}::operator()");
	check_lambda("Functor::operator()", 5, NULL);
	check_lambda("main::{lambda#1:27}::operator()", 27, NULL);
	check_lambda("$_::operator()", 5, NULL);
	check_lambda("0::operator()", 5, NULL);
	check_lambda("}::operator()", 5, NULL);
	check_lambda("::operator()", 5, NULL);
	check_lambda("f", 5, NULL);
}
END_TEST

START_TEST(rust_names)
{
	RUST("core::fmt::write", "core::fmt::write", false);
	RUST("<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop",
		"<alloc::vec::Vec<T,A> as core::ops::drop::Drop>::drop", false);
	RUST("<alloc::vec::Vec<alloc::string::String> as core::ops::drop::Drop>::drop",
		"<alloc::vec::Vec<…> as core::ops::drop::Drop>::drop", true);
	RUST("<<a::B<a_long_name_of_a_type> as C>::D as E>::f", "<<a::B<…> as C>::D as E>::f",
		true);
	RUST("core::ptr::drop_in_place::<alloc::string::String>::{closure#0}",
		"core::ptr::drop_in_place::<…>::{closure#0}", true);
	RUST("a::f::<fn(u8) -> u64>", "a::f::<fn(u8) -> u64>", false);
	RUST("<&mut a::B<a_long_name_of_a_type> as C>::f", "<&mut a::B<…> as C>::f", true);
}
END_TEST

START_TEST(go_names)
{
	ck_assert_str_eq(short_name_go("github.com/a/b/pkg.(*T).F"), "pkg.(*T).F");
	ck_assert_str_eq(short_name_go("net/http.(*conn).serve.func1"), "http.(*conn).serve.func1");
	ck_assert_str_eq(short_name_go("main.main"), "main.main");
	ck_assert_str_eq(
		short_name_go("slices.Sort[go.shape.[]a/b.T]"), "slices.Sort[go.shape.[]a/b.T]");
	ck_assert_str_eq(short_name_go("type:.eq.a/b.T"), "type:.eq.a/b.T");
	ck_assert_str_eq(short_name_go("type..hash.a/b.T"), "type..hash.a/b.T");
	ck_assert_str_eq(short_name_go("a/"), "a/");
	ck_assert_str_eq(short_name_go(""), "");
}
END_TEST

START_TEST(marks)
{
	struct text text = {};

	/* Printed names must not change from one version to another. */
	short_name_add_mark(&text, "f(int)");
	ck_assert_str_eq(text.data, "#a0cdd689");
	text_deinit(&text);
}
END_TEST

/* What replaces marks in one output: nothing, a part that no other has, or nothing shorter. */
START_TEST(marks_in_an_output)
{
	char deep[1100] = "S<int>::f(";
	struct marked_name names[] = {{.name = "S<…>::f#0aaaaaaa", .whole = "S<int, A>::f()"},
		{.name = "S<…>::f#0bbbbbbb", .whole = "S<int, B>::f()"},
		{.name = "S<…>::f#0ccccccc", .whole = "S<int, A, B>::f()"},
		{.name = "S<…>::f#0ddddddd", .whole = deep},
		{.name = "T<…>::f#0aaaaaaa.isra.0", .whole = "T<int>::f() [clone .isra.0]"},
		{.name = "U<…>::f#0aaaaaaa", .whole = "U<int*>::f()"},
		{.name = "U<…>::f", .whole = "U<int>::f()"}};
	const char *const wanted[] = {"S<…>::f{S<int, A>}", "S<…>::f{int, B}", "S<…>::f{A, B}",
		"S<…>::f#0ddddddd", "T<…>::f.isra.0", "U<…>::f{int*}", "U<…>::f"};
	struct object_names objects = {};
	struct arena memory = {};

	memset(deep + strlen(deep), 'x', sizeof(deep) - 1 - strlen(deep));
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		names[i].mark = mark_find(names[i].name);
	names_distinguish(names, sizeof(names) / sizeof(*names), &objects, &memory);
	for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
		ck_assert_str_eq(names[i].name, wanted[i]);
	object_names_deinit(&objects);
	arena_deinit(&memory);
}
END_TEST

static uint64_t path(const char *name)
{
	return name_path(name, strlen(name));
}

START_TEST(paths)
{
	ck_assert_uint_eq(path("_Z1fi"), path("_Z1fl"));
	ck_assert_uint_eq(path("_Z1fi"), path("f"));
	ck_assert_uint_eq(path("_ZL1fi"), path("f"));
	ck_assert_uint_ne(path("_Z1fi"), path("_Z1gi"));
	ck_assert_uint_eq(path("_ZN3foo3barEi"), path("_ZNK3foo3barB5cxx11Ev"));
	ck_assert_uint_ne(path("_ZN3foo3barEi"), path("_ZN4foo33barEi"));
	ck_assert_uint_eq(path("_ZN3FooC1Ev"), path("_ZN3FooC4Ei"));
	ck_assert_uint_ne(path("_ZN3FooC1Ev"), path("_ZN3FooD1Ev"));
	ck_assert_uint_eq(path("_ZN12_GLOBAL__N_11fEv"), path("_ZN12_GLOBAL__N_11fEi"));
	/* std::string is std::basic_string<...>. */
	ck_assert_uint_eq(path("_ZNSsC1EPKc"), path("_ZNSbIwSt11char_traitsIwESaIwEEC1EPKw"));
	ck_assert_uint_eq(path("_ZNSt6vectorIiSaIiEE9push_backEOi"),
		path("_ZNSt6vectorIN1a1bIJLi60ELin1ELPv0EL_Z1gvEEEEPFRivEA10_cM1AKFvvREE9push_backEOi"));
	ck_assert_uint_eq(
		path("_ZZ4mainENKUlvE_clEv"), path("_ZZ4mainENKUlSt6vectorIiSaIiEEE_clES_"));
	ck_assert_uint_ne(path("_ZZ4mainENKUlvE_clEv"), path("_ZZ4mainENKUlvE0_clEv"));
	ck_assert_uint_eq(path("_ZN1AmiEv"), path("_ZN1AngEv"));
	ck_assert_uint_eq(path("_ZN1AcvT_IiEEv"), path("_ZN1AcvSsIiEEv"));
}
END_TEST

START_TEST(unknown_paths)
{
	static const char *const odd[] = {"_Z", "_ZN", "_ZN3fo", "_ZN99999999999fE",
		"_Z1fIXadL_Z1gvEEEvv", "_ZN0E", "_ZNSt", "_ZS", "_ZUl", "_ZC1", "_ZZE",
		"_ZNS0_1fEv"};
	char deep[4096];

	for (size_t i = 0; i < sizeof(odd) / sizeof(*odd); i++)
		ck_assert_msg(path(odd[i]) == NAME_PATH_UNKNOWN, "%s", odd[i]);
	memcpy(deep, "_Z1f", 4);
	for (const char *c = "IJPFNZAMD"; *c; c++) {
		memset(deep + 4, *c, sizeof(deep) - 4);
		deep[4] = 'I';
		ck_assert_uint_eq(name_path(deep, sizeof(deep)), NAME_PATH_UNKNOWN);
	}
}
END_TEST

START_TEST(bases)
{
	ck_assert_uint_eq(function_name_base("_Z1fi.isra.0"), 5);
	ck_assert_uint_eq(function_name_base("_Z1fi@plt"), 5);
	ck_assert_uint_eq(function_name_base("_Z1fi"), 5);
	ck_assert_uint_eq(function_name_base(".text"), 5);
	ck_assert_uint_eq(function_name_base(""), 0);
}
END_TEST

START_TEST(words)
{
	static const char vector[] = "_ZNSt6vectorIiSaIiEE9push_backEOi.part.0";

	ck_assert(shown_name_is("_Z1fi", "f"));
	ck_assert(shown_name_is("_Z1fi", "f(int)"));
	ck_assert(!shown_name_is("_Z1fi", "f(long)"));
	ck_assert(!shown_name_is("_Z1fi", "g"));
	ck_assert(!shown_name_is("f", "f"));
	ck_assert(shown_name_is("_Z1fi.isra.0", "f.isra.0"));
	ck_assert(shown_name_is("_Z1fi@plt", "f(int)@plt"));
	ck_assert(shown_name_is(vector, "std::vector<…>::push_back.part.0"));
	ck_assert(
		shown_name_is(vector, "std::vector<int, std::allocator<int> >::push_back.part.0"));
	ck_assert(!shown_name_is(vector, "std::vector<…>::push_back"));
	ck_assert(shown_name_is("_Z1fi.isra.0", "f"));
	ck_assert(!shown_name_is("_ZThn16_N1A1fEv", "A::f"));
	ck_assert(shown_name_is("_ZN1a1f17h0123456789abcdefE", "a::f"));
}
END_TEST

/* Debug info names a function without its compiler suffix, which its symbol has. */
START_TEST(marked_words)
{
	static const char clone[] = "_ZNSt6vectorIiSaIiEE9push_backEOi.isra.0";
	static const char part[] = "_ZNSt6vectorIiSaIiEE9push_backEOi.part.0";
	static const char bare[] = "sort<std::vector<int>, Structure_of_a_long_name>";
	auto_text struct text marked = {};

	text_add_string(&marked, "std::vector<…>::push_back");
	short_name_add_mark(&marked, "std::vector<int, std::allocator<int> >::push_back(int&&)");
	ck_assert(shown_name_is(clone, marked.data));
	ck_assert(!shown_name_is(part, marked.data));
	ck_assert(shown_name_is(clone, "std::vector<…>::push_back{int}"));
	ck_assert(!shown_name_is(clone, "std::vector<…>::push_back{long}"));
	ck_assert(!shown_name_is(part, "std::vector<…>::push_back{int}"));
	text_add_string(&marked, ".isra.0");
	ck_assert(shown_name_is(clone, marked.data));
	ck_assert(shown_name_is(bare, "sort<…>"));
	ck_assert(shown_name_is(bare, "sort<…>{Structure_of_a_long_name}"));
	ck_assert(!shown_name_is(bare, "sort<…>{char}"));
	ck_assert(!shown_name_is(bare, "sort"));
}
END_TEST

static const char *show(struct shown_names *names, const char *linkage)
{
	char *demangled = demangle(linkage);
	const char *ret = shown_name(names, linkage, demangled);

	free(demangled);
	return ret;
}

/* No symbols are known: names from which something was left out are kept distinct. */
START_TEST(shown)
{
	struct shown_names *names = shown_names_create(NULL, NULL, NAMES_SHORT);

	ck_assert_str_eq(show(names, "_Z1fi"), "f(int)");
	ck_assert_str_eq(show(names, "_Z1fi.cold"), "f(int).cold");
	ck_assert_str_eq(show(names, "_ZN1a1f17h0123456789abcdefE"), "a::f");
	ck_assert_ptr_eq(show(names, "_Z1fi"), show(names, "_Z1fi"));
	ck_assert_ptr_null(show(names, "f"));
	ck_assert_ptr_null(show(names, "_ZThn16_N1A1fEv"));
	ck_assert_ptr_null(show(names, "_Zq"));
	shown_names_destroy(names);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("short_names");

	tcase_add_test(tc, cxx_names);
	tcase_add_test(tc, plain_names);
	tcase_add_test(tc, cxx_operators);
	tcase_add_test(tc, odd_names);
	tcase_add_test(tc, lambdas);
	tcase_add_test(tc, rust_names);
	tcase_add_test(tc, go_names);
	tcase_add_test(tc, marks);
	tcase_add_test(tc, marks_in_an_output);
	tcase_add_test(tc, paths);
	tcase_add_test(tc, unknown_paths);
	tcase_add_test(tc, bases);
	tcase_add_test(tc, words);
	tcase_add_test(tc, marked_words);
	tcase_add_test(tc, shown);
	return tests_run(tc);
}
