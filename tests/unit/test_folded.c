// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>

#include "output/folded.h"
#include "output/trace_path.h"
#include "util/folded_name.h"
#include "output/label.h"
#include "output_check.h"
#include "output_fixture.h"
#include "run.h"
#include "util/cleanup.h"

static const struct output_options by_comm = {.format = OUTPUT_FOLDED};

static void check_line(
	const struct output_options *options, struct fixture *f, const char *expected)
{
	auto_free char *printed = fixture_print_one(options, f);

	ck_assert_str_eq(printed, expected);
}

START_TEST(test_order)
{
	struct fixture f;
	struct output_options options = by_comm;

	fixture_init(&f, "demo", 12);
	fixture_user(&f, "leaf");
	fixture_outer(&f, "middle");
	fixture_outer(&f, "caller");
	fixture_user(&f, "main");
	fixture_kernel(&f, "do_idle");
	fixture_kernel(&f, "entry");
	check_line(&options, &f, "demo;main;caller;middle;leaf;entry;do_idle 12\n");
	options.annotations = options.delimited = true;
	check_line(
		&options, &f, "demo;main;caller;middle_[i];leaf_[i];-;entry_[k];do_idle_[k] 12\n");
	f.trace.n_user = 0;
	check_line(&options, &f, "demo;entry_[k];do_idle_[k] 12\n");
	f.locations[2].kind = LOCATION_BPF;
	f.trace.n_user = 1;
	f.trace.n_kernel = 1;
	f.locations[0].kind = LOCATION_JIT;
	f.locations[0].n_frames = 1;
	f.frames[0].inlined = false;
	check_line(&options, &f, "demo;leaf_[j];-;do_idle_[k] 12\n");
}
END_TEST

START_TEST(test_prefix)
{
	static const struct {
		const char *comm;
		int64_t pid, tid;
		const char *lines[4]; /* by enum output_prefix */
	} cases[] = {
		{"a;b", 7, 8, {"a:b;f 1\n", "a:b-7;f 1\n", "a:b-7/8;f 1\n", "f 1\n"}},
		{"a", 7, -1, {"a;f 1\n", "a-7;f 1\n", "a-7;f 1\n", "f 1\n"}},
		{"a", -1, 8, {"a;f 1\n", "a;f 1\n", "a-?/8;f 1\n", "f 1\n"}},
		{"a", -1, -1, {"a;f 1\n", "a;f 1\n", "a;f 1\n", "f 1\n"}},
		{NULL, 7, 8, {"[pid 7];f 1\n", "[pid 7];f 1\n", "[pid 7/8];f 1\n", "f 1\n"}},
		{"  ", -1, 8, {"[tid 8];f 1\n", "[tid 8];f 1\n", "[tid 8];f 1\n", "f 1\n"}},
		{NULL, -1, -1, {"f 1\n", "f 1\n", "f 1\n", "f 1\n"}},
		{"worker 3", 7, -1,
			{"worker_3;f 1\n", "worker 3-7;f 1\n", "worker 3-7;f 1\n", "f 1\n"}},
	};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++)
		for (size_t prefix = 0; prefix < 4; prefix++) {
			struct output_options options = {.format = OUTPUT_FOLDED, .prefix = prefix};
			struct fixture f;

			fixture_init(&f, cases[i].comm, 1);
			fixture_user(&f, "f");
			f.sample.pid = cases[i].pid;
			f.sample.tid = cases[i].tid;
			check_line(&options, &f, cases[i].lines[prefix]);
		}
}
END_TEST

START_TEST(test_unnamed)
{
	struct frame_object lib = {.path = "/usr/lib/libfoo.so", .name = "libfoo.so"};
	struct frame_object vdso = {.path = "[vdso]", .name = "[vdso]"};
	uint8_t id[2] = {0xab, 0xcd};
	struct frame_object nameless = {.build_id = build_id_make(id, sizeof(id))};
	struct fixture f;

	fixture_init(&f, "demo", 1);
	fixture_lost(&f, true, STACK_LOST_COLLISION);
	struct location *location = fixture_user(&f, NULL);
	check_line(&by_comm, &f, "demo;[unknown];[lost: hash collision] 1\n");
	location->has_address = true;
	location->address = 0x7f0000001234;
	check_line(&by_comm, &f, "demo;[unknown];[lost: hash collision] 1\n");
	location->object = &lib;
	check_line(&by_comm, &f, "demo;[libfoo.so];[lost: hash collision] 1\n");
	location->has_file_offset = true;
	location->file_offset = 0x1234;
	check_line(&by_comm, &f, "demo;[libfoo.so+0x1234];[lost: hash collision] 1\n");
	location->has_elf_address = true;
	location->elf_address = 0x401234;
	check_line(&by_comm, &f, "demo;[libfoo.so+0x401234];[lost: hash collision] 1\n");
	location->object = &vdso;
	check_line(&by_comm, &f, "demo;[vdso+0x401234];[lost: hash collision] 1\n");
	location->object = &nameless;
	check_line(&by_comm, &f, "demo;[abcd+0x401234];[lost: hash collision] 1\n");
	f.locations[0].lost = STACK_LOST_ERROR;
	f.locations[0].lost_error = -22;
	check_line(
		&by_comm, &f, "demo;[abcd+0x401234];[lost: bpf_get_stackid failed, error 22] 1\n");
}
END_TEST

START_TEST(test_details)
{
	struct frame_object lib = {.path = "/usr/lib/libfoo.so", .name = "libfoo.so"};
	struct frame_object kernel = {.path = "[kernel]", .name = "[kernel]"};
	struct output_options options = {.format = OUTPUT_FOLDED, .with_lines = true};
	struct fixture f;

	fixture_init(&f, "demo", 1);
	fixture_kernel(&f, "schedule")->object = &kernel;
	fixture_user(&f, "leaf")->object = &lib;
	f.frames[1].file = "src/a;b.c";
	f.frames[1].line = 12;
	fixture_outer(&f, "outer")->file = "src/c 3";
	check_line(&options, &f, "demo;outer:src/c_3;leaf:src/a:b.c:12;schedule 1\n");
	options.basenames = options.with_objects = options.annotations = true;
	check_line(&options, &f,
		"demo;outer:c 3 [libfoo.so];leaf:a:b.c:12 [libfoo.so]_[i];schedule [kernel]_[k] "
		"1\n");
}
END_TEST

START_TEST(test_empty)
{
	struct output_options bare = {.format = OUTPUT_FOLDED, .prefix = OUTPUT_PREFIX_NONE};
	struct fixture f;

	fixture_init(&f, "demo", 3);
	check_line(&by_comm, &f, "demo 3\n");
	check_line(&bare, &f, "[no stack] 3\n");
	auto_free char *nothing = fixture_print(&bare, NULL, 0);
	ck_assert_str_eq(nothing, "");
}
END_TEST

START_TEST(test_merge)
{
	static const char *const names[] = {"b", "a c", "a", "a;b", "a", "a", "a-"};
	struct fixture f[8];
	struct fixture *all[8];
	struct output_options options = {.format = OUTPUT_FOLDED, .prefix = OUTPUT_PREFIX_NONE};

	for (size_t i = 0; i < 8; i++) {
		fixture_init(&f[i], NULL, i + 1);
		fixture_user(&f[i], i == 5 || i == 7 ? "x" : names[i]);
		if (i == 5 || i == 7)
			fixture_user(&f[i], i == 7 ? "a:b" : "a");
		all[i] = &f[i];
	}
	f[4].sample.weight = UINT64_MAX;
	auto_free char *printed = fixture_print(&options, all, 8);
	/* LC_ALL=C sort's order of the stacks; 3 + the largest stays the largest */
	ck_assert_str_eq(
		printed, "a 18446744073709551615\na c 2\na- 7\na:b 4\na:b;x 8\na;x 6\nb 1\n");
}
END_TEST

/* Marks of locations are printed with their names, however these are numbered. */
START_TEST(test_numbered_names)
{
	struct fixture f;
	struct output_options options = {.format = OUTPUT_FOLDED,
		.prefix = OUTPUT_PREFIX_NONE,
		.annotations = true,
		.mark_lost = true};

	fixture_init(&f, NULL, 1);
	for (size_t i = 0; i < 6; i++)
		fixture_user(&f, i == 3 ? "g" : "f");
	fixture_kernel(&f, "f");
	for (size_t i = 0; i < f.n_locations; i++) {
		f.locations[i].serial = i + 1;
		f.locations[i].names = i == 3 ? 2 : 1;
	}
	f.locations[1].doubtful = true;
	f.locations[4].lost_caller = CALLER_LEAF;
	check_line(&options, &f, "f;[caller lost];f;g;f;f?;f;f_[k] 1\n");
	f.locations[3].serial =
		0; /* made of two: it may have the names of one and the object of the other */
	f.locations[3].names = 1;
	check_line(&options, &f, "f;[caller lost];f;g;f;f?;f;f_[k] 1\n");
}
END_TEST

/* xorshift64*: the same on every machine. */
static uint64_t draw(uint64_t *state, uint64_t below)
{
	*state ^= *state >> 12;
	*state ^= *state << 25;
	*state ^= *state >> 27;
	return (*state * 0x2545f4914f6cdd1dULL >> 32) % below;
}

/* Pieces that split, count, vanish or break encodings. */
static void hostile_name(uint64_t *state, char *ret, size_t size)
{
	static const char *const pieces[] = {";", " ", "  ", " 12", " 1.5", " 3.", " .", ".", "7",
		"\n", "\r", "\t", "\v", "\x1b[2J", "\x7f", "\xc2\x85", "\xc2\xa0", "\xff", "\xc3",
		"\xed\xa0\x80", "\xe2\x80\xa8", "\xc3\xa9", "main", "operator()", "a::b<int, 3>",
		"_[k]", "-", "#", "std::vector<char>", "\\", "\"", "[unknown]",
		" 18446744073709551616"};
	size_t n = draw(state, 6);

	ret[0] = '\0';
	for (size_t i = 0; i < n; i++) {
		const char *piece = pieces[draw(state, sizeof(pieces) / sizeof(pieces[0]))];

		if (strlen(ret) + strlen(piece) < size)
			strcat(ret, piece);
	}
}

/* The safe name of RAW in NAME, with what must hold for any safe name. */
static void check_safe(struct text *name, const char *raw)
{
	text_clear(name);
	folded_name_add_part(name, raw, strlen(raw));
	folded_name_end(name, 0);
	ck_assert(name->len > 0 && name->data[0] != ' ' && name->data[name->len - 1] != ' ');
	for (size_t i = 0; i < name->len; i++) {
		unsigned char c = (unsigned char)name->data[i];

		ck_assert(c >= 0x20 && c != 0x7f && c != ';');
	}
	ck_assert_uint_eq(folded_cut_number(name->data, name->len), 0);
	for (size_t i = 0, n; i < name->len; i += n) {
		n = text_utf8_length(name->data + i, name->len - i);
		ck_assert_uint_gt(n, 0);
	}
}

enum { HOSTILE_FRAMES = 5, HOSTILE_NAME = 128 };

static void check_splits(const char *line, char raw[][HOSTILE_NAME], size_t n, uint64_t weight)
{
	scope_guard(text_deinit) struct text name = {};
	size_t len = strlen(line);

	ck_assert_uint_eq(line[len - 1], '\n');
	size_t stack = folded_cut_number(line, len - 1);
	ck_assert_uint_gt(stack, 0);
	ck_assert_uint_eq(strtoull(line + stack, NULL, 10), weight);
	ck_assert_uint_eq(folded_cut_number(line, stack), 0); /* no differential line */
	for (size_t i = 0; i < n; i++) {
		const char *end = memchr(line, ';', stack);
		size_t width = end ? (size_t)(end - line) : stack;

		check_safe(&name, raw[i]);
		if (!raw[i][strspn(raw[i], " ")] && i == 0) {
			text_clear(&name);
			text_add_string(&name, "[pid 5]");
		}
		if (i > 0) {
			text_clear(&name);
			folded_name_add_part(&name, raw[i], strlen(raw[i]));
			label_end_name(&name, 0);
			folded_name_end(&name, 0);
		}
		ck_assert_uint_eq(width, name.len);
		ck_assert(!memcmp(line, name.data, width));
		line += width + (end != NULL);
		stack -= width + (end != NULL);
	}
	ck_assert_uint_eq(stack, 0);
}

START_TEST(test_hostile)
{
	uint64_t state = 0x5eed0000 + (uint64_t)_i;

	for (int round = 0; round < (thorough() ? 1000 : 100); round++) {
		char raw[HOSTILE_FRAMES][HOSTILE_NAME];
		size_t n = 2 + draw(&state, HOSTILE_FRAMES - 1);
		struct fixture f;

		for (size_t i = 0; i < n; i++)
			hostile_name(&state, raw[i], sizeof(raw[i]));
		fixture_init(&f, raw[0], draw(&state, 1000));
		f.sample.pid = 5;
		for (size_t i = n; i-- > 1;)
			fixture_user(&f, raw[i]);
		auto_free char *line = fixture_print_one(&by_comm, &f);
		check_splits(line, raw, n, f.sample.weight);
	}
}
END_TEST

START_TEST(test_names)
{
	static const char *const cases[][2] = {{"main", "main"}, {"", "[unknown]"},
		{"   ", "[unknown]"}, {" a b ", "a b"}, {"a;b;;c", "a:b::c"},
		{"a\nb\x1b", "a\\x0a"
			     "b\\x1b"},
		{"w 12", "w_12"}, {"w 12 ", "w_12"}, {"w  1.5", "w _1.5"}, {"12", "12"},
		{" 12", "12"}, {"f(int) [4]", "f(int) [4]"}, {"\xff\xc3\xa9", "\\xff\xc3\xa9"},
		{"\xc2\x85", "\\xc2\\x85"}, {"w 1 2", "w 1_2"}};
	scope_guard(text_deinit) struct text name = {};

	for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
		check_safe(&name, cases[i][0]);
		ck_assert_str_eq(name.data, cases[i][1]);
	}
}
END_TEST

/* Adds the line of N FRAMES with weight 1. */
static void add_line(const char *const *frames, size_t n, struct folded_lines *lines)
{
	scope_guard(text_deinit) struct text frame = {};
	uint32_t numbers[8];

	for (size_t i = 0; i < n; i++) {
		text_clear(&frame);
		text_printf(&frame, "%s;", frames[i]);
		numbers[i] = folded_lines_frame(lines, frame.data, frame.len);
	}
	folded_lines_add(lines, numbers, n, 1);
}

static int compare_strings(const void *a, const void *b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* Compared with the simple way: whole lines, sorted. */
START_TEST(test_plain_way)
{
	static const char *const names[] = {
		"a", "a!", "ab", "b", "main", "main.cold", "long enough to need a second copy"};
	uint64_t state = 0x5eed1000 + (uint64_t)_i;
	enum { LINES = 500 };
	struct folded_lines lines = {};
	scope_guard(text_deinit) struct text wanted = {}, got scope_guard(text_deinit) = {};
	char *all[LINES];

	for (size_t i = 0; i < LINES; i++) {
		struct text line = {};
		const char *frames[8];
		size_t n = 1 + draw(&state, 2 + (uint64_t)_i);

		for (size_t j = 0; j < n; j++) {
			frames[j] = names[draw(&state, 7)];
			text_printf(&line, "%s%s", j ? ";" : "", frames[j]);
		}
		add_line(frames, n, &lines);
		all[i] = text_take(&line);
	}
	qsort(all, LINES, sizeof(*all), compare_strings);
	for (size_t i = 0, same; i < LINES; i += same) {
		for (same = 1; i + same < LINES && !strcmp(all[i], all[i + same]);)
			same++;
		text_printf(&wanted, "%s %zu\n", all[i], same);
	}
	for (size_t i = 0, n = folded_lines_order(&lines); i < n; i++)
		folded_lines_print(&lines, i, &got);
	ck_assert_str_eq(got.data, wanted.data);
	for (size_t i = 0; i < LINES; i++)
		free(all[i]);
	folded_lines_deinit(&lines);
}
END_TEST

START_TEST(test_many_lines)
{
	enum { LINES = 3000, TIMES = 4 };
	struct folded_lines lines = {};
	scope_guard(text_deinit) struct text got = {}, wanted scope_guard(text_deinit) = {};

	for (unsigned int i = 0; i < LINES * TIMES; i++) {
		uint32_t frames[40];

		for (unsigned int j = 0; j < 40; j++) {
			char frame[16];
			unsigned int number = j ? j : i % LINES;

			snprintf(frame, sizeof(frame), "%05u;", number);
			frames[j] = folded_lines_frame(&lines, frame, strlen(frame));
		}
		folded_lines_add(&lines, frames, 40, 2);
	}
	ck_assert_uint_eq(folded_lines_order(&lines), LINES);
	for (unsigned int i = 0; i < LINES; i++) {
		text_clear(&got);
		text_clear(&wanted);
		folded_lines_print(&lines, i, &got);
		text_printf(&wanted, "%05u", i);
		for (unsigned int j = 1; j < 40; j++)
			text_printf(&wanted, ";%05u", j);
		text_printf(&wanted, " %u\n", 2 * TIMES);
		ck_assert_str_eq(got.data, wanted.data);
	}
	folded_lines_deinit(&lines);
}
END_TEST

/* A name and longer names that begin with it are in the order of sort(1), whatever follows them. */
START_TEST(test_order_of_many)
{
	enum { LINES = 20000 };
	struct folded_lines lines = {};
	scope_guard(text_deinit) struct text before = {}, line scope_guard(text_deinit) = {};
	uint64_t state = 1;

	for (unsigned int i = 0; i < LINES; i++) {
		uint32_t frames[3];
		size_t n = 1 + draw(&state, 3);

		for (size_t j = 0; j < n; j++) {
			static const char alphabet[] = "\" a~\xc3";
			char frame[16];
			size_t len = 1 + draw(&state, 12);

			for (size_t k = 0; k < len; k++)
				frame[k] = k < 6 ? 'x' : alphabet[draw(&state, 5)];
			frame[len] = ';';
			frames[j] = folded_lines_frame(&lines, frame, len + 1);
		}
		folded_lines_add(&lines, frames, n, 1);
	}
	size_t n = folded_lines_order(&lines);
	ck_assert_uint_gt(n, 1000);
	for (size_t i = 0; i < n; i++) {
		text_clear(&line);
		folded_lines_print(&lines, i, &line);
		*strrchr(line.data, ' ') = '\0';
		if (i)
			ck_assert_int_lt(strcmp(before.data, line.data), 0);
		text_clear(&before);
		text_add_string(&before, line.data);
	}
	folded_lines_deinit(&lines);
}
END_TEST

/* More than is written at once, and one name that is longer than that. */
START_TEST(test_large)
{
	enum { N = 300, LENGTH = 10000, LARGE = 1 << 20 };
	struct output_options options = {.format = OUTPUT_FOLDED};
	struct fixture *all[N];
	char *names[N];
	scope_guard(text_deinit) struct text wanted = {};

	for (int i = 0; i < N; i++) {
		int length = i == 7 ? LARGE : LENGTH;

		names[i] = xasprintf("%03d%0*d", i, length, 0);
		all[i] = xmalloc(sizeof(*all[i]));
		fixture_init(all[i], "demo", 3);
		fixture_user(all[i], names[i]);
		text_printf(&wanted, "demo;%s 3\n", names[i]);
	}
	auto_free char *got = fixture_print(&options, all, N);
	ck_assert_uint_eq(strlen(got), wanted.len);
	ck_assert_mem_eq(got, wanted.data, wanted.len);
	for (int i = 0; i < N; i++) {
		free(all[i]);
		free(names[i]);
	}
}
END_TEST

int main(void)
{
	TCase *tcase = tcase_create("folded");

	tcase_add_test(tcase, test_order);
	tcase_add_test(tcase, test_prefix);
	tcase_add_test(tcase, test_unnamed);
	tcase_add_test(tcase, test_details);
	tcase_add_test(tcase, test_empty);
	tcase_add_test(tcase, test_merge);
	tcase_add_test(tcase, test_numbered_names);
	tcase_add_test(tcase, test_names);
	tcase_add_loop_test(tcase, test_hostile, 0, 8);
	tcase_add_loop_test(tcase, test_plain_way, 0, 7);
	tcase_add_test(tcase, test_many_lines);
	tcase_add_test(tcase, test_order_of_many);
	tcase_add_test(tcase, test_large);
	return tests_run(tcase);
}
