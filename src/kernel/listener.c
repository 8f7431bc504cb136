// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/listener.h"

#include <errno.h>
#include <pthread.h>
#include <string.h>
#include <unistd.h>

#include "kernel/ksymbol.h"
#include "kernel/uevent.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

enum { CODES_MAX = 1 << 14 /* more are taken for lost */ };

struct listener {
	pthread_mutex_t lock; /* of all that follows */
	int uevents;          /* -1: deaf */
	struct ksymbols *ksymbols; /* NULL: deaf */
	uint64_t seq;
	bool news; /* since the lock was taken */
	struct heard heard[HEARERS];
};

static void forget_codes(struct heard *heard)
{
	for (size_t i = 0; i < heard->codes.len; i++)
		free(heard->codes.data[i].name);
	vec_deinit(&heard->codes);
}

void heard_deinit(struct heard *heard)
{
	forget_codes(heard);
	table_deinit(&heard->modules);
	*heard = (struct heard){};
}

struct listener *listener_create(int uevents, struct ksymbols *ksymbols)
{
	struct listener *listener = xcalloc(1, sizeof(*listener));

	pthread_mutex_init(&listener->lock, NULL);
	listener->uevents = uevents;
	listener->ksymbols = ksymbols;
	return listener;
}

void listener_destroy(struct listener *listener)
{
	if (!listener)
		return;
	if (listener->uevents >= 0)
		close(listener->uevents);
	ksymbols_close(listener->ksymbols);
	for (size_t i = 0; i < HEARERS; i++)
		heard_deinit(&listener->heard[i]);
	pthread_mutex_destroy(&listener->lock);
	free(listener);
}

/* ---- what the kernel says ------------------------------------------------------------------- */

static uint64_t note_news(struct listener *listener)
{
	if (!listener->news)
		listener->seq++;
	listener->news = true;
	for (size_t i = 0; i < HEARERS; i++)
		listener->heard[i].seq = listener->seq;
	return listener->seq;
}

static void hear_module(void *context, const char *module)
{
	struct listener *listener = context;

	(void)note_news(listener);
	for (size_t i = 0; i < HEARERS; i++)
		(void)table_at(&listener->heard[i].modules, module, strlen(module), NULL);
}

/* A socket of no use is not asked again: nobody tells of modules from here on. */
static void hear_uevents(struct listener *listener)
{
	if (listener->uevents < 0 || uevent_read(listener->uevents, hear_module, listener))
		return;
	if (errno != ENOBUFS)
		close(take_fd(listener->uevents));
	(void)note_news(listener);
	for (size_t i = 0; i < HEARERS; i++)
		listener->heard[i].modules_lost = true;
}

static void lose_programs(struct listener *listener)
{
	for (size_t i = 0; i < HEARERS; i++)
		listener->heard[i].programs_lost = true;
	forget_codes(&listener->heard[HEARER_NAMER]);
}

static void hear_ksymbol(void *context, const struct ksymbol_event *event)
{
	struct listener *listener = context;
	struct heard *namer = &listener->heard[HEARER_NAMER];
	uint64_t seq = note_news(listener);

	for (size_t i = 0; i < HEARERS; i++) {
		listener->heard[i].programs |= event->kind == KSYMBOL_BPF;
		listener->heard[i].other |= event->kind == KSYMBOL_OTHER;
	}
	if (event->kind == KSYMBOL_LOST || namer->codes.len == CODES_MAX)
		lose_programs(listener);
	if (event->kind == KSYMBOL_LOST)
		return;
	vec_push(&namer->codes,
		(struct code_change){.start = event->start,
			.end = event->end,
			.time = event->time,
			.seq = seq,
			.name = xstrdup(event->name),
			.bpf = event->kind == KSYMBOL_BPF,
			.gone = event->gone});
}

bool listener_hear(struct listener *listener)
{
	pthread_mutex_lock(&listener->lock);
	listener->news = false;
	hear_uevents(listener);
	if (listener->ksymbols)
		ksymbols_read(listener->ksymbols, hear_ksymbol, listener);
	bool news = listener->news;
	pthread_mutex_unlock(&listener->lock);
	return news;
}

/* ---- who hears it --------------------------------------------------------------------------- */

void listener_take(struct listener *listener, enum hearer hearer, struct heard *ret)
{
	struct heard *heard = &listener->heard[hearer];

	pthread_mutex_lock(&listener->lock);
	*ret = *heard;
	*heard = (struct heard){.seq = ret->seq};
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

bool listener_deaf_to_modules(struct listener *listener)
{
	pthread_mutex_lock(&listener->lock);
	bool deaf = listener->uevents < 0;
	pthread_mutex_unlock(&listener->lock);
	return deaf;
}

bool listener_deaf_to_programs(const struct listener *listener)
{
	return !listener->ksymbols;
}
