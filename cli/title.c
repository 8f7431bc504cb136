// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "util/text.h"
#include "util/xalloc.h"

/* Adds ARGUMENT as a shell would read it. */
static void add_argument(struct text *text, const char *argument)
{
	static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"
				    "%+,-./:=@_";

	if (*argument && !argument[strspn(argument, plain)]) {
		text_add_string(text, argument);
		return;
	}
	text_add_char(text, '\'');
	for (; *argument; argument++) {
		if (*argument == '\'')
			text_add_string(text, "'\\'");
		text_add_char(text, *argument);
	}
	text_add_char(text, '\'');
}

static char *command_text(int argc, char **argv)
{
	struct text text = {};
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;

	text_add_string(&text, slash ? slash + 1 : argc ? argv[0] : "stack2line");
	for (int i = 1; i < argc; i++) {
		text_add_char(&text, ' ');
		add_argument(&text, argv[i]);
	}
	return text.data;
}

/* Returns the time as text: that of SOURCE_DATE_EPOCH, if it is set, for reproducible output. */
static char *date_text(void)
{
	const char *given = getenv("SOURCE_DATE_EPOCH");
	time_t now = given ? (time_t)strtoll(given, NULL, 10) : time(NULL);
	char date[64] = "";
	struct tm tm;

	if (gmtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm);
	return xstrdup(date);
}

void title_init(struct title *title, int argc, char **argv)
{
	char host[HOST_NAME_MAX + 1] = "";

	gethostname(host, sizeof(host) - 1);
	*title = (struct title){command_text(argc, argv), xstrdup(host), date_text()};
}

void title_deinit(struct title *title)
{
	free(title->command);
	free(title->host);
	free(title->date);
}

struct output_title title_text(const struct title *title)
{
	return (struct output_title){title->command, title->host, title->date};
}
