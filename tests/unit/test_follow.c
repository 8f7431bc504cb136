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
	const struct follow_options options = {
		.path = fixture->path, .uevents = ends[1], .interval = INTERVAL};
	fixture->follow = follow_start(&options, &fixture->symbols);
	ck_assert_ptr_nonnull(fixture->follow);
	pause_ms(100);
	ck_assert(!follow_take(fixture->follow, &fixture->symbols)); /* nothing has changed */
}

static void teardown(struct fixture *fixture)
{
	follow_stop(fixture->follow);
	kallsyms_deinit(&fixture->symbols);
	if (fixture->kernel >= 0)
		close(fixture->kernel);
	unlink(fixture->path);
}

static bool wait_for_symbols(struct fixture *fixture)
{
	for (int i = 0; i < 200; i++) {
		if (follow_take(fixture->follow, &fixture->symbols))
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
	ck_assert(!follow_take(fixture.follow, &fixture.symbols));
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
	ck_assert(!follow_take(fixture.follow, &fixture.symbols));
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

START_TEST(records_of_new_code)
{
	struct {
		struct perf_event_header header;
		uint64_t address;
		uint32_t len;
		uint16_t type, flags;
		char name[16];
	} record = {{17, 0, sizeof(record)}, 0xffffffffc0000000, 100, 1, 0, "bpf_prog_1"};

	ck_assert_int_eq(ksymbol_record(&record, sizeof(record)), KSYMBOL_BPF);
	ck_assert_int_eq(ksymbol_record(&record, 20), KSYMBOL_NONE);
	record.type = 2;
	ck_assert_int_eq(ksymbol_record(&record, sizeof(record)), KSYMBOL_OTHER);
	record.header.type = PERF_RECORD_LOST;
	ck_assert_int_eq(ksymbol_record(&record, sizeof(record)), KSYMBOL_LOST);
	record.header.type = PERF_RECORD_MMAP2;
	ck_assert_int_eq(ksymbol_record(&record, sizeof(record)), KSYMBOL_NONE);
	ck_assert_int_eq(ksymbol_record(&record, 3), KSYMBOL_NONE);
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
	tcase_add_test(all, records_of_new_code);
	tcase_set_timeout(all, 60);
	return tests_run(all);
}
