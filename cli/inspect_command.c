// SPDX-License-Identifier: GPL-2.0-or-later
#include "inspect/inspect.h"

#include <errno.h>
#include <string.h>

#include "options.h"
#include "job.h"
#include "util/scan.h"
#include "util/xalloc.h"
#include "util/vec.h"
#include "option.h"

static void set_build_id(void *to, const struct option_value *value)
{
	struct inspect_options *inspect = to;

	if (!build_id_parse(value->arg, strlen(value->arg), &inspect->build_id))
		option_wrong(value, "a build ID");
}

static void want(void *to, const struct option_value *value)
{
	struct inspect_options *inspect = to;
	enum inspect_what what = (enum inspect_what)value->row->value;

	if (inspect->what && inspect->what != what)
		argp_error(value->state, "--sframe and --unwind are mutually exclusive");
	inspect->what = what;
}

static const struct option_row rows[] = {
	{"-b, --build-id=ID", "Inspect the file with this build ID", .set = set_build_id},
	{"--sframe", "Print the rows of the SFrame section, as readelf --sframe does", .set = want,
		.value = INSPECT_SFRAME},
	{"--unwind",
		"Print the unwind rule at ADDR, an address of the file, by SFrame and by CFI, and "
		"whether they agree",
		.set = want, .value = INSPECT_UNWIND},
	{"--json", "Print one JSON object a line",
		OPTION_MEMBER(STORE_TRUE, struct inspect_options, json)},
	{"--debug-dir=DIR", "Search DIR for debug files before /usr/lib/debug (repeatable)",
		OPTION_MEMBER(ADD_TEXT, struct inspect_options, debug_dirs)},
	{},
};

static const char *finish(void *to, char **words, size_t n)
{
	struct inspect_options *inspect = to;
	bool by_id = inspect->build_id.len, unwind = inspect->what == INSPECT_UNWIND;
	uint64_t pid;

	if (inspect->json && inspect->what)
		return "--json cannot be used with --sframe or --unwind";
	if (n != (by_id ? 0U : 1U) + unwind)
		return unwind  ? "--unwind needs a file and an address"
		       : by_id ? "-b takes the place of FILE"
			       : "expected a FILE, a PID or -b ID";
	if (unwind) {
		struct scan address = scan_of(words[n - 1]);

		(void)scan_literal(&address, "0x");
		if (!scan_all_hex(address, &inspect->address))
			return xasprintf("'%s' is not an address", words[n - 1]);
	}
	if (by_id)
		return NULL;
	inspect->file = words[0];
	if (!scan_whole_number(inspect->file, &pid) || !pid || pid > INT32_MAX)
		return NULL;
	if (inspect->what)
		return "--sframe and --unwind require a file, not a process";
	inspect->file = NULL;
	inspect->pid = (int64_t)pid;
	return NULL;
}

int command_inspect(int argc, char **argv)
{
	static const struct option_command command = {
		.args_doc = "FILE\nPID\n-b ID\n--unwind FILE ADDR",
		.doc = "Print what an ELF file, or each file of a process, offers for naming and "
		       "unwinding stacks: build ID, symbols, debug info, tables for unwinding, frame "
		       "pointers, and what would improve it.\v"
		       "Nothing is downloaded. Exit status: 2 if the file cannot be read, 64 wrong usage.",
		.tables = {rows},
		.finish = finish,
	};
	/* what it points to lives as long as the program */
	static struct inspect_options options = {.proc_root = "/proc"};

	argv[0] = (char *)"stack2line inspect";
	option_parse(&command, argc, argv, &options);
	vec_push(&options.debug_dirs, "/usr/lib/debug");
	struct error *error = inspect_run(&options, stdout);
	if (!error && (fflush(stdout) || ferror(stdout)))
		error = error_errno(errno, "standard output");
	return error ? job_fail(error) : 0;
}
