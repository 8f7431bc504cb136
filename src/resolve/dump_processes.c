// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/dump_processes.h"

#include <dirent.h>
#include <time.h>

#include "process/fits.h"
#include "process/procfs.h"
#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/sort.h"
#include "util/scan.h"

#define CHILDREN_MAX 4096      /* live descendants of a process examined at most */
#define STEPS_MAX (1ULL << 26) /* for recorded children, in total */
#define THREADS_KEPT (1 << 16) /* threads whose processes are cached */
#define KEPT_NS 1000000000ULL  /* lifetime of the caches: IDs are reused */
#define USER_MIN 0x10000ULL    /* mmap_min_addr */
#define USER_END (1ULL << 48)

void dump_processes_deinit(struct dump_processes *processes)
{
	vec_deinit(&processes->live);
	table_deinit(&processes->comms);
	table_deinit(&processes->threads);
}

/* ---- what is kept --------------------------------------------------------------------------- */

/* Returns true, and sets SINCE to now, if SINCE is 0 or too old. */
static bool is_stale(uint64_t *since)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);

	if (*since && now - *since < KEPT_NS)
		return false;
	*since = now;
	return true;
}

/* ---- whether a process fits ----------------------------------------------------------------- */

static enum process_fit fit_in(
	const struct space *space, const struct stack *user, const char *comm)
{
	size_t code = 0, random_code = 0; /* addresses in code */
	size_t nowhere = 0; /* addresses unmapped, though they look like some in a library */

	/* a kernel thread never had user code; a zombie had */
	if (space->status == SPACE_NO_MAPPINGS && !space->record && !space->is_dead)
		return PROCESS_MISFIT;
	if (space->status != SPACE_READ)
		return PROCESS_UNKNOWN;
	for (size_t i = 0; i < user->depth; i++) {
		uint64_t address = user->values[i];

		if (address < USER_MIN || address >= USER_END)
			continue;
		const struct mapping *mapping = space_mapping(space, 0, address - (i > 0));
		if (!mapping) {
			/* recordings have executable mappings only; frame pointers may be data */
			nowhere += !space->record && fits_is_random(address);
			continue;
		}
		code += mapping->executable;
		random_code += mapping->executable && fits_is_random(address);
	}
	if (!code || (nowhere && !random_code))
		return PROCESS_MISFIT;
	bool named = comm && *comm && fits_comm(space, comm);
	/* a recording has the last name only */
	if (comm && *comm && !named && !space->record)
		return PROCESS_MISFIT;
	return random_code || named ? PROCESS_FITS : PROCESS_POSSIBLE;
}

static enum process_fit fit(
	void *context, int64_t number, const struct stack *user, const char *comm)
{
	struct dump_processes *processes = context;

	return fit_in(space_at(processes->spaces, number, 0), user, comm);
}

/* ---- threads -------------------------------------------------------------------------------- */

/* Returns the process ID in the PID namespace in which its thread is NUMBER; -1: unknown. */
static int64_t find_process(struct dump_processes *processes, int64_t number)
{
	const struct space *space = space_at(processes->spaces, number, 0);
	struct status status;

	if (space->record)
		return space->record->pid == space->pid ? number : space->record->pid;
	if (space->status == SPACE_GONE || space->status == SPACE_NOT_RECORDED ||
		space->status == SPACE_AMBIGUOUS)
		return -1;
	if (space->is_leader)
		return number;
	/* the space may use another thread if the leader has exited */
	auto_fd int fd = procfs_open_process(processes->spaces->proc_root, space->pid);
	if (!status_read(fd, &status))
		return -1;
	for (size_t i = 0; i < status.thread.n && i < status.process.n; i++)
		if (status.thread.pids[i] == number)
			return status.process.pids[i];
	return -1;
}

/* Returns the process of thread NUMBER; looks at each thread once a second. */
static int64_t of_thread(void *context, int64_t number)
{
	struct dump_processes *processes = context;
	bool added;

	if (is_stale(&processes->threads_since) || processes->threads.len >= THREADS_KEPT)
		table_clear(&processes->threads);
	if (processes->threads.len && processes->last_thread == number)
		return processes->last_process;
	uint64_t *process = table_at(&processes->threads, &number, sizeof(number), &added);
	if (added)
		*process = (uint64_t)(find_process(processes, number) + 1);
	processes->last_thread = number;
	return processes->last_process = (int64_t)*process - 1;
}

static uint64_t mount_namespace(void *context, int64_t number)
{
	const struct dump_processes *processes = context;
	const struct space *space = space_at(processes->spaces, number, 0);

	return space->record || space->status != SPACE_READ
		       ? 0
		       : procfs_namespace(space_dir(space), "ns/mnt");
}

/* ---- children ------------------------------------------------------------------------------- */

COMPARE(compare_parents, struct parentage,
	order_of(a->parent, b->parent) ?: order_of(a->child, b->child))

/* Reads all processes again, at most once a second. */
static void read_parentage(struct dump_processes *processes)
{
	if (!is_stale(&processes->live_since))
		return;
	scope_guard(procfs_close_dir) DIR *all = opendir(processes->spaces->proc_root);
	struct dirent *entry;

	processes->live.len = 0;
	table_clear(&processes->comms);
	while (all && (entry = readdir(all))) {
		uint64_t pid, parent;

		if (!scan_whole_number(entry->d_name, &pid))
			continue;
		auto_fd int fd = procfs_open_process(processes->spaces->proc_root, (int64_t)pid);
		auto_text struct text comm = {};
		if (procfs_stat_field(fd, 4, &parent))
			vec_push(&processes->live,
				(struct parentage){(int64_t)pid, (int64_t)parent});
		if (fd >= 0 && !procfs_read(fd, "comm", &comm) && comm.len)
			table_at(&processes->comms, comm.data, comm.len - 1, NULL); /* no newline */
	}
	vec_sort(&processes->live, compare_parents);
}

/* A search for the child that a stack belongs to. */
struct child_search {
	struct dump_processes *processes;
	const struct stack *user;
	const char *comm;
	int budget; /* processes left to examine */
};

static bool child_fits(struct child_search *search, int64_t child)
{
	const struct space *space = space_of(search->processes->spaces, child);

	return fit_in(space, search->user, search->comm) >= PROCESS_POSSIBLE;
}

/* Searches breadth first: a child with another program may have fitting children. */
static int64_t live_child(struct child_search *search, int64_t number)
{
	const struct dump_processes *processes = search->processes;
	const struct parentage *live = processes->live.data;
	struct VEC(int64_t) queue = {};
	int64_t found = -1;

	vec_push(&queue, number);
	for (size_t next = 0; found < 0 && next < queue.len; next++) {
		int64_t parent = queue.data[next];
		size_t i = sorted_count(live, processes->live.len, .parent < parent);

		for (; found < 0 && i < processes->live.len && live[i].parent == parent; i++) {
			if (!search->budget)
				break;
			search->budget--;
			if (child_fits(search, live[i].child))
				found = live[i].child;
			vec_push(&queue, live[i].child);
		}
	}
	vec_deinit(&queue);
	return found;
}

static int64_t recorded_child(struct child_search *search, int64_t number)
{
	struct recording *recording = search->processes->spaces->recording;
	struct ids children = {};
	int64_t found = -1;
	size_t at = 0;

	if (!recording || search->processes->steps > STEPS_MAX)
		return -1;
	uint64_t before = recording->scanned;
	while (found < 0 && search->budget && recording_forks(recording, number, &at, &children))
		for (size_t i = 0; i < children.len && found < 0 && search->budget; i++) {
			search->budget--;
			if (child_fits(search, children.data[i]))
				found = children.data[i];
		}
	search->processes->steps += recording->scanned - before;
	vec_deinit(&children);
	return found;
}

static int64_t fitting_child(
	void *context, int64_t number, const struct stack *user, const char *comm)
{
	struct dump_processes *processes = context;
	struct child_search search = {processes, user, comm, CHILDREN_MAX};
	const struct space *space = space_at(processes->spaces, number, 0);

	if (space->record)
		return recorded_child(&search, space->pid);
	read_parentage(processes);
	return live_child(&search, space->pid);
}

/* Children that ended during a recording are found by fitting_child(). */
static bool had_children(void *context, int64_t number)
{
	struct dump_processes *processes = context;
	const struct space *space = space_at(processes->spaces, number, 0);

	if (space->record)
		return false;
	read_parentage(processes);
	if (fits_had_children(space))
		return true;
	const struct parentage *live = processes->live.data;
	for (size_t i = sorted_count(live, processes->live.len, .parent < space->pid);
		i < processes->live.len && live[i].parent == space->pid; i++)
		if (space_of(processes->spaces, live[i].child)->is_dead)
			return true;
	return false;
}

static bool has_comm(void *context, const char *comm)
{
	struct dump_processes *processes = context;

	read_parentage(processes);
	return processes->spaces->recording || !processes->comms.len ||
	       table_find(&processes->comms, comm, strlen(comm));
}

struct input_processes dump_processes_ask(struct dump_processes *processes)
{
	return (struct input_processes){
		fit, fitting_child, had_children, of_thread, mount_namespace, has_comm, processes};
}
