// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "job.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* maximum bytes of a line */
enum { LINE_MAX_LEN = 1 << 16, READ_SIZE = 1 << 16 };

struct addresses {
	struct job job;
	struct VEC(uint64_t) values;
	struct VEC(struct sample) samples;
};

/* Adds the addresses of the symbol WORD. Returns what is wrong, for the caller to free, or NULL. */
static char *add_symbol(struct addresses *addresses, struct scan word)
{
	const struct options *options = addresses->job.options;
	auto_free char *name = xstrndup(word.at, scan_left(&word));
	struct symbol_addresses found = {};
	enum frame_status status = symbolizer_find_symbols(
		addresses->job.symbolizer, name, options->kernel, options->input.pid, &found);
	bool denied = geteuid() && (status == FRAME_PROCESS_DENIED || status == FRAME_FILE_DENIED);

	vec_append(&addresses->values, found.all.data, found.all.len);
	if (found.more)
		log_add(&addresses->job.log, LOG_WARNING, 1,
			"'%s' names %" PRIu64 " functions: only the first %zu are shown", name,
			found.all.len + found.more, found.all.len);
	vec_deinit(&found.all);
	if (status == FRAME_NAMED)
		return NULL;
	if (status == FRAME_KALLSYMS_DENIED)
		return xasprintf("is not a hex address, and kernel symbols are hidden: %s",
			options->symbolize.kallsyms
				? "the file of --kallsyms was saved without CAP_SYSLOG"
				: "run as root");
	if (status != FRAME_OUTSIDE_SYMBOLS)
		return xasprintf("cannot be looked up: %s%s%s", frame_status_words[status].text,
			denied ? ": " : "", denied ? frame_status_words[status].fix : "");
	return xasprintf("is neither a hex address nor a %s",
		options->kernel		  ? "kernel symbol"
		: options->input.pid >= 0 ? "symbol of the process's files"
					  : "symbol of the file");
}

/* Reads WORD as a hex number, with blanks around it ignored. Returns false if it is none. */
static bool is_number(struct scan word, uint64_t *ret)
{
	word = scan_trimmed(word);
	if (!scan_literal(&word, "0x"))
		(void)scan_literal(&word, "0X");
	return scan_all_hex(word, ret);
}

/* Adds the address NUMBER. Returns what is wrong with it, or NULL. */
static const char *add_number(struct addresses *addresses, uint64_t number)
{
	const struct job *job = &addresses->job;
	uint64_t value;

	switch (fixed_file_address(symbolizer_fixed_file(job->symbolizer), job->options->section,
		number, false, &value)) {
	case SECTION_FOUND:
		vec_push(&addresses->values, value);
		return NULL;
	case SECTION_AMBIGUOUS:
		return "could be an offset in several sections of the relocatable file: choose one with -j SECTION";
	default:
		return job->options->section
			       ? "cannot be looked up: the file has no section with the name that -j gives"
			       : "is not in any code section of the relocatable file";
	}
}

/* Adds WORD, or logs what is wrong with it. LINE: its line on standard input; 0: an argument. */
static void add_word(struct addresses *addresses, struct scan word, uint64_t line)
{
	auto_free char *no_symbol = NULL;
	char position[32] = "";
	const char *wrong;
	uint64_t number;

	if (is_number(word, &number))
		wrong = add_number(addresses, number);
	else
		/* NOLINTNEXTLINE(clang-analyzer-deadcode.DeadStores): its guard frees it */
		wrong = no_symbol = add_symbol(addresses, word);
	if (!wrong)
		return;
	addresses->job.stats.failed_sources++;
	if (line)
		snprintf(position, sizeof(position), "-:%" PRIu64 ": ", line);
	log_add(&addresses->job.log, LOG_WARNING, 1, "%s'%.*s' %s", position, (int)scan_left(&word),
		word.at, wrong);
}

/* Resolves and prints the addresses collected so far. */
static struct error *print_batch(struct addresses *addresses)
{
	const struct options *options = addresses->job.options;

	addresses->samples.len = 0;
	vec_each(value, &addresses->values) {
		struct sample sample = {.pid = options->input.pid, .tid = -1, .weight = 1};
		const struct stack stack = {.state = STACK_PRESENT,
			.id = -1,
			.depth = 1,
			.values = value,
			.exact = true};

		*(options->kernel ? &sample.kernel : &sample.user) = stack;
		vec_push(&addresses->samples, sample);
	}
	struct error *error =
		job_batch(&addresses->job, addresses->samples.data, addresses->samples.len);
	addresses->values.len = 0;
	return error;
}

/*
 * Returns true if WORD belongs to the word before it: "(file.c)", "[module]" or "@0x1139", also
 * with an offset at the end.
 */
static bool is_qualifier(struct scan word)
{
	const char *end = word.end;

	if (word.at == word.end)
		return false;
	if (*word.at == '@')
		return true;
	char closing = *word.at == '(' ? ')' : *word.at == '[' ? ']' : 0;
	const char *last = closing ? memrchr(word.at, closing, (size_t)(end - word.at)) : NULL;
	return last && (last + 1 == end || last[1] == '+');
}

static void add_line(struct addresses *addresses, struct scan line, uint64_t number)
{
	struct scan word, next;
	uint64_t value;

	if (is_number(line, &value) && !add_number(addresses, value))
		return;
	for (scan_blanks(&line); scan_word(&line, &word);) {
		struct scan rest = line;

		scan_blanks(&rest);
		if (scan_word(&rest, &next) && is_qualifier(next)) {
			word.end = next.end;
			line = rest;
		}
		add_word(addresses, word, number);
		scan_blanks(&line);
	}
}

/* Returns true if the input is a dump: all its words would be reported as wrong addresses. */
static bool is_dump(const char *chunk, size_t len)
{
	struct scan s = {chunk, chunk + len};

	while (scan_left(&s) && strchr(" \t\r\n", *s.at))
		s.at++;
	return scan_char(&s, '[') || scan_char(&s, '{') || scan_literal(&s, "key:") ||
	       scan_literal(&s, "== @");
}

/* Answers input as soon as it can be read, so that a program can ask line by line. */
static struct error *read_stdin(struct addresses *addresses)
{
	auto_text struct text text = {};
	uint64_t number = 0, taken = 0;
	ssize_t n;

	do {
		text_reserve(&text, READ_SIZE);
		const char *chunk = text.data + text.len;
		n = read(STDIN_FILENO, text.data + text.len, READ_SIZE);
		if (n < 0 && errno == EINTR)
			continue;
		if (n < 0)
			return error_errno(errno, "standard input");
		if (!number && is_dump(chunk, (size_t)n))
			return error_create(ERROR_USAGE,
				"standard input is a dump, not addresses: add the argument '-' to read it");
		text.len += (size_t)n;
		taken += (uint64_t)n;
		/* complete lines, and the last one without a newline at the end */
		const char *newline = memrchr(text.data, '\n', text.len);
		size_t whole = !n ? text.len : newline ? (size_t)(newline + 1 - text.data) : 0;
		struct scan lines = {text.data, text.data + whole}, line;
		while (scan_line(&lines, &line))
			add_line(addresses, line, ++number);
		vec_drop(&text, whole);
		if (text.len > LINE_MAX_LEN)
			return error_create(ERROR_INPUT,
				"<stdin>: byte %" PRIu64 ": no newline in the next %zu bytes",
				taken - text.len, text.len);
		try(print_batch(addresses));
	} while (n);
	return NULL;
}

static struct error *resolve(struct addresses *addresses)
{
	const struct options *options = addresses->job.options;

	if (!options->arguments.len) {
		job_say_waiting(options, "addresses");
		return read_stdin(addresses);
	}
	vec_each(argument, &options->arguments)
		add_word(addresses, scan_of(*argument), 0);
	if (!addresses->values.len)
		return error_create(ERROR_INPUT, "no address to resolve");
	return print_batch(addresses);
}

int command_addresses(const struct options *options)
{
	static struct addresses addresses; /* what it points to lives as long as the program */

	struct error *error = job_init(options, &addresses.job);
	if (error)
		return job_fail(error);
	int status = job_finish(&addresses.job, resolve(&addresses));
	job_deinit(&addresses.job);
	return status;
}
