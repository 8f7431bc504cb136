// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <errno.h>
#include <inttypes.h>

#include "options.h"
#include "job.h"
#include "option.h"
#include "record_file.h"
#include "util/cleanup.h"
#include "util/vec.h"

enum { BUFFER_DEFAULT = 1 << 20, BUFFER_MAX_KIB = 1 << 18 };
/* A limit is divided among SEGMENTS. SIZE_MIN and AGE_MIN: smallest limits, bytes and seconds. */
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

/* set by on_signal() */
static volatile sig_atomic_t stop;

static void on_signal(int signal)
{
	(void)signal;
	stop = 1;
}

static void set_seconds(void *to, const struct option_value *value)
{
	struct record_request *request = to;
	char *end = NULL;
	double seconds = strtod(value->arg, &end);

	if (end == value->arg || *end || !(seconds > 0 && seconds < 1e9))
		option_wrong(value, "a number of seconds");
	request->record.seconds = seconds;
}

static void add_pid(void *to, const struct option_value *value)
{
	struct VEC(uint32_t) *pids = to;

	vec_push(pids, (uint32_t)option_number(value, "a process ID", 1, INT32_MAX));
}

static void add_cgroup(void *to, const struct option_value *value)
{
	struct record_request *request = to;

	if (!*value->arg)
		argp_error(value->state, "--only-cgroup: a path is missing");
	vec_push(&request->cgroups, value->arg);
}

static void set_buffer(void *to, const struct option_value *value)
{
	struct record_request *request = to;

	request->record.buffer = 1024 * option_number(value, "a size in KiB", 1, BUFFER_MAX_KIB);
}

#define MEMBER(how, field) OPTION_MEMBER(how, struct record_request, field)

static const struct option_row rows[] = {
	{"-a, --all", "Record all processes (default without PID and COMMAND)",
		MEMBER(STORE_TRUE, record.all)},
	{"-p, --pid=PID",
		"Record process PID and the processes that it starts from now on (repeatable)",
		MEMBER(CALL, pids), .set = add_pid},
	{"--only-cgroup=PATH", "Record only processes in this cgroup and below it (repeatable)",
		.set = add_cgroup},
	{"--only-pid-tree=PID", "Record only process PID and all of its descendants (repeatable)",
		MEMBER(CALL, trees), .set = add_pid},
	{"-o, --output=FILE",
		"Write to FILE (default stack2line.recording; - is standard "
		"output). An existing recording is renamed to FILE.old",
		MEMBER(STORE_TEXT, output)},
	{"-d, --duration=SECONDS", "Stop after SECONDS", .set = set_seconds},
	{"--once", "Record the current state and exit", MEMBER(STORE_TRUE, record.once)},
	{"--max-size=SIZE",
		"Keep the newest SIZE bytes (K, M, G, T): write segments FILE.000001, FILE.000002, ... "
		"and delete the oldest",
		MEMBER(STORE_SIZE, file.max_bytes), .value = SIZE_MIN},
	{"--max-age=TIME",
		"Write segments as --max-size does, and delete those older than TIME (s, m, h, d)",
		MEMBER(STORE_TIME, file.max_age), .value = AGE_MIN},
	{"--keep-files=DIR",
		"Copy mapped files that will be out of reach to DIR: deleted files, memfds, files on a "
		"container's tmpfs",
		MEMBER(STORE_TEXT, record.keep_dir)},
	{"--keep-size=SIZE",
		"Keep at most SIZE bytes of copies (K, M, G, T; default 256M), the newest",
		MEMBER(STORE_SIZE, record.keep_bytes), .value = KEEP_MIN},
	{"--buffer-size=KIB", "Size of the event buffer of each CPU, in KiB (default 1024)",
		.set = set_buffer},
	{"--no-kernel", "Do not record kernel symbols", MEMBER(STORE_FALSE, record.kernel)},
	{"--proc=DIR", "Read processes from DIR instead of /proc",
		MEMBER(STORE_TEXT, record.proc_root)},
	{"--sys=DIR", "Read kernel build IDs from DIR instead of /sys",
		MEMBER(STORE_TEXT, record.sys_root)},
	{"--print=FILE",
		"Print the recording FILE as text, one record per line, and record nothing",
		MEMBER(STORE_TEXT, print)},
	{.option = "-v, --verbose"}, /* ignored: warnings are always printed */
	{},
};

/* Takes the arguments as COMMAND and checks the options. */
static const char *finish(void *to, char **arguments, size_t n)
{
	struct record_request *request = to;
	struct record_options *record = &request->record;

	if (record->keep_dir && !*record->keep_dir)
		return "--keep-files: a directory is missing";
	if (n)
		record->command = arguments;
	record->pids = request->pids.data;
	record->n_pids = request->pids.len;
	record->only_cgroups = request->cgroups.data;
	record->n_only_cgroups = request->cgroups.len;
	record->only_trees = request->trees.data;
	record->n_only_trees = request->trees.len;
	bool only = record->n_only_cgroups || record->n_only_trees;
	if (only && record->n_pids)
		return "-p cannot be used with --only-cgroup or --only-pid-tree: use "
		       "--only-pid-tree instead of -p";
	if (only || (!record->n_pids && !record->command))
		record->all = true;
	if (record->all && record->n_pids)
		return "-a and -p are mutually exclusive";
	if (record->once && record->command)
		return "--once cannot be used with a COMMAND";
	if (request->file.max_bytes || request->file.max_age) {
		request->file.segments = true;
		request->file.segment_bytes = request->file.max_bytes / SEGMENTS;
		record->segment_bytes = request->file.segment_bytes;
		record->segment_ns = request->file.max_age * SECOND / SEGMENTS;
	}
	if (request->file.segments && (record->once || !strcmp(request->output, "-")))
		return "--max-size and --max-age cannot be used with --once or standard output";
	if (request->print && record->command)
		return "--print cannot be used with a COMMAND";
	if (record->keep_dir && record->once)
		return "--keep-files cannot be used with --once";
	if (record->keep_bytes && !record->keep_dir)
		return "--keep-size requires --keep-files=DIR";
	if (!record->keep_bytes)
		record->keep_bytes = KEEP_DEFAULT;
	return NULL;
}

/* ---- running -------------------------------------------------------------------------------- */

static struct error *run(struct record_request *request, struct record_result *result)
{
	struct sigaction action = {.sa_handler = on_signal}, before;
	struct record_options *record = &request->record;
	struct log log = {};

	try(option_directory("--proc", record->proc_root));
	if (strcmp(record->sys_root, "/sys") != 0)
		try(option_directory("--sys", record->sys_root));
	sigaction(SIGINT, &action, NULL);
	sigaction(SIGTERM, &action, NULL);
	/* nohup(1) has it ignored, which must stay */
	if (!sigaction(SIGHUP, NULL, &before) && before.sa_handler != SIG_IGN)
		sigaction(SIGHUP, &action, NULL);
	signal(SIGPIPE, SIG_IGN);
	try(record_file_open(request->output, &request->file));
	record->fd = request->file.fd;
	record->begun = record_file_publish;
	record->next = request->file.segments ? record_file_next : NULL;
	record->context = &request->file;
	struct error *error = record_run(record, &log, result);
	job_print_log(stderr, &log, 0, 0);
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

bool command_is_record(int argc, char **argv)
{
	int i = 1;

	/* options of a single word may precede the subcommand, as with git */
	while (i < argc &&
		(!strcmp(argv[i], "-v") || !strcmp(argv[i], "--verbose") ||
			!strncmp(argv[i], "--proc=", 7) || !strncmp(argv[i], "--sys=", 6)))
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
	static const struct option_command command = {
		.args_doc = "[-- COMMAND [ARG...]]",
		.doc = "Record the mappings of processes, so that stacks can be resolved after the processes "
		       "have exited (stack2line --recording=FILE).\v"
		       "Recording ends with Ctrl-C, after -d SECONDS, or when all PIDs or COMMAND "
		       "have exited. Exit status: that of COMMAND (0 without one), 2 if recording "
		       "failed, 64 wrong usage.",
		.tables = {rows},
		.stops_at_argument = true,
		.finish = finish,
	};
	/* what it points to lives as long as the program */
	static struct record_request request = {
		.output = "stack2line.recording",
		.record = {.proc_root = "/proc",
			.sys_root = "/sys",
			.kernel = true,
			.buffer = BUFFER_DEFAULT,
			.stop = &stop},
	};
	struct record_result result = {};

	request.record.files = files;
	argv[0] = (char *)"stack2line record";
	option_parse(&command, argc, argv, &request);
	struct error *error =
		request.print ? record_print(request.print, stdout) : run(&request, &result);
	if (request.print && !error && fflush(stdout))
		error = error_errno(errno, "standard output");
	return error ? job_fail(error) : result.command_status;
}
