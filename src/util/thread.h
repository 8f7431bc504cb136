/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starts helper threads beside the main thread. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/*
 * Starts a thread with all signals blocked except SIGPIPE, which a thread gets for its own writes.
 * Returns false if it cannot be started.
 */
bool thread_start(void *(*run)(void *), void *context, pthread_t *ret);
/*
 * Returns how many CPUs this process may use, not counting one for the calling thread. Returns 1 if
 * this is unknown.
 */
unsigned int thread_spare_cpus(void);
