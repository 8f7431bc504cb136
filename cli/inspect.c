// SPDX-License-Identifier: GPL-2.0-or-later
#include "inspect/inspect.h"

#include <argp.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "job.h"
#include "util/scan.h"
#include "util/vec.h"
#include "value.h"

enum { OPT_JSON = 256, OPT_SFRAME, OPT_UNWIND, OPT_DEBUG_DIR };

struct inspect_request {
	struct inspect_options inspect;
	const char *words[2]; /* FILE or PID, and ADDR */
	unsigned n_words;
	struct VEC(const char *) debug_dirs;
};

static const struct argp_option option_table[] = {
	{"build-id", 'b', "ID", 0, "Inspect the file with this build ID", 1},
	{"sframe", OPT_SFRAME, NULL, 0,
		"Print the rows of the SFrame section, as readelf --sframe does", 2},
	{"unwind", OPT_UNWIND, NULL, 0,
		"Print the unwind rule at ADDR, an address of the file, by SFrame and by CFI, and "
		"whether they agree",
		3},
	{"json", OPT_JSON, NULL, 0, "Print one JSON object a line", 4},
	{"debug-dir", OPT_DEBUG_DIR, "DIR", 0,
		"Search DIR for debug files before /usr/lib/debug (repeatable)", 5},
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 6},
	{},
};

static void add_word(struct inspect_request *request, struct argp_state *state, const char *word)
{
	if (request->n_words == array_len(request->words))
		argp_error(state, "too many arguments: '%s'", word);
	request->words[request->n_words++] = word;
}

static void want(struct inspect_request *request, struct argp_state *state, enum inspect_what what)
{
	value_refuse(state, request->inspect.what && request->inspect.what != what,
		"--sframe and --unwind are mutually exclusive");
	request->inspect.what = what;
}

/* Hex digits, with or without 0x. */
static bool read_address(const char *word, uint64_t *ret)
{
	struct scan scan = scan_of(word);

	(void)scan_literal(&scan, "0x");
	return scan_all_hex(scan, ret);
}

static void finish_words(struct inspect_request *request, struct argp_state *state)
{
	struct inspect_options *inspect = &request->inspect;
	bool by_id = inspect->build_id.len, unwind = inspect->what == INSPECT_UNWIND;
	const char *address = request->words[by_id ? 0 : 1];
	uint64_t pid;

	if (request->n_words != (by_id ? 0U : 1U) + unwind)
		argp_error(state, "%s",
			unwind	? "--unwind needs a file and an address"
			: by_id ? "-b takes the place of FILE"
				: "a FILE, a PID or -b ID is missing");
	if (unwind && !read_address(address, &inspect->address))
		argp_error(state, "'%s' is not an address", address);
	if (by_id)
		return;
	inspect->file = request->words[0];
	if (!scan_whole_number(inspect->file, &pid) || !pid || pid > INT32_MAX)
		return;
	value_refuse(
		state, inspect->what, "--sframe and --unwind are about one file, not a process");
	inspect->file = NULL;
	inspect->pid = (int64_t)pid;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct inspect_request *request = state->input;

	switch (key) {
	case 'b':
		if (!build_id_parse(arg, strlen(arg), &request->inspect.build_id))
			argp_error(state, "-b: '%s' is not a build ID", arg);
		break;
	case OPT_SFRAME:
		want(request, state, INSPECT_SFRAME);
		break;
	case OPT_UNWIND:
		want(request, state, INSPECT_UNWIND);
		break;
	case OPT_JSON:
		request->inspect.json = true;
		break;
	case OPT_DEBUG_DIR:
		vec_push(&request->debug_dirs, arg);
		break;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	case ARGP_KEY_ARG:
		add_word(request, state, arg);
		break;
	case ARGP_KEY_END:
		if (request->inspect.json && request->inspect.what)
			argp_error(state, "--json cannot be used with --sframe or --unwind");
		finish_words(request, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

static struct error *inspect(struct inspect_request *request)
{
	vec_push(&request->debug_dirs, "/usr/lib/debug");
	vec_push(&request->debug_dirs, NULL);
	request->inspect.debug_dirs = request->debug_dirs.data;
	/* libdw would ask servers by itself. */
	unsetenv("DEBUGINFOD_URLS");
	try(inspect_run(&request->inspect, stdout));
	return fflush(stdout) || ferror(stdout) ? error_errno(errno, "standard output") : NULL;
}

int command_inspect(int argc, char **argv)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "FILE\nPID\n-b ID\n--unwind FILE ADDR",
		.doc = "Say what an ELF file, or each of a process, offers to those who name and "
		       "unwind stacks: build ID, symbols, debug info, tables for unwinding, frame "
		       "pointers, and what would make it better.\v"
		       "No server is asked. Exit status: 2 if the file cannot be read, 64 wrong usage.",
	};
	struct inspect_request request = {.inspect = {.proc_root = "/proc"}};

	argp_err_exit_status = 64;
	argv[0] = (char *)"stack2line inspect";
	argp_parse(&argp, argc, argv, 0, NULL, &request);
	struct error *error = inspect(&request);
	int status = error ? job_fail(error) : 0;
	vec_deinit(&request.debug_dirs);
	return status;
}
