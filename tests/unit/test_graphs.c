// SPDX-License-Identifier: GPL-2.0-or-later
/* The call tree, and flame graphs made from it. */
#include <check.h>

#include "output/call_tree.h"
#include "output_check.h"
#include "output_fixture.h"
#include "run.h"
#include "util/cleanup.h"

static const struct output_options page = {.format = OUTPUT_FLAMEGRAPH};
static const struct output_options picture = {.format = OUTPUT_SVG};

/* The JSON in a page; it ends before the tag. */
static char *data_of(const char *html)
{
	static const char tag[] = "<script type=\"application/json\" id=\"data\">\n";
	const char *start = strstr(html, tag);
	ck_assert_ptr_nonnull(start);
	start += strlen(tag);
	const char *end = strchr(start, '<');
	ck_assert_ptr_nonnull(end);
	ck_assert(scan_starts(scan_of(end), "</script>\n"));
	return xstrndup(start, (size_t)(end - start));
}

static void check_data(struct fixture *const *fixtures, size_t n, const char *member)
{
	auto_free char *html = fixture_print(&page, fixtures, n);
	auto_free char *data = data_of(html);

	if (!strstr(data, member))
		ck_abort_msg("no %s in %s", member, data);
}

/* main calls f at LINE of FILE; nothing else. */
static void make_call(struct fixture *f, uint64_t weight, const char *file, uint32_t line)
{
	fixture_init(f, "demo", weight);
	fixture_user(f, "f");
	fixture_user(f, "main");
	f->frames[1].file = file;
	f->frames[1].line = line;
}

START_TEST(test_tree)
{
	struct fixture a, b, c;
	struct fixture *const all[] = {&a, &b, &c};

	make_call(&a, 3, "a.c", 7);
	make_call(&b, 4, "a.c", 5);
	fixture_init(&c, "demo", 5);
	fixture_user(&c, "main");
	c.frames[0].file = "a.c";
	c.frames[0].line = 6;
	/* levels up, frame, twice the place, self: 0,0,0,0, 0,1,0,0, 0,2,2,5, 0,3,0,7 */
	check_data(all, 3, "\"n_nodes\":4,\"nodes\":\"AAAAAAABAAAAAgIFAAMABw==\"");
	check_data(all, 3, "\"places\":\"BAUH\"");
	check_data(all, 3, "\"strings\":[\"\",\"demo\",\"main\",");
	c.frames[0].file = "b.c";
	check_data(all, 3, "\"places\":\"\"");
	c.frames[0].file = NULL;
	check_data(all, 3, "\"places\":\"\"");
}
END_TEST

START_TEST(test_told_apart)
{
	struct frame_object one = {.path = "/lib/one.so", .name = "one.so"};
	struct frame_object two = {.path = "/lib/two.so", .name = "two.so"};
	struct fixture a, b;
	struct fixture *const both[] = {&a, &b};

	fixture_init(&a, NULL, 1);
	fixture_init(&b, NULL, 2);
	fixture_user(&a, "f")->object = &two;
	fixture_user(&b, "f")->object = &one;
	/* In the order of objects. */
	check_data(both, 2, "\"nodes\":\"AAAAAAACAAIBAQAB\"");
	b.locations[0].object = &two;
	check_data(both, 2, "\"nodes\":\"AAAAAAABAAM=\"");
	b.locations[0].kind = LOCATION_JIT;
	check_data(both, 2, "\"nodes\":\"AAAAAAABAAEBAgAC\"");
}
END_TEST

START_TEST(test_marks)
{
	struct fixture a, b;
	struct fixture *const both[] = {&a, &b};

	make_call(&a, 3, NULL, 0);
	make_call(&b, 4, NULL, 0);
	a.locations[0].lost_caller = CALLER_PROLOGUE;
	a.trace.user_health.kinds = 1U << HEALTH_LOST_CALLER | 1U << HEALTH_ENDED_EARLY;
	b.trace.user_health.kinds = 1U << HEALTH_ENDED_EARLY;
	/* main: stacks of weight 7 ended early; f: the caller is missing in stacks of weight 3. */
	check_data(both, 2, "\"nodes\":\"AAAAAAABAAAAAgEAAQcHAAMBBwEDAw==\"");
	check_data(both, 2,
		"\"caller missing: leaf has not set up its frame yet, or left it already\"");
	auto_free char *svg = fixture_print(&picture, both, 2);
	ck_assert_ptr_nonnull(strstr(svg, "\nended early: 100.00 %"));
	ck_assert_ptr_nonnull(strstr(svg, "left it already: 42.86 %"));
}
END_TEST

START_TEST(test_reasons)
{
	struct fixture f;
	struct fixture *const one[] = {&f};

	fixture_init(&f, "demo", 1);
	fixture_lost(&f, true, STACK_LOST_COLLISION);
	fixture_user(&f, NULL)->detail = "why\n";
	check_data(one, 1, "\"hash collision; fix: raise max_entries of the stack map, or set");
	check_data(one, 1,
		"\"no mapping of the process covers the address: why\\\\x0a; fix: probably");
	auto_free char *svg = fixture_print_one(&picture, &f);
	ck_assert_ptr_nonnull(
		strstr(svg, "\nno mapping of the process covers the address: why\\x0a; fix"));
	fixture_init(&f, NULL, 1);
	f.sample.weight_name = "<a>";
	check_data(one, 1, "[no stack]");
	check_data(one, 1, "\"field\":\"\\u003ca\\u003e\"");
}
END_TEST

START_TEST(test_hostile)
{
	static const char name[] = "</script><!--&\"'\x1b[2J\xff\xe2\x80\xae\xe2\x80\xa8]]>";
	struct frame_object object = {.path = name, .name = name};
	struct fixture f;

	fixture_init(&f, name, 1);
	fixture_user(&f, name)->object = &object;
	f.frames[0].file = name;
	f.locations[0].detail = name;
	f.sample.weight_name = name;
	auto_free char *html = fixture_print_one(&page, &f);
	auto_free char *data = data_of(html); /* nothing in it begins a tag */
	ck_assert_ptr_null(strpbrk(data, "<>&"));
	ck_assert_ptr_nonnull(strstr(data,
		"\"\\u003c/script\\u003e\\u003c!--\\u0026\\\"'\\\\x1b[2J\\\\xff\\\\u202e\\\\u2028]]\\u003e\""));
	auto_free char *svg = fixture_print_one(&picture, &f);
	ck_assert_ptr_nonnull(strstr(svg,
		"<title>&lt;/script&gt;&lt;!--&amp;&quot;'\\x1b[2J\\xff\\u202e\\u2028]]&gt;\n"));
	ck_assert_ptr_null(strstr(svg, "]]>"));
	ck_assert_ptr_null(strstr(svg, "</script"));
}
END_TEST

START_TEST(test_sums)
{
	struct fixture a, b;
	struct fixture *const both[] = {&a, &b};
	struct fixture *const none[] = {NULL};

	make_call(&a, UINT64_MAX, NULL, 0);
	make_call(&b, 1, NULL, 0);
	/* f: UINT64_MAX in ten bytes; with another one, it stays so */
	check_data(both, 2, "////////////AQ");
	check_data(none, 0, "\"nodes\":\"AAAAAA==\"");
	auto_free char *empty = fixture_print(&picture, none, 0);
	ck_assert_ptr_nonnull(strstr(empty, "</svg>\n"));
	/* A stack in 5,000: under a pixel. */
	a.sample.weight = 4999;
	fixture_init(&b, "other", 1);
	fixture_user(&b, "g");
	auto_free char *svg = fixture_print(&picture, both, 2);
	ck_assert_ptr_null(strstr(svg, "other"));
	ck_assert_ptr_nonnull(strstr(svg, "\nweight 4999, 99.98 %, self 4999"));
}
END_TEST

/* Stacks for which there is no room share one node, and known stacks still find theirs. */
START_TEST(test_bound)
{
	struct call_tree *tree = call_tree_create(&page, 3);
	struct fixture a, b;

	make_call(&a, 3, NULL, 0);
	fixture_init(&b, "demo", 4);
	fixture_user(&b, "g");
	fixture_user(&b, "main");
	call_tree_trace(tree, &a.trace, NULL);
	call_tree_trace(tree, &b.trace, NULL);
	call_tree_trace(tree, &a.trace, NULL);
	call_tree_trace(tree, &b.trace, NULL);
	const struct call_graph *graph = call_tree_finish(tree);
	ck_assert_uint_eq(graph->n_nodes, 5);
	ck_assert_uint_eq(graph->nodes[0].total, 14);
	ck_assert_uint_eq(graph->nodes[3].total, 6);
	ck_assert_uint_eq(graph->nodes[4].self, 8);
	ck_assert_str_eq(graph->strings[graph->frames[graph->nodes[4].frame].name], CALL_TREE_REST);
	ck_assert_uint_eq(call_graph_next(graph, 0), 4);
	ck_assert_uint_eq(call_graph_next(graph, 4), 1);
	ck_assert_uint_eq(call_graph_next(graph, 3), 0);
	call_tree_destroy(tree);
}
END_TEST

/* Boxes of a width: where they begin, what they weigh, and which narrow ones are one box. */
START_TEST(test_boxes)
{
	static const struct {
		const char *name;
		uint64_t weight;
	} stacks[] = {
		{"a", 1}, {"b", 2}, {"c", 50}, {"d", 1}, {"e", 40}, {"f", 2}, {"g", 1}, {"h", 1}};
	static const struct call_box boxes[] = {{0, 98, 1, false}, {0, 3, 3, true},
		{3, 50, 4, false}, {54, 40, 6, false}, {94, 4, 9, true}};
	struct call_tree *tree = call_tree_create(&page, 20);
	struct call_box box = {};
	struct fixture f;
	size_t n = 0;

	array_each(stack, stacks, array_len(stacks)) {
		fixture_init(&f, "demo", stack->weight);
		fixture_user(&f, stack->name);
		call_tree_trace(tree, &f.trace, NULL);
	}
	const struct call_graph *graph = call_tree_finish(tree);
	for (; call_box_next(graph, 3, &box); n++) {
		ck_assert_uint_lt(n, array_len(boxes));
		ck_assert_uint_eq(box.start, boxes[n].start);
		ck_assert_uint_eq(box.weight, boxes[n].weight);
		ck_assert_uint_eq(box.node, boxes[n].node);
		ck_assert(box.narrow == boxes[n].narrow);
	}
	ck_assert_uint_eq(n, array_len(boxes));
	box = (struct call_box){};
	for (n = 1; call_box_next(graph, 0, &box); n++)
		ck_assert(!box.narrow);
	ck_assert_uint_eq(n, graph->n_nodes);
	call_tree_destroy(tree);
}
END_TEST

START_TEST(test_shown)
{
	static const struct {
		const char *text, *shown;
	} cases[] = {{"", ""}, {"f(int)", "f(int)"}, {"gr\xc3\xbc\xc3\x9f", "gr\xc3\xbc\xc3\x9f"},
		{"a\xe2\x80\xae", "a\\u202e"},
		{"\xc2\xad"
		 "b",
			"\\u00adb"},
		{"\xef\xbb\xbf\xe2\x81\xa6", "\\ufeff\\u2066"}, {"\xf3\xa0\x80\xa1", "\\U000e0021"},
		{"\xef\xbf\xbd\xef\xbf\xbe", "\xef\xbf\xbd\\ufffe"}};

	for (size_t i = 0; i < sizeof(cases) / sizeof(*cases); i++) {
		scope_guard(text_deinit) struct text text = {};

		text_add_string(&text, "");
		text_add_escaped(&text, cases[i].text, strlen(cases[i].text));
		ck_assert_str_eq(text.data, cases[i].shown);
	}
}
END_TEST

int main(void)
{
	TCase *cases = tcase_create("graphs");

	tcase_add_test(cases, test_tree);
	tcase_add_test(cases, test_told_apart);
	tcase_add_test(cases, test_marks);
	tcase_add_test(cases, test_reasons);
	tcase_add_test(cases, test_hostile);
	tcase_add_test(cases, test_sums);
	tcase_add_test(cases, test_bound);
	tcase_add_test(cases, test_boxes);
	tcase_add_test(cases, test_shown);
	return tests_run(cases);
}
