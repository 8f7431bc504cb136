// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/worker.h"

#include <stdlib.h>

#include "util/thread.h"
#include "util/xalloc.h"

struct worker {
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
	struct worker *worker = context;

	pthread_mutex_lock(&worker->lock);
	while (worker->busy || !worker->end) {
		if (!worker->busy) {
			pthread_cond_wait(&worker->change, &worker->lock);
			continue;
		}
		pthread_mutex_unlock(&worker->lock);
		worker->work(worker->context);
		pthread_mutex_lock(&worker->lock);
		worker->busy = false;
		pthread_cond_signal(&worker->change);
	}
	pthread_mutex_unlock(&worker->lock);
	return NULL;
}

struct worker *worker_create(void (*work)(void *context), void *context)
{
	struct worker *worker = xcalloc(1, sizeof(*worker));

	worker->work = work;
	worker->context = context;
	pthread_mutex_init(&worker->lock, NULL);
	pthread_cond_init(&worker->change, NULL);
	worker->alone = !thread_spare_cpus() || !thread_start(run, worker, &worker->thread);
	return worker;
}

void worker_wait(struct worker *worker)
{
	pthread_mutex_lock(&worker->lock);
	while (worker->busy)
		pthread_cond_wait(&worker->change, &worker->lock);
	pthread_mutex_unlock(&worker->lock);
}

void worker_run(struct worker *worker)
{
	if (worker->alone) {
		worker->work(worker->context);
		return;
	}
	pthread_mutex_lock(&worker->lock);
	worker->busy = true;
	pthread_cond_signal(&worker->change);
	pthread_mutex_unlock(&worker->lock);
}

void worker_destroy(struct worker *worker)
{
	if (!worker)
		return;
	if (!worker->alone) {
		pthread_mutex_lock(&worker->lock);
		worker->end = true;
		pthread_cond_signal(&worker->change);
		pthread_mutex_unlock(&worker->lock);
		pthread_join(worker->thread, NULL);
	}
	pthread_mutex_destroy(&worker->lock);
	pthread_cond_destroy(&worker->change);
	free(worker);
}
