// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/relay.h"

#include <stdlib.h>

#include "util/thread.h"
#include "util/xalloc.h"

struct relay {
	void (*work)(void *context);
	void *context;
	bool alone; /* there is no thread */
	pthread_t thread;
	pthread_mutex_t lock; /* of all below */
	pthread_cond_t change;
	bool busy, end;
};

static void *run(void *context)
{
	struct relay *relay = context;

	pthread_mutex_lock(&relay->lock);
	while (relay->busy || !relay->end) {
		if (!relay->busy) {
			pthread_cond_wait(&relay->change, &relay->lock);
			continue;
		}
		pthread_mutex_unlock(&relay->lock);
		relay->work(relay->context);
		pthread_mutex_lock(&relay->lock);
		relay->busy = false;
		pthread_cond_signal(&relay->change);
	}
	pthread_mutex_unlock(&relay->lock);
	return NULL;
}

struct relay *relay_create(void (*work)(void *context), void *context)
{
	struct relay *relay = xcalloc(1, sizeof(*relay));

	relay->work = work;
	relay->context = context;
	pthread_mutex_init(&relay->lock, NULL);
	pthread_cond_init(&relay->change, NULL);
	relay->alone = !thread_spare_cpus() || !thread_start(run, relay, &relay->thread);
	return relay;
}

void relay_wait(struct relay *relay)
{
	pthread_mutex_lock(&relay->lock);
	while (relay->busy)
		pthread_cond_wait(&relay->change, &relay->lock);
	pthread_mutex_unlock(&relay->lock);
}

void relay_run(struct relay *relay)
{
	if (relay->alone) {
		relay->work(relay->context);
		return;
	}
	pthread_mutex_lock(&relay->lock);
	relay->busy = true;
	pthread_cond_signal(&relay->change);
	pthread_mutex_unlock(&relay->lock);
}

void relay_destroy(struct relay *relay)
{
	if (!relay)
		return;
	if (!relay->alone) {
		pthread_mutex_lock(&relay->lock);
		relay->end = true;
		pthread_cond_signal(&relay->change);
		pthread_mutex_unlock(&relay->lock);
		pthread_join(relay->thread, NULL);
	}
	pthread_mutex_destroy(&relay->lock);
	pthread_cond_destroy(&relay->change);
	free(relay);
}
