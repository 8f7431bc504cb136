// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The command line and output of binutils addr2line (binutils/addr2line.c 2.40). Programs use it
 * through a pipe and rely on every byte, so input is answered and the answer flushed at once.
 * Options of llvm-addr2line 14 that programs use, and its output style, are supported too.
 */
#include <ctype.h>
#include <err.h>
#include <errno.h>
#include <fnmatch.h>
#include <inttypes.h>
#include <libiberty/demangle.h>
#include <libiberty/libiberty.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "options.h"
#include "config.h"
#include "option.h"
#include "symbolize.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"

/*
 * Names of object file formats in binutils, from bfd/targets.c and bfd/config.bfd 2.40: those of
 * Linux and of no machine.
 */
static const char targets[] =
	"@(default|[a-z]*-linux|[a-z]*-linux-[a-z]*|"
	"elf32-@(big|bigarm|bigmips|csky-*|hppa-linux|i386|iamcu|little|littlearc|littlearm|"
	"littlemips|littleriscv|loongarch|m68k|microblaze*|*nios2|or1k|powerpc|powerpcle|s390|"
	"sh-linux|shbig-linux|sparc|tradbigmips|tradlittlemips|ntradbigmips|ntradlittlemips|x86-64|"
	"xtensa-?e)|"
	"elf64-@(alpha|big|bigaarch64|bpf?e|hppa-linux|ia64-little|little|littleaarch64|"
	"littleriscv|loongarch|powerpc|powerpcle|s390|sparc|tradbigmips|tradlittlemips|x86-64))";

enum {
	INPUT_MAX = 1 << 21, /* bytes of input answered together */
	LINE_MAX_BYTES =
		99,	  /* size of binutils' buffer; longer lines get several answers there too */
	BATCH = 4096,	  /* addresses resolved together, whose results fit into the cache */
	OUTPUT = 1 << 16, /* bytes written together */
};

struct question {
	uint64_t value;	  /* ELF address; first member because it is the sort key */
	uint64_t address; /* as asked */
	size_t number;	  /* index */
};

/* Position of an answer in request.text, [start, end). */
struct answer {
	size_t start, end;
};

struct request {
	const char *file, *section;
	uint64_t adjust; /* subtracted from addresses */
	bool addresses, functions, inlines, pretty, basenames;
	bool llvm;	    /* prints columns, and an empty line after each answer */
	const char *target; /* -b; NULL: not given */
	char **words;	    /* the addresses given as arguments */
	size_t n_words;
	struct symbolize_options symbolize;
	struct symbolizer *symbolizer;
	const struct fixed_file *fixed;	       /* of SYMBOLIZER */
	struct VEC(struct question) questions; /* not answered yet */
	struct VEC(struct answer) answers;     /* by number, in TEXT */
	struct VEC(struct sample) samples;
	struct text text;
};

/* Accepts the styles of c++filt(1): "gnu-v3", "rust", "auto", … */
static void set_demangling(void *to, const struct option_value *value)
{
	struct request *request = to;
	const char *style = value->arg;

	if (style && cplus_demangle_name_to_style(style) == unknown_demangling)
		errx(1, "unknown demangling style `%s'", style);
	request->symbolize.demangle = !style || strcmp(style, "none") != 0;
}

static void set_style(void *to, const struct option_value *value)
{
	struct request *request = to;

	request->llvm = !strcmp(value->arg, "LLVM");
	if (!request->llvm && strcmp(value->arg, "GNU") != 0)
		errx(1, "unknown output style `%s'", value->arg);
}

static void set_adjustment(void *to, const struct option_value *value)
{
	struct request *request = to;
	char *end;

	request->adjust = strtoull(value->arg, &end, 0);
	if (!*value->arg || *end)
		errx(1, "not a number `%s'", value->arg);
}

#define SETS(how, field) OPTION_MEMBER(how, struct request, field)

static const struct option_row rows[] = {
	{"-e, --exe=FILE", "Read the object file FILE (default a.out)", SETS(STORE_TEXT, file)},
	{"--obj=FILE", "Read the object file FILE (llvm-addr2line's -e)", SETS(STORE_TEXT, file)},
	{"-b, --target=BFDNAME", "Object file format; every ELF format is read",
		SETS(STORE_TEXT, target)},
	{"-j, --section=NAME", "Read addresses as offsets in section NAME",
		SETS(STORE_TEXT, section)},
	{"-a, --addresses", "Print addresses", SETS(STORE_TRUE, addresses)},
	{"-f, --functions", "Print function names", SETS(STORE_TRUE, functions)},
	{"-i, --inlines", "Print inlined functions", SETS(STORE_TRUE, inlines)},
	{"--no-inlines", "Print only the innermost function (default)", SETS(STORE_FALSE, inlines)},
	{"-p, --pretty-print", "Print one line per location", SETS(STORE_TRUE, pretty)},
	{"-s, --basenames", "Print file names without directories", SETS(STORE_TRUE, basenames)},
	{"--relativenames", "Print file names without their compilation directory",
		SETS(STORE_TRUE, symbolize.relative_names)},
	{"-C", "Demangle function names", SETS(STORE_TRUE, symbolize.demangle)},
	{"--demangle[=STYLE]", "Demangle function names; STYLE none leaves them as they are",
		.set = set_demangling},
	{"--no-demangle", "Print function names as they are in the file (default)",
		SETS(STORE_FALSE, symbolize.demangle)},
	{"-R, --recurse-limit", .doc = "Ignored: demangling is always limited"},
	{"-r, --no-recurse-limit", .doc = "Ignored: demangling is always limited"},
	{"-D, --debug-dir=DIR", "Search DIR for debug files before /usr/lib/debug",
		SETS(ADD_TEXT, symbolize.find.debug_dirs)},
	{"--debug-file-directory=DIR", "Search DIR for debug files (llvm-addr2line's --debug-dir)",
		SETS(ADD_TEXT, symbolize.find.debug_dirs)},
	{"--adjust-vma=N", "Look addresses up N lower (llvm-addr2line)", .set = set_adjustment},
	{"--dwp=FILE", "Read split debug info from the package FILE",
		SETS(STORE_TEXT, symbolize.package)},
	{"--output-style=STYLE", "Print as GNU (default) or LLVM (with columns)", .set = set_style},
	{"--format=addr2line", .doc = "Act as addr2line"},
	{"--reader=own", .set = option_set_reader},
	{.option = "-R, --recursion-limit"},
	{.option = "-r, --no-recursion-limit"},
	{"-H", .set = option_print_help},
	{"-v", .set = option_print_version},
	/* of eu-addr2line and llvm-addr2line */
	{.option = "-A, --absolute"},
	{"-k, --kernel", .instead = "-k ADDR"},
	{"-K, --offline-kernel[=RELEASE]", .instead = "-e vmlinux"},
	{"-M, --linux-process-map=FILE", .instead = "-p PID ADDR"},
	{"--pid=PID", .instead = "-p PID ADDR"},
	{"--core=FILE", .instead = "-e FILE ADDR"},
	{"--build-id=ID", .instead = "-b ID ADDR"},
	{"-F, --flags", .instead = "-e FILE --json ADDR"},
	{"-S, --symbols", .instead = "-e FILE ADDR"},
	{"-x, --symbols-sections", .instead = "-e FILE ADDR"},
	{"--verbose", .instead = "-e FILE --json ADDR"},
	{},
};

static const char *finish(void *to, char **words, size_t n)
{
	struct request *request = to;

	request->words = words;
	request->n_words = n;
	return NULL;
}

/*
 * Reads WORD as a symbol, with an optional offset. Returns false if it is an address by binutils'
 * rule: it begins with a digit, or with A to F but has no +. Otherwise a symbol ends at a blank or
 * +, and a C number after + is its offset. Words that no symbol begins with are addresses here too,
 * because perf often asks for "," and looking it up would be slow.
 */
static bool parse_symbol(struct scan word, char **name_ret, uint64_t *offset_ret)
{
	const char *start, *end;

	scan_blanks(&word);
	unsigned char c = scan_left(&word) ? (unsigned char)*word.at : '0';
	bool begins = isalpha(c) || c == '_' || c == '.' || c == '$' || c == '<' || c >= 0x80;
	if (!begins || (isxdigit(c) && !memchr(word.at, '+', scan_left(&word))))
		return false;
	for (start = end = word.at; end < word.end && !strchr(" \t\r\n+", *end);)
		end++;
	word.at = end;
	scan_blanks(&word);
	*offset_ret = 0;
	if (scan_char(&word, '+')) {
		auto_free char *number = xstrndup(word.at, scan_left(&word));

		*offset_ret = strtoull(number, NULL, 0);
	}
	*name_ret = xstrndup(start, (size_t)(end - start));
	return true;
}

/* Adds FRAME. DISCRIMINATOR is that of the innermost frame: binutils repeats it in its callers. */
static void add_frame(struct request *request, const struct frame *frame, uint32_t discriminator)
{
	struct text *out = &request->text;
	const char *file = frame->file ?: "??", *slash = strrchr(file, '/');

	if (request->functions) {
		text_add_string(out, frame->function ?: "??");
		text_add_string(out, request->pretty ? " at " : "\n");
	}
	text_add_string(out, request->basenames && slash ? slash + 1 : file);
	text_add_char(out, ':');
	if (request->llvm) {
		text_printf(out, "%u:%u\n", frame->line, frame->column);
		return;
	}
	if (frame->line)
		text_add_decimal(out, frame->line);
	else
		text_add_char(out, '?');
	if (frame->line && discriminator)
		text_printf(out, " (discriminator %u)", discriminator);
	text_add_char(out, '\n');
}

static void add_location(struct request *request, const struct location *location, uint64_t value)
{
	const struct frame *frames = location->frames;
	struct frame variable;

	if (!frames[0].function && !frames[0].file) {
		if (fixed_file_variable(request->fixed, value, &variable)) {
			add_frame(request, &variable, 0);
			return;
		}
		if (request->functions)
			text_add_string(&request->text, !request->pretty ? "??\n"
							: request->llvm	 ? "?? at "
									 : "?? ");
		text_add_string(&request->text, request->llvm ? "??:0:0\n" : "??:0\n");
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

/* Adds ADDRESS in hex, with at least DIGITS digits. vfprintf() took 6 % of a whole run. */
static void add_address(struct text *out, uint64_t address, int digits)
{
	int shift = 60;

	while (shift >= 4 * digits && !(address >> shift))
		shift -= 4;
	text_add_string(out, "0x");
	for (; shift >= 0; shift -= 4)
		text_add_char(out, "0123456789abcdef"[address >> shift & 15]);
}

static void answer_batch(struct request *request, const struct question *questions, size_t n)
{
	int digits = request->llvm ? 1 : fixed_file_is_64bit(request->fixed) ? 16 : 8;
	struct text *out = &request->text;

	request->samples.len = 0;
	array_each(question, questions, n) {
		const struct sample sample = {.pid = -1,
			.tid = -1,
			.user = {.state = STACK_PRESENT,
				.depth = 1,
				.values = &question->value,
				.exact = true}};

		vec_push(&request->samples, sample);
	}
	const struct trace *trace = symbolizer_batch(request->symbolizer, request->samples.data, n);
	array_each(question, questions, n) {
		size_t start = out->len;

		if (request->addresses) {
			add_address(out, question->address, digits);
			text_add_string(out, request->pretty ? ": " : "\n");
		}
		add_location(request, trace->user[0], question->value);
		if (request->llvm)
			text_add_char(out, '\n');
		request->answers.data[question->number] = (struct answer){start, out->len};
		trace++;
	}
}

/* Answers all questions: resolves them in order of address and prints them in the order asked. */
static void answer(struct request *request)
{
	size_t n = request->questions.len;

	if (!n)
		return;
	radix_sort(request->questions.data, n, sizeof(*request->questions.data));
	request->answers.len = 0;
	vec_reserve(&request->answers, n);
	request->answers.len = n;
	if (n > BATCH) {
		/* announce all addresses: each batch would decompress debug info again */
		auto_free uint64_t *values = xmalloc(n * sizeof(*values));

		for (size_t i = 0; i < n; i++)
			values[i] = request->questions.data[i].value;
		fixed_file_want(request->fixed, values, n);
	}
	for (size_t i = 0; i < n; i += BATCH)
		answer_batch(request, &request->questions.data[i], n - i < BATCH ? n - i : BATCH);
	vec_each(answer, &request->answers)
		fwrite(request->text.data + answer->start, 1, answer->end - answer->start, stdout);
	fflush(stdout);
	request->questions.len = 0;
	text_clear(&request->text);
}

/*
 * Finds a function or variable; of several functions the first in the table, as binutils does.
 * Returns false if there is none.
 */
static bool find_symbol(const struct request *request, const char *name, uint64_t *ret)
{
	struct symbol_addresses found = {};
	enum frame_status status =
		symbolizer_find_symbols(request->symbolizer, name, false, -1, &found);
	uint64_t n = found.all.len + found.more;

	vec_deinit(&found.all);
	if (n > 1)
		warnx("'%s' names %" PRIu64 " functions: 0x%" PRIx64 " is taken", name, n,
			fixed_file_shown(request->fixed, found.first));
	if (status != FRAME_NAMED)
		return fixed_file_find_variable(request->fixed, name, ret);
	*ret = found.first;
	return true;
}

/*
 * Asks for a symbol or an address. binutils reads blanks, then hex digits with or without 0x, and
 * ignores the rest. A word that begins with - is an unknown symbol there, and so 0.
 */
static void ask(struct request *request, struct scan word)
{
	struct question question = {UINT64_MAX, 0, request->questions.len};
	auto_free char *name = NULL;
	uint64_t offset;

	if (parse_symbol(word, &name, &offset)) {
		bool found = find_symbol(request, name, &question.value);

		question.value = found ? question.value + offset : 0;
		question.address = fixed_file_shown(request->fixed, question.value);
	} else {
		char number[LINE_MAX_BYTES + 1] = "";
		size_t len = scan_left(&word);

		memcpy(number, word.at, len < LINE_MAX_BYTES ? len : LINE_MAX_BYTES);
		scan_blanks(&word);
		question.address = scan_char(&word, '-') ? 0 : strtoull(number, NULL, 16);
		(void)fixed_file_address(request->fixed, request->section,
			question.address - request->adjust, true, &question.value);
	}
	vec_push(&request->questions, question);
}

/* Takes the next piece as binutils' fgets() does: up to the end of a line or LINE_MAX_BYTES. */
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

/*
 * Answers all input that can be read at once: a program that asks line by line gets each answer at
 * once, and a thousand lines are resolved in order of address.
 */
static void answer_stdin(struct request *request)
{
	struct pollfd input = {.fd = STDIN_FILENO, .events = POLLIN};
	auto_text struct text text = {};
	bool more;

	do {
		size_t start = text.len;
		ssize_t n;

		/* take what is ready; block only if nothing is */
		do {
			char chunk[1 << 16];

			n = read(STDIN_FILENO, chunk, sizeof(chunk));
			text_add(&text, chunk, n > 0 ? (size_t)n : 0);
		} while ((n < 0 && errno == EINTR) ||
			 (n > 0 && text.len < INPUT_MAX && poll(&input, 1, 0) > 0));
		more = n > 0 || text.len > start;
		struct scan rest = {text.data, text.data + text.len}, piece;
		while (next_piece(&rest, !more, &piece))
			ask(request, piece);
		vec_drop(&text, (size_t)(rest.at - text.data));
		answer(request);
	} while (more);
}

/* Prints why the file cannot be used, as binutils does, instead of ERROR, and exits. */
static void __attribute__((noreturn)) complain(const char *file, struct error *error)
{
	struct stat st;
	int errnum = stat(file, &st) ? errno : 0;

	error_destroy(error);
	if (errnum == ENOENT)
		errx(1, "'%s': No such file", file);
	if (!errnum && S_ISDIR(st.st_mode))
		errx(1, "Warning: '%s' is a directory", file);
	errx(1, "%s: file format not recognized", file);
}

int command_addr2line(int argc, char **argv)
{
	static const struct option_command command = {
		.args_doc = "[ADDR...]",
		.doc = "Convert addresses into file names and line numbers, as binutils addr2line "
		       "does.\vWithout ADDR, addresses are read from standard input, one per line.",
		.tables = {rows},
		.finish = finish,
	};
	static char output[OUTPUT];
	/* what it points to lives as long as the program */
	static struct request request = {
		.file = "a.out",
		.symbolize = {.find = {.proc_root = "/proc", .sys_root = "/sys"},
			.addresses_of_file = true,
			.lines = true,
			.names = NAMES_FULL,
			.qualify = QUALIFY_NEVER,
			.dwarf_names = true,
			.once = true,
			/* without -i the innermost is printed, inlined or not */
			.inlines = true},
	};
	struct symbolize_options *options = &request.symbolize;
	uint64_t start;

	argp_err_exit_status = 1;
	expandargv(&argc, &argv);
	unsetenv("DEBUGINFOD_URLS"); /* binutils downloads nothing either */
	option_parse(&command, argc, argv, &request);
	/* "elf64-x86-64", "default", or the triplet of an ELF machine */
	if (request.target && fnmatch(targets, request.target, FNM_EXTMATCH))
		errx(1, "%s: invalid bfd target", request.file);
	if (options->package && access(options->package, R_OK))
		err(1, "'%s'", options->package);
	vec_push(&options->find.debug_dirs, "/usr/lib/debug");
	vec_push(&options->files, request.file);
	struct error *error = symbolizer_create(options, &request.symbolizer);
	if (error)
		complain(request.file, error);
	request.fixed = symbolizer_fixed_file(request.symbolizer);
	if (request.section && fixed_file_address(request.fixed, request.section, 0, true,
				       &start) != SECTION_FOUND)
		errx(1, "%s: cannot find section %s", request.file, request.section);
	setvbuf(stdout, output, _IOFBF, sizeof(output));
	array_each(word, request.words, request.n_words)
		ask(&request, scan_of(*word));
	answer(&request);
	if (!request.n_words)
		answer_stdin(&request);
	if (fflush(stdout) || ferror(stdout))
		err(1, "standard output");
	return 0;
}
