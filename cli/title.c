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

void title_init(struct output_title *title, int argc, char **argv)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH"); /* for reproducible output */
	const char *slash = argc ? strrchr(argv[0], '/') : NULL;
	char host[HOST_NAME_MAX + 1] = "", date[64] = "";
	time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
	struct text command = {};
	struct tm tm;

	text_add_string(&command, slash ? slash + 1 : argc ? argv[0] : "stack2line");
	for (int i = 1; i < argc; i++) {
		text_add_char(&command, ' ');
		add_argument(&command, argv[i]);
	}
	gethostname(host, sizeof(host) - 1);
	if (gmtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm);
	*title = (struct output_title){command.data, xstrdup(host), xstrdup(date)};
}

void title_deinit(struct output_title *title)
{
	free(title->command);
	free(title->host);
	free(title->date);
}
