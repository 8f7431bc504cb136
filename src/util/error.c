// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/error.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/xalloc.h"

struct error {
	enum error_kind kind;
	char *message;
};

static char *vformat(const char *format, va_list args)
{
	char *s = NULL;

	return vasprintf(&s, format, args) < 0 ? xstrdup(format) : s;
}

static struct error *error_take(enum error_kind kind, char *message)
{
	struct error *error = xmalloc(sizeof(*error));

	*error = (struct error){kind, message};
	return error;
}

struct error *error_create(enum error_kind kind, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	char *message = vformat(format, args);
	va_end(args);
	return error_take(kind, message);
}

struct error *error_errno(int errnum, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	auto_free char *what = vformat(format, args);
	va_end(args);
	return error_take(ERROR_SYSTEM, xasprintf("%s: %s", what, strerror(errnum)));
}

struct error *error_context(struct error *error, const char *format, ...)
{
	va_list args;

	if (!error)
		return NULL;
	va_start(args, format);
	auto_free char *context = vformat(format, args);
	va_end(args);
	auto_free char *old = error->message;
	error->message = xasprintf("%s: %s", context, old);
	return error;
}

const char *error_message(const struct error *error)
{
	return error->message;
}

enum error_kind error_kind(const struct error *error)
{
	return error->kind;
}

struct error *error_first(struct error *first, struct error *second)
{
	if (!first)
		return second;
	error_destroy(second);
	return first;
}

void error_destroy(struct error *error)
{
	if (!error)
		return;
	free(error->message);
	free(error);
}
