// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "kernel/follow/reports.h"
#include "process/procfs.h"
#include "record/only.h"
#include "record/record_state.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/vec.h"

enum { WAIT_MS = 50 /* longest time between two reads of the buffers */ };

/* ---- events --------------------------------------------------------------------------------- */

static void handle_event(void *context, const struct task_event *task)
{
	struct record_state *state = context;
	struct recorder *recorder = &state->recorder;
	bool leader = task->pid == task->tid;

	if (!record_only_takes(state, task))
		return;
	record_jit_event(state, task);
	record_keep_event(state, task);
	switch (task->kind) {
	case TASK_FORK:
		state->processes++;
		state->parents[task->pid % PARENTS_N] = task->parent;
		recorder_row(recorder, ROW_FORK, "", task->tid, task->time, task->parent);
		break;
	case TASK_THREAD:
		recorder_row(recorder, ROW_THREAD, "", task->tid, task->time, task->parent);
		break;
	case TASK_EXEC:
		state->rooted[task->pid % PARENTS_N] = 0;
		recorder_row(recorder, ROW_EXEC, task->name, task->pid, task->time);
		break;
	case TASK_COMM:
		if (leader)
			recorder_row(recorder, ROW_COMM, task->name, task->pid, task->time);
		break;
	case TASK_MAP:
		record_mapping(state, task->pid, task->time, &task->mapping);
		break;
	case TASK_MOUNTS: /* reported at each fork */
		if (task->pid_namespace != state->own_pid_namespace)
			record_pids(state, task->tid, task->time);
		if (leader && task->namespace != state->own_namespace)
			recorder_row(recorder, ROW_NS, "", task->pid, task->time,
				record_see_namespace(state, task->namespace, task->pid));
		break;
	case TASK_EXIT:
		if (leader)
			recorder_row(recorder, ROW_EXIT, "", task->pid, task->time);
		break;
	case TASK_LOST:
		recorder_row(recorder, ROW_LOST, "", task->time, task->count, task->since);
		break;
	}
}

/* Records processes that events missed. After a loss /proc is read again, at most once a second. */
static void make_up(struct record_state *state)
{
	uint64_t processes = state->processes;
	bool lost = state->recorder.lost != state->lost_seen &&
		    clock_ns(CLOCK_MONOTONIC) - state->scanned >= SECOND;

	record_only_update(state, lost);
	record_look_new(state);
	if (!lost)
		return;
	state->lost_seen = state->recorder.lost;
	record_look(state);
	record_keep_again(state);
	state->processes = processes;
}

/* ---- the command ---------------------------------------------------------------------------- */

/* Forks COMMAND, which does not exec before the recorder writes to the pipe. */
static struct error *start_command(struct record_state *state)
{
	int fds[2];

	if (!state->options->command)
		return NULL;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(errno, "pipe");
	pid_t child = fork();
	if (!child) {
		char *const *command = state->options->command;
		ssize_t n;
		char c;

		close(fds[1]);
		while ((n = read(fds[0], &c, 1)) < 0 && errno == EINTR)
			;
		if (n != 1)
			_exit(0); /* recording could not begin */
		signal(SIGINT, SIG_DFL);
		signal(SIGTERM, SIG_DFL);
		limits_set_files(state->options->files);
		signal(SIGPIPE, SIG_DFL);
		execvp(command[0], command);
		fprintf(stderr, "stack2line: %s: %s\n", command[0], strerror(errno));
		_exit(errno == ENOENT ? 127 : 126);
	}
	int errnum = errno;
	close(fds[0]);
	state->go_fd = fds[1];
	state->child = child < 0 ? 0 : child;
	state->processes += child > 0;
	return child < 0 ? error_errno(errnum, "fork") : NULL;
}

static bool command_ended(struct record_state *state)
{
	int status;

	if (!state->child || waitpid(state->child, &status, WNOHANG) != state->child)
		return state->options->command && !state->child;
	state->child = 0;
	state->command_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool at_end(struct record_state *state, uint64_t begun)
{
	const struct record_options *options = state->options;
	double passed = (double)(clock_ns(CLOCK_MONOTONIC) - begun) / (double)SECOND;

	if (*options->stop || (options->seconds > 0 && passed >= options->seconds) ||
		command_ended(state))
		return true;
	array_each(pid, options->pids, options->n_pids) {
		auto_fd int fd = procfs_open_process(options->proc_root, *pid);

		if (fd >= 0)
			return false;
	}
	return !options->all && options->n_pids && !options->command;
}

/* Writes the head of a segment and what recording is limited to: readers expect nothing else. */
static struct error *write_begin(struct record_state *state)
{
	const struct record_options *options = state->options;
	auto_free char *boot_id = procfs_boot_id(options->proc_root);
	auto_text struct text only = {};
	struct utsname system = {};
	const struct recorder_clocks clocks = {
		clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_BOOTTIME)};

	state->segment = clocks.monotonic;
	if (!state->complete)
		state->complete = clocks.monotonic;
	uname(&system);
	recorder_begin(
		&state->recorder, boot_id ? boot_id : "-", system.machine, system.release, &clocks);
	if (state->keep_path)
		recorder_row(&state->recorder, ROW_KEEPS, state->keep_path);
	array_each(only_cgroup, options->only_cgroups, options->n_only_cgroups)
		text_printf(&only, "cgroup %s\n", *only_cgroup);
	array_each(only_tree, options->only_trees, options->n_only_trees)
		text_printf(&only, "tree %u\n", *only_tree);
	for (size_t i = 0; !options->all && i < options->n_pids; i++)
		text_printf(&only, "process %u\n", options->pids[i]);
	if (!options->all && options->command)
		text_printf(&only, "command %s\n", options->command[0]);
	recorder_lines(&state->recorder, ROW_ONLY, &only);
	try(recorder_flush(&state->recorder));
	return options->begun(options->context);
}

/* Begins the next segment, which repeats everything known: earlier segments may be deleted. */
static struct error *begin_segment(struct record_state *state)
{
	uint64_t processes = state->processes;

	record_bpf_update(state);
	record_jit_update(state, true);
	recorder_end(&state->recorder, state->complete, true);
	try(recorder_flush(&state->recorder));
	try(state->options->next(state->options->context, &state->recorder.fd));
	try(write_begin(state));
	vec_each(namespace, &state->namespaces)
		text_clear(&namespace->mounts);
	record_own_vdso(state);
	record_bpf_again(state, state->segment);
	record_look(state);
	record_new_mounts(state);
	record_jit_again(state, state->segment);
	record_jit_update(state, true);
	record_keep_again(state);
	state->processes = processes;
	record_kernel(state);
	return recorder_flush(&state->recorder);
}

static struct error *follow(struct record_state *state)
{
	const struct record_options *options = state->options;
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);

	for (bool ended = false; !ended;) {
		perf_events_wait(state->events, WAIT_MS);
		ended = at_end(state, begun);
		record_only_list(state);
		uint64_t heard = perf_events_read(state->events, handle_event, state);
		record_new_mounts(state);
		make_up(state);
		record_jit_update(state, ended);
		record_bpf_update(state);
		record_keep_update(state);
		/* JIT code is known only up to the last read of the compilers' files */
		state->complete = heard < state->jit_updated ? heard : state->jit_updated;
		state->recorder.complete = state->complete;
		try(recorder_poll(&state->recorder, clock_ns(CLOCK_MONOTONIC)));
		bool full =
			options->segment_bytes && state->recorder.written >= options->segment_bytes;
		bool old = options->segment_ns &&
			   clock_ns(CLOCK_MONOTONIC) - state->segment >= options->segment_ns;
		if (!ended && options->next && (full || old))
			try(begin_segment(state));
	}
	if (state->keep) {
		record_keep_end(state);
		perf_events_read(state->events, handle_event, state);
		record_keep_write(state);
	}
	return NULL;
}

/* Records. Opens events before reading /proc, so that no process is missed in between. */
static struct error *record(struct record_state *state)
{
	const struct record_options *options = state->options;

	try(record_only_begin(state));
	try(record_keep_begin(state));
	try(start_command(state));
	array_each(pid, options->pids, options->n_pids) {
		auto_fd int fd = procfs_open_process(options->proc_root, *pid);
		scope_guard(procfs_close_dir) DIR *tasks =
			fd < 0 ? NULL : procfs_open_dir(fd, "task");
		uint32_t tid;

		while (procfs_next_id(tasks, &tid))
			vec_push(&state->tids, tid);
	}
	if (state->child)
		vec_push(&state->tids, (uint32_t)state->child);
	if (!options->all && !state->tids.len)
		return error_create(ERROR_INPUT, "-p %u%s: no such process", options->pids[0],
			options->n_pids > 1 ? " and the others" : "");
	if (!options->once)
		try(perf_events_open(options->all ? NULL : state->tids.data,
			options->all ? 0 : state->tids.len, options->buffer, &state->events));
	try(write_begin(state));
	record_own_vdso(state);
	record_bpf_begin(state);
	record_only_find(state);
	if (state->go_fd >= 0) /* start COMMAND */
		(void)!write(state->go_fd, "", 1);
	record_look(state);
	record_new_mounts(state);
	record_jit_update(state, true);
	try(recorder_flush(&state->recorder));
	record_kernel(state);
	if (!options->once)
		try(follow(state));
	recorder_end(&state->recorder, state->complete, false);
	return recorder_flush(&state->recorder);
}

struct error *record_run(
	const struct record_options *options, struct log *log, struct record_result *ret)
{
	struct record_state state = {
		.options = options,
		.recorder = {.fd = options->fd, .stop = options->stop},
		.own_namespace = procfs_namespace(AT_FDCWD, "/proc/self/ns/mnt"),
		.own_pid_namespace = procfs_namespace(AT_FDCWD, "/proc/self/ns/pid"),
		.go_fd = -1,
	};
	struct error *error = record(&state);
	uint64_t lost = state.recorder.lost;

	*ret = (struct record_result){
		.processes = state.processes,
		.mappings = state.recorder.mappings,
		.lost = lost,
		.command_status = state.command_status,
	};
	log_add(log, LOG_WARNING, lost > 0, "%" PRIu64 " event%s lost: use a larger --buffer-size",
		lost, lost == 1 ? " was" : "s were");
	log_add(log, LOG_WARNING, state.unwatched > 0,
		"too many processes with JIT code, or too much JIT code: some was not recorded");
	log_add(log, LOG_WARNING, state.bpf_left_out > 0,
		"too many BPF programs came and went: some were not recorded");
	log_add(log, LOG_WARNING, state.untold > 0,
		"the kernel does not report cgroups of version 2 here: processes that were "
		"moved to one and exited within milliseconds are missing");
	record_keep_notes(&state, log);
	cleanup_fd(&state.go_fd);
	perf_events_close(state.events);
	record_only_deinit(&state);
	record_keep_deinit(&state);
	ksymbols_close(state.ksymbols);
	record_jit_deinit(&state);
	recorder_deinit(&state.recorder);
	vec_each(namespace, &state.namespaces)
		text_deinit(&namespace->mounts);
	vec_deinit(&state.namespaces);
	table_deinit(&state.namespace_by_inode);
	table_deinit(&state.file_by_inode);
	vec_deinit(&state.files);
	vec_deinit(&state.tids);
	return error;
}
