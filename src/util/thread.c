// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/thread.h"

#include <sched.h>
#include <signal.h>

bool thread_start(void *(*run)(void *), void *context, pthread_t *ret)
{
	sigset_t all, before;

	sigfillset(&all);
	sigdelset(&all, SIGPIPE);
	pthread_sigmask(SIG_SETMASK, &all, &before);
	int failed = pthread_create(ret, NULL, run, context);
	pthread_sigmask(SIG_SETMASK, &before, NULL);
	return !failed;
}

unsigned int thread_spare_cpus(void)
{
	cpu_set_t cpus;

	/* fails if the machine has more CPUs than fit into the set */
	if (sched_getaffinity(0, sizeof(cpus), &cpus))
		return 1;
	return (unsigned int)CPU_COUNT(&cpus) - 1;
}
