// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/text/frame_text.h"

#include <stdlib.h>
#include <string.h>

#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* ---- the table ------------------------------------------------------------------------------- */

/* Building blocks of patterns. Repetitions are bounded, to limit backtracking in hostile lines. */
#define HEX "[0-9a-fA-F]{1,16}+"
#define USER "0*[1-9a-f][0-9a-f]{4,14}" /* a possible user address */
#define B "[ \\t]"			/* a blank */
#define END "(?=[ \\t]*$)"		/* only blanks follow */
#define ID(digits) "(?<build_id>[0-9a-fA-F]{" digits "}+)"
#define SYM "[\\w.$\\x80-\\xff]"
#define KERNEL                                                                                     \
	"(?<!" SYM ")(?<symbol>(?!\\d)" SYM "{1,1024}+)\\+0x(?<offset>" HEX ")/0x(?<size>" HEX ")" \
	"( \\[(?<module>[\\w.$\\x80-\\xff-]+)( " ID("16,128") ")?\\])?"
/*
 * The bytes of paths in a line, and where a path may begin: not inside another path, but after a
 * colon, as in `at:/usr/bin/x`.
 */
#define PATH_BUT(more) "[^\\x00-\\x20\\x7f\"'`,;|<>=()\\[\\]{}" more "]"
#define PATH PATH_BUT("")
#define PATH_START "((?<!" PATH ")|(?<=:)(?=/))"
#define PATH_RUN PATH_BUT(":+") "{0,1024}+"
#define OBJECT "(?<object>(?=" PATH ")(?!\\+0x)" PATH_RUN "((:(?!/)|\\+(?!0x))" PATH_RUN "){0,30}+)"
#define HAS_SLASH "(?=" PATH_BUT("/") "{0,1023}+/)"
#define NUMBER "#((?<exact>0)|\\d{1,9})" B "+" /* number of a frame; frame 0 has an exact address */
#define NUMBER_ADDRESS NUMBER "0x(?<address>" HEX ")(?=" B "|$)"
#define INNER "\\((?<object>[^()]{1,1024}?)" /* in the last parentheses */

static const struct text_form table[] = {
	{"kernel-bracketed", "<",
		"(?<exact>(IP:|RIP|[RE]IP: [0-9a-f]{4}:)" B "*(\\[<[0-9a-f]{1,16}>\\]" B
		"*){1,2})\\K" KERNEL,
		TEXT_KERNEL, "RIP: 0010:[<ffffffff81000000>]  [<ffffffff81000000>] func+0x8/0x10",
		"{func+0x8/0x10} exact symbol 0x8/0x10 symbol=func;"},
	{"kernel-warning", "WARNING: ", "WARNING: .{0,200}? at ([^ ]{1,200} )?\\K(?<exact>)" KERNEL,
		TEXT_KERNEL, "WARNING: CPU: 0 PID: 1 at lib/x.c:12 func+0x8/0x10",
		"{func+0x8/0x10} exact symbol 0x8/0x10 symbol=func;"},
	{"kernel", "+0x",
		"(?<!" SYM ")(?=" SYM "{1,1024}+\\+0x)((?<unreliable>(?<=\\? ))|"
		"(?<exact>(?<=pc : |PC is at |RIP |IP:|IP: |[RE]IP: [0-9a-f]{4}:)))?+" KERNEL,
		TEXT_KERNEL, "RIP: 0010:func+0x1a/0x40 [mod]",
		"{func+0x1a/0x40 [mod]} exact symbol 0x1a/0x40 symbol=func object=mod;"},
	{"glibc", "+0x",
		PATH_START OBJECT "\\((?<sure>)(?<symbol>" PATH "{1,1024}?)\\+0x(?<offset>" HEX
				  ")\\)(" B "*\\[0x(?<address>" HEX ")\\])?",
		TEXT_GLIBC, "./a.out(main+0x1f)[0x55d0c8a0b15f]",
		"{./a.out(main+0x1f)[0x55d0c8a0b15f]} symbol 0x1f symbol=main object=./a.out sure;"},
	/* before glibc-offset: the function of code without symbols may be `+0x0` */
	{"strace", ") [0x",
		"^ *> (?<sure>)\\K" OBJECT "\\((\\+0x0)?\\) \\[0x(?<file_offset>" HEX ")\\]" END,
		TEXT_PATH, " > /usr/bin/prog() [0x1141]",
		"{/usr/bin/prog() [0x1141]} file 0x1141 object=/usr/bin/prog sure;"},
	{"glibc-offset", "(+0x",
		PATH_START OBJECT "\\(\\+0x(?<load_offset>" HEX ")\\)((?<sure>)" B
				  "*\\[0x(?<address>" HEX ")\\])?",
		TEXT_GLIBC, "./a.out(+0x1139) [0x55d0c8a0b139]",
		"{./a.out(+0x1139) [0x55d0c8a0b139]} load 0x1139 object=./a.out sure;"},
	{"glibc-fixed", "[0x",
		PATH_START OBJECT "\\(\\)" B "*\\[0x(?<sure>)(?<load_offset>" HEX ")\\]",
		TEXT_GLIBC, "./a.out() [0x401136]",
		"{./a.out() [0x401136]} load 0x401136 object=./a.out sure;"},
	{"glibc-fixed-fd", "[0x",
		PATH_START HAS_SLASH OBJECT "\\[0x(?<sure>)(?<load_offset>" HEX ")\\]", TEXT_GLIBC,
		"./a.out[0x401136]", "{./a.out[0x401136]} load 0x401136 object=./a.out sure;"},
	{"java", "+0x",
		"\\[" OBJECT "\\+0x(?<load_offset>" HEX ")\\]"
		"(" B "+(?<symbol>[^ \\t].{0,2000})\\+0x" HEX END ")?",
		TEXT_JAVA, "V  [libjvm.so+0x9d]  f(int)+0x21",
		"{[libjvm.so+0x9d]  f(int)+0x21} load 0x9d symbol=f(int) object=libjvm.so;"},
	{"perf-offset", "+0x",
		"^" B "*[0-9a-f]{1,16}+ \\K(?<sure>)((?<symbol>[^ \\t].{0,2000}?)"
		"(\\+0x" HEX ")?" B "+)?\\((?<object>/[^()]{1,4096}?)\\+0x(?<file_offset>" HEX
		")\\)" END,
		TEXT_PERF, "\t 56335aa1816b spin_leaf+0x9 (/usr/bin/chain+0x116b)",
		"{spin_leaf+0x9 (/usr/bin/chain+0x116b)} file 0x116b symbol=spin_leaf object=/usr/bin/chain "
		"sure;"},
	{"eu-stack-build-id", "]@0x",
		"\\[" ID("2,128") "\\](?<exact>)(?<object>" PATH "{0,1024}?)@0x" HEX
				  "\\+0x(?<load_offset>" HEX ")",
		TEXT_EU_STACK, "  [4fa9000000000000]@0x55fa93901000+0x11c4",
		"{[4fa9000000000000]@0x55fa93901000+0x11c4} exact load 0x11c4 id=4fa9000000000000;"},
	{"path", "+0x",
		PATH_START HAS_SLASH OBJECT "\\+0x(?<load_offset>" HEX ")(?!" PATH ")"
					    "(?<sure>(?=" B "*\\[0x" HEX "\\]))?",
		TEXT_PATH, "/path/lib.so+0x1234",
		"{/path/lib.so+0x1234} load 0x1234 object=/path/lib.so;"},
	{"tsan", "<",
		"#\\d{1,9}" B "++(?!0x)\\K(?<exact>)(?<sure>)(?<symbol>.{0,2000}?) ?<null> " INNER
		"\\+0x(?<load_offset>" HEX ")\\)( \\(BuildId: " ID("2,128") "\\))?" END,
		TEXT_SANITIZER, "    #1 main <null> (prog+0xd4421) (BuildId: 4fa9000000000000)",
		"{main <null> (prog+0xd4421) (BuildId: 4fa9000000000000)} exact load 0xd4421 symbol=main "
		"object=prog id=4fa9000000000000 sure;"},
	{"sanitizer", "#",
		"#\\d{1,9}" B "+0x(?<address>" HEX ")(?=" B ")" B "*+(in )?+\\K(?<exact>)(?<sure>)"
		"(?<symbol>.{0,2000}?)(?<![^ \\t])" INNER "\\+0x(?<load_offset>" HEX ")\\)"
		"(" B "*\\(BuildId: " ID("2,128") "\\))?" END,
		TEXT_SANITIZER,
		"    #1 0x55d0c8a0b139 in f(int) (/p+0x1280) (BuildId: 4fa9000000000000)",
		"{f(int) (/p+0x1280) (BuildId: 4fa9000000000000)} exact load 0x1280 symbol=f(int) "
		"object=/p id=4fa9000000000000 sure;"},
	{"systemd", " + 0x",
		NUMBER_ADDRESS B "*+(?!in )\\K(?<symbol>.{0,2000}?)(?<![^ \\t])" INNER
				 " \\+ 0x(?<load_offset>" HEX ")\\)" END,
		TEXT_SYSTEMD, "#1  0x00007f11c8a0b139 n/a (lib.so + 0x1139)",
		"{n/a (lib.so + 0x1139)} load 0x1139 object=lib.so;"},
	{"android", " pc 0",
		"#\\d{1,4} pc (?<load_offset>" HEX
		")  \\K(?<exact>)(?<sure>)(?<object>/[^ ]{1,4096}+)"
		"( \\(offset 0x" HEX "\\))?( \\((?<symbol>.{1,2000}?)\\+\\d{1,9}\\))?"
		"( \\(BuildId: " ID("2,128") "\\))?" END,
		TEXT_SANITIZER,
		"  #01 pc 0000000000054d68  /lib64/libc.so (abort+164) (BuildId: 4fa9000000000000)",
		"{/lib64/libc.so (abort+164) (BuildId: 4fa9000000000000)} exact load 0x54d68 symbol=abort "
		"object=/lib64/libc.so id=4fa9000000000000 sure;"},
	{"gdb", "?",
		NUMBER_ADDRESS B "*in \\K\\?\\? \\(\\)( from (?<object>[^ \\t].{0,4095}?))?" END,
		TEXT_GDB, "#1  0x00007f11c8a0b139 in ?? () from /lib/x",
		"{?? () from /lib/x} address 0x7f11c8a0b139 object=/lib/x;"},
	{"eu-stack", "#",
		NUMBER_ADDRESS "\\K(" B "+\\K(?=-))?(- 1)?(" B "*- (?<object>/.{0,4095}?))?" END,
		TEXT_EU_STACK, "#1  0x00007f11c8a0b139 - 1 - /path",
		"{- 1 - /path} address 0x7f11c8a0b139 object=/path;"},
	{"valgrind", "?",
		"(?<= at | by )0x(?<exact>)(?<address>" HEX
		"): \\?\\?\\? \\(in (?<object>/.{0,4095}?)\\)(?= *$)",
		TEXT_VALGRIND, "==12==    by 0x10914C: ??? (in /path)",
		"{0x10914C: ??? (in /path)} exact address 0x10914c object=/path;"},
	{"boost", "# 0x", "^ *\\d{1,4}# \\K0x(?<address>" HEX ") in (?<object>.{1,4096}?)" END,
		TEXT_PATH, " 1# 0x000055D0C8A0B139 in ./a.out",
		"{0x000055D0C8A0B139 in ./a.out} address 0x55d0c8a0b139 object=./a.out;"},
	{"abseil", "unknown",
		"((?<exact>PC: )| )@ +\\K0x(?<address>" HEX
		")( +(\\d{1,9}|\\(unknown\\)))? +\\(unknown\\)" END,
		TEXT_PATH, "    @     0x55d0c8a0b139         32  (unknown)",
		"{0x55d0c8a0b139         32  (unknown)} address 0x55d0c8a0b139;"},
	{"rust", "unknown", "^ *\\d{1,4}: +\\K0x(?<address>" HEX ") - <unknown>" END, TEXT_PATH,
		"   5:     0x55d0c8a0b139 - <unknown>",
		"{0x55d0c8a0b139 - <unknown>} address 0x55d0c8a0b139;"},
	{"go-signal", "pc=0x", "^\\[signal .{0,500} pc=\\K0x(?<exact>)(?<address>" USER ")(?=\\]$)",
		TEXT_ALONE,
		"[signal SIGSEGV: segmentation violation code=0x80 addr=0x0 pc=0x47b2c3]",
		"{0x47b2c3} exact address 0x47b2c3;"},
	{"go", "0x",
		"^(PC=(?=0x[0-9a-f]+ m=)|(runtime: .{0,500}unknown pc |non-Go function at pc=)(?=0x[0-9a-f]+$))"
		"\\K0x(?<exact>)(?<address>" USER ")",
		TEXT_ALONE, "runtime: g 0: unknown pc 0x7f11c8a0b139",
		"{0x7f11c8a0b139} exact address 0x7f11c8a0b139;"},
	{"build-id", " 0x", "(?<![^ \\t])" ID("16,128") " 0x(?<file_offset>" HEX ")", TEXT_BUILD_ID,
		"4fa9000000000000 0x1139",
		"{4fa9000000000000 0x1139} file 0x1139 id=4fa9000000000000;"},
	{"alone", "0x", "^" B "*\\K0x(?<address>" USER "[0-9a-f]?)" END, TEXT_ALONE,
		"  0x7f2435651000", "{0x7f2435651000} address 0x7f2435651000;"},
	{"kernel-alone", " 0xff", "\\]" B "+\\K0x(?<address>[fF]{2}[0-9a-fA-F]{14})" END,
		TEXT_ALONE, "[   12.345678]  0xffffffff81234567",
		"{0xffffffff81234567} address 0xffffffff81234567;"},
	/*
	 * File offsets, as printed by perf before 6.10. Such low numbers are not addresses: nothing
	 * is mapped below mmap_min_addr, and no library in the first 16 MiB.
	 */
	{"perf-low", "unknown",
		"^" B
		"*(?<file_offset>0{0,15}([0-9a-f]{1,4}|[0-9a-f]{1,6}(?=.*\\.so))) \\K(?<sure>)"
		"\\[unknown\\] \\((?<object>/.{0,4095})\\)" END,
		TEXT_PERF, "\t  1139 [unknown] (/path)",
		"{[unknown] (/path)} file 0x1139 object=/path sure;"},
	{"perf", "unknown",
		"^" B
		"*(?<address>[0-9a-f]{1,16}+) \\K\\[unknown\\] \\((\\[unknown\\]|(?<object>.{1,4096}))\\)" END,
		TEXT_PERF, "\t    7f11c8a0b139 [unknown] (/path)",
		"{[unknown] (/path)} address 0x7f11c8a0b139 object=/path;"},
	{"fault", " error",
		"(\\[(?<pid>\\d{1,9})\\][^\\[]{0,200}?)? ip[ :](?<exact>)(?<address>[0-9a-f]{1,16}+).{0,200}? error"
		".{0,100}? in \\K(?<object>[^\\[]{1,1024})\\[((?<file_offset>" HEX
		"),)?(?<start>" HEX ")\\+(?<size>" HEX ")\\]",
		TEXT_FAULT,
		"p[25]: segfault at 8 ip 55d9005f51a8 sp 7f error 6 in p[11a8,55d9005f5000+1000]",
		"{p[11a8,55d9005f5000+1000]} exact file 0x11a8/0x1000 object=p pid=25;"},
};

/*
 * What follows a frame that is already resolved: FILE:LINE, (NAME FILE:LINE), (NAME+0xOFFSET), or
 * … @ FILE:LINE.
 */
#define LINE "(?=[^ \\t:]*[./])[^ \\t:]{3,}:\\d"
static const char line_pattern[] =
	"\\G(" B "*(\\(?" LINE "|\\([^ \\t]{1,4096}+" B "+" LINE
	"|\\([^ \\t]{0,4096}\\+0x[^ \\t]{0,4096}\\)(" B "|$))|.{0,1024}@" B "*" LINE ")";

const struct text_form *forms_table(size_t *n_ret)
{
	*n_ret = array_len(table);
	return table;
}

/* ---- patterns -------------------------------------------------------------------------------- */

struct literal {
	const char *text;
	size_t len, x; /* X: offset of the x of `0x` in TEXT; 0: none */
};

struct compiled_form {
	struct text_form form;
	struct pattern pattern;
	uint32_t literal; /* bit of its literal; 0: none */
};

struct forms {
	struct matcher *matcher;
	struct VEC(struct compiled_form) all; /* users' forms first, then the table */
	size_t n_own;
	struct VEC(struct literal) literals; /* each once */
	struct pattern line;
	struct VEC(struct compiled_form *) active; /* may match in the part, ordered as ALL */
	struct scan part;
	const char *at; /* where the search for the next match begins */
};

struct forms *forms_create(void)
{
	struct forms *forms = xnew(forms);

	forms->matcher = matcher_create();
	forms->line.text = line_pattern;
	for (size_t i = 0, bit = 0; i < array_len(table); i++, bit = 0) {
		const char *text = table[i].literal, *x = strstr(text, "0x");

		while (bit < forms->literals.len &&
			strcmp(forms->literals.data[bit].text, text) != 0)
			bit++;
		if (bit == forms->literals.len)
			vec_push(&forms->literals, (struct literal){text, strlen(text),
							   x ? (size_t)(x + 1 - text) : 0});
		vec_push(&forms->all, (struct compiled_form){.form = table[i],
					      .pattern = {.text = table[i].pattern},
					      .literal = 1U << bit});
	}
	return forms;
}

void forms_destroy(struct forms *forms)
{
	if (!forms)
		return;
	vec_each(form, &forms->all)
		pattern_deinit(&form->pattern);
	vec_deinit(&forms->all);
	vec_deinit(&forms->active);
	vec_deinit(&forms->literals);
	pattern_deinit(&forms->line);
	matcher_destroy(forms->matcher);
	free(forms);
}

/* ---- users' patterns ------------------------------------------------------------------------- */

static struct error *check_groups(const struct pattern *pattern, const char *where)
{
	const uint32_t *groups = pattern->groups;
	bool in_object =
		groups[GROUP_LOAD_OFFSET] || groups[GROUP_FILE_OFFSET] || groups[GROUP_START];

	if (!in_object && !groups[GROUP_OFFSET] && !groups[GROUP_ADDRESS])
		return error_create(ERROR_USAGE,
			"%s: the pattern needs a group with the number of the frame: (?<address>…), "
			"(?<offset>…), (?<load_offset>…) or (?<file_offset>…)",
			where);
	if (in_object && !groups[GROUP_OBJECT] && !groups[GROUP_BUILD_ID])
		return error_create(ERROR_USAGE,
			"%s: an offset in a file needs the file: a group (?<object>…) or (?<build_id>…)",
			where);
	if (groups[GROUP_START] && (!groups[GROUP_ADDRESS] || !groups[GROUP_SIZE]))
		return error_create(ERROR_USAGE,
			"%s: (?<start>…) of a mapping needs (?<size>…) and (?<address>…)", where);
	if (groups[GROUP_OFFSET] && !groups[GROUP_SYMBOL])
		return error_create(
			ERROR_USAGE, "%s: (?<offset>…) needs the group (?<symbol>…)", where);
	return NULL;
}

struct error *forms_add(struct forms *forms, const char *where, const char *text)
{
	struct compiled_form form = {
		.form = {.name = "own", .form = TEXT_OWN}, .pattern = {.text = text}};
	struct error *error = pattern_compile(forms->matcher, where, &form.pattern);

	if (!error)
		error = check_groups(&form.pattern, where);
	if (error) {
		pattern_deinit(&form.pattern);
		return error;
	}
	vec_push(&forms->all, form);
	for (size_t i = forms->all.len - 1; i > forms->n_own; i--)
		forms->all.data[i] = forms->all.data[i - 1];
	forms->all.data[forms->n_own++] = form;
	return NULL;
}

bool forms_are_extended(const struct forms *forms)
{
	return forms->n_own;
}

uint64_t forms_given_up(const struct forms *forms)
{
	return matcher_given_up(forms->matcher);
}

/* ---- matches --------------------------------------------------------------------------------- */

void forms_begin(struct forms *forms, struct scan part)
{
	const struct literal *all = forms->literals.data;
	const size_t n = forms->literals.len;
	uint32_t found = 0; /* bits of the literals that occur in PART */

	for (size_t i = 0; i < n; i++)
		if (!all[i].x && scan_find(part, all[i].text))
			found |= 1U << i;
	/* those with `0x` are compared only at its occurrences */
	for (const char *x = part.at; (x = memchr(x, 'x', (size_t)(part.end - x))); x++)
		for (size_t i = 0; x > part.at && x[-1] == '0' && i < n; i++)
			if (all[i].x && all[i].x <= (size_t)(x - part.at) &&
				all[i].len - all[i].x <= (size_t)(part.end - x) &&
				!memcmp(x - all[i].x, all[i].text, all[i].len))
				found |= 1U << i;
	forms->part = part;
	forms->at = part.at;
	forms->active.len = 0;
	vec_each(form, &forms->all)
		if (!form->literal || (form->literal & found))
			vec_push(&forms->active, form);
}

/*
 * Returns true if the match A is preferred to B, whose form comes before A's. A match of a built-in
 * form never wins over an overlapping one of a user's form.
 */
static bool is_preferred(const struct form_match *a, const struct form_match *b)
{
	bool own = b->form->form == TEXT_OWN && a->form->form != TEXT_OWN;

	return own ? a->match.all.end <= b->match.all.at && a->match.all.at < b->match.all.at
		   : a->match.all.at < b->match.all.at;
}

bool forms_next(struct forms *forms, struct form_match *ret)
{
	struct form_match found;
	size_t n = 0;

	if (forms->at > forms->part.end)
		return false;
	vec_each(active, &forms->active) {
		struct compiled_form *form = *active;

		found.form = &form->form;
		if (!pattern_find(
			    forms->matcher, &form->pattern, forms->part, forms->at, &found.match))
			continue;
		if (!n || is_preferred(&found, ret))
			*ret = found;
		forms->active.data[n++] = form;
	}
	forms->active.len = n;
	if (n)
		forms->at = ret->match.all.end + !scan_left(&ret->match.all);
	return n;
}

/* ---- frames ---------------------------------------------------------------------------------- */

/* Returns the name in S without blanks, or an empty one if S stands for no name. */
static struct scan name_of(struct scan s)
{
	static const char *const none[] = {"??", "???", "n/a", "<null>", "[unknown]"};

	s = s.at ? scan_trimmed(s) : s;
	return scan_is_one_of(s, none, array_len(none)) ? (struct scan){} : s;
}

struct frame_owner frame_owner_of(const struct pattern_match *match)
{
	struct scan time = match->groups[GROUP_TIME], comm = match->groups[GROUP_COMM];
	struct frame_owner owner = {
		.pid = match_decimal(match, GROUP_PID), .tid = match_decimal(match, GROUP_TID)};

	if (time.at)
		(void)scan_seconds(&time, &owner.time);
	if (scan_left(&comm) <= OWNER_COMM_MAX && comm.at)
		memcpy(owner.comm, comm.at, scan_left(&comm));
	return owner;
}

/*
 * Sets the value of FRAME and what it counts from. Returns false if the numbers are contradictory,
 * or if the symbol or object is missing that they count from.
 */
static bool set_value(const struct pattern_match *match, struct text_frame *frame)
{
	struct stack_file *file = &frame->file;
	uint64_t start;

	if (match_hex(match, GROUP_START, &start) &&
		(frame->address < start || frame->address - start >= file->size))
		return false;
	if (match_hex(match, GROUP_LOAD_OFFSET, &frame->value)) {
		file->base = STACK_FILE_LOADED;
	} else if (match_hex(match, GROUP_FILE_OFFSET, &frame->value)) {
		file->base = frame->form == TEXT_PERF ? STACK_FILE_OFFSET : STACK_FILE_START;
	} else if (match_has(match, GROUP_START)) {
		file->base = STACK_FILE_MAPPED;
		frame->value = frame->address - start;
	} else if (match_hex(match, GROUP_OFFSET, &frame->value)) {
		file->symbol = frame->symbol;
		return file->symbol && (!match_has(match, GROUP_SIZE) ||
					       (file->size && frame->value <= file->size));
	} else {
		file->base = STACK_FILE_ADDRESS;
		frame->value = frame->address;
		return true;
	}
	return file->path || file->build_id.len;
}

static const char *copy(struct arena *memory, struct scan s)
{
	return scan_left(&s) ? arena_copy(memory, s.at, scan_left(&s)) : NULL;
}

static bool make_frame(const struct form_match *form, struct arena *memory, struct text_frame *ret)
{
	const struct pattern_match *match = &form->match;
	struct scan id = match->groups[GROUP_BUILD_ID];
	struct scan object =
		match->groups[match_has(match, GROUP_MODULE) ? GROUP_MODULE : GROUP_OBJECT];

	*ret = (struct text_frame){.form = form->form->form,
		.text = match->all,
		.symbol = copy(memory, name_of(match->groups[GROUP_SYMBOL])),
		.file = {.path = copy(memory, object),
			.sure = match_has(match, GROUP_SURE),
			.searched = true},
		.pid = match_decimal(match, GROUP_PID),
		.owner = frame_owner_of(match),
		.unreliable = match_has(match, GROUP_UNRELIABLE)};
	(void)match_hex(match, GROUP_SIZE, &ret->file.size);
	(void)match_hex(match, GROUP_ADDRESS, &ret->address);
	if ((id.at && !build_id_parse(id.at, scan_left(&id), &ret->file.build_id)) ||
		!set_value(match, ret))
		return false;
	/* a user's form with a symbol but no object is for the kernel */
	if (ret->form == TEXT_OWN && ret->file.symbol && !scan_left(&match->groups[GROUP_OBJECT]))
		ret->form = TEXT_KERNEL;
	if (ret->form == TEXT_KERNEL) {
		ret->file.module = ret->file.path ?: "";
		ret->file.path = NULL;
	}
	/* in the kernel, no return address is at the start of a function */
	ret->exact = match_has(match, GROUP_EXACT) || (ret->form == TEXT_KERNEL && !ret->value);
	return true;
}

bool frame_text_next(struct forms *forms, struct arena *memory, struct text_frame *ret)
{
	struct pattern_match line;
	struct form_match form;

	while (forms_next(forms, &form))
		if (make_frame(&form, memory, ret) &&
			!pattern_find(forms->matcher, &forms->line, forms->part, form.match.all.end,
				&line))
			return true;
	return false;
}
