// SPDX-License-Identifier: GPL-2.0-or-later

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "record/copier.h"
#include "record/record_state.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/xalloc.h"

/* Limits: unanswered requests, waiting processes, restarts of the copier, ms until it exits. */
enum { UNDER_WAY_MAX = 64, WAITING_MAX = 1 << 16, RESTARTS_MAX = 3, END_MS = 50 };
#define PASS_NS (5 * SECOND)   /* each process is checked once in it */
#define STUCK_NS (20 * SECOND) /* without an answer: the copier hangs */
#define LAST_NS (SECOND / 2)   /* at the end, for processes that wait and for their copies */

/* Flags of a process. Its ID is in the lower 32 bits. */
#define RECORDED (1ULL << 32) /* it has not exited */
#define FOREIGN (1ULL << 33)  /* it is in another mount namespace than ours */
#define KEPT (1ULL << 34)     /* a file of it was kept, which its children map too */
#define WAITING (1ULL << 35)  /* it waits to be checked */

struct pids VEC(uint32_t);

struct record_keep {
	struct copier_options options;
	pid_t child; /* 0: not running */
	int socket;
	uint32_t round;
	struct table processes; /* PID → flags */
	struct pids waiting;	/* processes to check before others */
	struct pids pass;	/* all that are recorded, when it began */
	uint64_t pass_begun;	/* ns */
	size_t under_way;	/* unanswered requests */
	uint64_t answered;	/* ns: last answer, or last time without unanswered requests */
	/* Written a round later, when the events before them have been read. */
	struct VEC(struct copier_reply) kept;
	size_t n_restarts;
	uint64_t refused[COPIER_REFUSALS_N], left_out;
};

/* ---- the copier ----------------------------------------------------------------------------- */

static void start(struct record_keep *keep)
{
	if (copier_start(&keep->options, &keep->child, &keep->socket))
		keep->child = 0;
	keep->under_way = 0;
	keep->answered = clock_ns(CLOCK_MONOTONIC);
}

static void end(struct record_keep *keep)
{
	if (!keep->child)
		return;
	close(keep->socket);
	kill(keep->child, SIGKILL);
	/* a copier blocked by a file system is abandoned */
	for (int i = 0; i < END_MS && !waitpid(keep->child, NULL, WNOHANG); i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	keep->child = 0;
}

struct error *record_keep_begin(struct record_state *state)
{
	const struct record_options *options = state->options;
	int dir;

	if (!options->keep_dir)
		return NULL;
	try(kept_dir_create(options->keep_dir, &dir));
	struct record_keep *keep = xnew(keep);
	keep->options = (struct copier_options){
		.proc_root = options->proc_root, .dir_fd = dir, .bytes = options->keep_bytes};
	keep->round = 1;
	state->keep = keep;
	state->keep_path = realpath(options->keep_dir, NULL);
	if (!state->keep_path)
		return error_errno(errno, "--keep-files=%s", options->keep_dir);
	start(keep);
	return keep->child ? NULL
			   : error_create(ERROR_SYSTEM, "--keep-files: cannot start a process");
}

void record_keep_deinit(struct record_state *state)
{
	struct record_keep *keep = take(state->keep);

	if (!keep)
		return;
	end(keep);
	close(keep->options.dir_fd);
	free(take(state->keep_path));
	table_deinit(&keep->processes);
	vec_deinit(&keep->waiting);
	vec_deinit(&keep->pass);
	vec_deinit(&keep->kept);
	free(keep);
}

/* ---- processes ------------------------------------------------------------------------------ */

/* Returns NULL if PID is not recorded or has exited. */
static uint64_t *find(const struct record_keep *keep, uint32_t pid)
{
	uint64_t *process = table_find(&keep->processes, &pid, sizeof(pid));

	return process && *process & RECORDED ? process : NULL;
}

static uint64_t *add(struct record_keep *keep, uint32_t pid)
{
	uint64_t *process = table_at(&keep->processes, &pid, sizeof(pid), NULL);

	*process |= pid | RECORDED;
	return process;
}

static void set_foreign(uint64_t *process, bool on)
{
	*process = on ? *process | FOREIGN : *process & ~FOREIGN;
}

static void wait_for(struct record_keep *keep, uint64_t *process)
{
	if (*process & WAITING || !keep->child)
		return;
	if (keep->waiting.len == WAITING_MAX) {
		keep->left_out++;
		return;
	}
	*process |= WAITING;
	vec_push(&keep->waiting, (uint32_t)*process);
}

void record_keep_found(struct record_state *state, uint32_t pid, uint64_t namespace)
{
	if (!state->keep)
		return;
	uint64_t *process = add(state->keep, pid);
	set_foreign(process, namespace && namespace != state->own_namespace);
	wait_for(state->keep, process);
}

void record_keep_event(struct record_state *state, const struct task_event *task)
{
	struct record_keep *keep = state->keep;
	bool leader = task->pid == task->tid;
	uint64_t *process, parent;

	if (!keep)
		return;
	switch (task->kind) {
	case TASK_FORK:
		process = find(keep, task->parent);
		parent = process ? *process : 0;
		process = add(keep, task->pid);
		*process = (*process & ~(FOREIGN | KEPT)) | (parent & (FOREIGN | KEPT));
		if (parent & KEPT)
			wait_for(keep, process);
		break;
	case TASK_MOUNTS:
		if (leader)
			set_foreign(add(keep, task->pid), task->namespace != state->own_namespace);
		break;
	case TASK_MAP:
		if (*task->mapping.path != '/')
			break;
		process = add(keep, task->pid);
		if (task->mapping.deleted || *process & FOREIGN)
			wait_for(keep, process);
		break;
	case TASK_EXIT:
		process = leader ? find(keep, task->pid) : NULL;
		if (process)
			*process = 0;
		break;
	default:
		break;
	}
}

static bool wait_for_each(void *keep, uint64_t *process)
{
	if (*process & RECORDED)
		wait_for(keep, process);
	return *process & RECORDED;
}

void record_keep_again(struct record_state *state)
{
	if (!state->keep)
		return;
	state->keep->round++;
	table_keep(&state->keep->processes, wait_for_each, state->keep);
}

/* ---- asking --------------------------------------------------------------------------------- */

/*
 * Asks the copier to check all of PIDS. Returns false if some are left, because the copier takes no
 * requests now.
 */
static bool ask(struct record_keep *keep, struct pids *pids)
{
	size_t n = 0;

	for (; n < pids->len; n++) {
		const struct copier_request request = {.pid = pids->data[n], .round = keep->round};
		uint64_t *process = find(keep, request.pid);

		if (!process)
			continue;
		if (keep->under_way == UNDER_WAY_MAX ||
			send(keep->socket, &request, sizeof(request), MSG_NOSIGNAL) < 0)
			break;
		keep->under_way++;
		*process &= ~WAITING;
	}
	vec_drop(pids, n);
	return !pids->len;
}

static bool add_to_pass(void *context, uint64_t *process)
{
	struct record_keep *keep = context;

	if (*process & RECORDED)
		vec_push(&keep->pass, (uint32_t)*process);
	return *process & RECORDED;
}

/* Returns false if the copier has exited. */
static bool take_replies(struct record_keep *keep, uint64_t now)
{
	struct copier_reply reply;
	ssize_t n;

	while ((n = recv(keep->socket, &reply, sizeof(reply), 0)) == (ssize_t)sizeof(reply)) {
		uint64_t *process = find(keep, (uint32_t)reply.copy.pid);

		keep->answered = now;
		switch (reply.kind) {
		case COPIER_LAST:
			keep->under_way--;
			break;
		case COPIER_GONE:
			keep->under_way--;
			if (process)
				*process = 0;
			break;
		case COPIER_REFUSED:
			keep->refused[reply.refusal]++;
			break;
		case COPIER_KEPT:
			vec_push(&keep->kept, reply);
			if (process)
				*process |= KEPT;
			break;
		}
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

void record_keep_write(struct record_state *state)
{
	vec_each(kept, &state->keep->kept) {
		kept->copy.text = scan_of(kept->name);
		recorder_add(&state->recorder, &kept->copy);
	}
	state->keep->kept.len = 0;
}

void record_keep_end(struct record_state *state)
{
	struct record_keep *keep = state->keep;
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), now = begun;

	while (keep->child && now - begun < LAST_NS &&
		(!ask(keep, &keep->waiting) || keep->under_way)) {
		(void)poll(&(struct pollfd){.fd = keep->socket, .events = POLLIN}, 1, 10);
		now = clock_ns(CLOCK_MONOTONIC);
		if (!take_replies(keep, now))
			break;
	}
	keep->left_out += keep->under_way + keep->waiting.len;
}

void record_keep_update(struct record_state *state)
{
	struct record_keep *keep = state->keep;
	uint64_t now = clock_ns(CLOCK_MONOTONIC);

	if (!keep)
		return;
	record_keep_write(state);
	if (!keep->child)
		return;
	if (!keep->under_way)
		keep->answered = now;
	if (!take_replies(keep, now) || now - keep->answered > STUCK_NS) {
		/* the copier was killed or hangs: its requests are lost */
		end(keep);
		keep->left_out++;
		if (keep->n_restarts++ < RESTARTS_MAX)
			start(keep);
		return;
	}
	if (!keep->pass.len && now - keep->pass_begun >= PASS_NS) {
		keep->pass_begun = now;
		table_keep(&keep->processes, add_to_pass, keep);
	}
	if (ask(keep, &keep->waiting))
		(void)ask(keep, &keep->pass);
}

void record_keep_notes(const struct record_state *state, struct log *log)
{
	static const char *const reasons[] = {
#define COPIER_TEXT(NAME, text) text,
		COPIER_REFUSALS(COPIER_TEXT)
#undef COPIER_TEXT
	};

	if (!state->keep)
		return;
	for (size_t i = 0; i < COPIER_REFUSALS_N; i++)
		if (state->keep->refused[i])
			log_add(log, LOG_WARNING, 1,
				"--keep-files: %" PRIu64 " file%s not kept: %s",
				state->keep->refused[i],
				state->keep->refused[i] == 1 ? " was" : "s were", reasons[i]);
	log_add(log, LOG_WARNING, state->keep->left_out > 0,
		"--keep-files: not all processes could be checked: some files were not kept");
}
