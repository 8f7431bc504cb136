// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "kernel/follow.h"
#include "kernel/kallsyms_reader.h"
#include "kernel/ksymbol.h"
#include "kernel/listener.h"
#include "kernel/recent_code.h"
#include "kernel/uevent.h"
#include "run.h"

#define INTERVAL 20000000ULL /* ns */

static const char before[] = "ffffffff81000000 T kernel_function\n"
			     "ffffffff81000100 T _etext\n"
			     "ffffffffc0001000 t in_a\t[mod_a]\n"
			     "ffffffffc0010000 t in_b\t[mod_b]\n";
static const char after[] = "ffffffff81000000 T never_read_again\n"
			    "ffffffffc0001000 t not_in_b\t[mod_a]\n"
			    "ffffffffc0020000 t moved_b\t[mod_b]\n";

/* A follower of a file, with one end of a socket in place of the kernel. */
struct fixture {
	char path[64];
	int kernel; /* the other end */
	struct kallsyms symbols;
	struct listener *listener;
	struct follow *follow;
	uint64_t settled;
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
	fixture->listener = listener_create(ends[1], NULL);
	const struct follow_options options = {
		.path = fixture->path, .listener = fixture->listener, .interval = INTERVAL};
	fixture->follow = follow_start(&options, &fixture->symbols);
	ck_assert_ptr_nonnull(fixture->follow);
	pause_ms(100);
	ck_assert(!follow_take(fixture->follow, &fixture->symbols, &fixture->settled)); /* nothing has changed */
}

static void teardown(struct fixture *fixture)
{
	follow_stop(fixture->follow);
	listener_destroy(fixture->listener);
	kallsyms_deinit(&fixture->symbols);
	if (fixture->kernel >= 0)
		close(fixture->kernel);
	unlink(fixture->path);
}

static bool wait_for_symbols(struct fixture *fixture)
{
	for (int i = 0; i < 200; i++) {
		if (follow_take(fixture->follow, &fixture->symbols, &fixture->settled))
			return true;
		pause_ms(10);
	}
	return false;
}

static void assert_name(const struct fixture *fixture, uint64_t address, const char *wanted)
{
	struct text name = {};
	struct kallsyms_answer answer;

	bool found = kallsyms_find(&fixture->symbols, address, &name, &answer);
	ck_assert_str_eq(found ? name.data : "none", wanted);
	text_deinit(&name);
}

static void send_event(const struct fixture *fixture, const char *event)
{
	ck_assert_int_eq(send(fixture->kernel, event, strlen(event) + 1, 0),
		(ssize_t)strlen(event) + 1);
}

START_TEST(only_the_module_that_changed_is_read_again)
{
	struct fixture fixture;

	setup(&fixture, true);
	replace(&fixture, after);
	send_event(&fixture, "add@/module/mod_b");
	ck_assert(wait_for_symbols(&fixture));
	assert_name(&fixture, 0xffffffff81000000, "kernel_function");
	assert_name(&fixture, 0xffffffffc0001000, "in_a");
	assert_name(&fixture, 0xffffffffc0010000, "none");
	assert_name(&fixture, 0xffffffffc0020000, "moved_b");
	teardown(&fixture);
}
END_TEST

START_TEST(a_module_that_goes_takes_its_names_along)
{
	struct fixture fixture;

	setup(&fixture, true);
	replace(&fixture, "ffffffff81000000 T kernel_function\n");
	send_event(&fixture, "remove@/module/mod_a");
	ck_assert(wait_for_symbols(&fixture));
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
		pause_ms(100);
	}
	ck_assert(!follow_take(fixture.follow, &fixture.symbols, &fixture.settled));
	assert_name(&fixture, 0xffffffffc0010000, "in_b");
	follow_notes(fixture.follow, &log);
	ck_assert_int_eq(log.entries[0].level, LOG_WARNING);
	ck_assert_uint_eq(log.entries[0].count, 1);
	log_deinit(&log);
	/* What follows is read again. */
	replace(&fixture, after);
	send_event(&fixture, "add@/module/mod_b");
	ck_assert(wait_for_symbols(&fixture));
	assert_name(&fixture, 0xffffffffc0020000, "moved_b");
	teardown(&fixture);
}
END_TEST

START_TEST(without_listeners_misses_are_followed)
{
	struct fixture fixture;

	setup(&fixture, false);
	replace(&fixture, after);
	pause_ms(100);
	ck_assert(!follow_take(fixture.follow, &fixture.symbols, &fixture.settled));
	follow_miss(fixture.follow);
	ck_assert(wait_for_symbols(&fixture));
	assert_name(&fixture, 0xffffffffc0001000, "not_in_b");
	assert_name(&fixture, 0xffffffff81000000, "kernel_function");
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

/* What is heard makes a name doubtful until the symbols have it, whoever took it from the kernel. */
START_TEST(names_of_a_changed_module_are_doubted_until_it_is_read)
{
	struct fixture fixture;
	struct recent_code recent = {};
	struct heard heard = {};

	setup(&fixture, true);
	send_event(&fixture, "remove@/module/mod_b");
	if (listener_hear(fixture.listener))
		follow_wake(fixture.follow);
	listener_take(fixture.listener, HEARER_NAMER, &heard);
	recent_code_add(&recent, &heard);
	ck_assert(recent_code_doubts(&recent, "mod_b"));
	ck_assert(!recent_code_doubts(&recent, "mod_a"));
	ck_assert(!recent_code_doubts(&recent, "bpf"));
	/* Read again, it is as it was: there are no new symbols, and no doubts. */
	for (int i = 0; i < 200 && recent_code_doubts(&recent, "mod_b"); i++) {
		pause_ms(10);
		ck_assert(!follow_take(fixture.follow, &fixture.symbols, &fixture.settled));
		(void)recent_code_settle(&recent, fixture.settled, 0);
	}
	ck_assert(!recent_code_doubts(&recent, "mod_b"));
	recent_code_deinit(&recent);
	teardown(&fixture);
}
END_TEST

static void add_change(struct recent_code *recent, uint64_t seq, uint64_t start, uint64_t time,
	const char *name, bool gone)
{
	struct heard heard = {.seq = seq};

	vec_push(&heard.codes, (struct code_change){start, start + 0x100, time, seq,
				       xstrdup(name), true, gone});
	recent_code_add(recent, &heard);
}

static const char *name_at(const struct recent_code *recent, uint64_t address, const char **other)
{
	const struct code_change *change = recent_code_at(recent, address, other);

	return change ? change->name : "none";
}

START_TEST(code_that_lay_where_other_code_lies)
{
	struct recent_code recent = {};
	const char *other;

	add_change(&recent, 1, 0x1000, 10, "gone", true);
	ck_assert_str_eq(name_at(&recent, 0x10ff, &other), "gone");
	ck_assert_ptr_null(other);
	ck_assert_str_eq(name_at(&recent, 0x1100, &other), "none");
	/* Another program comes; what other CPUs say of earlier times is heard later. */
	add_change(&recent, 2, 0x1080, 30, "new", false);
	add_change(&recent, 3, 0x1080, 20, "between", true);
	ck_assert_str_eq(name_at(&recent, 0x1040, &other), "gone");
	ck_assert_ptr_null(other);
	ck_assert_str_eq(name_at(&recent, 0x1080, &other), "new");
	ck_assert_str_eq(other, "between");
	/* Not read again yet, or not long ago: it is still needed. */
	(void)recent_code_settle(&recent, 0, 100);
	ck_assert_uint_eq(recent.all.len, 3);
	(void)recent_code_settle(&recent, 3, 15);
	ck_assert_uint_eq(recent.all.len, 2);
	ck_assert(recent_code_settle(&recent, 3, 40));
	ck_assert_str_eq(name_at(&recent, 0x1080, &other), "none");
	/* The same code again is no other. */
	add_change(&recent, 4, 0x1000, 50, "same", true);
	add_change(&recent, 5, 0x1000, 51, "same", false);
	ck_assert_str_eq(name_at(&recent, 0x1000, &other), "same");
	ck_assert_ptr_null(other);
	recent_code_deinit(&recent);
}
END_TEST

START_TEST(what_was_not_heard_is_doubted)
{
	struct recent_code recent = {};
	struct heard programs = {.seq = 3, .programs_lost = true};
	struct heard modules = {.seq = 4, .modules_lost = true};

	recent_code_add(&recent, &programs);
	ck_assert(recent_code_doubts(&recent, "bpf"));
	ck_assert(recent_code_doubts(&recent, "__builtin__ftrace"));
	ck_assert(!recent_code_doubts(&recent, "any"));
	recent_code_add(&recent, &modules);
	ck_assert(recent_code_settle(&recent, 3, 0));
	ck_assert(!recent_code_doubts(&recent, "bpf"));
	ck_assert(recent_code_doubts(&recent, "any"));
	ck_assert(recent_code_settle(&recent, 4, 0));
	ck_assert(!recent_code_doubts(&recent, "any"));
	recent_code_deinit(&recent);
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

	tcase_add_test(all, only_the_module_that_changed_is_read_again);
	tcase_add_test(all, a_module_that_goes_takes_its_names_along);
	tcase_add_test(all, a_reading_that_fails_keeps_the_names_and_is_told_once);
	tcase_add_test(all, without_listeners_misses_are_followed);
	tcase_add_test(all, uevents_of_modules);
	tcase_add_test(all, names_of_a_changed_module_are_doubted_until_it_is_read);
	tcase_add_test(all, code_that_lay_where_other_code_lies);
	tcase_add_test(all, what_was_not_heard_is_doubted);
	tcase_add_test(all, records_of_new_code);
	tcase_set_timeout(all, 60);
	return tests_run(all);
}
