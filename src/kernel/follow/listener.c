// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/listener.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "kernel/follow/ksymbol.h"
#include "kernel/follow/uevent.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/xalloc.h"

#define SECOND 1000000000ULL /* ns */
#define KEEP (5 * SECOND)    /* samples older than that are rarely on their way still */
enum {
	GONE_MAX = 1 << 14, /* more are kept for a second only */
	LEFT_MAX = 1 << 11, /* of which symbols that are read again are rid */
};

struct listener {
	pthread_mutex_t lock;	   /* of all that follows */
	int uevents;		   /* -1: none */
	struct ksymbols *ksymbols; /* NULL: none */
	uint64_t seq;
	bool changed; /* since the lock was taken */
	struct code_history history;
	uint64_t settled, pruned; /* seq; ns, CLOCK_MONOTONIC */
	uint64_t lowest, highest; /* of the addresses in HISTORY; read without the lock */
	struct kernel_changes changes[LISTENER_CLIENTS];
};

void kernel_changes_deinit(struct kernel_changes *changes)
{
	table_deinit(&changes->modules);
	*changes = (struct kernel_changes){};
}

struct listener *listener_create(int uevents, struct ksymbols *ksymbols)
{
	struct listener *listener = xcalloc(1, sizeof(*listener));

	pthread_mutex_init(&listener->lock, NULL);
	listener->uevents = uevents;
	listener->ksymbols = ksymbols;
	listener->lowest = UINT64_MAX;
	return listener;
}

void listener_destroy(struct listener *listener)
{
	if (!listener)
		return;
	if (listener->uevents >= 0)
		close(listener->uevents);
	ksymbols_close(listener->ksymbols);
	for (size_t i = 0; i < LISTENER_CLIENTS; i++)
		kernel_changes_deinit(&listener->changes[i]);
	code_history_deinit(&listener->history);
	pthread_mutex_destroy(&listener->lock);
	free(listener);
}

/* ---- what the kernel says ------------------------------------------------------------------- */

static uint64_t note_news(struct listener *listener)
{
	if (!listener->changed)
		listener->seq++;
	listener->changed = true;
	for (size_t i = 0; i < LISTENER_CLIENTS; i++)
		listener->changes[i].seq = listener->seq;
	return listener->seq;
}

static void hear_module(void *context, const char *module)
{
	struct listener *listener = context;

	(void)note_news(listener);
	for (size_t i = 0; i < LISTENER_CLIENTS; i++)
		(void)table_at(&listener->changes[i].modules, module, strlen(module), NULL);
}

/* A socket that fails is not read again: changes of modules are unknown from here on. */
static void hear_uevents(struct listener *listener)
{
	if (listener->uevents < 0 || uevent_read(listener->uevents, hear_module, listener))
		return;
	if (errno != ENOBUFS)
		close(take_fd(listener->uevents));
	(void)note_news(listener);
	for (size_t i = 0; i < LISTENER_CLIENTS; i++)
		listener->changes[i].modules_lost = true;
}

static void note_bounds(struct listener *listener, const struct ksymbol_event *event)
{
	if (event->start < listener->lowest)
		__atomic_store_n(&listener->lowest, event->start, __ATOMIC_RELAXED);
	if (event->end > listener->highest)
		__atomic_store_n(&listener->highest, event->end, __ATOMIC_RELAXED);
}

static void hear_ksymbol(void *context, const struct ksymbol_event *event)
{
	struct listener *listener = context;
	uint64_t seq = note_news(listener);
	bool lost =
		event->kind == KSYMBOL_LOST || !code_history_add(&listener->history, event, seq);

	if (!lost)
		note_bounds(listener, event);
	for (size_t i = 0; i < LISTENER_CLIENTS; i++) {
		listener->changes[i].programs = true;
		listener->changes[i].programs_lost |= lost;
	}
}

static void prune(struct listener *listener)
{
	uint64_t time = clock_ns(CLOCK_MONOTONIC),
		 keep = listener->history.n_gone > GONE_MAX ? SECOND : KEEP;

	if (time - listener->pruned < SECOND || !listener->history.n_gone)
		return;
	listener->pruned = time;
	listener->changes[CLIENT_READER].crowded |=
		code_history_prune(&listener->history, listener->settled,
			time > keep ? time - keep : 0) > LEFT_MAX;
}

bool listener_hear(struct listener *listener)
{
	pthread_mutex_lock(&listener->lock);
	listener->changed = false;
	hear_uevents(listener);
	if (listener->ksymbols)
		ksymbols_read(listener->ksymbols, hear_ksymbol, listener);
	prune(listener);
	bool changed = listener->changed || listener->changes[CLIENT_READER].crowded;
	pthread_mutex_unlock(&listener->lock);
	return changed;
}

/* ---- the thread --------------------------------------------------------------------------- */

void listener_take(
	struct listener *listener, enum listener_client client, struct kernel_changes *ret)
{
	struct kernel_changes *changes = &listener->changes[client];

	pthread_mutex_lock(&listener->lock);
	*ret = *changes;
	*changes = (struct kernel_changes){.seq = ret->seq};
	pthread_mutex_unlock(&listener->lock);
}

/* ---- what lies where ------------------------------------------------------------------------ */

bool listener_choose(struct listener *listener, uint64_t address, const struct moment *moment,
	struct code_choice *ret)
{
	if (address < __atomic_load_n(&listener->lowest, __ATOMIC_RELAXED) ||
		address >= __atomic_load_n(&listener->highest, __ATOMIC_RELAXED))
		return false;
	pthread_mutex_lock(&listener->lock);
	bool any = code_history_choose(&listener->history, address, moment, ret);
	pthread_mutex_unlock(&listener->lock);
	return any;
}

static void describe(
	const struct code_life *life, const struct code_life *other, struct reported_code *ret)
{
	ret->start = life->start;
	ret->end = life->end;
	ret->seq = life->seq;
	ret->bpf = life->bpf;
	ret->gone = life->gone;
	text_clear(&ret->name);
	text_clear(&ret->other);
	text_add_string(&ret->name, life->name);
	if (other && other != life)
		text_add_string(&ret->other, other->name);
}

bool listener_code(struct listener *listener, uint64_t address, const struct code_choice *choice,
	struct reported_code *ret)
{
	pthread_mutex_lock(&listener->lock);
	const struct code_history *history = &listener->history;
	const struct code_life *life = code_history_life(history, address, choice->number);
	const struct code_life *other =
		choice->other ? code_history_life(history, address, choice->other) : NULL;
	if (life)
		describe(life, other, ret);
	pthread_mutex_unlock(&listener->lock);
	return life != NULL;
}

void listener_settle(struct listener *listener, uint64_t settled, uint64_t lost)
{
	pthread_mutex_lock(&listener->lock);
	listener->settled = settled;
	if (lost)
		code_history_forget(&listener->history, lost);
	pthread_mutex_unlock(&listener->lock);
}

void listener_polls(struct listener *listener, struct pollfds *ret)
{
	pthread_mutex_lock(&listener->lock);
	vec_push(ret, (struct pollfd){.fd = listener->uevents, .events = POLLIN});
	pthread_mutex_unlock(&listener->lock);
	if (listener->ksymbols) {
		size_t n;
		const struct pollfd *polls = ksymbols_polls(listener->ksymbols, &n);

		vec_append(ret, polls, n);
	}
}

bool listener_misses_modules(struct listener *listener)
{
	pthread_mutex_lock(&listener->lock);
	bool misses = listener->uevents < 0;
	pthread_mutex_unlock(&listener->lock);
	return misses;
}

bool listener_misses_programs(const struct listener *listener)
{
	return !listener->ksymbols;
}
