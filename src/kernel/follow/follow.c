// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "door/door.h"
#include "kernel/follow/listener.h"
#include "kernel/kallsyms/reader.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/thread.h"

#define SECOND 1000000000ULL
enum {
	RETRIES = 5,	     /* of a reading beside which modules came or went */
	MISS_DELAY_MAX = 64, /* intervals */
};

struct follow {
	struct follow_options options;
	pthread_t thread;
	int wake; /* eventfd */
	/* The thread's own. */
	uint64_t digest;    /* of the symbols that were read last */
	bool pending;	    /* they are stale */
	bool missed;	    /* and only because of a miss */
	bool modules_moved; /* modules came or went since this was cleared */
	uint64_t seen;	    /* what is read from now on has all changes up to this seq */
	unsigned int tries;
	uint64_t last_read, miss_delay; /* ns */
	/* Shared, under LOCK. */
	pthread_mutex_t lock;
	struct kallsyms fresh;
	bool has_fresh, stop, miss;
	uint64_t settled; /* seq: the symbols have all changes up to it */
	int failed;	  /* errno, of the last reading that failed; -1: hidden or empty */
};

/* ---- what is stale -------------------------------------------------------------------------- */

static void mark(struct follow *follow)
{
	follow->pending = true;
	follow->missed = false;
}

static void take_changes(struct follow *follow)
{
	scope_guard(kernel_changes_deinit) struct kernel_changes changes = {};

	(void)listener_hear(follow->options.listener);
	listener_take(follow->options.listener, CLIENT_READER, &changes);
	bool moved = changes.modules.len || changes.modules_lost;

	follow->modules_moved |= moved;
	/* Programs that come and go are known as long as nothing is lost. */
	if (moved || changes.crowded || changes.programs_lost)
		mark(follow);
	follow->seen = changes.seq;
}

/* False: it is time to end. */
static bool hear_wake(struct follow *follow)
{
	uint64_t count;

	(void)!read(follow->wake, &count, sizeof(count));
	pthread_mutex_lock(&follow->lock);
	bool stop = follow->stop, miss = follow->miss;
	follow->miss = false;
	pthread_mutex_unlock(&follow->lock);
	if (miss && !follow->pending) {
		follow->pending = follow->missed = true;
	}
	return !stop;
}

/* ---- reading again -------------------------------------------------------------------------- */

static void settle(struct follow *follow, uint64_t seq)
{
	pthread_mutex_lock(&follow->lock);
	follow->settled = seq;
	pthread_mutex_unlock(&follow->lock);
}

/* Hands SYMBOLS over. */
static void publish(
	struct follow *follow, const struct kallsyms *symbols, uint64_t digest, uint64_t seq)
{
	follow->digest = digest;
	pthread_mutex_lock(&follow->lock);
	kallsyms_deinit(&follow->fresh);
	follow->fresh = *symbols;
	follow->has_fresh = true;
	follow->settled = seq;
	pthread_mutex_unlock(&follow->lock);
}

static void note_failure(struct follow *follow, int failed)
{
	pthread_mutex_lock(&follow->lock);
	follow->failed = failed;
	pthread_mutex_unlock(&follow->lock);
}

/* While nothing is found for misses, they are followed less and less often. */
static void adjust_delay(struct follow *follow, bool missed, bool changed)
{
	if (changed || !missed)
		follow->miss_delay = follow->options.interval;
	else if (follow->miss_delay < MISS_DELAY_MAX * follow->options.interval)
		follow->miss_delay *= 2;
}

static int read_symbols(const struct follow *follow, struct kallsyms *ret)
{
	auto_fd int fd = door_open(AT_FDCWD, follow->options.path, 0, NULL);

	if (fd < 0)
		return errno;
	int failed = kallsyms_read(fd, ret);
	return !failed && ret->status != KALLSYMS_READ ? -1 : failed;
}

/*
 * The kernel counts lines to know where a reader stands, so a module that comes or goes meanwhile
 * makes it skip or repeat some: what was read is thrown away then. False: that happened.
 */
static bool read_whole(struct follow *follow, bool missed)
{
	struct kallsyms symbols = {};
	uint64_t seq = follow->seen;
	int failed = read_symbols(follow, &symbols);

	if (!failed)
		take_changes(follow);
	bool again = !failed && follow->modules_moved && ++follow->tries < RETRIES;
	uint64_t digest = kallsyms_digest(&symbols);
	bool changed = !failed && !again && digest != follow->digest;
	if (failed)
		note_failure(follow, failed);
	else if (!again)
		adjust_delay(follow, missed, changed);
	if (changed)
		publish(follow, &symbols, digest, seq);
	else
		kallsyms_deinit(&symbols);
	if (!failed && !again && !changed)
		settle(follow, seq);
	return !again;
}

static void read_again(struct follow *follow)
{
	bool missed = follow->missed;

	follow->pending = follow->missed = follow->modules_moved = false;
	follow->last_read = clock_ns(CLOCK_MONOTONIC);
	if (read_whole(follow, missed))
		follow->tries = 0;
}

/* ---- the thread ----------------------------------------------------------------------------- */

/* Milliseconds until symbols may be read again; -1: they need not be. */
static int time_left(const struct follow *follow)
{
	uint64_t delay = follow->missed ? follow->miss_delay : follow->options.interval;
	uint64_t due = follow->last_read ? follow->last_read + delay : 0,
		 time = clock_ns(CLOCK_MONOTONIC);

	if (!follow->pending)
		return -1;
	return due <= time ? 0 : (int)((due - time) / (SECOND / 1000)) + 1;
}

static void deinit_polls(struct pollfds *polls)
{
	vec_deinit(polls);
}

static void *run(void *context)
{
	struct follow *follow = context;
	scope_guard(deinit_polls) struct pollfds polls = {};

	for (;;) {
		polls.len = 0;
		vec_push(&polls, (struct pollfd){.fd = follow->wake, .events = POLLIN});
		listener_polls(follow->options.listener, &polls);
		(void)poll(polls.data, polls.len, time_left(follow));
		if (!hear_wake(follow))
			return NULL;
		take_changes(follow);
		if (!time_left(follow))
			read_again(follow);
	}
}

static void follow_destroy(struct follow *follow)
{
	kallsyms_deinit(&follow->fresh);
	if (follow->wake >= 0)
		close(follow->wake);
	pthread_mutex_destroy(&follow->lock);
	free(follow);
}

struct follow *follow_start(const struct follow_options *options, const struct kallsyms *symbols)
{
	struct follow *follow = xcalloc(1, sizeof(*follow));

	follow->options = *options;
	follow->miss_delay = options->interval;
	follow->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&follow->lock, NULL);
	follow->digest = kallsyms_digest(symbols);
	mark(follow);
	if (follow->wake >= 0 && thread_start(run, follow, &follow->thread))
		return follow;
	follow_destroy(follow);
	return NULL;
}

void follow_wake(struct follow *follow)
{
	const uint64_t one = 1;

	(void)!write(follow->wake, &one, sizeof(one));
}

void follow_stop(struct follow *follow)
{
	if (!follow)
		return;
	pthread_mutex_lock(&follow->lock);
	follow->stop = true;
	pthread_mutex_unlock(&follow->lock);
	follow_wake(follow);
	pthread_join(follow->thread, NULL);
	follow_destroy(follow);
}

bool follow_take(struct follow *follow, struct kallsyms *ret, uint64_t *seq)
{
	pthread_mutex_lock(&follow->lock);
	struct kallsyms fresh = follow->fresh;
	bool has = follow->has_fresh;
	follow->fresh = (struct kallsyms){};
	follow->has_fresh = false;
	*seq = follow->settled;
	pthread_mutex_unlock(&follow->lock);
	if (has) {
		kallsyms_deinit(ret);
		*ret = fresh;
	}
	return has;
}

void follow_miss(struct follow *follow)
{
	bool misses = listener_misses_modules(follow->options.listener) ||
		      listener_misses_programs(follow->options.listener);

	pthread_mutex_lock(&follow->lock);
	bool first = !follow->miss && misses;
	follow->miss |= first;
	pthread_mutex_unlock(&follow->lock);
	if (first)
		follow_wake(follow);
}

void follow_notes(struct follow *follow, struct log *log)
{
	pthread_mutex_lock(&follow->lock);
	int failed = follow->failed;
	pthread_mutex_unlock(&follow->lock);
	if (failed)
		log_add(log, LOG_WARNING, 1,
			"cannot read kernel symbols again (%s): frames are named by those read "
			"at the start",
			failed < 0 ? "no addresses in it" : strerror(failed));
	if (listener_misses_programs(follow->options.listener))
		log_add(log, LOG_DETAIL, 1,
			"without CAP_PERFMON the kernel does not report new BPF programs: they "
			"were searched for now and then, and their names are marked as doubtful");
	if (listener_misses_modules(follow->options.listener))
		log_add(log, LOG_DETAIL, 1,
			"the kernel does not report new modules here: they were searched for "
			"when a frame had no name");
}
