// SPDX-License-Identifier: GPL-2.0-or-later
#include "destination.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "job.h"
#include "options.h"
#include "util/cleanup.h"
#include "util/file.h"

/* ---- files that are written completely or not at all ----------------------------------------- */

struct error *save_file_open(const char *path, mode_t mode, struct save_file *ret)
{
	struct stat st;

	/* links and devices are not replaced */
	if (!lstat(path, &st) && !S_ISREG(st.st_mode))
		return error_create(ERROR_INPUT,
			"%s: already exists and is not a regular file: not overwritten", path);
	*ret = (struct save_file){.path = path};
	int fd = file_create_unnamed(path, mode, &ret->temporary, &ret->unnamed);
	if (fd < 0)
		return error_errno(errno, "cannot create %s", path);
	ret->file = fdopen(fd, "w");
	return NULL;
}

struct error *save_file_publish(struct save_file *save)
{
	if (!save->temporary)
		return NULL;
	if (file_name_temporary(fileno(save->file), save->path, &save->temporary, &save->unnamed) ||
		rename(save->temporary, save->path) < 0)
		return error_errno(errno, "cannot write %s", save->path);
	free(take(save->temporary));
	return NULL;
}

struct error *save_file_finish(struct save_file *save)
{
	errno = 0;
	if (fflush(save->file) || ferror(save->file) || fsync(fileno(save->file)))
		return error_errno(errno ?: EIO, "cannot write %s", save->path);
	try(save_file_publish(save));
	if (fclose(take(save->file)))
		return error_errno(errno, "cannot write %s", save->path);
	return NULL;
}

void save_file_deinit(struct save_file *save)
{
	if (save->file)
		fclose(save->file);
	if (save->temporary && !save->unnamed)
		unlink(save->temporary);
	free(save->temporary);
}

/* ---- standard output ------------------------------------------------------------------------- */

static struct save_file output; /* what standard output goes to; empty: where it always went */

struct error *destination_open(const struct options *options)
{
	const char *path = options->output_path;
	struct stat st;

	if (!path)
		return NULL;
	/*
	 * Devices are written to directly: there is nothing to lose in /dev/null. Links are not
	 * followed: one may be another user's trap.
	 */
	if (!lstat(path, &st) && S_ISCHR(st.st_mode))
		output = (struct save_file){.file = fopen(path, "we"), .path = path};
	else
		try(save_file_open(path, 0666, &output));
	if (!output.file || dup2(fileno(output.file), STDOUT_FILENO) < 0)
		return error_errno(errno, "cannot write %s", path);
	bool answers_lines = (options->filter || options->addresses) && !options->arguments.len &&
			     (fstat(STDIN_FILENO, &st) || !S_ISREG(st.st_mode));
	return answers_lines ? save_file_publish(&output) : NULL;
}

struct error *destination_publish(void)
{
	return save_file_publish(&output);
}

int destination_close(int status)
{
	struct error *error = NULL;

	errno = 0;
	if (status > EXIT_UNRESOLVED) {
		if (output.temporary)
			fprintf(stderr,
				"stack2line: %s: not written, because not all input could be "
				"used\n",
				output.path);
	} else if (output.file && (fflush(stdout) || ferror(stdout))) {
		error = error_errno(errno ?: EIO, "cannot write %s", output.path);
	} else if (output.temporary) {
		error = save_file_finish(&output);
	}
	save_file_deinit(&output);
	return error ? job_fail(error) : status;
}

/* ---- the pager ------------------------------------------------------------------------------ */

static volatile sig_atomic_t pager; /* PID; 0: none */
static int terminal;		    /* what standard output was before it went to the pager */

/*
 * Handles SIGPIPE: the user has left the pager early, which is no error. Waits for the pager, which
 * may still have to restore the terminal, and exits.
 */
static void end_with_pager(int number)
{
	(void)number;
	waitpid(pager, NULL, 0);
	_exit(0);
}

static const char less[] = "command -v less >/dev/null || exec cat; exec less";
/* falls back to cat if the shell cannot run the pager */
static const char run[] =
	"trap : INT QUIT; eval \"$1\"; case $? in 126|127) "
	"echo \"stack2line: the pager cannot be run, and is not used\" >&2; exec cat;; esac";

/* Returns the pager, chosen as git does; NULL: none. */
static const char *pager_command(const struct options *options)
{
	const char *command = getenv("STACK2LINE_PAGER");

	if (options->no_pager || options->output_path || pager || !isatty(STDOUT_FILENO))
		return NULL;
	if (!command)
		command = getenv("PAGER");
	if (!command)
		command = less;
	return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

/* Sets HANDLER for interrupts, which are the pager's while it runs. */
static void leave_signals(void (*handler)(int))
{
	signal(SIGINT, handler);
	signal(SIGQUIT, handler);
}

void destination_page(const struct options *options)
{
	const char *command = pager_command(options);
	int ends[2];

	if (!command || fflush(stdout) || pipe2(ends, O_CLOEXEC) < 0)
		return;
	pid_t pid = fork();
	if (!pid) {
		dup2(ends[0], STDIN_FILENO);
		setenv("LESS", "FRX", 0);
		execl("/bin/sh", "sh", "-c", run, "sh", command, (char *)NULL);
		_exit(127);
	}
	close(ends[0]);
	if (pid > 0) {
		pager = pid;
		leave_signals(SIG_IGN);
		signal(SIGPIPE, end_with_pager);
		terminal = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, 3);
		dup2(ends[1], STDOUT_FILENO);
	}
	close(ends[1]);
}

void destination_page_end(void)
{
	if (!pager)
		return;
	fflush(stdout);
	dup2(terminal, STDOUT_FILENO);
	close(terminal);
	while (waitpid(pager, NULL, 0) < 0 && errno == EINTR)
		;
	pager = 0;
	leave_signals(SIG_DFL);
	signal(SIGPIPE, SIG_DFL);
}
