// SPDX-License-Identifier: GPL-2.0-or-later
#include "packed_recording.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "record/recorder.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"
#include "util/xalloc.h"

static bool find_kind(struct scan word, enum row_kind *ret)
{
	for (*ret = 0; *ret < ROW_KINDS; ++*ret) {
		struct scan rest = word;

		if (scan_literal(&rest, row_form(*ret)->word) && !scan_left(&rest))
			return true;
	}
	return false;
}

/* Numbers that are missing are 0. */
static bool read_numbers(struct scan *line, const char *form, struct recorded_row *ret)
{
	for (size_t i = 0; form[i] && scan_char(line, ' '); i++)
		if (!(form[i] == 'd' ? scan_decimal : scan_hex)(line, &ret->numbers[i]))
			return false;
	return true;
}

static void add_unescaped(struct text *text, struct scan s)
{
	for (; scan_left(&s); s.at++) {
		int high = *s.at == '%' && scan_left(&s) > 2 ? scan_hex_digit(s.at[1]) : -1;
		int low = high >= 0 ? scan_hex_digit(s.at[2]) : -1;

		text_add_char(text, low >= 0 ? (char)(high << 4 | low) : *s.at);
		s.at += low >= 0 ? 2 : 0;
	}
}

static bool pack_line(struct recorder *recorder, struct scan line)
{
	scope_guard(text_deinit) struct text text = {};
	struct scan word;
	struct recorded_row row = {};

	if (!scan_word(&line, &word))
		return false;
	if (scan_literal(&word, "complete")) {
		if (!scan_char(&line, ' ') || !scan_decimal(&line, &recorder->complete))
			return false;
		error_destroy(recorder_flush(recorder));
		return true;
	}
	if (!find_kind(word, &row.kind) || !read_numbers(&line, row_form(row.kind)->numbers, &row))
		return false;
	if (row_form(row.kind)->has_text && scan_char(&line, ' '))
		add_unescaped(&text, line);
	row.text = text_scan(&text);
	if (row.kind == ROW_END || row.kind == ROW_CONTINUES)
		recorder_end(recorder, row.numbers[0], row.kind == ROW_CONTINUES);
	else
		recorder_add(recorder, &row);
	return true;
}

bool pack_recording(const char *text, size_t len, size_t every, struct text *ret)
{
	struct recorder recorder = {.fd = memfd_create("packed", MFD_CLOEXEC)};
	struct scan all = {text, text + len}, line;
	bool good = recorder.fd >= 0;

	text_printf(&recorder.out, RECORDING_MAGIC "%d\n", RECORDING_VERSION);
	for (size_t i = 1; good && scan_line(&all, &line); i++) {
		good = pack_line(&recorder, line);
		if (i % every == 0)
			error_destroy(recorder_flush(&recorder));
	}
	error_destroy(recorder_flush(&recorder));
	lseek(recorder.fd, 0, SEEK_SET);
	good &= !file_read_all(recorder.fd, 1 << 30, ret);
	close(recorder.fd);
	recorder_deinit(&recorder);
	return good;
}

struct error *recording_parse(
	const char *name, const char *text, size_t len, const char *boot_id, struct recording **ret)
{
	auto_fd int fd = memfd_create(name, MFD_CLOEXEC);
	char path[64];

	if (fd < 0 || write(fd, text ? text : "", len) != (ssize_t)len)
		abort();
	snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
	struct error *error = recording_open(path, "/proc", ret);
	if (error)
		return error;
	free((*ret)->name);
	(*ret)->name = xstrdup(name);
	(*ret)->foreign = !boot_id || !(*ret)->boot_id || strcmp(boot_id, (*ret)->boot_id) != 0;
	return NULL;
}
