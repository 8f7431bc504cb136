// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * recording_tool: writes the recording of the lines on its input, which are as `stack2line record
 * --print` prints them.
 */
#include <stdio.h>
#include <unistd.h>

#include "packed_recording.h"
#include "util/cleanup.h"
#include "util/file.h"

int main(void)
{
	scope_guard(text_deinit) struct text lines = {}, packed = {};

	if (file_read_all(STDIN_FILENO, 1 << 30, &lines) ||
		!pack_recording(lines.data ? lines.data : "", lines.len, 1 << 20, &packed)) {
		fprintf(stderr, "recording_tool: a line is of no record\n");
		return 1;
	}
	return fwrite(packed.data, 1, packed.len, stdout) != packed.len || fflush(stdout);
}
