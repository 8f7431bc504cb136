// SPDX-License-Identifier: GPL-2.0-or-later
#include "packed_recording.h"

#include <check.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "process/recording/field.h"
#include "process/recording/lines.h"
#include "record/recorder.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"

static void add_line(struct recorder *recorder, struct scan line, struct scan word)
{
	struct scan fields = {word.end, line.end};
	struct text *to = &recorder->lines;
	uint32_t pid;

	if ((text_starts_with(word.at, scan_left(&word), "jit") ||
		    text_starts_with(word.at, scan_left(&word), "pids")) &&
		field_pid(&fields, &pid)) {
		ids_add(&recorder->columns.ids, pid);
		to = &recorder->columns.columns[COLUMN_LINES];
	}
	text_add(to, line.at, scan_left(&line));
	text_add_char(to, '\n');
}

void pack_recording(const char *text, size_t len, size_t every, struct text *ret)
{
	const struct recorder_clocks clocks = {1, 1, 1};
	struct recorder recorder = {.fd = memfd_create("packed", MFD_CLOEXEC)};
	struct recording *scratch = NULL;
	struct scan all = {text, text + len}, line, word;

	ck_assert_int_ge(recorder.fd, 0);
	ck_assert_ptr_null(recording_parse("", "stack2line-recording 1\n", 23, NULL, &scratch));
	recorder_begin(&recorder, "packed", "m", "r", &clocks);
	(void)scan_line(&all, &line);
	for (size_t i = 1; scan_line(&all, &line); i++) {
		struct scan rest = line;
		size_t had = scratch->all.events.len;

		ck_assert(scan_word(&rest, &word));
		if (text_starts_with(word.at, scan_left(&word), "end"))
			ck_assert_ptr_null(recorder_flush(&recorder));
		(void)recording_read_line(scratch, &scratch->all, line);
		if (scratch->all.events.len > had) {
			struct recorded_event event = scratch->all.events.data[had];

			event.other += event.kind == RECORDED_MAP;
			recorder_event(&recorder, &event);
		} else {
			add_line(&recorder, line, word);
		}
		if (i % every == 0)
			ck_assert_ptr_null(recorder_flush(&recorder));
	}
	ck_assert_ptr_null(recorder_flush(&recorder));
	lseek(recorder.fd, 0, SEEK_SET);
	ck_assert_int_eq(file_read_all(recorder.fd, 1 << 30, ret), 0);
	close(recorder.fd);
	recorder_deinit(&recorder);
	recording_destroy(scratch);
}
