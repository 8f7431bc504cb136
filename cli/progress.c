// SPDX-License-Identifier: GPL-2.0-or-later
#include "progress.h"

#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/file.h"
#include "util/text.h"

enum { WIDTH_DEFAULT = 80, MEGABYTE = 1 << 20 };

static size_t terminal_width(void)
{
	struct winsize size;

	return !ioctl(STDERR_FILENO, TIOCGWINSZ, &size) && size.ws_col ? size.ws_col
								       : WIDTH_DEFAULT;
}

static void add_amount(struct text *line, const struct fetch_progress *progress)
{
	double bytes = (double)progress->bytes / MEGABYTE;

	if (!progress->url)
		text_add_string(line, ": no answer yet");
	else if (progress->total > 0)
		text_printf(line, ": %.1f of %.1f MB", bytes, (double)progress->total / MEGABYTE);
	else
		text_printf(line, ": %.1f MB", bytes);
}

/* Returns the length in bytes of the first WIDTH characters of LINE. */
static size_t cut(const struct text *line, size_t width)
{
	size_t at = 0;

	for (; at < line->len; at++)
		if (((unsigned char)line->data[at] & 0xc0) != 0x80 && !width--)
			break;
	return at;
}

void progress_show(void *context, const struct fetch_progress *progress)
{
	struct text line = {};

	(void)context;
	if (!progress) {
		fputs("\r\033[K", stderr);
		return;
	}
	text_printf_escaped(&line, "debuginfod: %s", file_base_name(progress->name));
	if (progress->n_running + progress->n_waiting > 1)
		text_printf(&line, " and %zu more", progress->n_running + progress->n_waiting - 1);
	add_amount(&line, progress);
	if (progress->url)
		text_printf_escaped(&line, " from %s", progress->url);
	text_add_string(&line, " (Ctrl-C skips)");
	fprintf(stderr, "\r%.*s\033[K", (int)cut(&line, terminal_width() - 1), line.data);
	text_deinit(&line);
}
