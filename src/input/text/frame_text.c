// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_text.h"

#include <string.h>

#include "input/text/fault_text.h"

enum {
	NAME_MAX_LEN = 1024,  /* of a path or a symbol: what is looked at again for each number */
	BUILD_ID_DIGITS = 16, /* at least: fewer are rather a number */
};
#define KERNEL_MIN 0xff00000000000000ULL
#define USER_MIN 0x10000ULL
#define LOW_END (1ULL << 24)

static bool is_blank(char c)
{
	return c == ' ' || c == '\t';
}

static bool is_digit(char c)
{
	return c >= '0' && c <= '9';
}

static bool is_symbol(char c)
{
	return is_digit(c) || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' ||
	       c == '.' || c == '$' || (c & 0x80);
}

/* What no path in a line of text has, unless blanks are around it. */
static bool ends_path(char c)
{
	return (unsigned char)c <= ' ' || c == 0x7f || strchr("\"'`,;|<>=()[]{}", c);
}

/* Where the blanks before AT begin. */
static const char *before_blanks(const char *from, const char *at)
{
	while (at > from && is_blank(at[-1]))
		at--;
	return at;
}

/* The run of bytes before END, not before FROM, that STOPS does not end. */
static struct scan run_before(const char *from, const char *end, bool (*stops)(char))
{
	const char *at = end;

	while (at > from && end - at < NAME_MAX_LEN && !stops(at[-1]))
		at--;
	return (struct scan){at, end};
}

static bool is_no_symbol(char c)
{
	return !is_symbol(c);
}

/* A path that stands before END: with what is no part of it ("at:/usr/bin/x") cut off. */
static struct scan path_before(const char *from, const char *end)
{
	struct scan path = run_before(from, end, ends_path);

	for (const char *at = path.at; at + 1 < path.end; at++)
		if (*at == ':' && at[1] == '/')
			path.at = at + 1;
	return path;
}

/* "??", "n/a", "???", "<null>" and "[unknown]" say that there is none. */
static struct scan symbol_of(struct scan s)
{
	s = scan_trimmed(s);
	if (scan_equals(s, "??") || scan_equals(s, "???") || scan_equals(s, "n/a") ||
		scan_equals(s, "<null>") || scan_equals(s, "[unknown]"))
		s.at = s.end;
	return s;
}

/* The bytes of FROM up to AT end in WORD. */
static bool follows(const char *from, const char *at, const char *word)
{
	return scan_ends((struct scan){from, at}, word);
}

/* ---- the kernel ----------------------------------------------------------------------------- */

/* Where `[<ffff…>] ` begins that stands before AT; AT: there is none. */
static const char *before_bracketed(const char *from, const char *at)
{
	const char *end = before_blanks(from, at);

	if (!follows(from, end, ">]"))
		return at;
	const char *digits = run_before(from, end - 2, is_no_symbol).at;
	return follows(from, digits, "[<") ? digits - 2 : at;
}

/* `RIP: 0010:`; before Linux 4.9 `RIP `, `IP:` with `[<ffff…>] ` behind; `pc : `, `PC is at `; `WARNING: … at FILE:LINE ` */
static bool is_pc(const char *from, const char *at)
{
	const char *warning = scan_find((struct scan){from, at}, "WARNING: ");
	const char *before = before_bracketed(from, before_bracketed(from, at));

	before = before_blanks(from, before);
	if (follows(from, at, "pc : ") || follows(from, at, "PC is at ") ||
		follows(from, before, "IP:") || follows(from, before, "RIP") ||
		(warning && scan_find((struct scan){warning, at}, " at ")))
		return true;
	const char *selector = before - 5;
	return selector > from && before[-1] == ':' && scan_hex_digit(*selector) >= 0 &&
	       (follows(from, selector, "RIP: ") || follows(from, selector, "EIP: "));
}

/* `FILE:LINE` */
static bool is_place(struct scan word)
{
	struct scan file;
	uint64_t line;

	return scan_to(&word, ':', &file) && scan_left(&file) > 2 &&
	       (scan_first(file, '.') || scan_first(file, '/')) && scan_decimal(&word, &line);
}

/*
 * What stands behind a frame that others named already, or this program: ` FILE:LINE`, ` (FILE:LINE)`,
 * ` (NAME FILE:LINE)`, ` (NAME+0xOFFSET)`; and `@ FILE:LINE` at the end of BPF's.
 */
static bool has_line(struct scan rest)
{
	struct scan before = rest, behind = {}, word;

	(void)scan_cut_last(&before, '@', &behind);
	scan_blanks(&behind);
	if (scan_word(&behind, &word) && is_place(word))
		return true;
	scan_blanks(&rest);
	bool inner = scan_char(&rest, '(');
	if (!scan_word(&rest, &word))
		return false;
	if (is_place(word) || !inner)
		return is_place(word);
	if (scan_ends(word, ")") && scan_find(word, "+0x"))
		return true;
	scan_blanks(&rest);
	return scan_word(&rest, &word) && is_place(word);
}

/* ` [mod]`, perhaps with the module's build ID in it, or `[mod, and more` */
static void scan_module(struct scan *s, struct text_frame *frame)
{
	struct scan at = *s, word;

	if (!scan_literal(&at, " ["))
		return;
	word.at = at.at;
	while (scan_left(&at) && (is_symbol(*at.at) || *at.at == '-'))
		at.at++;
	word.end = at.at;
	if (!scan_left(&word))
		return;
	struct scan id = at;
	if (scan_char(&id, ' ')) {
		struct scan digits = {id.at, id.at};

		while (digits.end < id.end && scan_hex_digit(*digits.end) >= 0)
			digits.end++;
		if (scan_left(&digits) >= BUILD_ID_DIGITS &&
			build_id_parse(digits.at, scan_left(&digits), &frame->build_id))
			at.at = digits.end;
	}
	if (!scan_char(&at, ']'))
		return;
	frame->object = word;
	*s = at;
}

/* S is behind `SYMBOL+0xOFFSET`, at the slash. */
static bool scan_kernel(struct scan s, const char *from, const char *plus, struct text_frame *frame)
{
	struct scan symbol = run_before(from, plus, is_no_symbol);

	if (!scan_char(&s, '/') || !scan_prefixed_hex(&s, &frame->size) || !scan_left(&symbol) ||
		is_digit(*symbol.at) || frame->value > frame->size || !frame->size)
		return false;
	frame->text.at = symbol.at;
	frame->symbol = symbol;
	scan_module(&s, frame);
	frame->form = TEXT_KERNEL;
	frame->counts = TEXT_FROM_SYMBOL;
	frame->exact =
		!frame->value || is_pc(from, symbol.at); /* no call ends where a function begins */
	frame->unreliable = follows(from, symbol.at, "? ");
	frame->text.end = s.at;
	return true;
}

/* ---- files and offsets ---------------------------------------------------------------------- */

/* S is behind the offset of `PATH(SYMBOL+0xOFFSET) [0xADDR]`, at the parenthesis. */
static bool scan_glibc(struct scan s, const char *from, const char *plus, struct text_frame *frame)
{
	struct scan symbol = run_before(from, plus, ends_path);

	if (!scan_char(&s, ')') || symbol.at == from || symbol.at[-1] != '(')
		return false;
	struct scan path = path_before(from, symbol.at - 1);
	if (!scan_left(&path))
		return false;
	frame->form = TEXT_GLIBC;
	frame->counts = scan_left(&symbol) ? TEXT_FROM_SYMBOL : TEXT_FROM_LOAD;
	frame->symbol = symbol;
	frame->object = path;
	frame->sure = scan_bracketed_hex(&s, &frame->address) || scan_left(&symbol);
	frame->text = (struct scan){path.at, s.at};
	return true;
}

/* S is behind the offset of `[PATH+0xOFFSET]  SYMBOL+0xNUMBER`, at the bracket. */
static bool scan_java(struct scan s, const char *from, const char *plus, struct text_frame *frame)
{
	if (!scan_char(&s, ']'))
		return false;
	struct scan path = path_before(from, plus);
	if (!scan_left(&path) || path.at == from || path.at[-1] != '[')
		return false;
	frame->form = TEXT_JAVA;
	frame->counts = TEXT_FROM_LOAD;
	frame->object = path;
	frame->text = (struct scan){path.at - 1, s.at};
	struct scan symbol = scan_trimmed(s), number;
	uint64_t offset;

	if (symbol.at > s.at && scan_cut_last(&symbol, '+', &number) &&
		scan_all_prefixed_hex(number, &offset)) {
		frame->symbol = symbol;
		frame->text.end = number.end;
	}
	return true;
}

/* S is behind `PATH+0xOFFSET`. */
static bool scan_path(struct scan s, const char *from, const char *plus, struct text_frame *frame)
{
	uint64_t address;

	if (scan_left(&s) && !ends_path(*s.at))
		return false;
	struct scan path = path_before(from, plus);
	if (!scan_first(path, '/'))
		return false;
	frame->form = TEXT_PATH;
	frame->counts = TEXT_FROM_LOAD;
	frame->object = path;
	frame->sure = scan_bracketed_hex(&s, &address);
	frame->text = (struct scan){path.at, s.at};
	return true;
}

/* `[BUILDID]@0xSTART+0xOFFSET` of eu-stack -b, which took one off what is a return address. */
static bool scan_module_start(
	struct scan s, const char *from, const char *plus, struct text_frame *frame)
{
	const char *at = plus;
	uint64_t start;

	while (at > from && scan_hex_digit(at[-1]) >= 0)
		at--;
	if (!follows(from, at, "@0x"))
		return false;
	if (!scan_all_prefixed_hex((struct scan){at - 2, plus}, &start))
		return false;
	const char *close = run_before(from, at - 3, ends_path).at;
	const char *open = scan_last((struct scan){from, close}, '[');
	if (!open || close[-1] != ']' ||
		!build_id_parse(open + 1, (size_t)(close - 1 - (open + 1)), &frame->build_id))
		return false;
	frame->form = TEXT_EU_STACK;
	frame->counts = TEXT_FROM_LOAD;
	frame->object = (struct scan){close, at - 3};
	frame->exact = true;
	frame->text = (struct scan){open, s.at};
	return true;
}

/* ---- `#N 0xADDR …` -------------------------------------------------------------------------- */

/* Takes `(…)`, which has a blank before it, off the end of S. */
static bool cut_parentheses(struct scan *s, struct scan *inner_ret)
{
	struct scan before = *s;

	if (!scan_ends(*s, ")") || !scan_cut_last(&before, '(', inner_ret) ||
		(scan_left(&before) && !is_blank(before.end[-1])))
		return false;
	inner_ret->end--;
	*s = before;
	return true;
}

/* `NAME SEPARATOR 0xOFFSET`, and nothing else. */
static bool split_offset(struct scan s, const char *separator, struct text_frame *frame)
{
	const char *plus = scan_last(s, '+');
	const char *at = plus && *separator == ' ' && plus > s.at ? plus - 1 : plus;
	struct scan number = {at, s.end};

	if (!at || at == s.at || !scan_literal(&number, separator) ||
		!scan_all_prefixed_hex(number, &frame->value))
		return false;
	frame->object = (struct scan){s.at, at};
	return true;
}

/* S ends in `SYMBOL (PATH+0xOFFSET) (BuildId: 4fa9…)`; SYMBOL is left of it. */
static bool cut_sanitizer(struct scan *s, struct text_frame *frame)
{
	struct scan at = *s, inner;

	if (!cut_parentheses(&at, &inner))
		return false;
	if (scan_literal(&inner, "BuildId: ")) {
		if (!build_id_parse(inner.at, scan_left(&inner), &frame->build_id))
			return false;
		at = scan_trimmed(at);
		if (!cut_parentheses(&at, &inner))
			return false;
	}
	if (!split_offset(inner, "+", frame))
		return false;
	s->end = at.end;
	return true;
}

/* S ends in `SYMBOL (NAME + 0xOFFSET)`. */
static bool cut_systemd(struct scan *s, struct text_frame *frame)
{
	struct scan at = *s, inner;

	if (!cut_parentheses(&at, &inner) || !split_offset(inner, " + ", frame))
		return false;
	s->end = at.end;
	return true;
}

/* gdb's ` in ?? () from PATH`, S behind ` in `. */
static bool scan_gdb(struct scan *s, struct text_frame *frame)
{
	struct scan at = *s;

	if (!scan_literal(&at, "?? ()"))
		return false;
	if (scan_literal(&at, " from ")) {
		frame->object = scan_trimmed(at);
		at.at = at.end;
	}
	*s = at;
	return true;
}

/* eu-stack's `- 1`, ` - PATH`: no name. */
static bool scan_eu_stack(struct scan *s, struct text_frame *frame)
{
	struct scan at = *s;

	scan_blanks(&at);
	if (scan_literal(&at, "- 1"))
		scan_blanks(&at);
	if (scan_literal(&at, "- ")) {
		if (!scan_left(&at) || *at.at != '/')
			return false;
		frame->object = scan_trimmed(at);
		at.at = at.end;
	}
	if (scan_left(&at))
		return false;
	*s = at;
	return true;
}

/* S is behind `#NUMBER  0xADDR`: what follows is all of the frame. */
static bool scan_numbered(struct scan s, uint64_t number, struct text_frame *frame)
{
	const char *end = s.at;

	s = scan_trimmed(s);
	bool in = scan_literal(&s, "in ");
	const struct scan all = s;
	if (cut_sanitizer(&s, frame)) {
		frame->form = TEXT_SANITIZER;
		frame->counts = TEXT_FROM_LOAD;
		frame->sure = true;
		frame->symbol = symbol_of(s);
	} else if (!in && cut_systemd(&s, frame)) {
		frame->form = TEXT_SYSTEMD;
		frame->counts = TEXT_FROM_LOAD;
		frame->symbol = symbol_of(s);
	} else if (in ? scan_gdb(&s, frame) : scan_eu_stack(&s, frame)) {
		frame->form = in ? TEXT_GDB : TEXT_EU_STACK;
		frame->counts = TEXT_ADDRESS;
		frame->value = frame->address;
	} else {
		return false;
	}
	/* Sanitizers took one off what is a return address. */
	frame->exact = number == 0 || frame->form == TEXT_SANITIZER;
	frame->text = scan_left(&all) ? all : (struct scan){end, end};
	return true;
}

/* TSan's `#1 main <null> (prog+0xd4421) (BuildId: 4fa9…)`, without an address. */
static bool scan_tsan(struct scan part, struct text_frame *frame)
{
	struct scan line = scan_trimmed(part), no_line;
	uint64_t number;

	if (!scan_char(&line, '#') || !scan_decimal(&line, &number) ||
		!scan_find(line, " <null> (") || !scan_numbered(line, number, frame))
		return false;
	(void)scan_cut_last(&frame->symbol, ' ', &no_line);
	frame->symbol = symbol_of(frame->symbol);
	return true;
}

/* ---- addresses ------------------------------------------------------------------------------ */

/* `#N  ` before AT. */
static bool number_before(const char *from, const char *at, uint64_t *ret)
{
	const char *digits;

	if (at == from || !is_blank(at[-1]))
		return false;
	at = before_blanks(from, at);
	for (digits = at; digits > from && is_digit(digits[-1]);)
		digits--;
	return digits > from && digits[-1] == '#' &&
	       scan_all_decimal((struct scan){digits, at}, ret);
}

/* `BUILDID 0xOFFSET`: AT is at the offset, END behind it. */
static bool scan_build_id(struct scan s, const char *from, const char *at, struct text_frame *frame)
{
	if (at - from < BUILD_ID_DIGITS + 1 || at[-1] != ' ')
		return false;
	struct scan id = run_before(from, at - 1, is_no_symbol);

	if (scan_left(&id) < BUILD_ID_DIGITS || (id.at > from && !is_blank(id.at[-1])) ||
		!build_id_parse(id.at, scan_left(&id), &frame->build_id))
		return false;
	frame->form = TEXT_BUILD_ID;
	frame->counts = TEXT_FROM_FILE;
	frame->text = (struct scan){id.at, s.at};
	return true;
}

/* An address that is the last of its line: the kernel's behind a time or so, or the only word. */
static bool scan_alone(struct scan s, const char *from, const char *at, struct text_frame *frame)
{
	const char *before = before_blanks(from, at);

	frame->text = (struct scan){at, s.at};
	scan_blanks(&s);
	if (scan_left(&s) || (at > from && before == at) || frame->value < USER_MIN)
		return false;
	if (before > from && (frame->value < KERNEL_MIN || before[-1] != ']'))
		return false;
	frame->form = TEXT_ALONE;
	frame->counts = TEXT_ADDRESS;
	frame->address = frame->value;
	return true;
}

/* Valgrind's `by 0x10914C: ??? (in PATH)`, which took one off what is a return address. */
static bool scan_valgrind(struct scan s, const char *from, const char *at, struct text_frame *frame)
{
	if ((!follows(from, at, " at ") && !follows(from, at, " by ")) ||
		!scan_literal(&s, ": ??? (in "))
		return false;
	scan_cut_end(&s, ' ');
	if (!scan_starts(s, "/") || !scan_ends(s, ")"))
		return false;
	frame->form = TEXT_VALGRIND;
	frame->counts = TEXT_ADDRESS;
	frame->address = frame->value;
	frame->object = (struct scan){s.at, s.end - 1};
	frame->exact = true;
	frame->text = (struct scan){at, s.end};
	return true;
}

/* Whether AT is where the Go runtime (signal_unix.go, traceback.go) prints an instruction's address as it dies. */
static bool is_go_pc(struct scan behind, const char *from, const char *at)
{
	struct scan line = {from, at};

	if (scan_literal(&line, "[signal "))
		return follows(from, at, " pc=") && follows(behind.at, behind.end, "]");
	if (scan_equals(line, "PC="))
		return scan_literal(&behind, " m=");
	if (scan_literal(&line, "runtime: "))
		return follows(line.at, at, "unknown pc ") && !scan_left(&behind);
	return scan_equals(line, "non-Go function at pc=") && !scan_left(&behind);
}

/* `PC=0x47b2c3 m=0 sigcode=0`: Go would look up that very address, too. */
static bool scan_go(struct scan s, const char *from, const char *at, struct text_frame *frame)
{
	if (frame->value < USER_MIN || frame->value >= KERNEL_MIN || !is_go_pc(s, from, at))
		return false;
	frame->text = (struct scan){at, s.at};
	frame->form = TEXT_ALONE;
	frame->counts = TEXT_ADDRESS;
	frame->address = frame->value;
	frame->exact = true;
	return true;
}

/* `PATH() [0xADDR]` or `PATH[0xADDR]`: AT is at the bracket, S behind the address. */
static bool scan_fixed(struct scan s, const char *from, const char *at, struct text_frame *frame)
{
	if (!scan_char(&s, ']'))
		return false;
	at = before_blanks(from, at);
	bool parentheses = follows(from, at, "()");
	if (!parentheses && (at == from || is_blank(*at)))
		return false;
	struct scan path = path_before(from, at - (parentheses ? 2 : 0));
	if (!scan_left(&path) || (!parentheses && !scan_first(path, '/')))
		return false;
	frame->form = TEXT_GLIBC;
	frame->counts = TEXT_FROM_LOAD;
	frame->object = path;
	frame->sure = true;
	frame->address = frame->value;
	frame->text = (struct scan){path.at, s.at};
	return true;
}

/* `56335aa1816b spin_leaf+0x9 (/usr/bin/chain+0x116b)`: perf script -F +dsoff; PLUS is where it says, S behind it. */
static bool scan_perf_offset(
	struct scan part, struct scan s, const char *plus, struct text_frame *frame)
{
	struct scan line = scan_trimmed(part), inner;
	uint64_t address;

	if (line.end - s.at != 1 || !scan_hex(&line, &address) || !scan_literal(&line, " "))
		return false;
	frame->text = line;
	if (!cut_parentheses(&line, &inner) || !scan_starts(inner, "/"))
		return false;
	frame->form = TEXT_PERF;
	frame->counts = TEXT_FROM_FILE;
	frame->object = (struct scan){inner.at, plus};
	frame->sure = true;
	line = scan_trimmed(line);
	(void)scan_cut_last(&line, '+', &inner);
	frame->symbol = symbol_of(line);
	return true;
}

/* The frame whose `0x` stands at AT. */
static bool scan_at(struct scan part, const char *at, struct text_frame *frame)
{
	const char *from = part.at;
	struct scan s = {at, part.end};
	uint64_t number;

	*frame = (struct text_frame){.pid = -1};
	if (!scan_prefixed_hex(&s, &frame->value))
		return false;
	char before = at > from ? at[-1] : '\n';
	if (before == '+') {
		const char *plus = at - 1;

		return scan_tsan(part, frame) || scan_kernel(s, from, plus, frame) ||
		       scan_glibc(s, from, plus, frame) || scan_java(s, from, plus, frame) ||
		       scan_perf_offset(part, s, plus, frame) ||
		       scan_module_start(s, from, plus, frame) || scan_path(s, from, plus, frame);
	}
	if (before == '[')
		return scan_fixed(s, from, at - 1, frame);
	if (before == '=')
		return scan_go(s, from, at, frame);
	if (number_before(from, at, &number)) {
		frame->address = frame->value;
		return scan_numbered(s, number, frame);
	}
	return scan_go(s, from, at, frame) || scan_valgrind(s, from, at, frame) ||
	       scan_build_id(s, from, at, frame) || scan_alone(s, from, at, frame);
}

/* ---- without 0x ----------------------------------------------------------------------------- */

/*
 * perf before 6.10 or so prints user frames as offsets in the file. Nothing is mapped below mmap_min_addr, and no
 * library so low as its first 16 MiB.
 */
static bool is_perf_offset(struct scan object, uint64_t value)
{
	return scan_starts(object, "/") &&
	       (value < USER_MIN || (value < LOW_END && scan_find(object, ".so")));
}

/* `7f11c8a0b139 [unknown] (/path)`, alone in its line. */
static bool scan_perf(struct scan part, struct text_frame *frame)
{
	struct scan s = scan_trimmed(part);

	*frame = (struct text_frame){.form = TEXT_PERF, .counts = TEXT_ADDRESS, .pid = -1};
	if (!scan_hex(&s, &frame->value) || !scan_literal(&s, " ") || scan_left(&s) < 12)
		return false;
	frame->text = s;
	if (!scan_literal(&s, "[unknown] (") || s.end[-1] != ')')
		return false;
	frame->address = frame->value;
	frame->object = (struct scan){s.at, s.end - 1};
	if (scan_equals(frame->object, "[unknown]"))
		frame->object.at = frame->object.end;
	if (is_perf_offset(frame->object, frame->value)) {
		frame->counts = TEXT_FROM_FILE;
		frame->address = 0;
		frame->sure = true;
	}
	return true;
}

bool frame_text_next(struct scan *part, struct text_frame *ret)
{
	const char *at = part->at;
	struct text_frame frame;

	while ((at = at < part->end ? memchr(at, 'x', (size_t)(part->end - at)) : NULL)) {
		at++;
		if (at - part->at < 2 || at[-2] != '0' || !scan_at(*part, at - 2, &frame))
			continue;
		if (has_line((struct scan){frame.text.end, part->end})) {
			part->at = frame.text.end;
			at = part->at;
			continue;
		}
		*ret = frame;
		part->at = frame.text.end;
		return true;
	}
	if ((!scan_perf(*part, &frame) && !fault_text_scan(*part, &frame)) ||
		has_line((struct scan){frame.text.end, part->end}))
		return false;
	*ret = frame;
	part->at = part->end;
	return true;
}
