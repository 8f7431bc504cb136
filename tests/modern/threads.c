// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A process with two threads, each with its own comm. Prints its ID, waits for a line, calls getppid()
 * from several places, prints "done" and waits for the end of its input. With an argument the second thread
 * stays as long.
 */
#include <pthread.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define KEPT __attribute__((noinline, noclone))

KEPT long hit(long n)
{
	long parent = syscall(SYS_getppid);

	__asm__ volatile("" ::"r"(n) : "memory");
	return parent;
}

KEPT long inner(long n)
{
	long sum = hit(n) + hit(n + 1);

	__asm__ volatile("" ::: "memory");
	return sum;
}

KEPT long outer(long n)
{
	long sum = inner(n) + hit(n + 7);

	__asm__ volatile("" ::: "memory");
	return sum;
}

static pthread_barrier_t worked;

static void *work(void *arg)
{
	prctl(PR_SET_NAME, "s2l second");
	for (int i = 0; i < 4; i++)
		outer(i);
	pthread_barrier_wait(&worked);
	while (arg)
		pause();
	return NULL;
}

int main(int argc, char **argv)
{
	pthread_t thread;
	char line[16];

	prctl(PR_SET_NAME, "s2l first");
	printf("%d\n", (int)getpid());
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin))
		return 1;
	for (int i = 0; i < 3; i++)
		inner(i);
	pthread_barrier_init(&worked, NULL, 2);
	pthread_create(&thread, NULL, work, argv[1]);
	pthread_barrier_wait(&worked);
	if (argc == 1)
		pthread_join(thread, NULL);
	printf("done\n");
	fflush(stdout);
	return !fgets(line, sizeof(line), stdin) ? 0 : 1;
}
