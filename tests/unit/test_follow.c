// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kernel/follow/follow.h"
#include "kernel/follow/reports.h"
#include "kernel/kallsyms/kallsyms.h"
#include "run.h"

#define INTERVAL 20000000ULL /* ns */

static const char before[] = "ffffffff81000000 T kernel_function\n"
			     "ffffffff81000100 T _etext\n"
			     "ffffffffc0001000 t in_a\t[mod_a]\n"
			     "ffffffffc0010000 t in_b\t[mod_b]\n";
static const char after[] = "ffffffff81000000 T renamed\n"
			    "ffffffffc0001000 t not_in_b\t[mod_a]\n"
			    "ffffffffc0020000 t moved_b\t[mod_b]\n";

/* A follower of a file, with one end of a socket in place of the kernel. */
struct fixture {
	char path[64];
	int kernel; /* the other end */
	struct kallsyms symbols;
	struct follow *follow;
};

static void replace(const struct fixture *fixture, const char *text)
{
	FILE *file = fopen(fixture->path, "w");

	ck_assert_ptr_nonnull(file);
	fputs(text, file);
	fclose(file);
}

static void pause_ms(long ms)
{
	const struct timespec time = {.tv_sec = ms / 1000, .tv_nsec = ms % 1000 * 1000000};

	nanosleep(&time, NULL);
}

/* The result for a batch that comes after the interval. */
static enum kernel_news refresh(struct fixture *fixture)
{
	pause_ms(50);
	(void)follow_hear(fixture->follow);
	return follow_read(fixture->follow, &fixture->symbols);
}

static void setup(struct fixture *fixture, bool uevents)
{
	int ends[2] = {-1, -1};

	*fixture = (struct fixture){.path = "/tmp/stack2line-follow.XXXXXX", .kernel = -1};
	close(mkstemp(fixture->path));
	replace(fixture, before);
	kallsyms_parse(before, strlen(before), &fixture->symbols);
	if (uevents)
		ck_assert_int_eq(socketpair(AF_UNIX, SOCK_DGRAM, 0, ends), 0);
	fixture->kernel = ends[0];
	fixture->follow = follow_create(fixture->path, ends[1], NULL, INTERVAL);
	ck_assert_int_eq(follow_read(fixture->follow, &fixture->symbols), KERNEL_AS_BEFORE);
	ck_assert(!fixture->follow->running);
	/* Nothing has changed, but names of programs would be uncertain from here on. */
	ck_assert_int_eq(refresh(fixture), KERNEL_CODE_CHANGED);
	ck_assert_int_eq(refresh(fixture), KERNEL_AS_BEFORE);
}

static void teardown(struct fixture *fixture)
{
	follow_destroy(fixture->follow);
	kallsyms_deinit(&fixture->symbols);
	if (fixture->kernel >= 0)
		close(fixture->kernel);
	unlink(fixture->path);
}

static void assert_name(const struct fixture *fixture, uint64_t address, const char *wanted)
{
	struct kallsyms_answer answer;

	bool found = kallsyms_find(&fixture->symbols, address, &answer);
	ck_assert_str_eq(found ? answer.name : "none", wanted);
}

static void send_event(const struct fixture *fixture, const char *event)
{
	ck_assert_int_eq(
		send(fixture->kernel, event, strlen(event) + 1, 0), (ssize_t)strlen(event) + 1);
}

START_TEST(symbols_are_read_again_when_a_module_changes)
{
	struct fixture fixture;

	setup(&fixture, true);
	replace(&fixture, after);
	send_event(&fixture, "add@/module/mod_b");
	ck_assert_int_eq(refresh(&fixture), KERNEL_SYMBOLS_READ);
	assert_name(&fixture, 0xffffffff81000000, "renamed");
	assert_name(&fixture, 0xffffffffc0001000, "not_in_b");
	assert_name(&fixture, 0xffffffffc0010000, "none");
	assert_name(&fixture, 0xffffffffc0020000, "moved_b");
	teardown(&fixture);
}
END_TEST

START_TEST(a_module_that_goes_takes_its_names_along)
{
	struct fixture fixture;

	setup(&fixture, true);
	replace(&fixture, "ffffffff81000000 T kernel_function\n"
			  "ffffffffc0010000 t in_b\t[mod_b]\n");
	send_event(&fixture, "remove@/module/mod_a");
	ck_assert_int_eq(refresh(&fixture), KERNEL_SYMBOLS_READ);
	assert_name(&fixture, 0xffffffffc0001000, "none");
	assert_name(&fixture, 0xffffffffc0010000, "in_b");
	teardown(&fixture);
}
END_TEST

START_TEST(a_reading_that_fails_keeps_the_names_and_is_told_once)
{
	struct fixture fixture;
	struct log log = {};

	setup(&fixture, true);
	for (int i = 0; i < 3; i++) {
		replace(&fixture, i ? "" : "0000000000000000 t in_b\t[mod_b]\n");
		send_event(&fixture, "add@/module/mod_b");
		ck_assert_int_eq(refresh(&fixture), KERNEL_AS_BEFORE);
	}
	assert_name(&fixture, 0xffffffffc0010000, "in_b");
	follow_notes(fixture.follow, &log);
	ck_assert_int_eq(log.entries.data[0].level, LOG_WARNING);
	ck_assert_uint_eq(log.entries.data[0].count, 1);
	log_deinit(&log);
	/* The following reports are read again. */
	replace(&fixture, after);
	send_event(&fixture, "add@/module/mod_b");
	ck_assert_int_eq(refresh(&fixture), KERNEL_SYMBOLS_READ);
	assert_name(&fixture, 0xffffffffc0020000, "moved_b");
	teardown(&fixture);
}
END_TEST

START_TEST(without_listeners_misses_are_followed)
{
	struct fixture fixture;

	setup(&fixture, false);
	replace(&fixture, after);
	ck_assert_int_eq(refresh(&fixture), KERNEL_AS_BEFORE);
	follow_miss(fixture.follow);
	ck_assert_int_eq(refresh(&fixture), KERNEL_SYMBOLS_READ);
	assert_name(&fixture, 0xffffffffc0001000, "not_in_b");
	assert_name(&fixture, 0xffffffff81000000, "renamed");
	teardown(&fixture);
}
END_TEST

static const char *module_of(const char *message)
{
	const char *module = uevent_module(message, strlen(message) + 1);

	return module ? module : "none";
}

START_TEST(uevents_of_modules)
{
	ck_assert_str_eq(module_of("add@/module/nf_tables"), "nf_tables");
	ck_assert_str_eq(module_of("remove@/module/x"), "x");
	ck_assert_str_eq(module_of("add@/module/"), "none");
	ck_assert_str_eq(module_of("add@/module/x/holders"), "none");
	ck_assert_str_eq(module_of("change@/module/x"), "none");
	ck_assert_str_eq(module_of("add@/devices/virtual/net/veth0"), "none");
	ck_assert_str_eq(module_of("libudev"), "none");
	ck_assert_ptr_null(uevent_module("add@/module/x", strlen("add@/module/x")));
	ck_assert_ptr_null(uevent_module("", 0));
}
END_TEST

/* While nothing is found, misses are followed less and less often. */
START_TEST(misses_in_vain_are_followed_less_often)
{
	struct fixture fixture;

	setup(&fixture, false);
	for (int i = 0; i < 2; i++) {
		follow_miss(fixture.follow);
		ck_assert(fixture.follow->stale && fixture.follow->missed);
		pause_ms(50);
		(void)refresh(&fixture);
	}
	ck_assert_uint_ge(fixture.follow->miss_delay, 4 * INTERVAL);
	teardown(&fixture);
}
END_TEST

/* A change makes a name doubtful until the symbols have it. */
START_TEST(names_of_a_changed_module_are_doubted_until_it_is_read)
{
	struct fixture fixture;

	setup(&fixture, true);
	send_event(&fixture, "remove@/module/mod_b");
	ck_assert_uint_eq(follow_hear(fixture.follow), FOLLOW_MODULES);
	ck_assert_uint_eq(follow_hear(fixture.follow), 0);
	ck_assert_uint_eq(fixture.follow->heard, FOLLOW_MODULES);
	ck_assert(follow_doubts(fixture.follow, "mod_b"));
	ck_assert(!follow_doubts(fixture.follow, "mod_a"));
	ck_assert(!follow_doubts(fixture.follow, "bpf"));
	/* Read again, it is as it was: there are no new symbols, and no doubts. */
	ck_assert_int_eq(refresh(&fixture), KERNEL_CODE_CHANGED);
	ck_assert(!follow_doubts(fixture.follow, "mod_b"));
	teardown(&fixture);
}
END_TEST

static void say(struct code_history *history, uint64_t seq, uint64_t start, uint64_t time,
	const char *name, bool gone)
{
	ck_assert(code_history_add(history,
		&(struct ksymbol_event){.kind = KSYMBOL_BPF,
			.gone = gone,
			.start = start,
			.end = start + 0x100,
			.time = time,
			.name = name},
		seq));
}

/* "NAME", "NAME, or OTHER", "later" or "none". */
static const char *lay_at(
	const struct code_history *history, uint64_t address, uint64_t from, uint64_t to)
{
	static char text[64];
	struct code_choice choice;

	if (!code_history_choose(history, address, &(struct sample_time){from, to, 0}, &choice))
		return "none";
	const struct loaded_code *code = code_history_find(history, address, choice.number);
	const struct loaded_code *other = code_history_find(history, address, choice.other);
	snprintf(text, sizeof(text), "%s%s%s",
		code	       ? code->name
		: choice.later ? "later"
			       : "lost",
		choice.other ? ", or " : "", other ? other == code ? "what?" : other->name : "");
	return text;
}

/* If two programs were at one address one after the other, the times of the events decide. */
START_TEST(code_that_lay_where_other_code_lies)
{
	struct code_history history = {};

	say(&history, 1, 0x1000, 10, "gone", true);
	ck_assert_str_eq(lay_at(&history, 0x10ff, 5, 5), "gone");
	ck_assert_str_eq(lay_at(&history, 0x10ff, 50, 50), "gone");
	ck_assert_str_eq(lay_at(&history, 0x1100, 5, 5), "none");
	/* Another program comes; events of other CPUs of earlier times come later. */
	say(&history, 2, 0x1080, 30, "new", false);
	say(&history, 3, 0x1080, 20, "between", true);
	say(&history, 3, 0x1080, 15, "between", false);
	ck_assert_uint_eq(history.all.len, 3);
	ck_assert_str_eq(lay_at(&history, 0x1040, 0, UINT64_MAX), "gone");
	ck_assert_str_eq(lay_at(&history, 0x1080, 12, 12), "gone");
	ck_assert_str_eq(lay_at(&history, 0x1080, 15, 29), "between");
	ck_assert_str_eq(lay_at(&history, 0x1080, 30, UINT64_MAX), "new");
	ck_assert_str_eq(lay_at(&history, 0x1080, UINT64_MAX, UINT64_MAX), "new");
	ck_assert_str_eq(lay_at(&history, 0x1080, 29, UINT64_MAX), "new, or between");
	ck_assert_str_eq(lay_at(&history, 0x1080, 14, 15), "between, or gone");
	ck_assert_str_eq(lay_at(&history, 0x1110, 14, 14), "later");
	/* The same code again is not another program. */
	say(&history, 4, 0x1080, 40, "new", true);
	say(&history, 4, 0x1080, 41, "new", false);
	ck_assert_str_eq(lay_at(&history, 0x1080, 30, UINT64_MAX), "new");
	code_history_deinit(&history);
}
END_TEST

/* An unloaded program keeps its name for stacks that may still contain it, and not for ever. */
START_TEST(code_that_has_gone_does_not_run)
{
	struct code_history history = {};
	struct code_choice choice;

	say(&history, 1, 0x1000, 10, "program", false);
	ck_assert(
		code_history_choose(&history, 0x1000, &(struct sample_time){50, 50, 40}, &choice));
	ck_assert(choice.number && !choice.over);
	say(&history, 2, 0x1000, 30, "program", true);
	ck_assert(
		code_history_choose(&history, 0x1000, &(struct sample_time){40, 40, 30}, &choice));
	ck_assert(choice.number && !choice.over);
	ck_assert(
		code_history_choose(&history, 0x1000, &(struct sample_time){50, 50, 40}, &choice));
	ck_assert(choice.over);
	say(&history, 3, 0x1000, 45, "program", false);
	ck_assert(
		code_history_choose(&history, 0x1000, &(struct sample_time){50, 50, 40}, &choice));
	ck_assert(choice.number && !choice.over);
	code_history_deinit(&history);
}
END_TEST

START_TEST(code_is_forgotten_when_nobody_can_ask_for_it)
{
	struct code_history history = {};

	for (uint64_t i = 0; i < 1000; i++) {
		say(&history, i + 1, 0x1000, 10 * i + 1, i % 2 ? "odd" : "even", false);
		say(&history, i + 1, 0x1000, 10 * i + 9, i % 2 ? "odd" : "even", true);
	}
	say(&history, 1001, 0x5000, 20, "alone", false);
	say(&history, 1002, 0x6000, 20, "left", true);
	/*
	 * Programs that were replaced: all but the last, and the one that was unloaded too
	 * recently.
	 */
	ck_assert_uint_eq(code_history_prune(&history, 0, 5001), 1);
	ck_assert_uint_eq(history.all.len, 502);
	ck_assert_uint_eq(history.n_gone, 501);
	ck_assert_str_eq(lay_at(&history, 0x1000, 5002, 5002), "even");
	ck_assert_str_eq(lay_at(&history, 0x1000, 5005, 5012), "odd, or even");
	ck_assert_str_eq(lay_at(&history, 0x1000, 4000, 5005), "even, or what?");
	ck_assert_str_eq(lay_at(&history, 0x1000, 4000, 4000), "later");
	/* Newer symbols do not have unloaded programs; loaded ones stay. */
	ck_assert_uint_eq(code_history_prune(&history, 1002, UINT64_MAX), 0);
	ck_assert_uint_eq(history.all.len, 1);
	ck_assert_str_eq(lay_at(&history, 0x5000, 25, 25), "alone");
	code_history_forget(&history, 1001);
	ck_assert_str_eq(lay_at(&history, 0x5000, 25, 25), "none");
	code_history_deinit(&history);
}
END_TEST

START_TEST(what_was_not_heard_is_doubted)
{
	struct follow follow = {.seq = 4, .programs_lost = 3, .modules_lost = 4};

	ck_assert(follow_doubts(&follow, "bpf"));
	ck_assert(follow_doubts(&follow, "__builtin__ftrace"));
	ck_assert(follow_doubts_since(&follow, 3));
	ck_assert(!follow_doubts_since(&follow, 4)); /* changed afterwards */
	follow.settled = 3;
	ck_assert(!follow_doubts(&follow, "bpf"));
	ck_assert(follow_doubts(&follow, "any"));
	follow.settled = 4;
	ck_assert(!follow_doubts(&follow, "any"));
}
END_TEST

START_TEST(records_of_new_code)
{
	struct {
		struct perf_event_header header;
		uint64_t address;
		uint32_t len;
		uint16_t type, flags;
		char name[16];
		uint64_t time;
	} record = {{17, 0, sizeof(record)}, 0xffffffffc0000000, 100, 1, 0, "bpf_prog_1", 77};
	struct ksymbol_event event;

	ck_assert_int_eq(ksymbol_record(&record, sizeof(record), &event), KSYMBOL_BPF);
	ck_assert_uint_eq(event.start, 0xffffffffc0000000);
	ck_assert_uint_eq(event.end, 0xffffffffc0000064);
	ck_assert_uint_eq(event.time, 77);
	ck_assert_str_eq(event.name, "bpf_prog_1");
	ck_assert(!event.gone);
	/* With several listeners the size in the header is too large: the time follows the name. */
	struct {
		__typeof__(record) record;
		uint64_t nothing[2];
	} longer = {record, {5, 6}};
	longer.record.header.size = sizeof(longer);
	ck_assert_int_eq(ksymbol_record(&longer, sizeof(longer), &event), KSYMBOL_BPF);
	ck_assert_uint_eq(event.time, 77);
	record.flags = 1;
	record.address = UINT64_MAX - 10;
	memset(record.name, 'x', sizeof(record.name));
	ck_assert_int_eq(ksymbol_record(&record, sizeof(record), &event), KSYMBOL_BPF);
	ck_assert(event.gone);
	ck_assert_uint_eq(event.end, UINT64_MAX);
	ck_assert_str_eq(event.name, "");
	ck_assert_int_eq(ksymbol_record(&record, 31, &event), KSYMBOL_NONE);
	record.type = 2;
	ck_assert_int_eq(ksymbol_record(&record, sizeof(record), &event), KSYMBOL_OTHER);
	record.header.type = PERF_RECORD_LOST;
	ck_assert_int_eq(ksymbol_record(&record, sizeof(record), &event), KSYMBOL_LOST);
	record.header.type = PERF_RECORD_MMAP2;
	ck_assert_int_eq(ksymbol_record(&record, sizeof(record), &event), KSYMBOL_NONE);
	ck_assert_int_eq(ksymbol_record(&record, 3, &event), KSYMBOL_NONE);
}
END_TEST

int main(void)
{
	TCase *all = tcase_create("follow");

	tcase_add_test(all, symbols_are_read_again_when_a_module_changes);
	tcase_add_test(all, a_module_that_goes_takes_its_names_along);
	tcase_add_test(all, a_reading_that_fails_keeps_the_names_and_is_told_once);
	tcase_add_test(all, without_listeners_misses_are_followed);
	tcase_add_test(all, misses_in_vain_are_followed_less_often);
	tcase_add_test(all, uevents_of_modules);
	tcase_add_test(all, names_of_a_changed_module_are_doubted_until_it_is_read);
	tcase_add_test(all, code_that_lay_where_other_code_lies);
	tcase_add_test(all, code_that_has_gone_does_not_run);
	tcase_add_test(all, code_is_forgotten_when_nobody_can_ask_for_it);
	tcase_add_test(all, what_was_not_heard_is_doubted);
	tcase_add_test(all, records_of_new_code);
	return tests_run(all);
}
