// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "commands.h"
#include "explain.h"
#include "job.h"
#include "live.h"
#include "save_file.h"
#include "util/cleanup.h"

struct dumps {
	struct job job;
	struct input_stats stats;
	struct explanation explanation; /* for --explain */
};

static struct error *take_batch(
	void *context, const struct sample *samples, size_t n, bool flush)
{
	struct dumps *dumps = context;

	if (dumps->job.options->explain)
		return NULL;
	dumps->job.weighted = dumps->stats.weighted;
	return job_batch(&dumps->job, samples, n, flush);
}

/* Rounds are told apart by an empty line. Addresses may mean something else by the next one. */
static struct error *end_round(void *context)
{
	struct dumps *dumps = context;

	return job_next_round(&dumps->job);
}

/* Ctrl-C ends a stream where it is: standard input is at its end from here on. */
static void end_input(int signal)
{
	int null = open("/dev/null", O_RDONLY | O_CLOEXEC);

	(void)signal;
	if (null >= 0)
		dup2(null, STDIN_FILENO);
}

static void catch_interrupt(void)
{
	struct sigaction action = {.sa_handler = end_input, .sa_flags = (int)SA_RESETHAND};

	sigaction(SIGINT, &action, NULL);
}

/* Live maps do not read standard input: a pipe that is silent until Ctrl-C takes its place. */
static struct error *quiet_input(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(errno, "cannot make a pipe");
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	return NULL; /* the other end stays open as long as the program runs */
}

static struct error *read_dumps(struct dumps *dumps, struct options *options)
{
	struct input_sink sink = {.batch = take_batch, .context = dumps, .round = end_round};
	scope_guard(save_file_deinit) struct save_file save = {};

	if (options->save_dump)
		try(save_file_open(options->save_dump, &save));
	if (live_wanted(options) && !options->sources.len)
		try(quiet_input());
	options->input.live.save = save.file;
	catch_interrupt();
	struct error *error = input_read(&options->input, &dumps->job.log, &sink, &dumps->stats);
	/* What nothing could be made of is worth keeping too. */
	if (!save.file || !dumps->stats.live_read)
		return error;
	struct error *failed = save_file_finish(&save);
	if (!error)
		return failed;
	error_destroy(failed);
	return error;
}

int command_dumps(struct options *options)
{
	struct dumps dumps = {};

	struct error *error = job_init(options, &dumps.job);
	if (error)
		return job_fail(error);
	if (options->explain)
		options->input.explain = &dumps.explanation;
	error = read_dumps(&dumps, options);
	if (options->explain)
		explain_print(&dumps.explanation,
			options->format_given && options->output.format == OUTPUT_JSON, stdout);
	dumps.job.failed = dumps.stats.failed_sources;
	int status = job_finish(&dumps.job, error);
	if (!status && dumps.stats.failed_sources)
		status = 2;
	explanation_deinit(&dumps.explanation);
	job_deinit(&dumps.job);
	return status;
}
