// SPDX-License-Identifier: GPL-2.0-or-later
/* Which parts of two dumps match, and how weights are compared. */
#include <check.h>

#include "output/diff/diff.h"
#include "output/diff/traces.h"
#include "output_fixture.h"
#include "run.h"
#include "util/cleanup.h"

static void destroy_traces(struct diff_traces **traces)
{
	diff_traces_destroy(*traces);
}

#define auto_traces scope_guard(destroy_traces)

/* A stack of one frame of OBJECT, FUNCTION or without a name at ADDRESS. */
static void add(struct diff_traces *traces, enum diff_side side, const struct frame_object *object,
	const char *function, uint64_t address)
{
	struct fixture f;

	fixture_init(&f, "demo", 1);
	struct location *location = fixture_user(&f, function);
	location->object = object;
	location->elf_address = address;
	location->has_elf_address = true;
	diff_traces_add(traces, side, &f.trace);
}

static void add_short(struct diff_traces *traces, enum diff_side side,
	const struct frame_object *object, const char *shown, const char *function)
{
	struct fixture f;

	fixture_init(&f, "demo", 1);
	fixture_user(&f, function)->object = object;
	f.frames[0].shown = shown;
	diff_traces_add(traces, side, &f.trace);
}

/* A line for each row of the table, except equal ones. */
static char *rows_of(struct diff_traces *traces, enum diff_objects how)
{
	struct diff diff = {
		.traces = traces, .files = {"a", "b"}, .by_name = diff_match(traces, how)};
	const struct output_options options = {
		.format = OUTPUT_TOP, .prefix = OUTPUT_PREFIX_NONE, .diff = &diff};
	auto_free char *table = fixture_print(&options, NULL, 0);
	struct text rows = {};

	text_add_string(&rows, "");
	for (char *line = strtok(table, "\n"); line; line = strtok(NULL, "\n")) {
		unsigned long old, new;
		int at = 0;

		if (sscanf(line, " %*f %% %lu %*f %% %lu %*s %*f %% %*s %n", &old, &new, &at) ==
				2 &&
			at)
			text_printf(&rows, "%lu %lu %s\n", old, new, line + at);
	}
	return text_take(&rows);
}

static void check_rows(struct diff_traces *traces, enum diff_objects how, const char *wanted)
{
	auto_free char *rows = rows_of(traces, how);

	ck_assert_str_eq(rows, wanted);
}

static struct frame_object object_of(const char *name, const char *id)
{
	return (struct frame_object){
		.path = name, .name = name, .build_id = build_id_make(id, strlen(id))};
}

START_TEST(test_stems)
{
	static const struct {
		const char *object, *stem;
	} cases[] = {{"libx.so", "libx.so"}, {"libx.so.1.2", "libx.so"},
		{"libx-2.31.so", "libx.so"}, {"libx-a2.so", "libx-a2.so"},
		{"libz3.so.4", "libz3.so"}, {"shop-1.2", "shop-1.2"}, {"-1.so", "-1.so"},
		{"x.sock", "x.sock"}, {".so", ".so"}, {"[kernel]", "[kernel]"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scope_guard(text_deinit) struct text text = {};

		diff_match_add_stem(&text, cases[i].object);
		ck_assert_str_eq(text.data, cases[i].stem);
	}
}
END_TEST

START_TEST(test_versions)
{
	const struct frame_object one = object_of("libx.so.1", "aa"),
				  two = object_of("libx.so.2", "bb");
	auto_traces struct diff_traces *traces = diff_traces_create();

	add(traces, DIFF_OLD, &one, "f", 0x10);
	add(traces, DIFF_NEW, &two, "f", 0x20);
	check_rows(traces, DIFF_OBJECTS_IF_ALL, "");
}
END_TEST

/* It is unknown which of two matches the one of the other side. */
START_TEST(test_several_versions)
{
	const struct frame_object one = object_of("libx.so.1", "aa"),
				  two = object_of("libx.so.2", "bb");
	auto_traces struct diff_traces *traces = diff_traces_create();

	add(traces, DIFF_OLD, &one, "f", 0x10);
	add(traces, DIFF_NEW, &one, "f", 0x10);
	add(traces, DIFF_NEW, &two, "f", 0x20);
	check_rows(traces, DIFF_OBJECTS_IF_ALL, "0 1 new   f  libx.so.2\n");
	check_rows(traces, DIFF_OBJECTS_IGNORE, "1 2 f\n");
}
END_TEST

/* What has a short name to itself in one build need not in another. */
START_TEST(test_short_names)
{
	const struct frame_object x = object_of("x", "aa");
	auto_traces struct diff_traces *marked = diff_traces_create();
	auto_traces struct diff_traces *alone = diff_traces_create();

	add_short(marked, DIFF_OLD, &x, "S<…>::f#0aaaaaaa", "S<int>::f()");
	add_short(marked, DIFF_OLD, &x, "S<…>::f#0bbbbbbb", "S<long>::f()");
	add_short(marked, DIFF_NEW, &x, "S<…>::f", "S<int>::f()");
	check_rows(marked, DIFF_OBJECTS_KEEP, "1 0 gone  S<…>::f{long}  x\n");
	add_short(alone, DIFF_OLD, &x, "S<…>::f", "S<int>::f()");
	add_short(alone, DIFF_NEW, &x, "S<…>::f", "S<long>::f()");
	check_rows(
		alone, DIFF_OBJECTS_KEEP, "1 0 gone  S<int>::f()  x\n0 1 new   S<long>::f()  x\n");
}
END_TEST

START_TEST(test_addresses)
{
	const struct frame_object old = object_of("shop", "aa"), new = object_of("shop", "bb");
	auto_traces struct diff_traces *same = diff_traces_create(), *other = diff_traces_create();

	add(same, DIFF_OLD, &old, NULL, 0x10);
	add(same, DIFF_OLD, &old, NULL, 0x20);
	add(same, DIFF_NEW, &old, NULL, 0x10);
	check_rows(same, DIFF_OBJECTS_IF_ALL, "1 0 gone  [shop+0x20]\n");
	add(other, DIFF_OLD, &old, NULL, 0x10);
	add(other, DIFF_NEW, &new, NULL, 0x10);
	add(other, DIFF_NEW, &new, NULL, 0x20);
	check_rows(other, DIFF_OBJECTS_IF_ALL, "1 2 [unnamed in shop]\n");
}
END_TEST

/* Functions with the same name that differ only by address. */
START_TEST(test_qualified)
{
	const struct frame_object old = object_of("shop", "aa"), new = object_of("shop", "bb");
	auto_traces struct diff_traces *same = diff_traces_create(), *other = diff_traces_create();
	struct fixture f;

	for (int side = 0; side < DIFF_SIDES; side++) {
		fixture_init(&f, "demo", 1);
		fixture_user(&f, "f")->object = &old;
		f.frames[0].qualifier = side ? "@0x10" : "@0x20";
		diff_traces_add(same, side, &f.trace);
		f.locations[0].object = side ? &new : &old;
		diff_traces_add(other, side, &f.trace);
	}
	check_rows(same, DIFF_OBJECTS_IF_ALL, "0 1 new   f @0x10  shop\n1 0 gone  f @0x20  shop\n");
	check_rows(other, DIFF_OBJECTS_IF_ALL, "");
}
END_TEST

/* Without a build ID it may be another build. */
START_TEST(test_unknown_builds)
{
	const struct frame_object object = object_of("shop", "");
	auto_traces struct diff_traces *traces = diff_traces_create();

	add(traces, DIFF_OLD, &object, NULL, 0x10);
	add(traces, DIFF_NEW, &object, NULL, 0x10);
	add(traces, DIFF_NEW, &object, NULL, 0x10);
	check_rows(traces, DIFF_OBJECTS_IF_ALL, "1 2 [unnamed in shop]\n");
}
END_TEST

START_TEST(test_names_without_objects)
{
	const struct frame_object object = object_of("shop", "aa");
	auto_traces struct diff_traces *traces = diff_traces_create();
	struct fixture f;

	fixture_init(&f, "demo", 5);
	fixture_user(&f, "f")->source = SOURCE_FOLDED;
	diff_traces_add(traces, DIFF_OLD, &f.trace);
	add(traces, DIFF_NEW, &object, "f", 0x10);
	check_rows(traces, DIFF_OBJECTS_IF_ALL, "5 1 f\n");
}
END_TEST

static void add_weight(
	struct diff_traces *traces, enum diff_side side, const char *name, uint64_t weight)
{
	struct fixture f;

	fixture_init(&f, "demo", weight);
	f.sample.weight_name = name;
	diff_traces_add(traces, side, &f.trace);
}

START_TEST(test_scaled)
{
	auto_traces struct diff_traces *traces = diff_traces_create();
	struct diff diff = {.traces = traces, .normalized = true};

	add_weight(traces, DIFF_OLD, NULL, UINT64_MAX);
	ck_assert(!diff_has_shares(traces));
	add_weight(traces, DIFF_NEW, NULL, 3);
	ck_assert(diff_has_shares(traces));
	ck_assert_uint_eq(diff_scaled(&diff, UINT64_MAX), 3);
	ck_assert_uint_eq(diff_scaled(&diff, UINT64_MAX / 2), 1);
	ck_assert_uint_eq(diff_scaled(&diff, UINT64_MAX / 2 + 1), 2);
	ck_assert(diff_is_same(&diff, (struct diff_pair){UINT64_MAX / 3, 1}));
	ck_assert(!diff_is_same(&diff, (struct diff_pair){UINT64_MAX / 3 - 1, 1}));
	diff.normalized = false;
	ck_assert_uint_eq(diff_scaled(&diff, 7), 7);
	scope_guard(text_deinit) struct text text = {};
	diff_add_difference(&text, &diff, (struct diff_pair){UINT64_MAX, 1});
	ck_assert_str_eq(text.data, "-18446744073709551614");
}
END_TEST

/* The message, "": the weights can be compared. */
static char *check_weights(const char *old, const char *new, bool old_weighted)
{
	auto_traces struct diff_traces *traces = diff_traces_create();
	const bool weighted[] = {old_weighted, true};

	add_weight(traces, DIFF_OLD, old, 1);
	add_weight(traces, DIFF_NEW, new, 1);
	struct error *error = diff_check_weights(traces, weighted);
	char *message = xstrdup(error ? error_message(error) : "");
	error_destroy(error);
	return message;
}

START_TEST(test_weights)
{
	static const struct {
		const char *old, *new;
		bool old_weighted, refused;
	} cases[] = {{"value", "value.bytes", true, false},
		{"value.count", "value.nr_samples", true, false},
		{"value.count", "value.total_ns", true, true},
		{"value.size", "value.total_us", true, true}, {"total_us", "total_ns", true, true},
		{NULL, "value.bytes", false, true}, {NULL, "value.bytes", true, false},
		{NULL, "hits", false, false}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		auto_free char *message =
			check_weights(cases[i].old, cases[i].new, cases[i].old_weighted);

		ck_assert_msg(!*message != cases[i].refused, "%zu: %s", i, message);
	}
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("diff");

	tcase_add_test(cases, test_stems);
	tcase_add_test(cases, test_versions);
	tcase_add_test(cases, test_several_versions);
	tcase_add_test(cases, test_short_names);
	tcase_add_test(cases, test_addresses);
	tcase_add_test(cases, test_qualified);
	tcase_add_test(cases, test_unknown_builds);
	tcase_add_test(cases, test_names_without_objects);
	tcase_add_test(cases, test_scaled);
	tcase_add_test(cases, test_weights);
	return tests_run(cases);
}
