// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * binutils addr2line's command line and output (binutils/addr2line.c 2.40): programs drive it
 * through a pipe and count on every byte. What is there is answered, and pushed out, at once.
 */
#include <argp.h>
#include <errno.h>
#include <libiberty/libiberty.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "commands.h"
#include "config.h"
#include "symbolize.h"
#include "util/cleanup.h"
#include "util/radix.h"
#include "util/scan.h"
#include "util/text.h"

enum { OPT_DEMANGLE = 256, OPT_FORMAT };

enum {
	INPUT_MAX = 1 << 21, /* bytes that are answered together */
	LINE_MAX_BYTES = 99, /* binutils' buffer, so longer lines are several answers there too */
	BATCH = 4096,	     /* addresses: what is made of them stays in the cache */
	OUTPUT = 1 << 16,    /* bytes that are written together */
};

struct question {
	uint64_t value;   /* the ELF address; first, to sort by it */
	uint64_t address; /* as asked */
	size_t number;    /* the how manieth, from 0 */
};

/* Where the answer to a question stands. */
struct answer {
	size_t start, end;
};

struct request {
	const char *file, *section;
	const char *files[2]; /* FILE, and the end of the list */
	bool addresses, functions, inlines, pretty, basenames;
	struct VEC(const char *) words; /* the addresses given as arguments */
	struct VEC(const char *) debug_dirs;
	struct symbolize_options symbolize;
	struct symbolizer *symbolizer;
	struct VEC(struct question) questions; /* that wait for their answers */
	struct VEC(struct answer) answers;     /* by number, in TEXT */
	struct VEC(struct sample) samples;
	struct text text;
};

static const struct argp_option option_table[] = {
	{"addresses", 'a', NULL, 0, "Show addresses", 0},
	{"target", 'b', "BFDNAME", 0, "Ignored: every ELF format is read", 0},
	{"exe", 'e', "FILE", 0, "The object file (default is a.out)", 0},
	{"inlines", 'i', NULL, 0, "Show inlined functions", 0},
	{"section", 'j', "NAME", 0, "Addresses are offsets in this section", 0},
	{"pretty-print", 'p', NULL, 0, "One line a location", 0},
	{"basenames", 's', NULL, 0, "File names without directories", 0},
	{"functions", 'f', NULL, 0, "Show function names", 0},
	{NULL, 'C', NULL, 0, "Demangle function names", 0},
	{"demangle", OPT_DEMANGLE, "STYLE", OPTION_ARG_OPTIONAL, "Demangle function names", 0},
	{"recurse-limit", 'R', NULL, 0, "Ignored: demangling is always limited", 0},
	{"no-recurse-limit", 'r', NULL, 0, "Ignored: demangling is always limited", 0},
	{"debug-dir", 'D', "DIR", 0, "Look for debug files in DIR before /usr/lib/debug", 0},
	{"format", OPT_FORMAT, "addr2line", 0, "What makes stack2line be addr2line", 0},
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
	{NULL, 'v', NULL, OPTION_HIDDEN, NULL, 0},
	{},
};

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct request *request = state->input;

	switch (key) {
	case 'a':
		request->addresses = true;
		break;
	case 'e':
		request->file = arg;
		break;
	case 'i':
		request->inlines = true;
		break;
	case 'j':
		request->section = arg;
		break;
	case 'p':
		request->pretty = true;
		break;
	case 's':
		request->basenames = true;
		break;
	case 'f':
		request->functions = true;
		break;
	case 'C':
	case OPT_DEMANGLE:
		request->symbolize.demangle = true;
		break;
	case 'D':
		vec_push(&request->debug_dirs, arg);
		break;
	case 'b':
	case 'r':
	case 'R':
	case OPT_FORMAT:
		break;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	case 'v':
		puts(PACKAGE_STRING);
		exit(0);
	case ARGP_KEY_ARG:
		vec_push(&request->words, arg);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* Hex with or without 0x; anything else reads as 0, and what follows the digits is ignored. */
static uint64_t parse_address(struct scan word)
{
	uint64_t value = 0;

	if (!scan_literal(&word, "0x"))
		(void)scan_literal(&word, "0X");
	for (; scan_left(&word) && scan_hex_digit(*word.at) >= 0; word.at++) {
		if (value >> 60)
			return UINT64_MAX;
		value = value << 4 | (unsigned)scan_hex_digit(*word.at);
	}
	return value;
}

static const char *file_name(const struct request *request, const struct frame *frame)
{
	const char *slash = frame->file ? strrchr(frame->file, '/') : NULL;

	return request->basenames && slash ? slash + 1 : frame->file ? frame->file : "??";
}

/* DISCRIMINATOR is the innermost frame's: binutils repeats it on the frames around it. */
static void add_frame(struct request *request, const struct frame *frame, uint32_t discriminator)
{
	struct text *out = &request->text;

	if (request->functions) {
		text_add_string(out, frame->function ? frame->function : "??");
		text_add_string(out, request->pretty ? " at " : "\n");
	}
	text_add_string(out, file_name(request, frame));
	text_add_char(out, ':');
	if (frame->line)
		text_add_decimal(out, frame->line);
	else
		text_add_char(out, '?');
	if (frame->line && discriminator)
		text_printf(out, " (discriminator %u)", discriminator);
	text_add_char(out, '\n');
}

static void add_location(struct request *request, const struct location *location)
{
	const struct frame *frames = location->frames;

	if (!frames[0].function && !frames[0].file) {
		if (request->functions)
			text_add_string(&request->text, request->pretty ? "?? " : "??\n");
		text_add_string(&request->text, "??:0\n");
		return;
	}
	for (size_t i = 0; i < location->n_frames; i++) {
		if (i && request->pretty)
			text_add_string(&request->text, " (inlined by) ");
		add_frame(request, &frames[i], frames[0].discriminator);
		if (!request->inlines)
			break;
	}
}

static void add_answer(struct request *request, uint64_t address, const struct trace *trace)
{
	if (request->addresses)
		text_printf(&request->text, "0x%0*llx%s",
			symbolizer_fixed_is_64bit(request->symbolizer) ? 16 : 8,
			(unsigned long long)address,
			request->pretty ? ": " : "\n");
	add_location(request, trace->user[0]);
}

static void answer_batch(struct request *request, const struct question *questions, size_t n)
{
	request->samples.len = 0;
	for (size_t i = 0; i < n; i++) {
		const struct sample sample = {.pid = -1,
			.tid = -1,
			.user = {.state = STACK_PRESENT,
				.depth = 1,
				.values = &questions[i].value,
				.exact = true}};

		vec_push(&request->samples, sample);
	}
	const struct trace *traces = symbolizer_batch(
		request->symbolizer, request->samples.data, request->samples.len);
	for (size_t i = 0; i < n; i++) {
		struct answer *answer = &request->answers.data[questions[i].number];

		answer->start = request->text.len;
		add_answer(request, questions[i].address, &traces[i]);
		answer->end = request->text.len;
	}
}

static void write_answers(const struct request *request)
{
	struct text out scope_guard(text_deinit) = {};

	for (size_t i = 0; i < request->answers.len; i++) {
		const struct answer *answer = &request->answers.data[i];

		text_add(&out, request->text.data + answer->start, answer->end - answer->start);
		if (out.len < OUTPUT && i + 1 < request->answers.len)
			continue;
		fwrite(out.data, 1, out.len, stdout);
		text_clear(&out);
	}
	fflush(stdout);
}

/* Answers what was asked so far: looked up in order of address, written in the order asked. */
static void answer(struct request *request)
{
	size_t n = request->questions.len;

	if (!n)
		return;
	radix_sort(request->questions.data, n, sizeof(*request->questions.data));
	request->answers.len = 0;
	vec_reserve(&request->answers, n);
	request->answers.len = n;
	for (size_t i = 0; i < n; i += BATCH)
		answer_batch(request, &request->questions.data[i], n - i < BATCH ? n - i : BATCH);
	write_answers(request);
	request->questions.len = 0;
	text_clear(&request->text);
}

static void ask(struct request *request, struct scan word)
{
	struct question question = {UINT64_MAX, parse_address(word), request->questions.len};

	(void)symbolizer_fixed_address(request->symbolizer, request->section, question.address,
		true, &question.value);
	vec_push(&request->questions, question);
}

/* The next piece that binutils' fgets() would give: to the end of a line, but no longer. */
static bool next_piece(struct scan *text, bool at_end, struct scan *ret)
{
	size_t len = scan_left(text) < LINE_MAX_BYTES ? scan_left(text) : LINE_MAX_BYTES;
	const char *newline = len ? memchr(text->at, '\n', len) : NULL;

	if (newline)
		len = (size_t)(newline + 1 - text->at);
	else if (!len || (len < LINE_MAX_BYTES && !at_end))
		return false;
	*ret = (struct scan){text->at, text->at + len};
	text->at += len;
	return true;
}

/* Adds what is there to TEXT, and waits only if there is nothing yet. False: the input has ended. */
static bool read_ready(struct text *text)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	size_t start = text->len;
	ssize_t n;

	do {
		char chunk[1 << 16];

		n = read(STDIN_FILENO, chunk, sizeof(chunk));
		text_add(text, chunk, n > 0 ? (size_t)n : 0);
	} while ((n < 0 && errno == EINTR) ||
		 (n > 0 && text->len < INPUT_MAX && poll(&input, 1, 0) > 0));
	return n > 0 || text->len > start;
}

/*
 * What can be read at once is answered together: a program that asks line by line gets its answer
 * at once, and one that writes a thousand lines has them looked up in order of address.
 */
static void answer_stdin(struct request *request)
{
	struct text text = {};
	bool more;

	do {
		struct scan rest, piece;

		more = read_ready(&text);
		rest = (struct scan){text.data, text.data + text.len};
		while (next_piece(&rest, !more, &piece))
			ask(request, piece);
		text.len = scan_left(&rest);
		memmove(text.data, rest.at, text.len);
		answer(request);
	} while (more);
	text_deinit(&text);
}

static int complain(const char *program, const char *file)
{
	struct stat st;

	if (stat(file, &st) < 0 && errno == ENOENT)
		fprintf(stderr, "%s: '%s': No such file\n", program, file);
	else if (!stat(file, &st) && S_ISDIR(st.st_mode))
		fprintf(stderr, "%s: Warning: '%s' is a directory\n", program, file);
	else
		fprintf(stderr, "%s: %s: file format not recognized\n", program, file);
	return 1;
}

static int run(struct request *request, const char *program)
{
	uint64_t start;

	request->files[0] = request->file;
	request->symbolize.files = request->files;
	request->symbolize.inlines = true; /* without -i the innermost is printed, inlined or not */
	auto_error struct error *error =
		symbolizer_create(&request->symbolize, &request->symbolizer);
	if (error)
		return complain(program, request->file);
	if (request->section && symbolizer_fixed_address(request->symbolizer, request->section, 0,
					true, &start) != SECTION_FOUND) {
		fprintf(stderr, "%s: %s: cannot find section %s\n", program, request->file,
			request->section);
		return 1;
	}
	for (size_t i = 0; i < request->words.len; i++) {
		const char *word = request->words.data[i];

		ask(request, (struct scan){word, word + strlen(word)});
	}
	answer(request);
	if (!request->words.len)
		answer_stdin(request);
	if (fflush(stdout) || ferror(stdout)) {
		fprintf(stderr, "%s: standard output: %s\n", program, strerror(errno));
		return 1;
	}
	return 0;
}

int command_addr2line(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[ADDR...]",
		.doc = "Convert addresses into file names and line numbers, as binutils addr2line "
		       "does.\vWithout ADDR, addresses are read from standard input, a line each.",
	};
	struct request request = {
		.file = "a.out",
		.symbolize = {.find = {.proc_root = "/proc", .sys_root = "/sys"},
			.addresses_of_file = true,
			.lines = true,
			.qualify = QUALIFY_NEVER,
			.dwarf_names = true,
			.once = true},
	};

	expandargv(&argc, &argv);
	unsetenv("DEBUGINFOD_URLS"); /* nor does binutils fetch anything */
	argp_err_exit_status = 1;
	argp_parse(&argp, argc, argv, 0, NULL, &request);
	vec_push(&request.debug_dirs, "/usr/lib/debug");
	vec_push(&request.debug_dirs, NULL);
	request.symbolize.find.debug_dirs = request.debug_dirs.data;
	int status = run(&request, program_invocation_short_name);
	symbolizer_destroy(request.symbolizer);
	vec_deinit(&request.words);
	vec_deinit(&request.questions);
	vec_deinit(&request.answers);
	vec_deinit(&request.samples);
	text_deinit(&request.text);
	vec_deinit(&request.debug_dirs);
	return status;
}
