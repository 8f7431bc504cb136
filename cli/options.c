// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include <argp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "config.h"
#include "destination.h"
#include "diff.h"
#include "finding.h"
#include "live.h"
#include "naming.h"
#include "selecting.h"
#include "util/scan.h"
#include "value.h"

enum {
	OPT_STACKS = 256,
	OPT_USER_STACKS,
	OPT_KERNEL_STACKS,
	OPT_COUNTS,
	OPT_BUILD_ID_MAP,
	OPT_ADDRESS_MAP,
	OPT_FILTER,
	OPT_FILTER_FORM,
	OPT_PER_CPU,
	OPT_NO_INLINES,
	OPT_READER,
	OPT_FORMAT,
	OPT_FOLDED,
	OPT_ANNOTATED,
	OPT_JSON,
	OPT_PREFIX,
	OPT_COLOR,
	OPT_PATH_STRIP,
	OPT_SOURCE,
	OPT_TOP,
	OPT_BY,
	OPT_WORDS,
	OPT_UNWIND,
};

#define FORMAT_HELP(name, word, help) #word " (" help "), "
#define INSERTION_CHOICE(name, word, help) {#word, INSERT_##name},
#define FORMAT_CHOICE(name, word, help) {#word, OUTPUT_##name},

static const struct argp_option option_table[] = {
	HELP_HEADING(HELP_DUMPS, "Reading dumps:"),
	OPTION(HELP_DUMPS, "stacks", OPT_STACKS, "FILE", "Read FILE as the dump of a stack map"),
	OPTION(HELP_DUMPS, "user-stacks", OPT_USER_STACKS, "FILE",
		"Read FILE as the stack map that user stack IDs refer to"),
	OPTION(HELP_DUMPS, "kernel-stacks", OPT_KERNEL_STACKS, "FILE",
		"Read FILE as the stack map that kernel stack IDs refer to"),
	OPTION(HELP_DUMPS, "counts", OPT_COUNTS, "FILE",
		"Read FILE as the count map, which refers to stacks by ID"),
	OPTION(HELP_DUMPS, "key", STORES_TEXT(input.key_fields), "ROLE=FIELD,...",
		"Assign roles to fields of the count map: pid, tid, pid_or_tid, pid_tgid, user, kernel, stack, comm, "
		"waker, weight, time, length (example: pid=tgid,weight=value.samples)"),
	OPTION(HELP_DUMPS, "key-layout", STORES_TEXT(input.key_layout), "FIELDS",
		"Declare the key of a map without BTF: 'u32 pid; s32 kernel; s32 user; char comm[16]'"),
	OPTION(HELP_DUMPS, "value-layout", STORES_TEXT(input.value_layout), "FIELDS",
		"Declare the value of a map without BTF, in the syntax of --key-layout"),
	OPTION(HELP_DUMPS, "event-layout", STORES_TEXT(input.event_layout), "FIELDS",
		"Declare the events of event_pipe or --events, in the syntax of --key-layout; with "
		"registers and a copy of the stack: 'u32 pid; u64 ip, sp, bp; u32 len; u8 stack[]'"),
	OPTION(HELP_DUMPS, "columns", STORES_TEXT(input.columns), "NAME,...",
		"Name the columns of a stack ID table without a header line: "
		"pid,kernel,user,count,comm"),
	OPTION(HELP_DUMPS, "per-cpu", OPT_PER_CPU, "HOW",
		"Combine the values of a per-CPU map: sum (default), max or min over the CPUs"),
	OPTION(HELP_DUMPS, "build-id-map", OPT_BUILD_ID_MAP, NULL,
		"Read stack maps as build-ID records"),
	OPTION(HELP_DUMPS, "address-map", OPT_ADDRESS_MAP, NULL,
		"Read stack maps as 8-byte addresses"),
	OPTION(HELP_DUMPS, "explain", STORES_TRUE(explain), NULL,
		"Print how each map is read, and why, instead of stacks (with --json: as JSON)"),

	HELP_HEADING(HELP_RESOLVE, "\n  What addresses belong to:"),
	OPTION(HELP_RESOLVE, "exe", 'e', "FILE",
		"Resolve addresses of FILE; with a dump: search FILE for build IDs (repeatable)"),
	OPTION(HELP_RESOLVE, "section", 'j', "NAME",
		"Read addresses as offsets in this section of the -e FILE (kernel modules, .o files)"),
	OPTION(HELP_RESOLVE, "pid", 'p', "PID",
		"Resolve addresses of process PID; with a dump: use PID where it names no process"),
	OPTION(HELP_RESOLVE, "kernel", 'k', NULL,
		"Resolve kernel addresses; with a dump: all of its stacks are kernel stacks"),
	OPTION(HELP_RESOLVE, "build-id", 'b', "HEX",
		"Resolve addresses of the file with this build ID"),
	OPTION(HELP_RESOLVE, "recording", STORES_TEXT(symbolize.recording), "FILE",
		"Look processes up in FILE, which stack2line record wrote, before /proc"),
	OPTION(HELP_RESOLVE, "unwind", OPT_UNWIND, "HOW",
		"Unwind copies of stacks by auto (default: for each frame SFrame, else CFI, else the "
		"frame pointer), sframe, cfi or fp only"),
	{"functions", 'f', NULL, OPTION_HIDDEN, NULL, 0},
	{"inlines", 'i', NULL, OPTION_HIDDEN, NULL, 0},
	{"demangle", 'C', NULL, OPTION_HIDDEN, NULL, 0},
	{"addresses", 'a', NULL, OPTION_HIDDEN, NULL, 0},

	HELP_HEADING(HELP_PRINT, "\n  Printing:"),
	{"filter", OPT_FILTER, "HOW", OPTION_ARG_OPTIONAL,
		"Pass text (a log, a crash report) from files or standard input to standard output and name the "
		"frames of stacks in it: as " INSERTIONS(
			FORMAT_HELP) "or list the forms that are known",
		HELP_AT(HELP_PRINT)},
	OPTION(HELP_PRINT, "filter-form", OPT_FILTER_FORM, "PATTERN|@FILE",
		"With --filter: frames of a form of your own, see the manual"),
	OPTION(HELP_PRINT, "format", OPT_FORMAT, "FORMAT",
		"Print as " OUTPUT_FORMATS(FORMAT_HELP) "or act as addr2line, with its options"),
	OPTION(HELP_PRINT, "folded", OPT_FOLDED, NULL, "Print folded stacks, for flame graphs"),
	OPTION(HELP_PRINT, "annotated", OPT_ANNOTATED, NULL,
		"Print one frame per line, with file, line and object"),
	OPTION(HELP_PRINT, "json", OPT_JSON, NULL, "Print one JSON object per line"),
	{"top", OPT_TOP, "N", OPTION_ARG_OPTIONAL,
		"Print a table of the N (default 20) functions that take most weight, instead of stacks; "
		"with --json all of them, as JSON",
		HELP_AT(HELP_PRINT)},
	OPTION(HELP_PRINT, "by", OPT_BY, "WHAT",
		"With --top: a row for each function (default), line, object, process, comm or stack"),
	OPTION(HELP_PRINT, "prefix", OPT_PREFIX, "WHAT",
		"Begin folded stacks with comm (default), pid (comm-pid), tid (comm-pid/tid) or none"),
	OPTION(HELP_PRINT, "delimited", 'd', NULL,
		"Put a frame '-' between the user and kernel frames of folded stacks"),
	OPTION(HELP_PRINT, "annotations", STORES_TRUE(output.annotations), NULL,
		"Mark frames of folded stacks: kernel _[k], inlined _[i], JIT _[j]"),
	OPTION(HELP_PRINT, "with-lines", STORES_TRUE(output.with_lines), NULL,
		"Add file and line to each frame of folded stacks"),
	OPTION(HELP_PRINT, "with-objects", STORES_TRUE(output.with_objects), NULL,
		"Add the object to each frame of folded stacks"),
	OPTION(HELP_PRINT, "no-inlines", OPT_NO_INLINES, NULL, "Leave out inlined functions"),
	OPTION(HELP_PRINT, "prototypes", STORES_TRUE(symbolize.prototypes), NULL,
		"Print the C prototypes of kernel functions and BPF programs (annotated, JSON)"),
	{"source", OPT_SOURCE, "N", OPTION_ARG_OPTIONAL,
		"Print the source line of each frame, with N lines (default 2) before and after it "
		"(annotated)",
		HELP_AT(HELP_PRINT)},
	OPTION(HELP_PRINT, "basenames", 's', NULL, "Print file names without directories"),
	OPTION(HELP_PRINT, "path-strip", OPT_PATH_STRIP, "PREFIX",
		"Remove PREFIX from file names that begin with it (repeatable)"),
	{"color", OPT_COLOR, "WHEN", OPTION_ARG_OPTIONAL,
		"Use colours: auto (default: on a terminal), always, never (annotated)",
		HELP_AT(HELP_PRINT)},
	OPTION(HELP_PRINT, "mark-lost", STORES_TRUE(output.mark_lost), NULL,
		"Put a frame [caller lost] where frame pointers lost a caller in folded stacks"),
	OPTION(HELP_PRINT, "guess-callers", STORES_TRUE(symbolize.guess_callers), NULL,
		"Put callers that frame pointers lost at the leaf back, marked with ?, where the code "
		"leaves but one"),
	OPTION(HELP_PRINT, "health", STORES_TRUE(health), NULL,
		"Print what is wrong with the stacks, by object, and what would help, instead of "
		"stacks; with --json as JSON"),
	OPTION(HELP_PRINT, "why", STORES_TRUE(output.why), NULL,
		"Print why each unresolved frame has no name, and a table of all reasons"),

	HELP_HEADING(HELP_OTHER, "\n  Other:"),
	OPTION(HELP_OTHER, "reader", OPT_READER, "NAME",
		"Read DWARF with own (default: the built-in reader, and libdw where it cannot) or "
		"libdw only"),
	OPTION(HELP_OTHER, "strict", STORES_TRUE(strict), NULL,
		"Exit with status 1 if a frame is unresolved"),
	OPTION(HELP_OTHER, "quiet", 'q', NULL,
		"Do not report lost stacks and unnamed frames, unless no frame has a name"),
	OPTION(HELP_OTHER, "verbose", 'v', NULL,
		"Report details of the input and a summary of unnamed frames"),
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 0},
	{"words", OPT_WORDS, "OPTION", OPTION_HIDDEN, NULL, 0},
	{},
};

/* main() looks for it, and there is nothing left for us to parse. */
enum { FORMAT_ADDR2LINE = -1 };

static const struct choice formats[] = {
	OUTPUT_FORMATS(FORMAT_CHOICE){"addr2line", FORMAT_ADDR2LINE}, {}};
enum { FILTER_LISTS = -1 };
static const struct choice insertions[] = {INSERTIONS(INSERTION_CHOICE){"forms", FILTER_LISTS}, {}};
static const struct choice per_cpus[] = {
	{"sum", INPUT_PER_CPU_SUM}, {"max", INPUT_PER_CPU_MAX}, {"min", INPUT_PER_CPU_MIN}, {}};
static const struct choice readers[] = {{"own", 0}, {"libdw", 1}, {}};
static const struct choice unwinds[] = {{"auto", UNWIND_AUTO}, {"sframe", UNWIND_BY_SFRAME},
	{"cfi", UNWIND_BY_CFI}, {"fp", UNWIND_BY_FP}, {}};
static const struct choice prefixes[] = {{"comm", OUTPUT_PREFIX_COMM}, {"pid", OUTPUT_PREFIX_PID},
	{"tid", OUTPUT_PREFIX_TID}, {"none", OUTPUT_PREFIX_NONE}, {}};
#define BY_CHOICE(name, word) {#word, TOP_BY_##name},
static const struct choice bys[] = {TOP_BYS(BY_CHOICE){}};
enum color_choice { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };
static const struct choice colors[] = {
	{"auto", COLOR_AUTO}, {"always", COLOR_ALWAYS}, {"never", COLOR_NEVER}, {}};

static const struct choices choices[] = {{"format", formats}, {"filter", insertions},
	{"per-cpu", per_cpus}, {"reader", readers}, {"unwind", unwinds}, {"prefix", prefixes},
	{"by", bys}, {"color", colors}, {}};

error_t options_store(struct options *options, int key, const char *arg)
{
	char *member = (char *)options + (key & UINT16_MAX);

	switch (key >> 16) {
	case STORE_TRUE:
		*(bool *)member = true;
		return 0;
	case STORE_TEXT:
		*(const char **)member = arg;
		return 0;
	default:
		return ARGP_ERR_UNKNOWN;
	}
}

/* Prints the words of OPTION, one a line: the completions ask. */
static _Noreturn void print_words(const char *option)
{
	const struct choices *tables[] = {choices, finding_choices, selecting_choices,
		destination_choices, naming_choices, diff_choices};

	for (size_t i = 0; i < array_len(tables); i++)
		for (const struct choices *table = tables[i]; table->option; table++)
			for (const struct choice *choice = table->words;
				!strcmp(table->option, option) && choice->word; choice++)
				puts(choice->word);
	exit(fflush(stdout) ? 2 : 0);
}

static void set_format(struct options *options, int format)
{
	options->output.format = (enum output_format)format;
	options->format_given = true;
	options->symbolize.unnamed = format == OUTPUT_PORTABLE;
	options->top |= format == OUTPUT_TOP;
}

static void parse_format(struct options *options, const char *arg, struct argp_state *state)
{
	int format = value_choice(state, "--format", formats, arg);

	value_refuse(state, format == FORMAT_ADDR2LINE, "write --format=addr2line in full");
	set_format(options, format);
}

static bool wants_color(const struct options *options)
{
	const char *no_color = getenv("NO_COLOR"), *term = getenv("TERM");

	if (options->color != COLOR_AUTO)
		return options->color == COLOR_ALWAYS;
	return !options->destination.path && isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
	       !(term && !strcmp(term, "dumb"));
}

static void add_source(struct options *options, const char *path, enum input_role role)
{
	vec_push(&options->sources, (struct input_source){path, role});
}

static void set_source(struct options *options, const char *arg, struct argp_state *state)
{
	options->symbolize.source = true;
	options->symbolize.source_context =
		arg ? (unsigned)value_number(state, "--source", "a number of lines", arg, 0, 1000)
		    : 2;
}

static void set_build_id(struct options *options, const char *arg, struct argp_state *state)
{
	if (!build_id_parse(arg, strlen(arg), &options->symbolize.build_id))
		argp_error(state, "-b: '%s' is not a build ID: expected pairs of hex digits", arg);
}

static bool parse_input_option(
	struct options *options, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_STACKS:
		add_source(options, arg, INPUT_STACKS);
		break;
	case OPT_USER_STACKS:
		add_source(options, arg, INPUT_USER_STACKS);
		break;
	case OPT_KERNEL_STACKS:
		add_source(options, arg, INPUT_KERNEL_STACKS);
		break;
	case OPT_COUNTS:
		add_source(options, arg, INPUT_COUNTS);
		break;
	case OPT_BUILD_ID_MAP:
		options->input.shape = INPUT_SHAPE_BUILD_IDS;
		break;
	case OPT_PER_CPU:
		options->input.per_cpu =
			(enum input_per_cpu)value_choice(state, "--per-cpu", per_cpus, arg);
		break;
	case OPT_ADDRESS_MAP:
		options->input.shape = INPUT_SHAPE_ADDRESSES;
		break;
	case 'e':
		vec_push(&options->files, arg);
		break;
	case 'j':
		options->section = arg;
		break;
	case 'p':
		options->input.pid =
			(int64_t)value_number(state, "-p", "a process ID", arg, 0, INT32_MAX);
		break;
	case 'k':
		options->kernel = true;
		break;
	case 'b':
		set_build_id(options, arg, state);
		break;
	case OPT_UNWIND:
		options->symbolize.unwind =
			(enum unwind_mode)value_choice(state, "--unwind", unwinds, arg);
		break;
	case OPT_READER:
		options->symbolize.libdw = value_choice(state, "--reader", readers, arg);
		break;
	case OPT_NO_INLINES:
		options->symbolize.inlines = false;
		break;
	case 'f':
	case 'i':
	case 'C':
	case 'a':
		break; /* what addr2line is asked for is always printed */
	default:
		return false;
	}
	return true;
}

static void set_filter(struct options *options, const char *arg, struct argp_state *state)
{
	options->filter = true;
	int how = arg ? value_choice(state, "--filter", insertions, arg) : INSERT_SUFFIX;

	options->filter_lists = how == FILTER_LISTS;
	if (!options->filter_lists)
		options->insertion = (enum insertion)how;
}

static bool parse_print_option(
	struct options *options, int key, char *arg, struct argp_state *state)
{
	switch (key) {
	case OPT_FORMAT:
		parse_format(options, arg, state);
		break;
	case OPT_FOLDED:
		set_format(options, OUTPUT_FOLDED);
		break;
	case OPT_ANNOTATED:
		set_format(options, OUTPUT_ANNOTATED);
		break;
	case OPT_JSON:
		set_format(options, OUTPUT_JSON);
		break;
	case OPT_TOP:
		options->top = true;
		if (arg)
			options->output.top.rows =
				value_number(state, "--top", "a number of rows", arg, 1, SIZE_MAX);
		break;
	case OPT_BY:
		options->by_given = true;
		options->output.top.by = (enum top_by)value_choice(state, "--by", bys, arg);
		break;
	case OPT_FILTER:
		set_filter(options, arg, state);
		break;
	case OPT_PREFIX:
		options->output.prefix =
			(enum output_prefix)value_choice(state, "--prefix", prefixes, arg);
		break;
	case 'd':
		options->output.delimited = true;
		break;
	case 's':
		options->output.basenames = true;
		break;
	case OPT_SOURCE:
		set_source(options, arg, state);
		break;
	case OPT_FILTER_FORM:
		vec_push(&options->filter_forms, arg);
		break;
	case OPT_PATH_STRIP:
		vec_push(&options->path_strips, arg);
		break;
	case OPT_COLOR:
		options->color = arg ? value_choice(state, "--color", colors, arg) : COLOR_ALWAYS;
		break;
	default:
		return false;
	}
	return true;
}

/* A hex number is an address, and so is what names no file: "encoding/json.Marshal" and "f (src/file.c)" have slashes. */
static bool is_address(const char *argument)
{
	struct scan s = scan_of(argument);
	uint64_t number;

	(void)scan_literal(&s, "0x");
	if (scan_all_hex(s, &number))
		return true;
	return !strchr("-/.", *argument) && access(argument, F_OK) < 0;
}

static void sort_arguments(struct options *options, struct argp_state *state)
{
	bool asks = options->files.len || options->input.pid >= 0 || options->kernel ||
		    options->symbolize.build_id.len;
	size_t addresses = 0;

	if (options->filter || options->diff.wanted)
		return;
	for (size_t i = 0; asks && i < options->arguments.len; i++)
		addresses += is_address(options->arguments.data[i]);
	options->addresses = asks && !options->sources.len && !live_wanted(options) &&
			     (addresses || !options->arguments.len);
	value_refuse(state, addresses && addresses < options->arguments.len,
		"addresses and dumps cannot be mixed");
	if (options->addresses)
		return;
	for (size_t i = 0; i < options->arguments.len; i++)
		add_source(options, options->arguments.data[i],
			options->kernel ? INPUT_KERNEL_STACKS : INPUT_ANY);
	if (!options->sources.len && !live_wanted(options))
		add_source(options, "-", INPUT_ANY);
}

/* Text has neither dumps nor formats. */
static void check_filter(struct options *options, struct argp_state *state)
{
	value_refuse(state, options->filter_forms.len && !options->filter,
		"--filter-form requires --filter");
	if (!options->filter)
		return;
	value_refuse(state, options->sources.len || live_wanted(options),
		"--filter reads text, and neither dumps nor maps");
	value_refuse(state, options->format_given || options->health || options->explain,
		"--filter and --format, --health or --explain are mutually exclusive");
	value_refuse(state, options->names_given && options->names < NAMES_FULL,
		"--filter prints whole names: --names=full or mangled");
	value_refuse(state, options->section, "-j requires -e and addresses");
}

static void check_contradictions(struct options *options, struct argp_state *state)
{
	int whose = (options->files.len > 0) + (options->input.pid >= 0) + options->kernel +
		    (options->symbolize.build_id.len > 0);

	value_refuse(state, options->addresses && whose > 1,
		"-e, -p, -k and -b are mutually exclusive with addresses");
	value_refuse(state, options->addresses && options->files.len > 1,
		"addresses can belong to only one -e FILE");
	value_refuse(state, options->section && (!options->addresses || !options->files.len),
		"-j requires -e and addresses");
	value_refuse(state, options->explain && options->addresses,
		"--explain requires a dump or --map, not addresses");
	value_refuse(state, options->by_given && !options->top && !options->diff.wanted,
		"--by requires --top");
	value_refuse(state,
		options->top && options->format_given && options->output.format != OUTPUT_TOP &&
			options->output.format != OUTPUT_JSON,
		"--top is a format of its own, and can only be combined with --json");
	value_refuse(state, !options->addresses && options->symbolize.build_id.len,
		"-b requires addresses, not a dump");
}

/* Points the stages' structs at what was collected. */
static void finish(struct options *options, struct argp_state *state)
{
	sort_arguments(options, state);
	check_contradictions(options, state);
	check_filter(options, state);
	destination_finish(options);
	options->output.color = wants_color(options);
	finding_finish(options);
	live_finish(options, state);
	selecting_finish(options, state);
	if (options->diff.wanted)
		diff_finish(options, state);
	vec_push(&options->files, NULL);
	options->symbolize.files = options->files.data;
	options->symbolize.addresses_of_file = options->addresses;
	options->output.path_strips = options->path_strips.data;
	options->output.n_path_strips = options->path_strips.len;
	options->input.sources = options->sources.data;
	options->input.n_sources = options->sources.len;
	if (options->kernel)
		options->input.bare = INPUT_BARE_KERNEL;
	else if (options->input.pid >= 0)
		options->input.bare = INPUT_BARE_USER;
}

/* Tables of options beside that of this file. */
enum { CHILDREN = 5 };

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;

	switch (key) {
	case ARGP_KEY_INIT:
		for (int i = 0; i < CHILDREN; i++)
			state->child_inputs[i] = options;
		return 0;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		return 0;
	case OPT_WORDS:
		print_words(arg);
	case 'v':
		options->verbose = true;
		options->quiet = false;
		return 0;
	case 'q':
		options->quiet = true;
		options->verbose = false;
		return 0;
	case ARGP_KEY_ARG:
		vec_push(&options->arguments, arg);
		return 0;
	case ARGP_KEY_END:
		finish(options, state);
		return 0;
	default:
		return parse_input_option(options, key, arg, state) ||
				       parse_print_option(options, key, arg, state)
			       ? 0
			       : options_store(options, key, arg);
	}
}

/* What maps of the running kernel hold is no dump: diff has its own options in the place of theirs. */
void options_parse_command(const struct argp *command, const struct argp *own, int argc,
	char **argv, struct options *ret)
{
	const struct argp_child children[CHILDREN + 1] = {{.argp = own}, {.argp = &finding_argp},
		{.argp = &selecting_argp}, {.argp = &destination_argp}, {.argp = &naming_argp}, {}};
	struct argp argp = *command;

	argp.options = option_table;
	argp.parser = parse_option;
	argp.children = children;
	*ret = (struct options){
		.input = {.pid = -1},
		.symbolize = {.find = {.proc_root = "/proc", .sys_root = "/sys"},
			.inlines = true,
			.lines = true,
			.demangle = true,
			.names = NAMES_FULL,
			.fetch = {.timeout = 90, .budget = 300, .max = 256 << 20}},
		.diff = {.wanted = own == &diff_argp},
	};
	argp_err_exit_status = 64;
	argp_parse(&argp, argc, argv, 0, NULL, ret);
}

void options_parse(int argc, char **argv, struct options *ret)
{
	static const struct argp argp = {
		.args_doc =
			"[DUMP...]\n-e FILE|-p PID|-k|-b BUILDID [ADDR...]\n--filter [FILE...]\nrecord [OPTION...] [-- COMMAND]\ninspect "
			"FILE|PID|-b BUILDID\ndiff OLD NEW",
		.doc = "Turn the raw stacks of eBPF programs into names.\v"
		       "DUMP is the output of bpftool map dump or event_pipe (text, -j or -p), a stack "
		       "ID table or an address list; the format is detected from the content. Without "
		       "DUMP and --map, standard input is read.\n\n"
		       "Exit status: 0 success, 1 unresolved frames (with --strict), 2 input that "
		       "cannot be read or used, 64 wrong usage.",
	};

	options_parse_command(&argp, &live_argp, argc, argv, ret);
}

void options_deinit(struct options *options)
{
	vec_deinit(&options->sources);
	for (int side = 0; side < DIFF_SIDES; side++)
		vec_deinit(&options->diff.sides[side].sources);
	vec_deinit(&options->files);
	vec_deinit(&options->debug_dirs);
	vec_deinit(&options->rules);
	vec_deinit(&options->btf_files);
	vec_deinit(&options->select_rules);
	vec_deinit(&options->path_strips);
	vec_deinit(&options->filter_forms);
	free(options->perf_cache);
	free(options->debuginfod_cache);
	free(options->cache_of_others);
	vec_deinit(&options->maps);
	free(options->debuginfod_urls);
	vec_deinit(&options->arguments);
}
