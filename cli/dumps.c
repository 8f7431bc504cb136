// SPDX-License-Identifier: GPL-2.0-or-later
#include <fcntl.h>
#include <signal.h>
#include <unistd.h>

#include "commands.h"
#include "job.h"

struct dumps {
	struct job job;
	struct input_stats stats;
};

static struct error *take_batch(
	void *context, const struct sample *samples, size_t n, bool flush)
{
	struct dumps *dumps = context;

	dumps->job.weighted = dumps->stats.weighted;
	return job_batch(&dumps->job, samples, n, flush);
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

int command_dumps(struct options *options)
{
	struct dumps dumps = {};
	struct input_sink sink = {take_batch, &dumps};

	struct error *error = job_init(options, &dumps.job);
	if (error)
		return job_fail(error);
	catch_interrupt();
	error = input_read(&options->input, &dumps.job.log, &sink, &dumps.stats);
	int status = job_finish(&dumps.job, error);
	if (!status && dumps.stats.failed_sources)
		status = 2;
	job_deinit(&dumps.job);
	return status;
}
