// SPDX-License-Identifier: GPL-2.0-or-later
/* Annotated frames, JSON lines, the table of what was lost, and failing writes. */
#include <check.h>
#include <errno.h>

#include "model/stack.h"
#include "output/summary.h"
#include "output_check.h"
#include "output_fixture.h"
#include "run.h"
#include "select/select.h"
#include "util/cleanup.h"

static const struct output_options annotated = {.format = OUTPUT_ANNOTATED};
static const uint8_t id_bytes[4] = {0xde, 0xad, 0xbe, 0xef};

static struct frame_object demo = {.path = "/usr/bin/demo", .name = "demo"};
static struct frame_object libc = {.path = "/lib/libc.so.6", .name = "libc.so.6"};
static struct frame_object module = {.path = "[nf_tables]", .name = "[nf_tables]"};

static void place(struct location *location, uint64_t address, const struct frame_object *object)
{
	location->object = object;
	location->has_address = location->has_elf_address = location->has_file_offset = true;
	location->address = address;
	location->elf_address = location->file_offset = address & 0xffff;
}

/* A kernel frame, an inlined pair, and a frame of a stripped library. */
static void make_demo(struct fixture *f)
{
	fixture_init(f, "demo", 17);
	f->sample.pid = 1234;
	f->sample.tid = 1240;
	place(fixture_kernel(f, "nft_do_chain"), 0xffffffffc0001234, &module);
	f->frames[0].has_offset = true;
	f->frames[0].offset = 0x3c;
	place(fixture_user(f, "inner"), 0x55d0c0de1149, &demo);
	f->frames[1].file = "src/demo.c";
	f->frames[1].line = 12;
	f->frames[1].column = 3;
	struct frame *outer = fixture_outer(f, "middle(int)");
	outer->file = "src/demo.c";
	outer->line = 20;
	outer->has_offset = true;
	outer->offset = 9;
	struct location *stripped = fixture_user(f, NULL);
	place(stripped, 0x7f33aa0271ca, &libc);
	stripped->status = FRAME_NO_SYMBOLS;
	stripped->detail = "debug file for \"dwz\" is missing\n";
	f->sample.user.truncated = true;
	f->sample.user.id = 77;
}

static void check_printed(
	const struct output_options *options, struct fixture *f, const char *expected)
{
	auto_free char *printed = fixture_print_one(options, f);

	ck_assert_str_eq(printed, expected);
}

START_TEST(test_annotated)
{
	struct output_options options = annotated;
	struct fixture f;

	make_demo(&f);
	check_printed(&options, &f,
		"demo  pid 1234  tid 1240  weight 17\n"
		"  #0    0xffffffffc0001234  nft_do_chain+0x3c                    [kernel: "
		"nf_tables]\n"
		"  #1    0x000055d0c0de1149  inner (inlined)     src/demo.c:12:3  [demo]\n"
		"  #2                        middle(int)+0x9     src/demo.c:20    [demo]\n"
		"  #3    0x00007f33aa0271ca  [libc.so.6+0x71ca]  "
		"-- stripped: no symbols and no debug info\n"
		"                            ... truncated at 2 frames, the root may be missing\n");
	options.basenames = true;
	auto_free char *printed = fixture_print_one(&options, &f);
	ck_assert_ptr_nonnull(strstr(printed, "  demo.c:12:3  [demo]\n"));
}
END_TEST

START_TEST(test_annotated_parts)
{
	struct fixture f, g;
	struct fixture *both[] = {&f, &g};

	fixture_init(&f, NULL, 1);
	fixture_init(&g, "\x1b[2J", 0);
	g.sample.time = 588718687085;
	fixture_lost(&g, false, STACK_LOST_FULL);
	fixture_kernel(&g, "a\nb")->kind = LOCATION_BPF;
	auto_free char *printed = fixture_print(&annotated, both, 2);
	ck_assert_str_eq(printed, "  (no stack)\n\n"
				  "\\x1b[2J  weight 0  time 588.718687085\n"
				  "  #0    a\\x0ab                  [kernel: bpf]\n"
				  "  #1    [lost: stack map full]\n");
}
END_TEST

START_TEST(test_lookup)
{
	struct fixture f, g;
	struct fixture *both[] = {&f, &g};

	fixture_init(&f, NULL, 1);
	place(fixture_user(&f, "main"), 0x401136, &demo);
	f.sample.user.exact = true;
	f.sample.pid = 12;
	g = f;
	g.trace = (struct trace){.sample = &g.sample, .user = f.user, .n_user = 1};
	g.sample.kernel.state = STACK_ABSENT;
	auto_free char *printed = fixture_print(&annotated, both, 2);
	ck_assert_str_eq(
		printed, "0x0000000000401136  main  [demo]\n0x0000000000401136  main  [demo]\n");
}
END_TEST

START_TEST(test_color)
{
	struct output_options options = {.format = OUTPUT_ANNOTATED, .color = true};
	struct fixture f;

	fixture_init(&f, "demo", 2);
	fixture_user(&f, "main");
	check_printed(&options, &f,
		"\033[1mdemo  weight 2\033[0m\n  \033[2m#0\033[0m    \033[1;32mmain\033[0m\n");
}
END_TEST

START_TEST(test_wide)
{
	char name[201] = "";
	struct fixture f;
	auto_free char *expected = NULL;

	memset(name, 'n', 200);
	fixture_init(&f, NULL, 1);
	fixture_user(&f, name)->object = &demo;
	fixture_user(&f, "\xc3\xa9")->object = &demo;
	fixture_user(&f, "main")->object = &demo;
	expected = xasprintf(
		"  #0    %s  [demo]\n  #1    \xc3\xa9     [demo]\n  #2    main  [demo]\n", name);
	check_printed(&annotated, &f, expected);
}
END_TEST

START_TEST(test_why)
{
	struct output_options options = {.format = OUTPUT_ANNOTATED, .why = true};
	struct fixture f;

	libc.build_id = build_id_make(id_bytes, sizeof(id_bytes));
	make_demo(&f);
	fixture_lost(&f, true, STACK_LOST_COLLISION);
	auto_free char *printed = fixture_print_one(&options, &f);
	ck_assert_ptr_nonnull(strstr(printed, "\n                            why: no-symbols: "
					      "debug file for \"dwz\" is missing\\x0a; fix: "
					      "install its debug package, or use --debug-dir\n"));
	ck_assert_ptr_nonnull(strstr(printed, " why: lost-collision; fix: raise max_entries"));
	ck_assert_ptr_null(strstr(printed, "why: named"));
	const char *table = strstr(printed, "\n\nobject");
	ck_assert_ptr_nonnull(table);
	ck_assert_str_eq(table + 2,
		"object          build ID  frames lost  reason                                  "
		"fix\n"
		"/lib/libc.so.6  deadbeef            1  stripped: no symbols and no debug info  "
		"install its debug package, or use --debug-dir=DIR with "
		"DIR/.build-id/de/adbeef.debug\n"
		"kernel stacks   -                   1  hash collision                          "
		"raise max_entries of the stack map, or set BPF_F_REUSE_STACKID\n");
}
END_TEST

#define UNMAPPED_FIX                                                                               \
	"probably after an exec or dlclose: use stack2line record; otherwise build with "          \
	"-fno-omit-frame-pointer"

static char *print_summary(const struct summary *summary)
{
	char *data = NULL;
	size_t size;
	FILE *file = open_memstream(&data, &size);

	summary_print(summary, file, "s: ");
	fclose(file);
	return data;
}

START_TEST(test_summary)
{
	struct summary *summary = summary_create();
	struct frame_object same_path = demo, evil = {.path = "/tmp/\x1b[2J", .name = "x"};
	struct fixture f;

	auto_free char *nothing = print_summary(summary);
	ck_assert_str_eq(nothing, "");
	fixture_init(&f, NULL, 1000000);
	fixture_user(&f, "named");
	fixture_user(&f, NULL)->object = &evil;
	fixture_user(&f, NULL)->object = &demo;
	fixture_user(&f, NULL)->object = &same_path; /* of another process: the same row */
	fixture_user(&f, NULL);
	fixture_kernel(&f, NULL)->status = FRAME_KALLSYMS_DENIED;
	summary_count(summary, &f.trace, false);
	ck_assert_uint_eq(summary->resolved, 1);
	ck_assert_uint_eq(summary->unresolved, 5);
	auto_free char *printed = print_summary(summary);
	ck_assert_str_eq(printed,
		"s: object         build ID  frames lost  reason                                        fix\n"
		"s: /usr/bin/demo  -                   2  no mapping of the process covers the address  " UNMAPPED_FIX
		"\n"
		"s: /tmp/\\x1b[2J   -                   1  no mapping of the process covers the address  " UNMAPPED_FIX
		"\n"
		"s: -              -                   1  no mapping of the process covers the address  " UNMAPPED_FIX
		"\n"
		"s: [kernel]       -                   1  /proc/kallsyms hides addresses                "
		"run with CAP_SYSLOG, or lower kernel.kptr_restrict\n");
	summary_destroy(summary);
}
END_TEST

START_TEST(test_summary_server)
{
	struct summary *summary = summary_create();
	struct frame_object object = {.path = "/lib/x",
		.name = "x",
		.not_fetched = "http://\x1b: no answer in 1 s",
		.fetch_fix = "--debuginfod-timeout=SECONDS"};
	struct fixture f;

	fixture_init(&f, NULL, 1);
	struct location *named = fixture_user(&f, "named");
	named->object = &object;
	named->gap = GAP_FETCH;
	fixture_user(&f, NULL)->object = &object;
	summary_count(summary, &f.trace, false);
	object.not_fetched = object.fetch_fix = NULL; /* what is counted no longer needs it */
	auto_free char *printed = print_summary(summary);
	ck_assert_ptr_nonnull(
		strstr(printed, "was not fetched: no lines, no inlined calls; debuginfod: "
				"http://\\x1b: no answer in 1 s  --debuginfod-timeout"));
	ck_assert_ptr_nonnull(
		strstr(printed, "covers the address; debuginfod: http://\\x1b: no answer"));
	summary_destroy(summary);
}
END_TEST

START_TEST(test_summary_bound)
{
	struct summary *summary = summary_create();

	for (int i = 0; i < 1000; i++) {
		auto_free char *path = xasprintf("/lib/%d", i);
		struct frame_object object = {.path = path, .name = path};
		struct fixture f;

		fixture_init(&f, NULL, 1);
		fixture_user(&f, NULL)->object = &object;
		summary_count(summary, &f.trace, false);
	}
	auto_free char *printed = print_summary(summary);
	ck_assert_ptr_nonnull(strstr(printed, "\ns: /lib/99 "));
	ck_assert_ptr_null(strstr(printed, "\ns: /lib/100 "));
	ck_assert_ptr_nonnull(strstr(printed, "\ns: and 900 more, 900 frames lost\n"));
	summary_destroy(summary);
}
END_TEST

START_TEST(test_json)
{
	struct output_options options = {.format = OUTPUT_JSON};
	struct fixture f;

	libc.build_id = build_id_make(id_bytes, sizeof(id_bytes));
	make_demo(&f);
	check_printed(&options, &f,
		"{\"schema\":1,\"comm\":\"demo\",\"pid\":1234,\"tid\":1240,\"weight\":17,"
		"\"user\":{\"state\":\"present\",\"id\":77,\"truncated\":true,\"frames\":["
		"{\"address\":\"0x55d0c0de1149\",\"kind\":\"user\",\"object\":\"/usr/bin/demo\","
		"\"file_offset\":\"0x1149\",\"elf_address\":\"0x1149\",\"function\":\"inner\","
		"\"file\":\"src/demo.c\",\"line\":12,\"column\":3,\"inlined\":true,"
		"\"source\":\"dwarf\",\"status\":\"named\"},"
		"{\"address\":\"0x55d0c0de1149\",\"kind\":\"user\",\"object\":\"/usr/bin/demo\","
		"\"file_offset\":\"0x1149\",\"elf_address\":\"0x1149\",\"function\":\"middle(int)"
		"\","
		"\"offset\":9,\"file\":\"src/demo.c\",\"line\":20,\"inlined\":false,"
		"\"source\":\"dwarf\",\"status\":\"named\"},"
		"{\"address\":\"0x7f33aa0271ca\",\"kind\":\"user\",\"object\":\"/lib/libc.so.6\","
		"\"build_id\":\"deadbeef\",\"file_offset\":\"0x71ca\",\"elf_address\":\"0x71ca\","
		"\"inlined\":false,\"status\":\"no-symbols\","
		"\"reason\":\"stripped: no symbols and no debug info\","
		"\"detail\":\"debug file for \\\"dwz\\\" is missing\\u000a\","
		"\"fix\":\"install its debug package, or use --debug-dir\"}]},"
		"\"kernel\":{\"state\":\"present\",\"truncated\":false,\"frames\":["
		"{\"address\":\"0xffffffffc0001234\",\"kind\":\"kernel\",\"object\":\"[nf_tables]"
		"\","
		"\"file_offset\":\"0x1234\",\"elf_address\":\"0x1234\",\"function\":\"nft_do_"
		"chain\","
		"\"offset\":60,\"inlined\":false,\"source\":\"dwarf\",\"status\":\"named\"}]}}\n");
}
END_TEST

START_TEST(test_json_lost)
{
	struct output_options options = {.format = OUTPUT_JSON};
	struct fixture f;

	fixture_init(&f, "\xff\"{", UINT64_MAX);
	fixture_lost(&f, false, STACK_LOST_ERROR);
	f.sample.user.error = f.locations[0].lost_error = -22;
	check_printed(&options, &f,
		"{\"schema\":1,\"comm\":\"\\ufffd\\\"{\",\"weight\":18446744073709551615,"
		"\"user\":{\"state\":\"lost-error\",\"error\":-22,\"frames\":["
		"{\"kind\":\"lost\",\"inlined\":false,\"status\":\"lost\","
		"\"reason\":\"bpf_get_stackid failed, error 22\","
		"\"fix\":\"look up the error number in bpf-helpers(7)\"}]},"
		"\"kernel\":{\"state\":\"absent\",\"frames\":[]}}\n");
}
END_TEST

START_TEST(test_json_valid)
{
	struct output_options options = {.format = OUTPUT_JSON};
	char all[256];

	for (size_t i = 0; i < 255; i++)
		all[i] = (char)(i + 1);
	all[255] = '\0';
	for (int i = 1; i < 256; i++) {
		struct frame_object object = {.path = all, .debug_path = all + i};
		struct fixture f;

		make_demo(&f);
		f.sample.comm = f.sample.position = f.locations[1].detail = all + 255 - i;
		f.frames[0].function = f.frames[0].linkage = f.frames[0].file = all + i;
		f.locations[0].object = &object;
		auto_free char *printed = fixture_print_one(&options, &f);
		ck_assert(json_lines_valid(printed, strlen(printed)));
	}
	ck_assert(!json_lines_valid("{\"a\":}\n", 7));
	ck_assert(!json_lines_valid("{\"\n\":1}\n", 8));
}
END_TEST

/* The output for a location with a serial is the same each time, even if it was not kept. */
START_TEST(test_json_serials)
{
	const struct output_options options = {.format = OUTPUT_JSON};
	static struct fixture plain, numbered;
	struct fixture *twice[] = {&plain, &plain}, *again[] = {&numbered, &numbered};

	make_demo(&plain);
	make_demo(&numbered);
	for (size_t i = 0; i < numbered.n_locations; i++)
		numbered.locations[i].serial = 1 + i % 2 * 8192 + i / 2; /* some in one place */
	auto_free char *expected = fixture_print(&options, twice, 2);
	auto_free char *printed = fixture_print(&options, again, 2);
	ck_assert_str_eq(printed, expected);
}
END_TEST

/* The marks of a frame stay with it when the frames below it are removed. */
START_TEST(test_collapsed_snapshot)
{
	const struct unwound_frame frames[] = {
		{UNWOUND_BY_SFRAME, true}, {UNWOUND_BY_EH_FRAME, false}, {UNWOUND_BY_FP, false}};
	const struct unwound unwound = {.end = UNWOUND_OUTERMOST, .frames = frames};
	struct select_rule rule = {SELECT_COLLAPSE, SELECT_FUNCTION, "work"};
	struct selection *selection =
		selection_create(&(struct select_options){.rules = {.data = &rule, .len = 1}});
	struct fixture f;

	fixture_init(&f, "demo", 1);
	fixture_user(&f, "leaf");
	fixture_user(&f, "work");
	fixture_user(&f, "main");
	f.sample.user.unwound = &unwound;
	const struct trace *trace = selection_apply(selection, &f.trace);
	ck_assert_ptr_nonnull(trace);
	ck_assert_uint_eq(trace->n_user, 2);
	ck_assert_str_eq(trace->user[0]->frames[0].function, "work");
	ck_assert_ptr_eq(trace->sample->user.unwound->frames, &frames[1]);
	selection_destroy(selection);
}
END_TEST

/* A write that fails is an error of the flush or of the end, whatever the format. */
START_TEST(test_full_disk)
{
	struct output_options options = {.format = (enum output_format)_i};
	auto_file FILE *file = fopen("/dev/full", "w");
	struct fixture f;

	make_demo(&f);
	ck_assert_ptr_nonnull(file);
	struct output *output = output_create(&options, file, NULL);
	for (int i = 0; i < 1000; i++)
		output_trace(output, &f.trace);
	auto_error struct error *flushed = output_flush(output);
	ck_assert(
		options.format == OUTPUT_FOLDED || options.format >= OUTPUT_FLAMEGRAPH || flushed);
	auto_error struct error *ended = output_end(output);
	ck_assert_ptr_nonnull(ended);
	ck_assert_str_eq(error_message(ended), "cannot write the output: No space left on device");
	auto_error struct error *again = output_end(output);
	ck_assert_ptr_nonnull(again);
	output_destroy(output);
}
END_TEST

START_TEST(test_flush)
{
	struct output_options options = {.format = (enum output_format)_i};
	char *data = NULL;
	size_t size = 0;
	FILE *file = open_memstream(&data, &size);
	struct output *output = output_create(&options, file, NULL);
	struct fixture f;

	make_demo(&f);
	output_trace(output, &f.trace);
	ck_assert_ptr_null(output_flush(output));
	ck_assert_int_eq(size > 0, options.format != OUTPUT_FOLDED);
	ck_assert_ptr_null(output_end(output));
	ck_assert_uint_gt(size, 0);
	output_destroy(output);
	output_destroy(NULL);
	fclose(file);
	free(data);
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("output");

	tcase_add_test(tcase, test_annotated);
	tcase_add_test(tcase, test_annotated_parts);
	tcase_add_test(tcase, test_lookup);
	tcase_add_test(tcase, test_color);
	tcase_add_test(tcase, test_wide);
	tcase_add_test(tcase, test_why);
	tcase_add_test(tcase, test_summary);
	tcase_add_test(tcase, test_summary_server);
	tcase_add_test(tcase, test_summary_bound);
	tcase_add_test(tcase, test_json);
	tcase_add_test(tcase, test_json_lost);
	tcase_add_test(tcase, test_json_valid);
	tcase_add_test(tcase, test_json_serials);
	tcase_add_test(tcase, test_collapsed_snapshot);
	tcase_add_loop_test(tcase, test_full_disk, 0, OUTPUT_TOP + 1);
	tcase_add_loop_test(tcase, test_flush, 0, 3);
	return tests_run(tcase);
}
