// SPDX-License-Identifier: GPL-2.0-or-later
/* A log of any bytes: all of them come out, and frames lie in their lines. */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "input/text/text_log.h"
#include "util/cleanup.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void check_frames(const struct text_log_piece *piece)
{
	const char *at = piece->data;

	for (size_t i = 0; i < piece->n_frames; i++) {
		const struct text_frame *frame = &piece->frames[i];

		if (frame->text.at < at || frame->text.at > frame->text.end ||
			frame->line.at > frame->text.at || frame->line.end < frame->text.end ||
			frame->line.end > piece->data + piece->len)
			abort();
		at = frame->text.end;
	}
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	int fd = memfd_create("log", MFD_CLOEXEC);
	scope_guard(arena_deinit) struct arena memory = {};
	struct text_log_piece piece;
	size_t at = 0;

	if (fd < 0 || write(fd, data, size) != (ssize_t)size || lseek(fd, 0, SEEK_SET) < 0)
		abort();
	scope_guard(forms_cleanup) struct forms *forms = forms_create();
	struct text_log *log = text_log_create(fd, "log", forms, "6.1.0");
	while (!text_log_next(log, &memory, &piece) && piece.len) {
		if (piece.len > size - at || memcmp(piece.data, data + at, piece.len) != 0)
			abort();
		at += piece.len;
		check_frames(&piece);
		arena_clear(&memory);
	}
	if (at != size)
		abort();
	text_log_cleanup(&log);
	close(fd);
	return 0;
}
