// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/source.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

enum { WAIT_MS = 250, ONCE_MS = 100 };

static ssize_t fd_read(void *context, void *buffer, size_t size)
{
	const struct source *source = context;

	return read(source->fd, buffer, size);
}

/* Waits up to MS for input or its end. Returns poll()'s result: 0 if neither came. */
static int wait_for_input(const struct source *source, int ms)
{
	struct pollfd poller = {.fd = source->fd, .events = POLLIN};

	return poll(&poller, 1, ms);
}

static bool fd_ready(void *context)
{
	const struct source *source = context;

	return source->regular || wait_for_input(source, 0) != 0;
}

static char *display_name(const char *path)
{
	struct text text = {};

	if (!strcmp(path, "-"))
		text_add_string(&text, "<stdin>");
	else
		text_add_escaped_string(&text, path);
	return text_take(&text);
}

struct source *source_create(
	const char *name, struct source_reader reader, size_t chunk, struct log *log)
{
	struct source *source = xnew(source);

	source->name = display_name(name);
	source->reader = reader;
	source->chunk = source->cap = chunk;
	source->log = log;
	source->fd = -1;
	source->data = xmalloc(chunk);
	source->at = source->end = source->counted = source->data;
	return source;
}

void source_destroy(struct source *source)
{
	if (!source)
		return;
	if (source->fd > STDIN_FILENO)
		close(source->fd);
	error_destroy(source->failure);
	free(source->name);
	free(source->data);
	free(source);
}

struct error *source_open(const char *path, struct log *log, struct source **ret)
{
	auto_free char *name = display_name(path);
	bool standard = !strcmp(path, "-");
	struct stat st;
	auto_fd int opened = standard ? -1 : open(path, O_RDONLY | O_CLOEXEC | O_NOCTTY);
	int fd = standard ? STDIN_FILENO : opened;

	if (fd < 0 || fstat(fd, &st))
		return error_errno(errno, "%s: cannot be read", name);
	if (S_ISDIR(st.st_mode))
		return error_create(ERROR_INPUT, "%s: is a directory, not a dump", name);
	struct source *source = source_create(
		path, (struct source_reader){fd_read, fd_ready, NULL}, SOURCE_CHUNK, log);
	source->reader.context = source;
	source->fd = standard ? fd : take_fd(opened);
	source->regular = S_ISREG(st.st_mode);
	*ret = source;
	return NULL;
}

static void count_lines(struct source *source)
{
	const char *p = source->counted;

	while (p < source->at && (p = memchr(p, '\n', (size_t)(source->at - p)))) {
		source->lines++;
		p++;
		source->line_start = source->base + (uint64_t)(p - source->data);
	}
	source->counted = source->at;
}

/*
 * Makes room for half a chunk after `end`. Moves unconsumed bytes to the start only when the room
 * is used up, so that tiny reads do not move them each time.
 */
static void make_room(struct source *source)
{
	size_t left = (size_t)(source->end - source->at), want = (source->chunk + 1) / 2;
	size_t room = source->cap - (size_t)(source->end - source->data);

	if (left && room >= want)
		return;
	count_lines(source);
	source->base += (uint64_t)(source->at - source->data);
	memmove(source->data, source->at, left);
	if (source->cap - left < want) {
		source->cap = source->cap + source->cap / 2 + source->chunk;
		source->data = xreallocarray(source->data, source->cap, 1);
	}
	source->at = source->counted = source->data;
	source->end = source->data + left;
}

/*
 * Most pipes that have data at once also end at once. Waits up to ONCE_MS for that, a single time,
 * after the first bytes. Returns true if there is more input, or the end.
 */
static bool comes_at_once(struct source *source)
{
	if (source->lasts || source->fd < 0 || (!source->base && source->end == source->data))
		return false;
	source->lasts = true;
	return wait_for_input(source, ONCE_MS) > 0;
}

bool source_more(struct source *source)
{
	ssize_t n;

	if (source->ended)
		return false;
	make_room(source);
	do {
		if (source->before_wait && !source->reader.ready(source->reader.context) &&
			!comes_at_once(source)) {
			do /* until there is input, or no descriptor to wait for */
				source->failure = source->before_wait(source->wait_context);
			while (!source->failure && source->fd >= 0 &&
				!wait_for_input(source, WAIT_MS));
		}
		if (source->failure) {
			source->ended = true;
			return false;
		}
		n = source->reader.read(source->reader.context, (char *)source->end,
			source->cap - (size_t)(source->end - source->data));
	} while (n < 0 && errno == EINTR);
	source->ended = n <= 0;
	if (n < 0) {
		source->failed = true;
		log_add(source->log, LOG_WARNING, 1, "%s: byte %" PRIu64 ": reading failed: %s",
			source->name, source->base + (uint64_t)(source->end - source->data),
			strerror(errno));
		return false;
	}
	source->end += n;
	return n > 0;
}

uint64_t source_offset(const struct source *source)
{
	return source->base + (uint64_t)(source->at - source->data);
}

uint64_t source_line_number(struct source *source)
{
	count_lines(source);
	return source->lines + 1;
}

bool source_at_line_start(struct source *source)
{
	count_lines(source);
	return source_offset(source) == source->line_start;
}

void source_skip_line(struct source *source)
{
	uint64_t start = source_offset(source);

	while (source_has(source)) {
		const char *newline = memchr(source->at, '\n', (size_t)(source->end - source->at));

		source->at = newline ? newline + 1 : source->end;
		if (newline)
			return;
		if (source_offset(source) - start > SOURCE_SKIP_MAX) {
			log_add(source->log, LOG_WARNING, 1,
				"%s: byte %" PRIu64 ": no newline in the next %d MB: the "
				"rest is skipped",
				source->name, start, SOURCE_SKIP_MAX >> 20);
			source->skipped = true;
			source_leave(source);
		}
	}
}

void source_leave(struct source *source)
{
	source->at = source->end;
	source->ended = true;
}

/* Reads up to the next newline and returns it, or NULL at the end or if the line is too long. */
static const char *find_newline(struct source *source)
{
	size_t seen = 0;

	while (seen <= SOURCE_LINE_MAX) {
		size_t left = (size_t)(source->end - source->at);
		const char *newline =
			left > seen ? memchr(source->at + seen, '\n', left - seen) : NULL;

		if (newline)
			return newline;
		seen = left;
		if (!source_more(source))
			return NULL;
	}
	return NULL;
}

char *source_position(const struct source *source, uint64_t line)
{
	return xasprintf("%s:%" PRIu64, source->name, line);
}

bool source_line(struct source *source, struct source_line *ret)
{
	if (!source_has(source))
		return false;
	const char *newline = find_newline(source);
	const char *end = newline ? newline : source->end;
	size_t len = (size_t)(end - source->at);
	*ret = (struct source_line){
		.at = source->at, .number = source_line_number(source), .cut = !newline};
	if (len > SOURCE_LINE_MAX) {
		log_add(source->log, LOG_WARNING, 1,
			"%s:%" PRIu64 ": line skipped: longer than a megabyte", source->name,
			ret->number);
		source_skip_line(source);
		ret->at = source->at;
		ret->skipped = source->skipped = true;
		return true;
	}
	ret->len = len && end[-1] == '\r' ? len - 1 : len;
	source->at = newline ? newline + 1 : end;
	return true;
}

void source_line_back(struct source *source, const struct source_line *line)
{
	source->at = line->at;
}
