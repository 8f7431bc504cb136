// SPDX-License-Identifier: GPL-2.0-or-later
/* input_read(): opening, order, and sources that cannot be read. */
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "input/input.h"
#include "mock_collector.h"
#include "run.h"

static char directory[32];
static struct text log_lines;
static struct text order;

static struct error *take_batch(void *context, const struct sample *samples, size_t n, bool flush)
{
	(void)context;
	(void)samples;
	(void)n;
	(void)flush;
	return NULL;
}

static const char *make(const char *name, const char *content)
{
	static char paths[8][64];
	static unsigned next;
	char *path = paths[next++ % 8];

	snprintf(path, 64, "%s/%s", directory, name);
	FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	fputs(content, file);
	fclose(file);
	return path;
}

/* Reads the N PATHS; the error's message, "" for none. RET is the statistics. */
static const char *read_paths(
	const char *const *paths, size_t n, enum input_bare bare, struct input_stats *ret)
{
	static char message[256];
	struct input_source sources[4] = {};
	struct input_options options = {
		.sources = sources, .n_sources = n, .pid = -1, .bare = bare};
	struct input_sink sink = {.batch = take_batch, .context = NULL};
	struct log log = {};

	for (size_t i = 0; i < n; i++)
		sources[i].path = paths[i];
	text_clear(&log_lines);
	text_clear(&order);
	recording_calls = &order;
	struct error *err = input_read(&options, &log, &sink, ret);
	recording_calls = NULL;
	snprintf(message, sizeof(message), "%s", err ? error_message(err) : "");
	error_destroy(err);
	log_text(&log, &log_lines);
	log_deinit(&log);
	return message;
}

static const char *said(void)
{
	return log_lines.data ? log_lines.data : "";
}

START_TEST(unreadable)
{
	struct input_stats stats;
	const char *paths[] = {"/nonexistent/x", directory, make("good", "[]\n")};

	ck_assert_str_eq(read_paths(paths, 3, INPUT_BARE_NOTHING, &stats), "");
	ck_assert_uint_eq(stats.failed_sources, 2);
	ck_assert_ptr_nonnull(strstr(
		said(), "warning: /nonexistent/x: cannot be read: No such file or directory\n"));
	ck_assert_ptr_nonnull(strstr(said(), ": is a directory, not a dump\n"));
	ck_assert_str_eq(read_paths(paths, 2, INPUT_BARE_NOTHING, &stats),
		"nothing in the input could be used");
	ck_assert_str_eq(read_paths(paths, 2, INPUT_BARE_USER, &stats),
		"nothing in the input could be used");
}
END_TEST

START_TEST(empty)
{
	struct input_stats stats;
	const char *path = make("empty", "");

	ck_assert_str_eq(read_paths(&path, 1, INPUT_BARE_NOTHING, &stats),
		"nothing in the input could be used");
	ck_assert_ptr_nonnull(strstr(said(), "/empty: empty: not even the dump of an empty map\n"));
	ck_assert_uint_eq(stats.failed_sources, 0);
	ck_assert_str_eq(read_paths(&path, 1, INPUT_BARE_USER, &stats), "");
	ck_assert_str_eq(said(), "");
	path = make("map", "[]");
	ck_assert_str_eq(read_paths(&path, 1, INPUT_BARE_NOTHING, &stats), "");
}
END_TEST

START_TEST(regular_files_first)
{
	struct input_stats stats;
	char fifo[64];

	snprintf(fifo, sizeof(fifo), "%s/fifo", directory);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	pid_t child = fork();
	if (!child) {
		int fd = open(fifo, O_WRONLY);
		_exit(write(fd, "1 2\n", 4) != 4);
	}
	const char *paths[] = {
		fifo, make("a", "key: 01  value: 02\nFound 1 element\n"), make("b", "5 6\n")};
	ck_assert_str_eq(read_paths(paths, 3, INPUT_BARE_NOTHING, &stats), "");
	waitpid(child, NULL, 0);
	unlink(fifo);
	ck_assert_ptr_nonnull(
		strstr(order.data, "entry 01:02\nend\nline 5 6\ncomplete\nline 1 2\n"));
	ck_assert_uint_eq(stats.samples, 2);
}
END_TEST

static void set_up(void)
{
	strcpy(directory, "/tmp/test_input.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(directory));
}

static void tear_down(void)
{
	static const char *const names[] = {"good", "empty", "map", "a", "b"};
	char path[64];

	for (size_t i = 0; i < 5; i++) {
		snprintf(path, sizeof(path), "%s/%s", directory, names[i]);
		unlink(path);
	}
	rmdir(directory);
	text_deinit(&log_lines);
	text_deinit(&order);
}

int main(void)
{
	TCase *tests = tcase_create("input");

	tcase_add_checked_fixture(tests, set_up, tear_down);
	tcase_add_test(tests, unreadable);
	tcase_add_test(tests, empty);
	tcase_add_test(tests, regular_files_first);
	return tests_run(tests);
}
