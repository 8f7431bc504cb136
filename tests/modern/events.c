// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * What tools for stacks count: sleep, waiting for a lock, memory that is not freed, time on a CPU; each
 * from several places. Prints its process ID, waits for a line, does it, prints "done" and waits for the
 * end of its input.
 */
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static void *volatile kept;

KEPT void nap(long ms)
{
	struct timespec time = {0, ms * 1000000};

	nanosleep(&time, NULL);
	__asm__ volatile("" ::: "memory");
}

KEPT void naps(int n)
{
	for (int i = 0; i < n; i++)
		nap(3);
	__asm__ volatile("" ::: "memory");
}

KEPT void take_lock(void)
{
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	__asm__ volatile("" ::: "memory");
}

static void *take_either(void *arg)
{
	if (arg) {
		take_lock();
		return arg;
	}
	pthread_mutex_lock(&lock);
	pthread_mutex_unlock(&lock);
	return arg;
}

/* Threads wait for it while it is held. */
KEPT void hold_lock(void)
{
	pthread_t threads[3];

	pthread_mutex_lock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_create(&threads[i], NULL, take_either, i ? &lock : NULL);
	nap(30);
	pthread_mutex_unlock(&lock);
	for (int i = 0; i < 3; i++)
		pthread_join(threads[i], NULL);
	__asm__ volatile("" ::: "memory");
}

KEPT void keep(size_t size)
{
	kept = malloc(size);
	__asm__ volatile("" ::: "memory");
}

KEPT void keep_many(int n)
{
	for (int i = 0; i < n; i++)
		keep(1000 + 24 * (size_t)i);
	kept = calloc(7, 300);
	free(malloc(77));
	__asm__ volatile("" ::: "memory");
}

KEPT void spin(long ms)
{
	struct timespec time;
	long end;

	clock_gettime(CLOCK_MONOTONIC, &time);
	end = time.tv_sec * 1000 + time.tv_nsec / 1000000 + ms;
	do {
		clock_gettime(CLOCK_MONOTONIC, &time);
	} while (time.tv_sec * 1000 + time.tv_nsec / 1000000 < end);
	__asm__ volatile("" ::: "memory");
}

KEPT void spin_more(long ms)
{
	spin(ms);
	__asm__ volatile("" ::: "memory");
}

int main(void)
{
	char line[16];

	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	naps(8);
	nap(20);
	hold_lock();
	keep_many(6);
	keep(5555);
	spin(400);
	spin_more(400);
	printf("done\n");
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin) ? 0 : 1;
}
