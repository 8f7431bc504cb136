// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <string.h>
#include <sys/eventfd.h>
#include <time.h>

#include "kernel/kallsyms_reader.h"
#include "kernel/ksymbol.h"
#include "kernel/uevent.h"
#include "util/cleanup.h"
#include "util/file.h"

#define SECOND 1000000000ULL
enum {
	RETRIES = 5,      /* of a reading beside which modules came or went */
	MISS_DELAY_MAX = 64, /* intervals */
};

struct follow {
	struct follow_options options;
	pthread_t thread;
	int wake; /* eventfd */
	struct VEC(struct pollfd) polls; /* wake, uevents, ksymbols */
	/* The thread's own. */
	struct kallsyms current;
	struct kallsyms_stale stale;
	bool pending;       /* something is stale */
	bool missed;        /* and only because of a miss */
	bool modules_moved; /* modules came or went since this was cleared */
	unsigned int tries;
	uint64_t last_read, miss_delay; /* ns */
	/* Shared, under LOCK. */
	pthread_mutex_t lock;
	struct kallsyms fresh;
	bool has_fresh, stop, miss;
	bool deaf_to_modules, deaf_to_programs; /* nobody tells: misses must */
	int failed; /* errno, of the last reading that failed; -1: hidden or empty */
};

static uint64_t now(void)
{
	struct timespec time;

	clock_gettime(CLOCK_MONOTONIC, &time);
	return (uint64_t)time.tv_sec * SECOND + (uint64_t)time.tv_nsec;
}

/* ---- what is stale -------------------------------------------------------------------------- */

static void mark(struct follow *follow, const char *module)
{
	*table_at(&follow->stale.modules, module, strlen(module), NULL) = 1;
	follow->pending = true;
	follow->missed = false;
}

static void mark_all(struct follow *follow)
{
	follow->stale.all = follow->pending = true;
	follow->missed = false;
}

static void mark_module(void *context, const char *module)
{
	struct follow *follow = context;

	follow->modules_moved = true;
	mark(follow, module);
}

/* A socket of no use is not polled again: without it, only misses tell of modules. */
static void hear_uevents(struct follow *follow)
{
	if (follow->options.uevents < 0 ||
		uevent_read(follow->options.uevents, mark_module, follow))
		return;
	if (errno != ENOBUFS) {
		close(take_fd(follow->options.uevents));
		follow->polls.data[1].fd = -1;
		pthread_mutex_lock(&follow->lock);
		follow->deaf_to_modules = true;
		pthread_mutex_unlock(&follow->lock);
	}
	follow->modules_moved = true;
	mark_all(follow);
}

static void hear_ksymbols(struct follow *follow)
{
	unsigned int kinds =
		follow->options.ksymbols ? ksymbols_read(follow->options.ksymbols) : 0;

	if (kinds & 1U << KSYMBOL_BPF)
		mark(follow, "bpf");
	if (kinds & 1U << KSYMBOL_OTHER) {
		mark(follow, "__builtin__ftrace");
		mark(follow, "__builtin__kprobes");
	}
	if (kinds & 1U << KSYMBOL_LOST)
		mark_all(follow);
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
		mark_all(follow);
		follow->missed = true;
	}
	return !stop;
}

/* ---- reading again -------------------------------------------------------------------------- */

static void share(const struct kallsyms *from, struct kallsyms *ret)
{
	*ret = (struct kallsyms){.status = from->status};
	for (size_t i = 0; i < from->tables.len; i++)
		kallsyms_add_table(ret, from->tables.data[i]);
	kallsyms_index(ret);
}

static void publish(struct follow *follow, struct kallsyms *symbols)
{
	struct kallsyms shared, old = {};

	share(symbols, &shared);
	pthread_mutex_lock(&follow->lock);
	if (follow->has_fresh)
		old = follow->fresh;
	follow->fresh = shared;
	follow->has_fresh = true;
	pthread_mutex_unlock(&follow->lock);
	kallsyms_deinit(&old);
	kallsyms_deinit(&follow->current);
	follow->current = *symbols;
}

static void note_failure(struct follow *follow, int failed)
{
	pthread_mutex_lock(&follow->lock);
	follow->failed = failed;
	pthread_mutex_unlock(&follow->lock);
}

static void forget_stale(struct follow *follow)
{
	table_deinit(&follow->stale.modules);
	follow->stale = (struct kallsyms_stale){};
	follow->pending = follow->missed = false;
	follow->tries = 0;
}

/* While nothing is found for misses, they are followed less and less often. */
static void adjust_delay(struct follow *follow, bool changed)
{
	if (changed || !follow->missed)
		follow->miss_delay = follow->options.interval;
	else if (follow->miss_delay < MISS_DELAY_MAX * follow->options.interval)
		follow->miss_delay *= 2;
}

/*
 * The kernel counts lines to know where a reader stands, so a module that comes or goes meanwhile
 * makes it skip or repeat some: what was read is thrown away then.
 */
static void read_again(struct follow *follow)
{
	struct kallsyms symbols = {};
	auto_fd int fd = file_open_regular(AT_FDCWD, follow->options.path);
	int failed = errno;

	follow->last_read = now();
	follow->modules_moved = false;
	if (fd >= 0)
		failed = kallsyms_reread(fd, &follow->current, &follow->stale, &symbols);
	if (!failed && symbols.status != KALLSYMS_READ)
		failed = -1;
	if (fd < 0 || failed) {
		note_failure(follow, failed);
		kallsyms_deinit(&symbols);
		forget_stale(follow);
		return;
	}
	hear_uevents(follow);
	if (follow->modules_moved && ++follow->tries < RETRIES) {
		kallsyms_deinit(&symbols);
		return;
	}
	bool changed = !kallsyms_equal(&symbols, &follow->current);
	adjust_delay(follow, changed);
	forget_stale(follow);
	if (changed)
		publish(follow, &symbols);
	else
		kallsyms_deinit(&symbols);
}

/* ---- the thread ----------------------------------------------------------------------------- */

/* Milliseconds until something stale may be read, -1: nothing is. */
static int time_left(const struct follow *follow)
{
	uint64_t delay = follow->missed ? follow->miss_delay : follow->options.interval;
	uint64_t due = follow->last_read ? follow->last_read + delay : 0, time = now();

	if (!follow->pending)
		return -1;
	return due <= time ? 0 : (int)((due - time) / (SECOND / 1000)) + 1;
}

static void *run(void *context)
{
	struct follow *follow = context;

	for (;;) {
		(void)poll(follow->polls.data, follow->polls.len, time_left(follow));
		if (!hear_wake(follow))
			return NULL;
		hear_uevents(follow);
		hear_ksymbols(follow);
		if (!time_left(follow))
			read_again(follow);
	}
}

static void follow_destroy(struct follow *follow)
{
	kallsyms_deinit(&follow->current);
	if (follow->has_fresh)
		kallsyms_deinit(&follow->fresh);
	table_deinit(&follow->stale.modules);
	ksymbols_close(follow->options.ksymbols);
	if (follow->options.uevents >= 0)
		close(follow->options.uevents);
	if (follow->wake >= 0)
		close(follow->wake);
	pthread_mutex_destroy(&follow->lock);
	vec_deinit(&follow->polls);
	free(follow);
}

static void collect_polls(struct follow *follow)
{
	vec_push(&follow->polls, (struct pollfd){.fd = follow->wake, .events = POLLIN});
	vec_push(&follow->polls, (struct pollfd){.fd = follow->options.uevents, .events = POLLIN});
	if (follow->options.ksymbols) {
		size_t n;
		const struct pollfd *polls = ksymbols_polls(follow->options.ksymbols, &n);

		vec_append(&follow->polls, polls, n);
	}
}

/* Signals are the main thread's. */
static bool start_thread(struct follow *follow)
{
	sigset_t all, before;

	sigfillset(&all);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(&follow->thread, NULL, run, follow);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}

struct follow *follow_start(const struct follow_options *options, const struct kallsyms *symbols)
{
	struct follow *follow = xcalloc(1, sizeof(*follow));

	follow->options = *options;
	follow->miss_delay = options->interval;
	follow->wake = eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
	pthread_mutex_init(&follow->lock, NULL);
	follow->deaf_to_modules = options->uevents < 0;
	follow->deaf_to_programs = !options->ksymbols;
	share(symbols, &follow->current);
	collect_polls(follow);
	mark_all(follow);
	if (follow->wake >= 0 && start_thread(follow))
		return follow;
	follow_destroy(follow);
	return NULL;
}

static void wake(struct follow *follow)
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
	wake(follow);
	pthread_join(follow->thread, NULL);
	follow_destroy(follow);
}

bool follow_take(struct follow *follow, struct kallsyms *ret)
{
	struct kallsyms fresh = {};

	pthread_mutex_lock(&follow->lock);
	bool has = follow->has_fresh;
	if (has)
		fresh = follow->fresh;
	follow->has_fresh = false;
	pthread_mutex_unlock(&follow->lock);
	if (has) {
		kallsyms_deinit(ret);
		*ret = fresh;
	}
	return has;
}

void follow_miss(struct follow *follow)
{
	pthread_mutex_lock(&follow->lock);
	bool first = !follow->miss && (follow->deaf_to_modules || follow->deaf_to_programs);
	follow->miss |= first;
	pthread_mutex_unlock(&follow->lock);
	if (first)
		wake(follow);
}

void follow_notes(struct follow *follow, struct log *log)
{
	pthread_mutex_lock(&follow->lock);
	int failed = follow->failed;
	bool modules = follow->deaf_to_modules, programs = follow->deaf_to_programs;
	pthread_mutex_unlock(&follow->lock);
	if (failed)
		log_add(log, LOG_WARNING, 1,
			"kernel symbols could not be read again (%s): frames are named by those "
			"from the start",
			failed < 0 ? "no addresses in it" : strerror(failed));
	if (programs)
		log_add(log, LOG_DETAIL, 1,
			"the kernel does not tell of new BPF programs without CAP_PERFMON: they "
			"were looked for when a frame had no name");
	if (modules)
		log_add(log, LOG_DETAIL, 1,
			"the kernel does not tell of new modules here: they were looked for when "
			"a frame had no name");
}
