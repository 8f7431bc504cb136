// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <argp.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "commands.h"
#include "job.h"
#include "record_file.h"
#include "util/cleanup.h"
#include "util/vec.h"
#include "value.h"

enum {
	OPT_ONCE = 256,
	OPT_BUFFER,
	OPT_NO_KERNEL,
	OPT_MAX_SIZE,
	OPT_MAX_AGE,
	OPT_PRINT,
	OPT_PROC,
	OPT_SYS,
	OPT_CGROUP,
	OPT_TREE,
	OPT_KEEP_FILES,
	OPT_KEEP_SIZE
};
enum { BUFFER_DEFAULT = 1 << 20, BUFFER_MAX_KIB = 1 << 18 };
/* What limits allow is of so many segments; of a size in bytes and a time in seconds that pay. */
enum { SEGMENTS = 8, SIZE_MIN = 16 << 20, AGE_MIN = 8 };
enum { KEEP_DEFAULT = 256 << 20, KEEP_MIN = 1 << 20 };
#define SECOND 1000000000ULL

struct record_request {
	struct record_options record;
	struct VEC(uint32_t) pids, trees;
	struct VEC(const char *) cgroups;
	const char *output;
	const char *print; /* NULL: record */
	struct record_file file;
};

static const struct argp_option option_table[] = {
	{"all", 'a', NULL, 0, "Record all processes (default without PID and COMMAND)", 1},
	{"pid", 'p', "PID", 0,
		"Record process PID and the processes that it starts from now on (repeatable)", 2},
	{"only-cgroup", OPT_CGROUP, "PATH", 0,
		"Of all processes, record those in this cgroup and below it (repeatable)", 3},
	{"only-pid-tree", OPT_TREE, "PID", 0,
		"Of all processes, record PID and all of its descendants (repeatable)", 4},
	{"output", 'o', "FILE", 0,
		"Write to FILE (default stack2line.recording; - is standard "
		"output). An existing recording is renamed to FILE.old",
		5},
	{"duration", 'd', "SECONDS", 0, "Stop after SECONDS", 6},
	{"once", OPT_ONCE, NULL, 0, "Record the current state and exit", 7},
	{"max-size", OPT_MAX_SIZE, "SIZE", 0,
		"Keep the newest SIZE bytes (K, M, G, T): write segments FILE.000001, FILE.000002, ... "
		"and delete the oldest",
		8},
	{"max-age", OPT_MAX_AGE, "TIME", 0,
		"Write segments as --max-size does, and delete those older than TIME (s, m, h, d)",
		9},
	{"keep-files", OPT_KEEP_FILES, "DIR", 0,
		"Copy mapped files that will be out of reach to DIR: deleted files, memfds, files on a "
		"container's tmpfs",
		10},
	{"keep-size", OPT_KEEP_SIZE, "SIZE", 0,
		"Keep at most SIZE bytes of copies (K, M, G, T; default 256M), the newest", 11},
	{"buffer-size", OPT_BUFFER, "KIB", 0,
		"Size of the event buffer of each CPU, in KiB (default 1024)", 12},
	{"no-kernel", OPT_NO_KERNEL, NULL, 0, "Do not record kernel symbols", 13},
	{"proc", OPT_PROC, "DIR", 0, "Read processes from DIR instead of /proc", 14},
	{"sys", OPT_SYS, "DIR", 0, "Read kernel build IDs from DIR instead of /sys", 15},
	{"print", OPT_PRINT, "FILE", 0,
		"Print the recording FILE as text, one record per line, and record nothing", 16},
	{"verbose", 'v', NULL, OPTION_HIDDEN, NULL, 2}, /* what was odd is always said */
	{NULL, 'h', NULL, OPTION_HIDDEN, NULL, 2},
	{},
};

/* What a signal handler can reach; only this command catches signals. */
static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static void catch_signals(void)
{
	struct sigaction action = {.sa_handler = on_signal}, before;

	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup(1) has it ignored, and means it. */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
}

static double parse_seconds(struct argp_state *state, const char *arg)
{
	char *end = NULL;
	double seconds = strtod(arg, &end);

	if (end == arg || *end || !(seconds > 0 && seconds < 1e9))
		argp_error(state, "-d: '%s' is not a number of seconds", arg);
	return seconds;
}

static void finish(struct record_request *request, struct argp_state *state)
{
	struct record_options *record = &request->record;

	record->pids = request->pids.data;
	record->n_pids = request->pids.len;
	record->only_cgroups = request->cgroups.data;
	record->n_only_cgroups = request->cgroups.len;
	record->only_trees = request->trees.data;
	record->n_only_trees = request->trees.len;
	bool only = record->n_only_cgroups || record->n_only_trees;
	value_refuse(state, only && record->n_pids,
		"-p cannot be used with --only-cgroup or --only-pid-tree: use "
		"--only-pid-tree instead of -p");
	if (only || (!record->n_pids && !record->command))
		record->all = true;
	value_refuse(state, record->all && record->n_pids, "-a and -p are mutually exclusive");
	value_refuse(
		state, record->once && record->command, "--once cannot be used with a COMMAND");
	if (request->file.max_bytes || request->file.max_age) {
		request->file.segments = true;
		record->segment_bytes = request->file.max_bytes / SEGMENTS;
		record->segment_ns = request->file.max_age * SECOND / SEGMENTS;
	}
	value_refuse(state,
		request->file.segments && (record->once || !strcmp(request->output, "-")),
		"--max-size and --max-age cannot be used with --once or standard output");
	value_refuse(
		state, request->print && record->command, "--print cannot be used with a COMMAND");
	value_refuse(
		state, record->keep_dir && record->once, "--keep-files cannot be used with --once");
	value_refuse(state, record->keep_bytes && !record->keep_dir,
		"--keep-size requires --keep-files=DIR");
	if (!record->keep_bytes)
		record->keep_bytes = KEEP_DEFAULT;
}

static const char *not_empty(struct argp_state *state, const char *arg, const char *wrong)
{
	if (!*arg)
		argp_error(state, "%s", wrong);
	return arg;
}

static uint32_t process_id(struct argp_state *state, const char *option, const char *arg)
{
	return (uint32_t)value_number(state, option, "a process ID", arg, 1, INT32_MAX);
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct record_request *request = state->input;
	struct record_options *record = &request->record;

	switch (key) {
	case 'p':
		vec_push(&request->pids, process_id(state, "-p", arg));
		break;
	case OPT_CGROUP:
		vec_push(&request->cgroups,
			not_empty(state, arg, "--only-cgroup: a path is missing"));
		break;
	case OPT_TREE:
		vec_push(&request->trees, process_id(state, "--only-pid-tree", arg));
		break;
	case 'a':
		record->all = true;
		break;
	case 'o':
		request->output = arg;
		break;
	case 'd':
		record->seconds = parse_seconds(state, arg);
		break;
	case OPT_ONCE:
		record->once = true;
		break;
	case OPT_BUFFER:
		record->buffer = 1024 * value_number(state, "--buffer-size", "a size in KiB", arg,
						1, BUFFER_MAX_KIB);
		break;
	case OPT_NO_KERNEL:
		record->kernel = false;
		break;
	case OPT_MAX_SIZE:
		request->file.max_bytes = value_size(state, "--max-size", arg, SIZE_MIN);
		break;
	case OPT_MAX_AGE:
		request->file.max_age = value_time(state, "--max-age", arg, AGE_MIN);
		break;
	case OPT_KEEP_FILES:
		record->keep_dir = not_empty(state, arg, "--keep-files: a directory is missing");
		break;
	case OPT_KEEP_SIZE:
		record->keep_bytes = value_size(state, "--keep-size", arg, KEEP_MIN);
		break;
	case OPT_PRINT:
		request->print = arg;
		break;
	case 'v':
		break;
	case 'h':
		argp_state_help(state, stdout, ARGP_HELP_STD_HELP);
		break;
	case OPT_PROC:
		record->proc_root = arg;
		break;
	case OPT_SYS:
		record->sys_root = arg;
		break;
	case ARGP_KEY_ARGS:
		record->command = state->argv + state->next;
		break;
	case ARGP_KEY_END:
		finish(request, state);
		break;
	default:
		return ARGP_ERR_UNKNOWN;
	}
	return 0;
}

/* ---- running -------------------------------------------------------------------------------- */

static struct error *publish(void *context)
{
	struct record_request *request = context;

	return record_file_publish(&request->file, request->record.segment_bytes);
}

static struct error *next_segment(void *context, int *fd_ret)
{
	struct record_request *request = context;

	try(record_file_next(&request->file));
	*fd_ret = request->file.fd;
	return NULL;
}

static struct error *run(struct record_request *request, struct record_result *result)
{
	struct log log = {};

	try(value_directory("--proc", request->record.proc_root));
	if (strcmp(request->record.sys_root, "/sys") != 0)
		try(value_directory("--sys", request->record.sys_root));
	catch_signals();
	try(record_file_open(request->output, &request->file));
	request->record.fd = request->file.fd;
	request->record.begun = publish;
	request->record.next = request->file.segments ? next_segment : NULL;
	request->record.context = request;
	struct error *error = record_run(&request->record, &log, result);
	job_print_log(&log, 0, true, false);
	log_deinit(&log);
	try(error_first(error, record_file_close(&request->file)));
	fprintf(stderr,
		"stack2line: %s: %" PRIu64 " process%s, %" PRIu64 " mapping%s, %" PRIu64
		" event%s lost\n",
		strcmp(request->output, "-") ? request->output : "standard output",
		result->processes, result->processes == 1 ? "" : "es", result->mappings,
		result->mappings == 1 ? "" : "s", result->lost, result->lost == 1 ? "" : "s");
	return NULL;
}

static struct error *print(const char *path)
{
	try(record_print(path, stdout));
	return fflush(stdout) ? error_errno(errno, "standard output") : NULL;
}

/* What may stand before the subcommand, as with git: options that it has too, in one word. */
static bool is_common(const char *word)
{
	return !strcmp(word, "-v") || !strcmp(word, "--verbose") || !strncmp(word, "--proc=", 7) ||
	       !strncmp(word, "--sys=", 6);
}

bool command_is_record(int argc, char **argv)
{
	int i = 1;

	while (i < argc && is_common(argv[i]))
		i++;
	if (i >= argc || strcmp(argv[i], "record") != 0)
		return false;
	char *record = argv[i];
	memmove(argv + 2, argv + 1, (size_t)(i - 1) * sizeof(*argv));
	argv[1] = record;
	return true;
}

int command_record(int argc, char **argv, uint64_t files)
{
	static const struct argp argp = {
		.options = option_table,
		.parser = parse_option,
		.args_doc = "[-- COMMAND [ARG...]]",
		.doc = "Record the mappings of processes, so that stacks can be resolved after the processes "
		       "have exited (stack2line --recording=FILE).\v"
		       "Recording ends with Ctrl-C, after -d SECONDS, or when all PIDs or COMMAND "
		       "have exited. Exit status: that of COMMAND (0 without one), 2 if recording "
		       "failed, 64 wrong usage.",
	};
	struct record_request request = {
		.output = "stack2line.recording",
		.record = {.proc_root = "/proc",
			.sys_root = "/sys",
			.kernel = true,
			.buffer = BUFFER_DEFAULT,
			.files = files,
			.stop = &stop},
	};
	struct record_result result = {};

	argp_err_exit_status = 64;
	argv[0] = (char *)"stack2line record";
	argp_parse(&argp, argc, argv, ARGP_IN_ORDER, NULL, &request);
	struct error *error = request.print ? print(request.print) : run(&request, &result);
	int status = error ? job_fail(error) : result.command_status;
	vec_deinit(&request.pids);
	vec_deinit(&request.trees);
	vec_deinit(&request.cgroups);
	return status;
}
