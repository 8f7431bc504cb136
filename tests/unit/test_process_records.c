// SPDX-License-Identifier: GPL-2.0-or-later
/* Processes in recordings: what each had mapped at a time, or at any time. */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "parsed_recording.h"
#include "process/recording/tasks.h"
#include "run.h"

static const char story[] =
	"file 1 0 0 0 0 0 0 0 aa /shell\nfile 2 0 0 0 0 0 0 0 bb /prog\nfile 3 0 0 0 0 0 0 0 cc /lib1\n"
	"file 4 0 0 0 0 0 0 0 dd /lib2\nfile 5 0 0 0 0 0 0 0 aa /same\n"
	"proc 5 100 1 9 1 shell\nmap 5 100 1000 3000 0 1\n"
	"fork 6 200 5\n"
	"exec 6 300 prog\nmap 6 310 1000 2000 0 2\n"
	"map 6 400 8000 9000 0 3\nmap 6 500 8000 9000 0 4\n"
	"thread 66 450 6\nexit 6 600\n"
	"fork 6 700 5\n"
	"end 1000\n";

START_TEST(over_time)
{
	struct recording *recording = parse(story);

	ck_assert_str_eq(path_at(recording, 5, 50, 0x1000), "/shell"); /* was there before */
	ck_assert_str_eq(path_at(recording, 6, 150, 0x1000), "no record");
	ck_assert_str_eq(path_at(recording, 6, 250, 0x1000), "/shell"); /* from its parent */
	ck_assert_str_eq(path_at(recording, 6, 305, 0x1000), "nothing");
	ck_assert_str_eq(path_at(recording, 6, 310, 0x1000), "/prog");
	ck_assert_str_eq(path_at(recording, 6, 310, 0x2000), "nothing");
	ck_assert_str_eq(path_at(recording, 6, 450, 0x8000), "/lib1");
	ck_assert_str_eq(path_at(recording, 6, 550, 0x8000), "/lib2");
	ck_assert_str_eq(path_at(recording, 66, 550, 0x8000), "/lib2"); /* a thread of it */
	ck_assert_str_eq(path_at(recording, 6, 800, 0x1000), "/shell"); /* another process */
	ck_assert_str_eq(path_at(recording, 6, 800, 0x8000), "nothing");
	recording_destroy(recording);
}
END_TEST

/*
 * A root is inherited, and kept after an exec, even if the name and namespace have newer records.
 */
START_TEST(roots)
{
	struct recording *recording =
		parse("proc 5 100 1 9 1 a\nfork 6 110 5\nroot 5 120 /box\nfork 7 130 5\n"
		      "exec 7 140 b\nroot 8 150 /box\nroot 8 160 /\n"
		      "ns 7 165 9\nfork 9 170 7\nend 200\n");
	bool ambiguous;

	ck_assert_str_eq(process_record_of(recording, 5, 0, &ambiguous)->root, "/box");
	ck_assert_ptr_null(process_record_of(recording, 6, 0, &ambiguous)->root);
	ck_assert_str_eq(process_record_of(recording, 7, 0, &ambiguous)->root, "/box");
	ck_assert_str_eq(process_record_of(recording, 8, 0, &ambiguous)->root, "/");
	ck_assert_str_eq(process_record_of(recording, 9, 0, &ambiguous)->root, "/box");
	recording_destroy(recording);
}
END_TEST

START_TEST(without_time)
{
	struct recording *recording = parse(story);

	ck_assert_str_eq(path_at(recording, 5, 0, 0x1000), "/shell");
	ck_assert_str_eq(path_at(recording, 6, 0, 0x2000), "several records");
	ck_assert_str_eq(path_at(recording, 66, 0, 0x2000), "several records"); /* of its process */
	recording_destroy(recording);
	/* One process that ran two programs. */
	struct text text = {};
	text_add_string(&text, story);
	memcpy(strstr(text.data, "fork 6 700"), "fork 9", 6);
	recording = parse(text.data);
	text_deinit(&text);
	ck_assert_str_eq(path_at(recording, 6, 0, 0x1000), "?"); /* shell, then prog */
	ck_assert_str_eq(path_at(recording, 6, 0, 0x2000), "/shell");
	ck_assert_str_eq(path_at(recording, 6, 0, 0x8000), "?");
	ck_assert_str_eq(path_at(recording, 6, 5000, 0x8000), "?"); /* of another clock */
	bool ambiguous;
	const struct process_record *record = process_record_of(recording, 6, 0, &ambiguous);
	ck_assert_str_eq(process_record_comm(record, 0), "prog");
	ck_assert_str_eq(process_record_comm(record, 250), "shell");
	recording_destroy(recording);
	/* The same build ID and offset leave no doubt, another offset does. */
	recording = parse("file 1 0 0 0 0 0 0 0 aa /a\nfile 2 0 0 0 0 0 0 0 aa /b\n"
			  "map 5 1 1000 3000 0 1\nmap 5 2 2000 3000 1000 2\n"
			  "map 6 1 1000 3000 0 1\nmap 6 2 2000 3000 2000 2\n");
	ck_assert_str_eq(path_at(recording, 5, 0, 0x2000), "/b");
	ck_assert_str_eq(path_at(recording, 6, 0, 0x2000), "?");
	recording_destroy(recording);
}
END_TEST

/*
 * A process that ended while it was looked at has the files that it had, if nothing else was mapped
 * there.
 */
START_TEST(looked_at_when_it_ended)
{
	static const char files[] = "file 1 8 1 7 100 5 0 0 aa /a\nfile 2 8 1 7 0 0 0 0 - /a\n"
				    "file 3 8 1 9 0 0 0 0 - /a\n";
	static const char *const looks[][2] = {
		{"proc 5 1 1 9 1 a\nmap 5 1 1000 2000 0 1\nproc 5 9 1 9 1 a\nmap 5 9 1000 2000 0 2\n",
			"/a"},
		/* Mapped there last; another inode; another program. */
		{"proc 5 1 1 9 1 a\nmap 5 1 1000 2000 0 1\nmap 5 5 1000 2000 0 2\n"
		 "proc 5 9 1 9 1 a\nmap 5 9 1000 2000 0 2\n",
			"?"},
		{"proc 5 1 1 9 1 a\nmap 5 1 1000 2000 0 1\nproc 5 9 1 9 1 a\nmap 5 9 1000 2000 0 3\n",
			"?"},
		{"proc 5 1 1 9 1 a\nmap 5 1 1000 2000 0 1\nexec 5 5 b\n"
		 "proc 5 9 1 9 1 b\nmap 5 9 1000 2000 0 2\n",
			"?"},
	};

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		struct text text = {};

		text_add_string(&text, files);
		text_add_string(&text, looks[i][0]);
		struct recording *recording = parse(text.data);
		ck_assert_str_eq(path_at(recording, 5, 0, 0x1000), looks[i][1]);
		recording_destroy(recording);
		text_deinit(&text);
	}
}
END_TEST

/*
 * A file that was as young as its mapping could not be identified when the event was handled; a later look has it,
 * unless the file changed, another one was mapped in between, or events were lost.
 */
START_TEST(identified_by_a_later_look)
{
	static const char begin[] =
		"host here x86_64 6.18\nbegin 1000 1000001000\n"
		"file 1 8 1 7 0 0 0 0 - /a\nfile 2 8 1 7 100 5 1000000900 0 aa /a\n"
		"file 3 8 1 7 100 5 1090000000 0 bb /a\nfork 5 1000 1\nexec 5 1001 a\n";
	static const char *const looks[][2] = {
		{"map 5 2000 1000 2000 0 1\nproc 5 9000 1 9 1 a\nmap 5 9000 1000 2000 0 2\n", "/a"},
		{"map 5 2000 1000 2000 0 1\nproc 5 9000 1 9 1 a\nmap 5 9000 1000 2000 0 3\n", "?"},
		{"map 5 2000 1000 2000 0 1\nmap 5 3000 1000 2000 0 1\n"
		 "proc 5 9000 1 9 1 a\nmap 5 9000 1000 2000 0 2\n",
			"?"},
		{"map 5 2000 1000 2000 0 1\nlost 3000 1 2500\n"
		 "proc 5 9000 1 9 1 a\nmap 5 9000 1000 2000 0 2\n",
			"?"},
	};

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		struct text text = {};

		text_printf(&text, "%s%send 10000\n", begin, looks[i][0]);
		struct recording *recording = parse_text(text.data);
		ck_assert_str_eq(path_at(recording, 5, 0, 0x1000), looks[i][1]);
		recording_destroy(recording);
		text_deinit(&text);
	}
}
END_TEST

/*
 * A parent that is looked at later had the same mappings before, but not those of what it ran after
 * that.
 */
START_TEST(forked_before_the_look)
{
	static const char *const looks[][2] = {
		{"proc 5 100 1 9 1 shell\nmap 5 100 1000 3000 0 1\n", "/shell"},
		{"proc 5 100 1 9 1 shell\n", "nothing"},
	};

	for (size_t i = 0; i < sizeof(looks) / sizeof(*looks); i++) {
		struct text text = {};

		text_printf(&text,
			"file 1 0 0 0 0 0 0 0 aa /shell\nfile 2 0 0 0 0 0 0 0 bb /prog\nfork 6 50 5\n%s"
			"exec 5 300 prog\nmap 5 310 1000 2000 0 2\nend 1000\n",
			looks[i][0]);
		struct recording *recording = parse(text.data);
		ck_assert_str_eq(path_at(recording, 6, 60, 0x1000), looks[i][1]);
		ck_assert_str_eq(path_at(recording, 6, 900, 0x1000), looks[i][1]);
		ck_assert_str_eq(path_at(recording, 5, 900, 0x1000), "/prog");
		recording_destroy(recording);
		text_deinit(&text);
	}
}
END_TEST

START_TEST(forgotten_lives)
{
	struct recording *recording = parse(story);
	bool ambiguous;
	const struct process_record *kept = process_record_of(recording, 5, 0, &ambiguous);
	struct table keep = {};

	ck_assert_str_eq(path_at(recording, 66, 550, 0x8000), "/lib2");
	ck_assert_uint_eq(recording->record_by_task.len, 2);
	(void)table_at(&keep, &kept, sizeof(kept), NULL);
	process_records_forget(recording, &keep);
	table_deinit(&keep);
	ck_assert_uint_eq(recording->record_by_task.len, 1);
	ck_assert_ptr_eq(process_record_of(recording, 5, 0, &ambiguous), kept);
	ck_assert_str_eq(path_at(recording, 66, 550, 0x8000), "/lib2");
	ck_assert_uint_eq(recording->record_by_task.len, 2);
	process_records_forget(recording, NULL);
	ck_assert_uint_eq(recording->record_by_task.len, 0);
	ck_assert_str_eq(path_at(recording, 5, 0, 0x1000), "/shell");
	recording_destroy(recording);
}
END_TEST

/* Each process was forked from the next: paths through them must be short, and have an end. */
START_TEST(fork_circle)
{
	struct text text = {};

	text_add_string(&text, head);
	for (int i = 0; i < 1000; i++)
		text_printf(&text, "fork %d 5 %d\n", 10 + i, 10 + (i + 1) % 1000);
	struct recording *recording = parse_text(text.data);
	ck_assert_str_eq(path_at(recording, 10, 0, 0x1000), "nothing");
	recording_destroy(recording);
	text_deinit(&text);
}
END_TEST

/* Nested mappings would make a piece for each pair, if each piece were kept. */
START_TEST(nested_mappings)
{
	struct text text = {};

	text_printf(&text, "%sfile 1 0 0 1 0 0 0 0 - /a\n", head);
	for (unsigned i = 0; i < 20000; i++)
		text_printf(&text, "map 5 %u %x %x 0 1\n", i + 2, 0x100000 + i, 0x200000 - i);
	text_add_string(&text, "end 20002\n");
	struct recording *recording = parse_text(text.data);
	bool ambiguous;
	const struct process_record *record = process_record_of(recording, 5, 0, &ambiguous);
	ck_assert(!record->crowded);
	ck_assert_uint_lt(history_bytes(&record->history), 10 << 20);
	ck_assert_uint_eq(process_record_find(record, 10000, 0x180000)->start, 0x100000 + 9998);
	recording_destroy(recording);
	text_deinit(&text);
}
END_TEST

int main(void)
{
	TCase *test = tcase_create("process records");

	tcase_add_test(test, over_time);
	tcase_add_test(test, roots);
	tcase_add_test(test, without_time);
	tcase_add_test(test, looked_at_when_it_ended);
	tcase_add_test(test, identified_by_a_later_look);
	tcase_add_test(test, forked_before_the_look);
	tcase_add_test(test, forgotten_lives);
	tcase_add_test(test, fork_circle);
	tcase_add_test(test, nested_mappings);
	return tests_run(test);
}
