/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Starting threads that work beside the main one. */
#pragma once

#include <pthread.h>
#include <stdbool.h>

/* False: there can be none. Signals are the main thread's, but for SIGPIPE: who writes gets that. */
bool thread_start(void *(*run)(void *), void *context, pthread_t *ret);
/* How many CPUs this process may use beside the one it runs on. */
unsigned int thread_spare_cpus(void);
