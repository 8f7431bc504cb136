// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/record.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/utsname.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "process/follow/perf_events.h"
#include "process/procfs.h"
#include "process/recording/print.h"
#include "process/snapshot.h"
#include "process/space.h"
#include "record/bpf.h"
#include "record/jit.h"
#include "record/keep.h"
#include "record/kernel.h"
#include "record/look.h"
#include "record/only.h"
#include "record/state.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/limits.h"
#include "util/xalloc.h"

enum { WAIT_MS = 50 /* buffers are emptied at least so often */ };
#define SECOND 1000000000ULL

struct record {
	struct record_state state;
	struct VEC(uint32_t) tids; /* to be followed */
	uint64_t own_namespace;
	uint64_t lost_seen; /* lost records that were made up for by looking into /proc again */
	pid_t child;	    /* COMMAND, 0: none or gone */
	int go_fd;	    /* a byte lets COMMAND begin, -1: none */
	int command_status;
	uint64_t segment;  /* when the segment began, ns */
	uint64_t complete; /* ns: all that happened before was given to the recorder */
};

/* ---- events --------------------------------------------------------------------------------- */

static void write_map_event(struct record *record, const struct task_event *task)
{
	const struct mapping mapping = task_event_mapping(task);
	auto_free char *path = (char *)mapping.path;
	struct recorded_file file = record_file_of(&mapping);

	if (mapping.inode)
		record_identify_at(&record->state, task->pid, task->time, &mapping, &file);
	record_jit_mapping(&record->state, task->pid, task->time, -1, &mapping);
	if (mapping.start < mapping.end)
		recorder_map(&record->state.recorder, task->pid, task->time, &mapping, &file);
	if (*path == '/')
		record_keep_mapping(&record->state, task->pid, mapping.deleted);
}

/* Each fork tells its namespaces; those of this program itself go without saying. */
static void write_namespace_event(struct record *record, const struct task_event *task)
{
	if (task->pid_namespace != record->state.own_pid_namespace)
		record_pids(&record->state, task->tid, task->time);
	if (task->pid == task->tid)
		record_keep_namespace(&record->state, task->pid, task->namespace);
	if (task->namespace == record->own_namespace || task->pid != task->tid)
		return;
	recorder_row(&record->state.recorder, ROW_NS, "", task->pid, task->time,
		record_see_namespace(&record->state, task->namespace, task->pid));
}

static void handle_event(void *context, const struct task_event *task)
{
	struct record *record = context;
	struct recorder *recorder = &record->state.recorder;
	bool leader = task->pid == task->tid;

	/* What is not in the recorder's PID namespace has no number in it. */
	if (task->kind != TASK_LOST && (!task->pid || task->pid > INT32_MAX))
		return;
	if (!record_only_takes(&record->state, task))
		return;
	switch (task->kind) {
	case TASK_FORK:
		record->state.processes += task->pid != task->parent;
		if (task->pid != task->parent) {
			record->state.parents[task->pid % PARENTS_N] = task->parent;
			record_jit_fork(&record->state, task->pid, task->time, task->parent);
			record_keep_fork(&record->state, task->pid, task->parent);
		}
		recorder_row(recorder, task->pid == task->parent ? ROW_THREAD : ROW_FORK, "",
			task->tid, task->time, task->parent);
		break;
	case TASK_EXEC:
		record->state.rooted[task->pid % PARENTS_N] = 0;
		record_jit_end(&record->state, task->pid, task->time - 1);
		recorder_row(recorder, ROW_EXEC, task->name, task->pid, task->time);
		break;
	case TASK_COMM:
		if (leader)
			recorder_row(recorder, ROW_COMM, task->name, task->pid, task->time);
		break;
	case TASK_MAP:
		write_map_event(record, task);
		break;
	case TASK_MOUNTS:
		write_namespace_event(record, task);
		break;
	case TASK_EXIT:
		if (leader) {
			record_jit_end(&record->state, task->pid, task->time);
			record_keep_exit(&record->state, task->pid);
			recorder_row(recorder, ROW_EXIT, "", task->pid, task->time);
		}
		break;
	case TASK_LOST:
		recorder_row(recorder, ROW_LOST, "", task->time, task->count, task->since);
		break;
	}
}

/* What was lost is made up for by looking again, as far as the processes are still there. */
static void make_up(struct record *record)
{
	uint64_t processes = record->state.processes;
	bool lost = record->state.recorder.lost != record->lost_seen &&
		    clock_ns(CLOCK_MONOTONIC) - record->state.scanned >= SECOND;

	record_only_update(&record->state, lost);
	record_look_new(&record->state);
	if (!lost)
		return;
	record->lost_seen = record->state.recorder.lost;
	record_look(&record->state);
	record_keep_again(&record->state);
	record->state.processes = processes;
}

static void find_threads(struct record *record)
{
	for (size_t i = 0; i < record->state.options->n_pids; i++) {
		uint32_t pid = record->state.options->pids[i];
		auto_fd int fd = procfs_open_process(record->state.options->proc_root, pid);
		struct snapshot snapshot;

		if (fd < 0)
			continue;
		snapshot_read(fd, &snapshot);
		vec_append(&record->tids, snapshot.threads.data, snapshot.threads.len);
		snapshot_deinit(&snapshot);
	}
	if (record->child)
		vec_push(&record->tids, (uint32_t)record->child);
}

/* ---- the command ---------------------------------------------------------------------------- */

static void run_child(char *const *command, uint64_t files, int wait_fd)
{
	ssize_t n;
	char c;

	while ((n = read(wait_fd, &c, 1)) < 0 && errno == EINTR)
		;
	if (n != 1)
		_exit(0); /* the recorder could not begin */
	signal(SIGINT, SIG_DFL);
	signal(SIGTERM, SIG_DFL);
	limits_set_files(files);
	signal(SIGPIPE, SIG_DFL);
	execvp(command[0], command);
	fprintf(stderr, "stack2line: %s: %s\n", command[0], strerror(errno));
	_exit(errno == ENOENT ? 127 : 126);
}

/* Starts COMMAND, which waits until it is followed. */
static struct error *start_command(struct record *record)
{
	int fds[2];

	if (!record->state.options->command)
		return NULL;
	if (pipe2(fds, O_CLOEXEC) < 0)
		return error_errno(errno, "pipe");
	pid_t child = fork();
	if (!child) {
		close(fds[1]);
		run_child(record->state.options->command, record->state.options->files, fds[0]);
	}
	int errnum = errno;
	close(fds[0]);
	record->go_fd = fds[1];
	record->child = child < 0 ? 0 : child;
	record->state.processes += child > 0;
	return child < 0 ? error_errno(errnum, "fork") : NULL;
}

static void let_command_go(struct record *record)
{
	if (record->go_fd >= 0)
		(void)!write(record->go_fd, "", 1);
}

static bool command_ended(struct record *record)
{
	int status;

	if (!record->child || waitpid(record->child, &status, WNOHANG) != record->child)
		return record->state.options->command && !record->child;
	record->child = 0;
	record->command_status = WIFSIGNALED(status) ? 128 + WTERMSIG(status) : WEXITSTATUS(status);
	return true;
}

/* ---- the whole ------------------------------------------------------------------------------ */

static bool pids_ended(const struct record *record)
{
	const struct record_options *options = record->state.options;

	for (size_t i = 0; i < options->n_pids; i++) {
		auto_fd int fd = procfs_open_process(options->proc_root, options->pids[i]);

		if (fd >= 0)
			return false;
	}
	return !options->all && options->n_pids && !options->command;
}

static bool at_end(struct record *record, uint64_t begun)
{
	const struct record_options *options = record->state.options;
	double passed = (double)(clock_ns(CLOCK_MONOTONIC) - begun) / (double)SECOND;

	return *options->stop || (options->seconds > 0 && passed >= options->seconds) ||
	       command_ended(record) || pids_ended(record);
}

static void add_only(struct record *record, const char *kind, const char *name)
{
	auto_free char *text = xasprintf("%s %s", kind, name);

	recorder_row(&record->state.recorder, ROW_ONLY, text);
}

static void add_only_pid(struct record *record, const char *kind, uint32_t pid)
{
	auto_free char *name = xasprintf("%" PRIu32, pid);

	add_only(record, kind, name);
}

/* What is recorded, where that is not every process: of the others nothing is known. */
static void write_only(struct record *record)
{
	const struct record_options *options = record->state.options;

	for (size_t i = 0; i < options->n_only_cgroups; i++)
		add_only(record, "cgroup", options->only_cgroups[i]);
	for (size_t i = 0; i < options->n_only_trees; i++)
		add_only_pid(record, "tree", options->only_trees[i]);
	for (size_t i = 0; !options->all && i < options->n_pids; i++)
		add_only_pid(record, "process", options->pids[i]);
	if (!options->all && options->command)
		add_only(record, "command", options->command[0]);
}

static void write_begin(struct record *record)
{
	auto_free char *boot_id = procfs_boot_id(record->state.options->proc_root);
	struct utsname system = {};
	const struct recorder_clocks clocks = {
		clock_ns(CLOCK_MONOTONIC), clock_ns(CLOCK_REALTIME), clock_ns(CLOCK_BOOTTIME)};

	record->segment = clocks.monotonic;
	if (!record->complete)
		record->complete = clocks.monotonic;
	uname(&system);
	recorder_begin(&record->state.recorder, boot_id ? boot_id : "-", system.machine,
		system.release, &clocks);
	if (record_keep_path(&record->state))
		recorder_row(&record->state.recorder, ROW_KEEPS, record_keep_path(&record->state));
	write_only(record);
}

static bool segment_ends(const struct record *record)
{
	const struct record_options *options = record->state.options;

	return options->next &&
	       ((options->segment_bytes &&
			record->state.recorder.written >= options->segment_bytes) ||
		       (options->segment_ns &&
			       clock_ns(CLOCK_MONOTONIC) - record->segment >= options->segment_ns));
}

/* A segment says all that is known when it begins: those before it may be deleted. */
static struct error *begin_segment(struct record *record)
{
	const struct record_options *options = record->state.options;
	uint64_t processes = record->state.processes;
	int fd;

	record_bpf_update(&record->state);
	record_jit_update(&record->state, true);
	recorder_end(&record->state.recorder, record->complete, true);
	try(recorder_flush(&record->state.recorder));
	try(options->next(options->context, &fd));
	recorder_renew(&record->state.recorder, fd);
	write_begin(record);
	try(recorder_flush(&record->state.recorder));
	try(options->begun(options->context));
	record_again(&record->state, record->segment);
	record_keep_again(&record->state);
	record->state.processes = processes;
	if (options->kernel && !record_checkpoint(&record->state))
		record_kernel(&record->state);
	return recorder_flush(&record->state.recorder);
}

static struct error *follow(struct record *record)
{
	uint64_t begun = clock_ns(CLOCK_MONOTONIC);

	for (bool ended = false; !ended;) {
		perf_events_wait(record->state.events, WAIT_MS);
		ended = at_end(record, begun);
		uint64_t heard = perf_events_read(record->state.events, handle_event, record);
		record_new_mounts(&record->state);
		make_up(record);
		record_jit_update(&record->state, ended);
		record_bpf_update(&record->state);
		record_keep_update(&record->state);
		/* What JIT compilers made since their files were read is not known yet. */
		record->complete =
			heard < record->state.jit_updated ? heard : record->state.jit_updated;
		record->state.recorder.complete = record->complete;
		try(recorder_poll(&record->state.recorder, clock_ns(CLOCK_MONOTONIC)));
		if (!ended && segment_ends(record))
			try(begin_segment(record));
	}
	if (record->state.keep) {
		record_keep_end(&record->state);
		perf_events_read(record->state.events, handle_event, record);
		record_keep_write(&record->state);
	}
	return NULL;
}

/* Events first, then a look around, so that nothing falls in between. */
static struct error *record_all(struct record *record)
{
	const struct record_options *options = record->state.options;

	try(record_only_begin(&record->state));
	try(record_keep_begin(&record->state));
	try(start_command(record));
	find_threads(record);
	if (!options->all && !record->tids.len)
		return error_create(ERROR_INPUT, "-p %u%s: no such process", options->pids[0],
			options->n_pids > 1 ? " and the others" : "");
	if (!options->once)
		try(perf_events_open(options->all ? NULL : record->tids.data,
			options->all ? 0 : record->tids.len, options->buffer,
			&record->state.events));
	write_begin(record);
	try(recorder_flush(&record->state.recorder));
	try(options->begun(options->context));
	record_own_vdso(&record->state);
	record_bpf_begin(&record->state);
	record_only_find(&record->state);
	let_command_go(record);
	record_look(&record->state);
	record_new_mounts(&record->state);
	record_jit_update(&record->state, true);
	try(recorder_flush(&record->state.recorder));
	if (options->kernel && !record_checkpoint(&record->state))
		record_kernel(&record->state);
	if (!options->once)
		try(follow(record));
	recorder_end(&record->state.recorder, record->complete, false);
	return recorder_flush(&record->state.recorder);
}

static void record_deinit(struct record *record)
{
	if (record->go_fd >= 0)
		close(record->go_fd);
	perf_events_close(record->state.events);
	record_only_deinit(&record->state);
	record_keep_deinit(&record->state);
	record_bpf_deinit(&record->state);
	record_jit_deinit(&record->state);
	record_state_deinit(&record->state);
	vec_deinit(&record->tids);
}

struct error *record_run(
	const struct record_options *options, struct log *log, struct record_result *ret)
{
	struct record record = {.state = {.options = options,
					.recorder = {.fd = options->fd, .stop = options->stop}},
		.go_fd = -1};

	record.own_namespace = procfs_namespace(AT_FDCWD, "/proc/self/ns/mnt");
	record.state.own_pid_namespace = procfs_namespace(AT_FDCWD, "/proc/self/ns/pid");
	struct error *error = record_all(&record);
	*ret = (struct record_result){
		.processes = record.state.processes,
		.mappings = record.state.recorder.mappings,
		.lost = record.state.recorder.lost,
		.command_status = record.command_status,
	};
	log_add(log, LOG_WARNING, ret->lost ? 1 : 0,
		"%" PRIu64 " event%s lost: use a larger --buffer-size", ret->lost,
		ret->lost == 1 ? " was" : "s were");
	log_add(log, LOG_WARNING, record.state.unwatched ? 1 : 0,
		"too many processes with JIT code, or too much of it: some was not recorded");
	log_add(log, LOG_WARNING, record.state.bpf_left_out ? 1 : 0,
		"too many BPF programs came and went: some were not recorded");
	log_add(log, LOG_WARNING, record.state.untold ? 1 : 0,
		"the kernel does not report cgroups of version 2 here: processes that were "
		"moved to one and lived for milliseconds are missing");
	record_keep_notes(&record.state, log);
	record_deinit(&record);
	return error;
}

struct error *record_print(const char *path, FILE *out)
{
	return recording_print(path, out);
}
