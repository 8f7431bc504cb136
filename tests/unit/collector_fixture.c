// SPDX-License-Identifier: GPL-2.0-or-later
#include "collector_fixture.h"

#include <check.h>

struct recording recording;
struct log messages;
struct input_options options;
static struct input_sink sink = {.batch = record_batch, .context = &recording};
struct collector *collector;
struct input_stats stats;

static enum process_fit fit(
	void *context, int64_t number, const struct stack *user, const char *comm)
{
	(void)context;
	ck_assert_int_eq(user->state, STACK_PRESENT);
	ck_assert(!comm || *comm);
	if ((number >= 10 && number <= 20) || number == 30)
		return PROCESS_FITS;
	return number >= 40 && number < 50 ? PROCESS_MISFIT : PROCESS_UNKNOWN;
}

static int64_t fitting_child(
	void *context, int64_t number, const struct stack *user, const char *comm)
{
	(void)context;
	(void)user;
	(void)comm;
	return number == 30 ? 11 : -1;
}

static bool had_children(void *context, int64_t number)
{
	(void)context;
	return number == 15;
}

static int64_t of_thread(void *context, int64_t number)
{
	(void)context;
	if (number == 20)
		return 10;
	return (number >= 10 && number < 50) ? number : -1;
}

static bool has_comm(void *context, const char *comm)
{
	(void)context;
	(void)comm;
	return true;
}

const struct input_processes processes = {
	fit, fitting_child, had_children, of_thread, NULL, has_comm, NULL};

void setup(void)
{
	recording = (struct recording){};
	messages = (struct log){};
	options = (struct input_options){.pid = -1, .processes = &processes};
	stats = (struct input_stats){};
}

void teardown(void)
{
	collector_destroy(collector);
	collector = NULL;
	log_deinit(&messages);
	text_deinit(&recording.text);
}

void start(void)
{
	ck_assert_ptr_null(collector_create(&options, &messages, &sink, &collector));
}

void entry(const void *key, size_t key_len, const void *value, size_t value_len, int cpu)
{
	struct map_entry e = {key, value, key_len, value_len, cpu, false, NULL, "t:1"};

	collector_entry(collector, &e);
}

void stack5(uint32_t id, uint64_t a, uint64_t b, uint64_t c, uint64_t d, uint64_t e)
{
	uint64_t value[5] = {a, b, c, d, e};

	entry(&id, 4, value, sizeof(value), -1);
}

void one_stack_map(void)
{
	collector_map_begin(collector, "stacks", INPUT_ANY);
	stack5(1, U + 1, U + 2, 0, 0, 0);
	stack5(3, K + 1, K + 2, 0, K + 4, 0);
	stack5(1000, K + 7, 0, 0, 0, 0);
	stack5(2, U + 5, U + 6, U + 7, U + 8, U + 9);
	collector_map_end(collector, false);
}

void finish(const char *expected)
{
	struct error *err = collector_end(collector, &stats);

	ck_assert_msg(!err, "%s", err ? error_message(err) : "");
	ck_assert_str_eq(recorded(&recording), expected);
}

void finish_failing(enum error_kind kind, const char *part)
{
	struct error *err = collector_end(collector, &stats);

	ck_assert_ptr_nonnull(err);
	ck_assert_int_eq(error_kind(err), kind);
	ck_assert_msg(strstr(error_message(err), part), "%s", error_message(err));
	error_destroy(err);
}
