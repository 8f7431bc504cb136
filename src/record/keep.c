// SPDX-License-Identifier: GPL-2.0-or-later
#include "record/keep.h"

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

#include "process/procfs.h"
#include "record/copier.h"
#include "record/state.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/xalloc.h"

/* Requests that are not answered yet; that are waiting; copiers that are started anew. */
enum { UNDER_WAY_MAX = 64, WAITING_MAX = 1 << 16, RESTARTS_MAX = 3, END_MS = 50 };
#define SECOND 1000000000ULL
#define PASS_NS (5 * SECOND)   /* each process is asked once in it */
#define STUCK_NS (20 * SECOND) /* without an answer: it reads a file that does not come */
#define LAST_NS (SECOND / 2)   /* for all, when the end was asked for */

/* A process that is recorded. */
struct keeper {
	uint32_t pid;
	bool foreign; /* in another mount namespace than ours */
	bool kept;    /* it had a file that was kept, which its children have as well */
	bool waiting; /* in waiting */
};

struct record_keep {
	struct copier_options options;
	char *path;  /* of the directory, absolute; owned */
	pid_t child; /* 0: given up */
	int socket;
	uint64_t own_namespace;
	uint32_t round;
	struct VEC(struct keeper) keepers;
	struct table keeper_by_pid;   /* → index in keepers + 1, 0: gone */
	struct VEC(uint32_t) waiting; /* to be asked before others */
	size_t next_waiting;
	size_t next;	   /* of this pass */
	uint64_t pass;	   /* when it began, ns */
	size_t under_way;  /* requests */
	uint64_t answered; /* the last time, or when nothing was under way, ns */
	/* Written a round later: by then the events before them have been read. */
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
	/* One that waits for a file system that does not answer is left behind. */
	for (int i = 0; i < END_MS && !waitpid(keep->child, NULL, WNOHANG); i++)
		nanosleep(&(struct timespec){.tv_nsec = 1000000}, NULL);
	keep->child = 0;
}

/* It was killed, or hangs: what it was asked for is lost. */
static void start_again(struct record_keep *keep)
{
	end(keep);
	keep->left_out++;
	if (keep->n_restarts++ < RESTARTS_MAX)
		start(keep);
}

struct error *record_keep_begin(struct record_state *state)
{
	const struct record_options *options = state->options;
	int dir;

	if (!options->keep_dir)
		return NULL;
	try(kept_dir_create(options->keep_dir, &dir));
	struct record_keep *keep = xcalloc(1, sizeof(*keep));
	keep->options = (struct copier_options){
		.proc_root = options->proc_root, .dir_fd = dir, .bytes = options->keep_bytes};
	keep->round = 1;
	keep->path = realpath(options->keep_dir, NULL);
	keep->own_namespace = procfs_namespace(AT_FDCWD, "/proc/self/ns/mnt");
	state->keep = keep;
	if (!keep->path)
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
	free(keep->path);
	vec_deinit(&keep->keepers);
	table_deinit(&keep->keeper_by_pid);
	vec_deinit(&keep->waiting);
	vec_deinit(&keep->kept);
	free(keep);
}

const char *record_keep_path(const struct record_state *state)
{
	return state->keep ? state->keep->path : NULL;
}

/* ---- processes ------------------------------------------------------------------------------ */

static struct keeper *find(const struct record_keep *keep, uint32_t pid)
{
	const uint64_t *index = table_find(&keep->keeper_by_pid, &pid, sizeof(pid));

	return index && *index ? &keep->keepers.data[*index - 1] : NULL;
}

static void wait_for(struct record_keep *keep, struct keeper *keeper)
{
	if (keeper->waiting || !keep->child)
		return;
	if (keep->waiting.len == WAITING_MAX) {
		keep->left_out++;
		return;
	}
	keeper->waiting = true;
	vec_push(&keep->waiting, keeper->pid);
}

static struct keeper *add(struct record_keep *keep, uint32_t pid)
{
	uint64_t *index = table_at(&keep->keeper_by_pid, &pid, sizeof(pid), NULL);

	if (!*index) {
		*index = keep->keepers.len + 1;
		vec_push(&keep->keepers, (struct keeper){.pid = pid});
	}
	return &keep->keepers.data[*index - 1];
}

static bool is_there(void *context, uint64_t *index)
{
	(void)context;
	return *index;
}

static void drop(struct record_keep *keep, uint32_t pid)
{
	uint64_t *index = table_find(&keep->keeper_by_pid, &pid, sizeof(pid));

	if (!index || !*index || !keep->keepers.data)
		return;
	struct keeper *last = vec_last(&keep->keepers);
	*table_find(&keep->keeper_by_pid, &last->pid, sizeof(last->pid)) = *index;
	keep->keepers.data[*index - 1] = *last;
	*index = 0;
	keep->keepers.len--;
	if (keep->keeper_by_pid.len > 2 * keep->keepers.len + 1024)
		table_keep(&keep->keeper_by_pid, is_there, NULL);
}

void record_keep_found(struct record_state *state, uint32_t pid, uint64_t namespace)
{
	if (!state->keep)
		return;
	struct keeper *keeper = add(state->keep, pid);
	keeper->foreign = namespace && namespace != state->keep->own_namespace;
	wait_for(state->keep, keeper);
}

void record_keep_fork(struct record_state *state, uint32_t pid, uint32_t parent)
{
	struct record_keep *keep = state->keep;

	if (!keep)
		return;
	const struct keeper *from = find(keep, parent);
	bool foreign = from && from->foreign, kept = from && from->kept;
	struct keeper *keeper = add(keep, pid);
	keeper->foreign = foreign;
	keeper->kept = kept;
	if (kept)
		wait_for(keep, keeper);
}

void record_keep_namespace(struct record_state *state, uint32_t pid, uint64_t namespace)
{
	if (state->keep)
		add(state->keep, pid)->foreign = namespace != state->keep->own_namespace;
}

void record_keep_mapping(struct record_state *state, uint32_t pid, bool deleted)
{
	if (!state->keep)
		return;
	struct keeper *keeper = add(state->keep, pid);
	if (deleted || keeper->foreign)
		wait_for(state->keep, keeper);
}

void record_keep_exit(struct record_state *state, uint32_t pid)
{
	if (state->keep)
		drop(state->keep, pid);
}

void record_keep_again(struct record_state *state)
{
	struct record_keep *keep = state->keep;

	if (!keep)
		return;
	keep->round++;
	for (size_t i = 0; i < keep->keepers.len; i++)
		wait_for(keep, &keep->keepers.data[i]);
}

/* ---- asking --------------------------------------------------------------------------------- */

/* False: it cannot be asked now. */
static bool ask(struct record_keep *keep, uint32_t pid)
{
	const struct copier_request request = {.pid = pid, .round = keep->round};

	if (keep->under_way == UNDER_WAY_MAX ||
		send(keep->socket, &request, sizeof(request), MSG_NOSIGNAL) < 0)
		return false;
	keep->under_way++;
	return true;
}

static void ask_waiting(struct record_keep *keep)
{
	while (keep->next_waiting < keep->waiting.len) {
		struct keeper *keeper = find(keep, keep->waiting.data[keep->next_waiting]);

		if (keeper && keeper->waiting && !ask(keep, keeper->pid))
			return;
		if (keeper)
			keeper->waiting = false;
		keep->next_waiting++;
	}
	keep->waiting.len = keep->next_waiting = 0;
}

static void ask_next(struct record_keep *keep, uint64_t now)
{
	if (keep->next >= keep->keepers.len && now - keep->pass >= PASS_NS) {
		keep->pass = now;
		keep->next = 0;
	}
	while (!keep->waiting.len && keep->next < keep->keepers.len &&
		ask(keep, keep->keepers.data[keep->next].pid))
		keep->next++;
}

static void take_reply(struct record_keep *keep, const struct copier_reply *reply)
{
	struct keeper *keeper = find(keep, reply->copy.pid);

	if (reply->kind == COPIER_LAST || reply->kind == COPIER_GONE)
		keep->under_way--;
	else if (reply->kind == COPIER_REFUSED)
		keep->refused[reply->refusal]++;
	else
		vec_push(&keep->kept, *reply);
	if (keeper && reply->kind == COPIER_KEPT)
		keeper->kept = true;
	if (reply->kind == COPIER_GONE)
		drop(keep, reply->copy.pid);
}

/* False: it has gone. */
static bool take_replies(struct record_keep *keep, uint64_t now)
{
	struct copier_reply reply;
	ssize_t n;

	while ((n = recv(keep->socket, &reply, sizeof(reply), 0)) == (ssize_t)sizeof(reply)) {
		keep->answered = now;
		take_reply(keep, &reply);
	}
	return n < 0 && (errno == EAGAIN || errno == EINTR);
}

void record_keep_write(struct record_state *state)
{
	struct record_keep *keep = state->keep;

	for (size_t i = 0; keep && i < keep->kept.len; i++) {
		const struct recorded_copy *copy = &keep->kept.data[i].copy;

		recorder_row(&state->recorder, ROW_KEPT, keep->kept.data[i].name, copy->pid,
			copy->time, copy->since, copy->start, copy->end, copy->offset, copy->size);
	}
	if (keep)
		keep->kept.len = 0;
}

void record_keep_end(struct record_state *state)
{
	struct record_keep *keep = state->keep;
	uint64_t begun = clock_ns(CLOCK_MONOTONIC), now = begun;

	if (!keep)
		return;
	while (keep->child && keep->under_way && now - begun < LAST_NS) {
		(void)poll(&(struct pollfd){.fd = keep->socket, .events = POLLIN}, 1, 10);
		now = clock_ns(CLOCK_MONOTONIC);
		if (!take_replies(keep, now))
			break;
	}
	keep->left_out += keep->under_way;
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
		start_again(keep);
		return;
	}
	ask_waiting(keep);
	ask_next(keep, now);
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
	log_add(log, LOG_WARNING, state->keep->left_out ? 1 : 0,
		"--keep-files: not all processes could be asked for files: some were not kept");
}
