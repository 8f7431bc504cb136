// SPDX-License-Identifier: GPL-2.0-or-later
#include "screen.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"

struct winsize screen_size(void)
{
	struct winsize size = {};

	if (ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) || !size.ws_row || !size.ws_col)
		size = (struct winsize){.ws_row = 24, .ws_col = 80};
	if (size.ws_row <= SCREEN_OTHER_LINES)
		size.ws_row = SCREEN_OTHER_LINES + 1;
	return size;
}

/* Returns the end of the character at S, with the escape sequences after it. */
static const char *next_character(const char *s, const char *end)
{
	s += text_utf8_length(s, (size_t)(end - s)) ?: 1;
	while (s < end && *s == '\033') {
		while (s < end && *s != 'm')
			s++;
		s += s < end;
	}
	return s;
}

/* Returns the end of the first N columns of [S, END). */
static const char *after_columns(const char *s, const char *end, size_t n)
{
	while (n-- && s < end)
		s = next_character(s, end);
	return s;
}

static size_t columns_of(const char *s, const char *end)
{
	size_t n = 0;

	for (; s < end; s = next_character(s, end))
		n++;
	return n;
}

/* Adds LINE, cut to WIDTH columns in the middle of what follows its first KEPT columns. */
static void add_line(struct text *text, struct scan line, size_t kept, size_t width)
{
	size_t columns = columns_of(line.at, line.end);

	if (columns <= width) {
		text_add_scan(text, line);
	} else {
		kept = kept + 3 > width ? 0 : kept;
		size_t shown = width - kept - 1, tail = shown / 2;
		const char *cut = after_columns(line.at, line.end, kept + shown - tail);
		const char *rest = after_columns(cut, line.end, columns - width + 1);

		text_add(text, line.at, (size_t)(cut - line.at));
		text_add_string(text, "\xe2\x80\xa6");
		text_add(text, rest, (size_t)(line.end - rest));
	}
	text_add_string(text, "\033[K\n");
}

static void draw(const struct screen *screen)
{
	struct winsize size = screen_size();
	struct scan lines = scan_of(screen->table ?: ""), line;
	auto_text struct text text = {};
	size_t kept = 0; /* columns before the last heading, that of names */

	text_add_string(&text, "\033[H");
	for (unsigned int i = 0; i + 1 < size.ws_row && scan_line(&lines, &line); i++) {
		const char *blank = i == 1 ? scan_last(line, ' ') : NULL;

		if (blank)
			kept = columns_of(line.at, blank + 1);
		add_line(&text, line, kept, size.ws_col);
	}
	text_add_string(&text, "\033[J");
	if (screen->messages && *screen->messages) {
		auto_text struct text one_line = {};

		for (struct scan rest = scan_of(screen->messages); scan_line(&rest, &line);) {
			text_add_string(&one_line, one_line.len ? "; " : "");
			text_add_scan(&one_line, line);
		}
		add_line(&text, text_scan(&one_line), 0, size.ws_col);
		text.len -= strlen("\n"); /* the last line of the screen has none */
	}
	fwrite(text.data, 1, text.len, stdout);
	fflush(stdout);
}

static void ignore(int number)
{
	(void)number;
}

bool screen_open(struct screen *ret)
{
	const struct sigaction resized = {.sa_handler = ignore};
	auto_fd int tty = open("/dev/tty", O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOCTTY);
	sigset_t blocked;

	if (tty < 0 || tcgetattr(tty, &ret->before))
		return false;
	struct termios keys = ret->before;
	keys.c_lflag &= ~(tcflag_t)(ICANON | ECHO);
	tcsetattr(tty, TCSANOW, &keys);
	sigemptyset(&blocked);
	sigaddset(&blocked, SIGWINCH);
	sigprocmask(SIG_BLOCK, &blocked, &ret->mask);
	sigaction(SIGWINCH, &resized, NULL); /* interrupts what waits for the next round */
	ret->tty = take_fd(tty);
	return true;
}

void screen_close(struct screen *screen)
{
	fputc('\n', stdout);
	tcsetattr(screen->tty, TCSANOW, &screen->before);
	sigprocmask(SIG_SETMASK, &screen->mask, NULL);
	close(screen->tty);
	free(screen->table);
	free(screen->messages);
}

void screen_show(struct screen *screen, char *table, char *messages)
{
	free(screen->table);
	free(screen->messages);
	screen->table = table;
	screen->messages = messages;
	draw(screen);
}

bool screen_wake(void *screen)
{
	const struct screen *this = screen;
	char keys[64];
	ssize_t n = read(this->tty, keys, sizeof(keys));

	if (n > 0 && memchr(keys, 'q', (size_t)n))
		return false;
	draw(this);
	return true;
}
