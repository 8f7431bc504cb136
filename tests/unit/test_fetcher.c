// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * How the fetcher handles the messages of its children. The children are mocks: debuginfod_ask() is
 * defined here, and the "URL" says what its child does.
 */
#include <check.h>
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

#include "object/fetch/fetcher.h"
#include "object/fetch/debuginfod.h"
#include "run.h"

static void say(int fd, enum debuginfod_answer answer, const char *text, size_t len)
{
	struct debuginfod_message message = {.answer = answer};

	/* Without a NUL at the end. */
	memset(message.text, 'x', sizeof(message.text));
	if (text)
		snprintf(message.text, sizeof(message.text), "%s", text);
	message.receiving = answer == DEBUGINFOD_PROGRESS;
	(void)send(fd, &message, len, MSG_NOSIGNAL);
}

static void act(const char *url, int fd)
{
	const size_t whole = sizeof(struct debuginfod_message);
	char byte;

	if (!strcmp(url, "absent"))
		say(fd, DEBUGINFOD_ABSENT, "", whole);
	else if (!strcmp(url, "dead"))
		say(fd, DEBUGINFOD_UNREACHABLE, "no way", whole);
	else if (!strcmp(url, "short"))
		say(fd, DEBUGINFOD_FOUND, "/etc/passwd", 10);
	else if (!strcmp(url, "unended"))
		say(fd, DEBUGINFOD_FAILED, NULL, whole);
	else if (!strcmp(url, "unknown"))
		say(fd, (enum debuginfod_answer)1000, "?", whole);
	else if (!strcmp(url, "wrong"))
		say(fd, DEBUGINFOD_FOUND, "/nowhere/debuginfo", whole);
	else if (!strcmp(url, "slow"))
		say(fd, DEBUGINFOD_PROGRESS, "", whole);
	else if (!strcmp(url, "flood"))
		for (int i = 0; i < 2000; i++)
			say(fd, DEBUGINFOD_PROGRESS, "", whole);
	if (!strcmp(url, "slow") || !strcmp(url, "silent"))
		(void)recv(fd, &byte, 1, 0);
}

pid_t debuginfod_ask(const struct debuginfod_question *question, int *socket_ret)
{
	int pair[2];

	if (!strcmp(question->url, "no-child")) {
		errno = EAGAIN;
		return -1;
	}
	ck_assert_int_eq(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, pair), 0);
	pid_t pid = fork();
	if (pid == 0) {
		close(pair[0]);
		act(question->url, pair[1]);
		_exit(0);
	}
	close(pair[1]);
	*socket_ret = pair[0];
	return pid;
}

static struct build_id id_of(uint8_t first)
{
	const uint8_t bytes[20] = {first, 2, 3, 4, 5, 6, 7, 8, 9};

	return build_id_make(bytes, sizeof(bytes));
}

static const struct {
	const char *urls, *outcome;
	bool failed;
} cases[] = {
	{"absent", "absent: not found", false},
	{"dead", "dead: no way; it is not asked again", true},
	{"short", "short: the download was interrupted", true},
	{"gone", "gone: the download was interrupted", true},
	{"flood", "flood: the download was interrupted", true},
	{"wrong", "wrong: it sent a file of another build", true},
	{"slow", "slow: not finished in 1 s", true},
	{"silent", "silent: no answer in 1 s; it is not asked again", true},
	{"no-child", "no-child: Resource temporarily unavailable", true},
	{"dead absent", "dead: no way; it is not asked again; absent: not found", true},
	{"absent short", "absent: not found; short: the download was interrupted", true},
};

START_TEST(answers)
{
	/* Short for those that are to time out, long enough for the others on a busy machine. */
	const bool ends = strstr(cases[_i].outcome, " in 1 s");
	const struct fetch_options options = {.urls = cases[_i].urls,
		.cache = "/nowhere",
		.timeout = ends ? 1 : 30,
		.budget = 30,
		.max = 100};
	struct fetcher *fetcher = fetcher_create(&options);
	const struct build_id id = id_of(1);
	struct fetch *fetch = fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &id, NULL, "label");

	ck_assert_ptr_eq(fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &id, NULL, "again"), fetch);
	fetcher_wait(fetcher, fetch);
	ck_assert(fetch->done);
	ck_assert_ptr_null(fetch->path);
	ck_assert_str_eq(fetch_outcome(fetch), cases[_i].outcome);
	ck_assert_int_eq(fetch_failed(fetch), cases[_i].failed);
	fetcher_destroy(fetcher);
}
END_TEST

/* Nothing is read after a text without an end, and malformed answers are not used. */
START_TEST(odd_messages)
{
	const struct fetch_options options = {
		.urls = "unended unknown", .cache = "/nowhere", .timeout = 1, .budget = 30};
	struct fetcher *fetcher = fetcher_create(&options);
	const struct build_id id = id_of(1);
	struct fetch *fetch = fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &id, NULL, "label");

	fetcher_wait(fetcher, fetch);
	ck_assert_ptr_null(fetch->path);
	ck_assert_uint_lt(strlen(fetch_outcome(fetch)), 2 * PATH_MAX);
	fetcher_destroy(fetcher);
}
END_TEST

/* Many files at a server that does not answer: one budget limits all of them. */
START_TEST(budget)
{
	const struct fetch_options options = {
		.urls = "slow", .cache = "/nowhere", .timeout = 60, .budget = 1};
	struct fetcher *fetcher = fetcher_create(&options);
	struct fetch *fetches[20];
	time_t start = time(NULL);

	for (uint8_t i = 0; i < 20; i++) {
		const struct build_id id = id_of((uint8_t)(i + 1));

		fetches[i] = fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &id, NULL, "label");
	}
	for (size_t i = 0; i < 20; i++) {
		fetcher_wait(fetcher, fetches[i]);
		ck_assert_str_eq(fetch_outcome(fetches[i]),
			"the time for downloads (--debuginfod-budget) is used up");
	}
	ck_assert_int_le(time(NULL) - start, 3);
	fetcher_destroy(fetcher);
}
END_TEST

/* At most 16384 downloads are begun; the earlier ones stay known. */
START_TEST(too_many)
{
	const struct fetch_options options = {
		.urls = "no-child", .cache = "/nowhere", .timeout = 1, .budget = 30};
	struct fetcher *fetcher = fetcher_create(&options);
	const struct build_id first = id_of(1);
	const struct fetch *held =
		fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &first, NULL, "held");

	for (uint32_t i = 0; i < 20000; i++) {
		uint8_t bytes[20] = {2, 3, 4};

		memcpy(bytes + 4, &i, sizeof(i));
		const struct build_id id = build_id_make(bytes, sizeof(bytes));
		const struct fetch *fetch =
			fetcher_start(fetcher, DEBUGINFOD_EXECUTABLE, &id, NULL, "one");
		ck_assert(fetch->done && fetch_failed(fetch));
		ck_assert_str_eq(fetch_outcome(fetch),
			i < 16383 ? "no-child: Resource temporarily unavailable"
				  : "too many files to download in one run");
	}
	ck_assert_ptr_eq(fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &first, NULL, "held"), held);
	fetcher_destroy(fetcher);
}
END_TEST

START_TEST(nothing_is_asked)
{
	const struct fetch_options none = {.urls = " \t", .cache = "/nowhere"};
	const struct fetch_options options = {.urls = "absent", .cache = "/nowhere", .budget = 1};
	const struct build_id short_id = build_id_make("1234567", 7);
	struct fetcher *fetcher = fetcher_create(&options);

	ck_assert_ptr_null(fetcher_create(&none));
	ck_assert_ptr_null(fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, &short_id, NULL, "short"));
	ck_assert_ptr_null(fetcher_start(NULL, DEBUGINFOD_DEBUGINFO, &short_id, NULL, "short"));
	fetcher_destroy(fetcher);
}
END_TEST

START_TEST(redirects)
{
	static const char servers[] = " https://one.example:8002/x \t http://[::1]:80 file:///srv/ "
				      "plain.example:8002";
	static const char *const good[] = {"https://one.example/buildid/1",
		"HTTPS://ONE.example:1/", "https://user:word@one.example", "http://[::1]/y",
		"file:///srv/buildid/1", "http://plain.example:8002/buildid/1"};
	static const char *const bad[] = {"http://one.example/", "https://two.example/",
		"https://one.example.evil/", "https://one.example@two.example/",
		"https://two.example/https://one.example/", "https://two.example?@one.example",
		"https:/two.example/?https://one.example", "http://[::2]/", "file:///etc/passwd",
		"file:///srv/../etc/passwd", "file:///srv2/buildid", "https://plain.example/",
		"https://", "one.example", ""};

	for (size_t i = 0; i < sizeof(good) / sizeof(good[0]); i++)
		ck_assert_msg(redirects_allowed(good[i], servers), "%s", good[i]);
	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++)
		ck_assert_msg(!redirects_allowed(bad[i], servers), "%s", bad[i]);
	ck_assert(!redirects_allowed(NULL, servers));
	ck_assert(!redirects_allowed(good[0], " "));
}
END_TEST

int main(void)
{
	TCase *tests = tcase_create("fetcher");

	tcase_add_loop_test(tests, answers, 0, sizeof(cases) / sizeof(cases[0]));
	tcase_add_test(tests, odd_messages);
	tcase_add_test(tests, budget);
	tcase_add_test(tests, too_many);
	tcase_add_test(tests, nothing_is_asked);
	tcase_add_test(tests, redirects);
	return tests_run(tests);
}
