// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <limits.h>
#include <time.h>
#include <unistd.h>

#include "util/file.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/vec.h"

#define FORMAT_HELP(name, word, help) #word " (" help "), "
#define INSERTION_CHOICE(name, word, help) {#word, INSERT_##name},
#define FORMAT_CHOICE(name, word, help) {#word, OUTPUT_##name},
#define BY_CHOICE(name, word) {#word, TOP_BY_##name},
#define NAMES_CHOICE(name, word) {#word, NAMES_##name},

/* main() handles it before options are parsed */
enum { FORMAT_ADDR2LINE = -1 };
enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

static const struct choice formats[] = {
	OUTPUT_FORMATS(FORMAT_CHOICE){"addr2line", FORMAT_ADDR2LINE}, {}};
static const struct choice insertions[] = {INSERTIONS(INSERTION_CHOICE){"forms", FILTER_LISTS}, {}};
static const struct choice per_cpus[] = {
	{"sum", INPUT_PER_CPU_SUM}, {"max", INPUT_PER_CPU_MAX}, {"min", INPUT_PER_CPU_MIN}, {}};
static const struct choice unwinds[] = {{"auto", UNWIND_AUTO}, {"sframe", UNWIND_BY_SFRAME},
	{"cfi", UNWIND_BY_CFI}, {"fp", UNWIND_BY_FP}, {}};
static const struct choice prefixes[] = {{"comm", OUTPUT_PREFIX_COMM}, {"pid", OUTPUT_PREFIX_PID},
	{"tid", OUTPUT_PREFIX_TID}, {"none", OUTPUT_PREFIX_NONE}, {}};
static const struct choice bys[] = {TOP_BYS(BY_CHOICE){}};
static const struct choice names[] = {NAME_STYLES(NAMES_CHOICE){}};
static const struct choice qualifies[] = {
	{"auto", QUALIFY_AUTO}, {"always", QUALIFY_ALWAYS}, {"never", QUALIFY_NEVER}, {}};
static const struct choice orders[] = {{"weight", ORDER_WEIGHT}, {"input", ORDER_INPUT}, {}};
static const struct choice colors[] = {
	{"auto", COLOR_AUTO}, {"always", COLOR_ALWAYS}, {"never", COLOR_NEVER}, {}};

/* ---- what rows do with their values ---------------------------------------------------------- */

static void add_source(struct options *options, const char *path, enum input_role role)
{
	vec_push(&options->sources, (struct input_source){path, role});
}

static void add_file(void *to, const struct option_value *value)
{
	add_source(to, value->arg, (enum input_role)value->row->value);
}

static void set_build_id(void *to, const struct option_value *value)
{
	struct options *options = to;

	if (!build_id_parse(value->arg, strlen(value->arg), &options->symbolize.build_id))
		option_wrong(value, "a build ID: expected pairs of hex digits");
}

/* Sets the format to the value of --format, or to that of a row for a single format. */
static void set_format(void *to, const struct option_value *value)
{
	struct options *options = to;
	int format = option_choice(value);

	if (format == FORMAT_ADDR2LINE)
		argp_error(value->state, "write --format=addr2line in full");
	options->output.format = (enum output_format)format;
	options->format_given = true;
	options->symbolize.unnamed = format == OUTPUT_PORTABLE;
	options->top |= format == OUTPUT_TOP;
}

static void set_filter(void *to, const struct option_value *value)
{
	struct options *options = to;

	options->filter = true;
	options->insertion = option_choice(value);
}

static void set_top(void *to, const struct option_value *value)
{
	struct options *options = to;

	options->top = true;
	if (value->arg)
		options->output.top.rows = option_number(value, "a number of rows", 1, SIZE_MAX);
}

static void set_source(void *to, const struct option_value *value)
{
	struct options *options = to;

	options->symbolize.source = true;
	options->symbolize.source_context =
		value->arg ? (unsigned)option_number(value, "a number of lines", 0, 1000) : 2;
}

static void set_verbosity(void *to, const struct option_value *value)
{
	struct options *options = to;

	options->verbose = value->option->key == 'v';
	options->quiet = !options->verbose;
}

/* ---- the rows -------------------------------------------------------------------------------- */

const struct option_row options_dump_rows[] = {
	{.doc = "Reading dumps:\v"},
	{"--stacks=FILE", "Read FILE as the dump of a stack map", .set = add_file,
		.value = INPUT_STACKS},
	{"--user-stacks=FILE", "Read FILE as the stack map that user stack IDs refer to",
		.set = add_file, .value = INPUT_USER_STACKS},
	{"--kernel-stacks=FILE", "Read FILE as the stack map that kernel stack IDs refer to",
		.set = add_file, .value = INPUT_KERNEL_STACKS},
	{"--counts=FILE", "Read FILE as the count map, which refers to stacks by ID",
		.set = add_file, .value = INPUT_COUNTS},
	{"--key=ROLE=FIELD,...",
		"Assign roles to fields of the count map\v: pid, tid, pid_or_tid, pid_tgid, user, kernel, stack, comm, "
		"waker, weight, time, length (example: pid=tgid,weight=value.samples)",
		STORES_TEXT(input.key_fields)},
	{"--key-layout=FIELDS",
		"Declare the key of a map without BTF: 'u32 pid; s32 kernel; s32 user; char comm[16]'",
		STORES_TEXT(input.key_layout)},
	{"--value-layout=FIELDS",
		"Declare the value of a map without BTF, in the syntax of --key-layout",
		STORES_TEXT(input.value_layout)},
	{"--event-layout=FIELDS",
		"Declare the events of event_pipe or --events, in the syntax of --key-layout; with "
		"registers and a copy of the stack: 'u32 pid; u64 ip, sp, bp; u32 len; u8 stack[]'",
		STORES_TEXT(input.event_layout)},
	{"--columns=NAME,...",
		"Name the columns of a stack ID table without a header line: "
		"pid,kernel,user,count,comm",
		STORES_TEXT(input.columns)},
	{"--per-cpu=HOW",
		"Combine the values of a per-CPU map: sum (default), max or min over the CPUs",
		STORES_CHOICE(input.per_cpu, per_cpus)},
	{"--build-id-map", "Read stack maps as build-ID records",
		STORES_VALUE(input.shape, INPUT_SHAPE_BUILD_IDS)},
	{"--address-map", "Read stack maps as 8-byte addresses",
		STORES_VALUE(input.shape, INPUT_SHAPE_ADDRESSES)},
	{"--explain",
		"Print how the input is read, instead of stacks\v: what each map and field is, and why "
		"(with --json: as JSON)",
		STORES_TRUE(explain)},
	{},
};

const struct option_row options_resolve_rows[] = {
	{.doc = "\n  What addresses belong to:\v"},
	{"-e, --exe=FILE",
		"Resolve addresses of FILE, a program or library\v; with a dump: search FILE for build "
		"IDs (repeatable)",
		ADDS_TO(symbolize.files)},
	{"-j, --section=NAME",
		"Read addresses as offsets in this section of the -e FILE (kernel modules, .o files)",
		STORES_TEXT(section)},
	{"-p, --pid=PID",
		"Resolve addresses of process PID\v; with a dump: use PID where it names no process",
		STORES_PID(input.pid, 0)},
	{"-k, --kernel",
		"Resolve kernel addresses\v; with a dump: all of its stacks are kernel stacks",
		STORES_TRUE(kernel)},
	{"-b, --build-id=HEX", "Resolve addresses of the file with this build ID\v",
		.set = set_build_id},
	{"--recording=FILE", "Look processes up in FILE of stack2line record\v, before /proc",
		STORES_TEXT(symbolize.recording)},
	{"--unwind=HOW",
		"Unwind copies of stacks by auto (default: for each frame SFrame, else CFI, else the "
		"frame pointer), sframe, cfi or fp only",
		STORES_CHOICE(symbolize.unwind, unwinds)},
	/* addr2line's options for what is always printed here */
	{.option = "-f, --functions"},
	{.option = "-i, --inlines"},
	{.option = "-C, --demangle"},
	{.option = "-a, --addresses"},
	{},
};

const struct option_row options_print_rows[] = {
	{.doc = "\n  Naming frames in text:\v"},
	{"--filter[=HOW]",
		"Name the frames in text, such as a log\v: copy it from files or standard input to standard "
		"output, with the names as " INSERTIONS(
			FORMAT_HELP) "or with forms: list the forms of frames that are known",
		.choices = insertions, .value = INSERT_SUFFIX, .set = set_filter},
	{"--filter-form=PATTERN|@FILE",
		"With --filter: also name frames of this form (see stack2line-filter(1))",
		ADDS_TO(filter_forms)},
	{.doc = "\n  Printing:\v"},
	{"--format=FORMAT",
		"Print as " OUTPUT_FORMATS(FORMAT_HELP) "or act as addr2line, with its options",
		.choices = formats, .set = set_format},
	{"--folded", "Print folded stacks, for flame graphs\v", .set = set_format,
		.value = OUTPUT_FOLDED},
	{"--annotated", "Print one frame per line, with file and line\v, and object",
		.set = set_format, .value = OUTPUT_ANNOTATED},
	{"--json", "Print one JSON object per line\v", .set = set_format, .value = OUTPUT_JSON},
	{"--top[=N]",
		"Print a table of the N functions with most weight\v (default 20), instead of stacks; with "
		"--json all of them, as JSON",
		.set = set_top},
	{"--by=WHAT",
		"With --top: a row for each function (default), line, object, process, comm or stack",
		STORES_CHOICE(by, bys)},
	{"--prefix=WHAT",
		"Begin folded stacks with comm (default), pid (comm-pid), tid (comm-pid/tid) or none",
		STORES_CHOICE(output.prefix, prefixes)},
	{"-d, --delimited", "Put a frame '-' between the user and kernel frames of folded stacks",
		STORES_TRUE(output.delimited)},
	{"--annotations", "Mark frames of folded stacks: kernel _[k], inlined _[i], JIT _[j]",
		STORES_TRUE(output.annotations)},
	{"--with-lines", "Add file and line to each frame of folded stacks",
		STORES_TRUE(output.with_lines)},
	{"--with-objects", "Add the object to each frame of folded stacks",
		STORES_TRUE(output.with_objects)},
	{"--no-inlines", "Leave out inlined functions", STORES_FALSE(symbolize.inlines)},
	{"--names=HOW",
		"Print names of functions short (default of folded stacks, graphs and --top), plain "
		"(without arguments), full (default of annotated stacks and JSON) or mangled",
		STORES_CHOICE(names, names)},
	{"--no-demangle", "Print symbols as they are in the file: --names=mangled",
		STORES_VALUE(names, NAMES_MANGLED)},
	{"--qualify=WHEN",
		"Add file, module or address to function names: auto (default: where several functions "
		"of an object have the name), always, never",
		STORES_CHOICE(symbolize.qualify, qualifies)},
	{"--prototypes",
		"Print the C prototypes of kernel functions and BPF programs (annotated, JSON)",
		STORES_TRUE(symbolize.prototypes)},
	{"--source[=N]",
		"Print the source line of each frame, with N lines (default 2) before and after it "
		"(annotated)",
		.set = set_source},
	{"-s, --basenames", "Print file names without directories", STORES_TRUE(output.basenames)},
	{"--path-strip=PREFIX", "Remove PREFIX from file names that begin with it (repeatable)",
		ADDS_TO(output.path_strips)},
	{"--color[=WHEN]", "Use colours: auto (default: on a terminal), always, never (annotated)",
		STORES_CHOICE(color, colors), .value = COLOR_ALWAYS},
	{"--mark-lost",
		"Put a frame [caller lost] into folded stacks where frame pointers lost a caller",
		STORES_TRUE(output.mark_lost)},
	{"--guess-callers",
		"Insert the caller of a leaf that frame pointers lost, marked with ?, if the code "
		"allows only one",
		STORES_TRUE(symbolize.guess_callers)},
	{"--health",
		"Print what is wrong with the stacks, by object\v, and what would help, instead of "
		"stacks; with --json as JSON",
		STORES_TRUE(health)},
	{"--why", "Print why each unresolved frame has no name\v, and a table of all reasons",
		STORES_TRUE(output.why)},
	{"--order=ORDER",
		"Print annotated stacks by weight (default with counts): equal ones merged, largest "
		"first; or as they are in the input",
		STORES_CHOICE(order, orders)},
	{"-o, --output=FILE",
		"Write to FILE; FILE.html is a flame graph\v and FILE.svg a picture of it, unless another "
		"format is given; FILE is replaced at the end",
		STORES_TEXT(output_path)},
	{"--no-pager",
		"Do not show annotated stacks in $STACK2LINE_PAGER, $PAGER or less on a terminal",
		STORES_TRUE(no_pager)},
	{},
};

const struct option_row options_other_rows[] = {
	{.doc = "\n  Other:\v"},
	{"--strict", "Exit with status 1 if a frame is unresolved", STORES_TRUE(strict)},
	{"-q, --quiet",
		"Do not report lost stacks and unnamed frames\v, unless no frame has a name",
		.set = set_verbosity},
	{"-v, --verbose", "Report details of the input and a summary of unnamed frames",
		.set = set_verbosity},
	{"--reader=own", .set = option_set_reader},
	{"--words=OPTION", .set = option_print_words},
	{},
};

static bool wants_color(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return !options->output_path && isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
	       !(term && !strcmp(term, "dumb"));
}

/*
 * Returns true for hex numbers and symbols. Symbols may have slashes, as in "encoding/json.Marshal"
 * and "f (src/file.c)", so ARGUMENT is a symbol if no file has that name.
 */
static bool is_address(const char *argument)
{
	struct scan s = scan_of(argument);
	uint64_t number;

	(void)scan_literal(&s, "0x");
	if (scan_all_hex(s, &number))
		return true;
	return !strchr("-/.", *argument) && access(argument, F_OK) < 0;
}

/* Decides whether the arguments are addresses or dumps. Returns what is wrong, or NULL. */
static const char *sort_arguments(struct options *options)
{
	int owners = (options->symbolize.files.len > 0) + (options->input.pid >= 0) +
		     options->kernel + (options->symbolize.build_id.len > 0);
	size_t addresses = 0;

	if (options->filter || options->diff.wanted)
		return NULL;
	for (size_t i = 0; owners && i < options->arguments.len; i++)
		addresses += is_address(options->arguments.data[i]);
	options->addresses = owners && !options->sources.len && !live_wanted(options) &&
			     (addresses || !options->arguments.len);
	if (addresses && addresses < options->arguments.len)
		return "addresses and dumps cannot be mixed";
	if (options->addresses)
		return owners > 1 ? "-e, -p, -k and -b are mutually exclusive with addresses"
				  : NULL;
	vec_each(argument, &options->arguments)
		add_source(options, *argument, options->kernel ? INPUT_KERNEL_STACKS : INPUT_ANY);
	if (!options->sources.len && !live_wanted(options))
		add_source(options, "-", INPUT_ANY);
	return NULL;
}

/* Returns which options contradict each other, or NULL. */
static const char *contradiction(const struct options *options)
{
	if (options->addresses && options->symbolize.files.len > 1)
		return "addresses can belong to only one -e FILE";
	if (options->section && (!options->addresses || !options->symbolize.files.len))
		return "-j requires -e and addresses";
	if (options->explain && options->addresses)
		return "--explain requires a dump or --map, not addresses";
	if (options->by >= 0 && !options->top && !options->diff.wanted)
		return "--by requires --top";
	if (options->top && options->format_given && options->output.format != OUTPUT_TOP &&
		options->output.format != OUTPUT_JSON)
		return "--top prints a table: of the formats, only --json can be combined with it";
	if (!options->addresses && options->symbolize.build_id.len)
		return "-b requires addresses, not a dump";
	if (options->filter_forms.len && !options->filter)
		return "--filter-form requires --filter";
	if (!options->filter)
		return NULL;
	if (options->sources.len || live_wanted(options))
		return "--filter reads text, and neither dumps nor maps";
	if (options->format_given || options->health || options->explain)
		return "--filter and --format, --health or --explain are mutually exclusive";
	if (options->names >= 0 && options->names < NAMES_FULL)
		return "--filter prints whole names: --names=full or mangled";
	return NULL;
}

const char *options_finish(void *to, char **arguments, size_t n)
{
	struct options *options = to;
	const char *path = options->output_path;

	if (path && !strcmp(path, "-"))
		path = options->output_path = NULL;
	bool page = path && text_ends_with(path, ".html");
	bool picture = path && text_ends_with(path, ".svg");
	options->arguments.data = (const char *const *)arguments;
	options->arguments.len = n;
	const char *wrong = sort_arguments(options) ?: contradiction(options);
	if (wrong)
		return wrong;
	bool stacks = !options->addresses && !options->filter && !options->explain &&
		      !options->health && !options->top;
	/* text in a .html or .svg file would be useless */
	if (stacks && !options->format_given && (page || picture)) {
		options->output.format = page ? OUTPUT_FLAMEGRAPH : OUTPUT_SVG;
		options->format_given = true;
	}
	options->output.color = wants_color(options);
	options->symbolize.demangle = options->names != NAMES_MANGLED;
	if (options->by >= 0)
		options->output.top.by = (enum top_by)options->by;
	options->symbolize.guess_callers |= options->health;
	finding_finish(options);
	options->symbolize.addresses_of_file = options->addresses;
	options->input.sources = options->sources.data;
	options->input.n_sources = options->sources.len;
	if (options->kernel)
		options->input.bare = INPUT_BARE_KERNEL;
	else if (options->input.pid >= 0)
		options->input.bare = INPUT_BARE_USER;
	return live_finish(options) ?: selecting_finish(options);
}

/* ---- the command line ------------------------------------------------------------------------ */

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

/* Returns the command line, the host name and the time, for graphs. */
static struct output_title title_create(int argc, char **argv)
{
	const char *epoch = getenv("SOURCE_DATE_EPOCH"); /* for reproducible output */
	char host[HOST_NAME_MAX + 1] = "", date[64] = "";
	time_t now = epoch ? (time_t)strtoll(epoch, NULL, 10) : time(NULL);
	struct text command = {};
	struct tm tm;

	text_add_string(&command, argc ? file_base_name(argv[0]) : "stack2line");
	for (int i = 1; i < argc; i++) {
		text_add_char(&command, ' ');
		add_argument(&command, argv[i]);
	}
	gethostname(host, sizeof(host) - 1);
	if (gmtime_r(&now, &tm))
		strftime(date, sizeof(date), "%Y-%m-%d %H:%M UTC", &tm);
	return (struct output_title){command.data, xstrdup(host), xstrdup(date)};
}

#define ABOUT "Turn the raw stacks of eBPF programs into names.\v"
#define COMMANDS                                                                                   \
	"Commands, each with its own --help and manual page:\n"                                    \
	"  record [-- COMMAND]   Record processes, to name their stacks after they exit\n"         \
	"  inspect FILE|PID      Print what a file offers for naming and unwinding\n"              \
	"  diff OLD NEW          Compare two dumps\n\n"

static const struct option_command resolve_command = {
	.args_doc = "[DUMP...]\n-e FILE|-p PID|-k|-b BUILDID [ADDR...]\n--filter[=HOW] "
		    "[FILE...]\nCOMMAND ...",
	.doc = ABOUT COMMANDS
	"DUMP is the output of bpftool map dump or event_pipe (text, -j or -p), a stack "
	"ID table or an address list; the format is detected from the content. Without "
	"DUMP and --map, standard input is read.\n\n"
	"Exit status: 0 success, 1 unresolved frames (with --strict), 2 input that "
	"cannot be read or used, 64 wrong usage.",
	.short_doc = ABOUT COMMANDS
	"All options: stack2line --help=all. Manual: man stack2line, which names the pages "
	"for bpftrace, containers and other tasks.",
	.tables = {options_dump_rows, live_rows, options_resolve_rows, finding_rows, selecting_rows,
		options_print_rows, options_other_rows},
	.finish = options_finish,
};

void options_parse(const struct option_command *command, int argc, char **argv, struct options *ret)
{
	*ret = (struct options){
		.input = {.pid = -1},
		.by = NOT_GIVEN,
		.names = NOT_GIVEN,
		.symbolize = {.find = {.proc_root = "/proc", .sys_root = "/sys"},
			.inlines = true,
			.lines = true,
			.names = NAMES_FULL,
			.fetch = {.timeout = 90, .budget = 300, .max = 256 << 20}},
		.output = {.title = title_create(argc, argv)},
		.diff = {.wanted = command},
	};
	option_parse(command ?: &resolve_command, argc, argv, ret);
}
