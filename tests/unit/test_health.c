// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <string.h>

#include "health/stack_health.h"
#include "output/health.h"
#include "model/remedy.h"
#include "run.h"

enum { N_MAX = 6 };

static const struct frame_object libc = {.path = "/lib/libc.so.6", .name = "libc.so.6"};
static const struct frame_object app = {.path = "/app/app;\n", .name = "app"};

/* A stack of N locations, each named after its place. */
struct made {
	struct frame frames[N_MAX];
	struct location all[N_MAX];
	const struct location *slots[N_MAX];
	size_t n;
	uint64_t serials;
	struct doubted doubted;
	struct stack stack;
	struct stack_health health;
};

static void make(struct made *made, size_t n)
{
	static const char *const names[N_MAX] = {"f0", "f1", "f2", "f3", "f4", "f5"};

	*made = (struct made){.n = n, .stack = {.state = STACK_PRESENT, .id = -1}};
	made->doubted.serials = &made->serials;
	for (size_t i = 0; i < n; i++) {
		made->frames[i] = (struct frame){.function = names[i], .linkage = names[i]};
		made->all[i] = (struct location){.frames = &made->frames[i],
			.n_frames = 1,
			.object = &app,
			.serial = ++made->serials};
		made->slots[i] = &made->all[i];
	}
	made->all[n - 1].end = END_MAIN;
}

static void judge(struct made *made)
{
	made->health = health_user_stack(&made->doubted, &made->stack, made->slots, &made->n);
}

static void check_kinds(struct made *made, unsigned int kinds, size_t n, size_t cut)
{
	judge(made);
	ck_assert_uint_eq(made->health.kinds, kinds);
	ck_assert_uint_eq(made->n, n);
	ck_assert_uint_eq(made->health.cut, cut);
	doubted_deinit(&made->doubted);
}

#define KIND(name) (1U << HEALTH_##name)

START_TEST(whole_stacks)
{
	struct made made;

	make(&made, 3);
	check_kinds(&made, 0, 3, 0);
	make(&made, 3);
	made.all[2].end = END_ENTRY;
	check_kinds(&made, 0, 3, 0);
	make(&made, 2);
	made.stack.exact = true;
	made.all[1].end = END_NOT;
	check_kinds(&made, 0, 2, 0);
}
END_TEST

START_TEST(ends)
{
	struct made made;

	make(&made, 3);
	made.all[2].end = END_NOT;
	check_kinds(&made, KIND(ENDED_EARLY), 3, 0);
	/* Nothing is known about a frame without a name. */
	make(&made, 3);
	made.all[2].end = END_NOT;
	made.all[2].status = FRAME_NO_SYMBOLS;
	check_kinds(&made, 0, 3, 0);
	make(&made, 3);
	made.all[2].end = END_NOT;
	made.all[1].end = made.all[2].end = END_NOT;
	made.all[2].status = FRAME_NOT_AN_ADDRESS;
	check_kinds(&made, KIND(ENDED_EARLY), 2, 1);
	/* Nothing is known of its process. */
	make(&made, 3);
	for (size_t i = 0; i < 3; i++) {
		made.all[i].object = NULL;
		made.all[i].status = i < 2 ? FRAME_PROCESS_GONE : FRAME_NOT_AN_ADDRESS;
		made.all[i].end = END_NOT;
	}
	check_kinds(&made, 0, 2, 1);
	make(&made, 3);
	made.all[0].object = made.all[1].object = made.all[2].object = NULL;
	made.all[1].status = FRAME_UNMAPPED;
	made.all[2].status = FRAME_NOT_AN_ADDRESS;
	made.all[2].end = END_NOT;
	check_kinds(&made, KIND(ENDED_EARLY), 2, 1);
	make(&made, 3);
	made.all[2].end = END_NOT;
	made.stack.truncated = true;
	check_kinds(&made, KIND(TRUNCATED), 3, 0);
	/* At what keeps no frame pointer, FP may be anything: without a name it may begin a program. */
	for (int named = 0; named < 2; named++) {
		make(&made, 4);
		made.all[2].end = made.all[3].end = END_NOT;
		made.all[1].end = END_NOT;
		made.all[2].status = named ? FRAME_NAMED : FRAME_NO_SYMBOLS;
		made.all[2].lost_caller = CALLER_FUNCTION;
		made.all[3].status = FRAME_NOT_EXECUTABLE;
		check_kinds(&made, KIND(LOST_CALLER) | (named ? KIND(ENDED_EARLY) : 0), 3, 1);
	}
	/* clone3 has no caller, by its unwind rule. */
	make(&made, 3);
	made.all[1].end = END_OUTERMOST;
	made.all[1].status = FRAME_NO_SYMBOLS;
	made.all[2].status = FRAME_UNMAPPED;
	made.all[2].end = END_NOT;
	check_kinds(&made, 0, 2, 1);
	/* A function without a name may begin a thread, but not if it was just called. */
	for (int entered = 0; entered < 2; entered++) {
		make(&made, 1);
		made.all[0].status = FRAME_NO_SYMBOLS;
		made.all[0].end = END_NOT;
		made.all[0].entered = entered;
		check_kinds(&made, entered ? KIND(ENDED_EARLY) : 0, 1, 0);
	}
}
END_TEST

START_TEST(garbage_is_cut)
{
	struct made made;

	make(&made, 5);
	made.all[2].end = END_ENTRY;
	check_kinds(&made, 0, 3, 2);
	make(&made, 5);
	made.all[2].end = END_MAIN;
	made.all[3].end = made.all[4].end = END_GARBAGE;
	check_kinds(&made, 0, 3, 2);
	/* An unmapped address may have been code, but not after a value that is no code. */
	make(&made, 5);
	made.all[2].status = FRAME_UNMAPPED;
	made.all[3].status = FRAME_NOT_EXECUTABLE;
	made.all[4].status = FRAME_UNMAPPED;
	check_kinds(&made, KIND(ENDED_EARLY), 3, 2);
	make(&made, 4);
	made.all[2].status = FRAME_NOT_EXECUTABLE;
	made.all[3].end = END_GARBAGE;
	check_kinds(&made, KIND(ENDED_EARLY), 2, 2);
	/* clone3: the frame pointer leads to a word that points to itself. */
	make(&made, 5);
	made.all[1].end = END_FIRST;
	made.stack.truncated = true;
	for (size_t i = 2; i < 5; i++)
		made.all[i].status = FRAME_NOT_EXECUTABLE;
	check_kinds(&made, 0, 2, 3);
	make(&made, 2);
	made.all[1].end = END_GARBAGE;
	check_kinds(&made, KIND(ENDED_EARLY), 1, 1);
	/* What starts a program has no caller: glibc 2.43 leaves 0 and letters above it. */
	make(&made, 4);
	made.all[1].end = END_FIRST;
	made.all[2].status = made.all[3].status = FRAME_NOT_AN_ADDRESS;
	made.all[3].end = END_NOT;
	check_kinds(&made, 0, 2, 2);
	/* Neither has the caller of main(), even if it has no name. */
	make(&made, 4);
	made.frames[1].linkage = "main";
	made.all[1].end = END_MAIN;
	made.all[2].status = FRAME_NO_SYMBOLS;
	made.all[3].status = FRAME_NOT_AN_ADDRESS;
	made.all[3].end = END_NOT;
	check_kinds(&made, 0, 3, 1);
	make(&made, 3);
	made.frames[1].linkage = "main";
	made.all[1].end = END_MAIN;
	made.all[2].status = FRAME_NOT_AN_ADDRESS;
	made.all[2].end = END_NOT;
	check_kinds(&made, 0, 2, 1);
	/* The leaf is never cut. */
	make(&made, 1);
	made.all[0].end = END_GARBAGE;
	check_kinds(&made, KIND(DOUBTFUL), 1, 0);
}
END_TEST

START_TEST(what_follows_garbage_is_doubted)
{
	struct made made;

	make(&made, 4);
	made.all[1].end = END_GARBAGE;
	made.all[1].doubtful = true;
	judge(&made);
	ck_assert_uint_eq(made.health.kinds, KIND(DOUBTFUL));
	ck_assert_uint_eq(made.n, 4);
	ck_assert(!made.slots[0]->doubtful);
	ck_assert_ptr_eq(made.slots[1], &made.all[1]);
	ck_assert(made.slots[2]->doubtful && made.slots[3]->doubtful);
	ck_assert_str_eq(made.slots[3]->frames->function, "f3");
	ck_assert_uint_gt(made.slots[2]->serial, 4);
	ck_assert(!made.all[2].doubtful);
	doubted_deinit(&made.doubted);
	/* Go's runtime put the address there, of code that it interrupted. */
	make(&made, 4);
	made.frames[0].linkage = "runtime.asyncPreempt";
	made.all[1].end = END_GARBAGE;
	check_kinds(&made, 0, 4, 0);
}
END_TEST

START_TEST(data_leads_nowhere)
{
	struct made made;

	/*
	 * The leaf keeps data in the frame pointer: the next frame is no caller, nor are those
	 * after it.
	 */
	make(&made, 3);
	made.all[0].misled = true;
	made.all[0].lost_caller = CALLER_LEAF;
	judge(&made);
	ck_assert_uint_eq(made.health.kinds, KIND(LOST_CALLER) | KIND(DOUBTFUL));
	ck_assert_uint_eq(made.n, 3);
	ck_assert(!made.slots[0]->doubtful && made.slots[1]->doubtful && made.slots[2]->doubtful);
	ck_assert_int_eq(made.slots[1]->end, END_GARBAGE);
	ck_assert_ptr_nonnull(strstr(made.slots[1]->detail, "keeps data in the frame pointer"));
	ck_assert_ptr_nonnull(strstr(made.slots[2]->detail, "after a frame"));
	doubted_deinit(&made.doubted);

	/*
	 * What no mapping covers was code if the frame before leads to it, or if it is near code.
	 */
	for (int near = 0; near < 2; near++)
		for (int lost = 0; lost < 3; lost++) {
			make(&made, 2);
			made.all[0].has_address = made.all[1].has_address = true;
			made.all[0].address = 0x7f0000001000;
			made.all[0].lost_caller = lost == 1 ? CALLER_LEAF : CALLER_NONE;
			made.all[0].entered = lost == 2;
			made.all[1].address = near ? 0x7f0000801000 : 0x12345678900;
			made.all[1].status = FRAME_UNMAPPED;
			made.all[1].end = END_NOT;
			judge(&made);
			ck_assert_uint_eq(made.n, lost && !near ? 1 : 2);
			doubted_deinit(&made.doubted);
		}
}
END_TEST

START_TEST(text_is_no_address)
{
	static const struct {
		uint64_t value;
		bool text;
	} values[] = {{0x6f77206f6c6c6568, true}, {0x0077206f6c6c6568, true},
		{0x0000206f6c6c6568, false}, {0x6f77206f6c6c6501, false},
		{0x8077206f6c6c6568, false}};

	for (size_t i = 0; i < sizeof(values) / sizeof(*values); i++) {
		struct made made;

		make(&made, 3);
		made.all[1].status = FRAME_NOT_AN_ADDRESS;
		made.all[1].address = values[i].value;
		made.all[1].has_address = true;
		check_kinds(&made, values[i].text ? KIND(TEXT) : KIND(DOUBTFUL), 3, 0);
	}
}
END_TEST

START_TEST(languages)
{
	static const struct {
		const char *linkage, *file;
		enum language language;
	} functions[] = {{"main", NULL, LANGUAGE_C}, {"main", "/a/main.rs", LANGUAGE_RUST},
		{"_RNvC5hello4main", NULL, LANGUAGE_RUST},
		{"_ZN4core3fmt5write17h0123456789abcdefE", NULL, LANGUAGE_RUST},
		{"_ZN4core3fmt5writeE", "write.cc", LANGUAGE_C}, {"main.main", "m.go", LANGUAGE_GO},
		{"camlStdlib__List__map_345", NULL, LANGUAGE_OCAML},
		{"camlimages", NULL, LANGUAGE_C},
		{"base_GHCziBase_map_info", NULL, LANGUAGE_HASKELL}, {"get_info", NULL, LANGUAGE_C},
		{"memcpy", "memcpy.S", LANGUAGE_ASSEMBLY}, {NULL, NULL, LANGUAGE_C}};

	for (size_t i = 0; i < sizeof(functions) / sizeof(*functions); i++) {
		const struct frame frame = {
			.linkage = functions[i].linkage, .file = functions[i].file};
		const struct location location = {.frames = &frame, .n_frames = 1};

		ck_assert_int_eq(language_of(&location), functions[i].language);
	}
	ck_assert_ptr_nonnull(
		strstr(remedy_of(HEALTH_LOST_CALLER, CALLER_LEAF, LANGUAGE_RUST, false, "/a", ""),
			"force-frame-pointers"));
	ck_assert_ptr_null(strstr(
		remedy_of(HEALTH_LOST_CALLER, CALLER_FUNCTION, LANGUAGE_OCAML, false, "/a", ""),
		"-fno"));
	ck_assert_ptr_null(
		strstr(remedy_of(HEALTH_LOST_CALLER, CALLER_PROLOGUE, LANGUAGE_C, true, "/a", ""),
			"-fno"));
	ck_assert_ptr_null(
		strstr(remedy_otherwise(HEALTH_LOST_CALLER, CALLER_LEAF, LANGUAGE_OCAML, "/opt/a"),
			"-Wa"));
	static const char path[] = "/usr/lib/x86_64-linux-gnu/libc.so.6";
	ck_assert_ptr_nonnull(
		strstr(remedy_of(HEALTH_LOST_CALLER, CALLER_LEAF, LANGUAGE_C, true, path, "ubuntu"),
			"libc6-prof"));
	ck_assert_ptr_nonnull(
		strstr(remedy_of(HEALTH_LOST_CALLER, CALLER_LEAF, LANGUAGE_C, true, path, "debian"),
			"none known"));
	ck_assert_ptr_nonnull(strstr(remedy_of(HEALTH_LOST_CALLER, CALLER_LEAF, LANGUAGE_C, false,
					     "/opt/libc.so.6", "ubuntu"),
		"-fno-omit-frame-pointer"));
	/* nobody builds the vDSO */
	ck_assert_ptr_null(
		strstr(remedy_of(HEALTH_LOST_CALLER, CALLER_LEAF, LANGUAGE_C, false, "[vdso]", ""),
			"build with"));
	ck_assert_ptr_null(strstr(
		remedy_otherwise(HEALTH_LOST_CALLER, CALLER_LEAF, LANGUAGE_C, "[vdso]"), "-Wa"));
	ck_assert_ptr_null(
		remedy_otherwise(HEALTH_LOST_CALLER, CALLER_LEAF, LANGUAGE_HASKELL, "/opt/a"));
	ck_assert_ptr_null(
		remedy_otherwise(HEALTH_LOST_CALLER, CALLER_PROLOGUE, LANGUAGE_C, "/opt/a"));
}
END_TEST

static void count(struct health_report *report, struct made *made, uint64_t weight)
{
	struct sample sample = {.weight = weight, .user = made->stack};
	const struct trace trace = {.sample = &sample,
		.user = made->slots,
		.n_user = made->n,
		.user_health = made->health};

	health_report_count(report, &trace);
}

static void check_text(const char *got, const char *wanted)
{
	ck_assert_msg(!strcmp(got, wanted), "%s", got);
}

START_TEST(reports)
{
	struct health_report *report = health_report_create("");
	struct text text = {};
	struct made made;

	make(&made, 3);
	judge(&made);
	count(report, &made, 60);
	health_report_add_line(report, &text);
	ck_assert_uint_eq(text.len, 0);
	made.all[0].lost_caller = CALLER_LEAF;
	made.all[0].object = &libc;
	made.all[1].lost_caller = made.all[2].lost_caller = CALLER_FUNCTION;
	judge(&made);
	count(report, &made, 30);
	make(&made, 2);
	made.all[1].end = END_NOT;
	made.serials = made.all[1].serial = 77;
	judge(&made);
	count(report, &made, 10);
	health_report_add_line(report, &text);
	check_text(text.data, "30 % of user stacks lack a caller [app;\\x0a and 1 more], 10 % end "
			      "early [app;\\x0a]");
	text_clear(&text);
	health_report_add(report, false, &text);
	check_text(text.data,
		"3 samples, weight 100: 40 % with a damaged stack\n"
		"30 %         weight 30  caller missing: function keeps no frame pointer  "
		"/app/app;\\x0a\n"
		"             remedy: build with -fno-omit-frame-pointer "
		"-mno-omit-leaf-frame-pointer (C, C++)\n"
		"             otherwise: copy stacks and unwind them (--unwind): it has the tables; "
		"-Wa,--gsframe (binutils 2.40) adds smaller ones, SFrame\n"
		"30 %         weight 30  caller missing: leaf keeps no frame pointer  "
		"/lib/libc.so.6\n"
		"             remedy: none known: the file is from a package that was built without "
		"frame pointers\n"
		"             otherwise: copy stacks and unwind them (--unwind), or use a "
		"distribution whose packages keep frame pointers (Fedora 38, Ubuntu 24.04, or "
		"newer)\n"
		"10 %         weight 10  ended early  /app/app;\\x0a\n"
		"             remedy: build with -fno-omit-frame-pointer "
		"-mno-omit-leaf-frame-pointer (C, C++)\n"
		"             otherwise: copy stacks and unwind them (--unwind)\n");
	text_clear(&text);
	health_report_add(report, true, &text);
	ck_assert_ptr_nonnull(
		strstr(text.data, "\"kinds\":{\"lost-caller\":30,\"ended-early\":10}"));
	ck_assert_ptr_nonnull(strstr(text.data, "\"object\":\"/app/app;\\u000a\""));
	text_deinit(&text);
	health_report_destroy(report);
}
END_TEST

/* No compiler option is advised to code that keeps frame pointers; guesses are counted. */
START_TEST(leaves)
{
	struct health_report *report = health_report_create("");
	struct text text = {};
	struct made made;

	for (int guessed = 0; guessed < 2; guessed++) {
		make(&made, 3);
		made.all[0].lost_caller = CALLER_LEAF;
		made.all[0].caller_guessed = guessed;
		judge(&made);
		count(report, &made, guessed ? 30 : 10);
	}
	health_report_add(report, false, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "remedy: on x86, build with clang"));
	ck_assert_ptr_nonnull(strstr(
		text.data, "\n             --guess-callers: puts 75 % of these callers back\n"));
	text_clear(&text);
	health_report_add(report, true, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "\"weight\":40,\"guessed\":30,"));
	text_deinit(&text);
	health_report_destroy(report);
}
END_TEST

START_TEST(line_and_report_agree)
{
	struct health_report *report = health_report_create("");
	struct text text = {};
	struct made made;

	make(&made, 3);
	made.all[0].lost_caller = CALLER_LEAF;
	made.all[1].lost_caller = CALLER_FUNCTION;
	made.all[0].object = made.all[1].object = &libc;
	made.all[2].lost_caller = CALLER_FUNCTION;
	judge(&made);
	count(report, &made, 30);
	make(&made, 1);
	made.stack.state = STACK_ABSENT;
	made.n = 0;
	judge(&made);
	count(report, &made, 70);
	health_report_add_line(report, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "100 % of user stacks lack a caller ["));
	ck_assert_ptr_nonnull(strstr(text.data, " and 1 more]"));
	text_clear(&text);
	health_report_add(report, false, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "\n100 %        weight 30  caller missing: leaf"));
	ck_assert_ptr_nonnull(strstr(text.data, "of all user stacks (weight 30).\n"));
	text_deinit(&text);
	health_report_destroy(report);
}
END_TEST

/* In a map of 1,024 places of which a tenth of the stacks was lost, load was 0.22. */
START_TEST(sizes_of_maps)
{
	struct health_report *report = health_report_create("");
	struct text text = {};
	struct made made;

	make(&made, 2);
	made.stack.id = 1000;
	made.stack.truncated = true;
	made.stack.depth = 2;
	judge(&made);
	count(report, &made, 90);
	made.stack = (struct stack){.state = STACK_LOST_COLLISION, .id = -17};
	judge(&made);
	made.n = 0;
	count(report, &made, 10);
	health_report_add(report, true, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "\"max_entries\":16384,\"value_size\":1016}"));
	ck_assert_ptr_nonnull(
		strstr(text.data, "\"remedy\":\"max_entries 16384 of the stack map\""));
	text_deinit(&text);
	health_report_destroy(report);
}
END_TEST

/*
 * Of 400 stacks that 256 buckets keep 202 of; and one kernel stack, which makes the loss look
 * smaller.
 */
START_TEST(buckets_in_use)
{
	struct health_report *report = health_report_create("");
	struct text text = {};

	for (int64_t i = 0; i < 400; i++) {
		struct sample sample = {.weight = 1, .kernel = {.state = STACK_PRESENT, .id = 255}};
		const struct trace trace = {.sample = &sample};

		sample.user.state = i < 201 ? STACK_PRESENT : STACK_LOST_COLLISION;
		sample.user.id = i < 201 ? i : -17;
		health_report_count(report, &trace);
	}
	health_report_add(report, true, &text);
	ck_assert_ptr_nonnull(strstr(text.data, "\"max_entries\":32768}"));
	text_deinit(&text);
	health_report_destroy(report);
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("health");

	tcase_add_test(tests, whole_stacks);
	tcase_add_test(tests, ends);
	tcase_add_test(tests, garbage_is_cut);
	tcase_add_test(tests, what_follows_garbage_is_doubted);
	tcase_add_test(tests, data_leads_nowhere);
	tcase_add_test(tests, text_is_no_address);
	tcase_add_test(tests, languages);
	tcase_add_test(tests, reports);
	tcase_add_test(tests, leaves);
	tcase_add_test(tests, line_and_report_agree);
	tcase_add_test(tests, sizes_of_maps);
	tcase_add_test(tests, buckets_in_use);
	return tests_run(tests);
}
