// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For reused.test, in a PID namespace of its own: `reused N` starts a process, `reused N thread` a
 * thread with ID N, which prints "ID ADDRESS TIME" (CLOCK_MONOTONIC, ns) of what it runs. Built with
 * -DDECOY it is another program with another name at the same address. `reused N jit` prints two such
 * lines of code at one address that was made anew in between, with a perf map that says so.
 */
#include <errno.h>
#include <linux/sched.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#ifdef DECOY
#define first_owner second_owner
#endif

__attribute__((noinline, used)) int first_owner(int x)
{
	return x * 3 + 1;
}

static void print_owner(void *address)
{
	struct timespec now;

	clock_gettime(CLOCK_MONOTONIC, &now);
	printf("%ld %p %lld\n", syscall(SYS_gettid), address,
		now.tv_sec * 1000000000LL + now.tv_nsec);
	fflush(stdout);
}

static void *run_thread(void *unused)
{
	print_owner((void *)first_owner);
	return unused;
}

static void write_map(void *code, const char *name)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	FILE *map = fopen(path, "a");
	if (!map)
		exit(2);
	fprintf(map, "%lx 100 %s\n", (unsigned long)code, name);
	fclose(map);
}

static int make_code(void)
{
	void *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	write_map(code, "first_code");
	usleep(600000);
	print_owner(code);
	usleep(600000);
	write_map(code, "second_code");
	usleep(600000);
	print_owner(code);
	usleep(300000);
	return 0;
}

static int start_thread(pid_t id)
{
	FILE *last = fopen("/proc/sys/kernel/ns_last_pid", "w");
	pthread_t thread;

	if (!last)
		return 2;
	fprintf(last, "%d", id - 1);
	fclose(last);
	return pthread_create(&thread, NULL, run_thread, NULL) || pthread_join(thread, NULL);
}

/* fork() with an ID for the child. That of a thread may be free only some time after its process was waited for. */
static pid_t fork_as(pid_t id)
{
	struct clone_args args = {
		.exit_signal = SIGCHLD, .set_tid = (uintptr_t)&id, .set_tid_size = 1};
	pid_t child;

	while ((child = (pid_t)syscall(SYS_clone3, &args, sizeof(args))) < 0 && errno == EEXIST)
		usleep(1000);
	return child;
}

int main(int argc, char **argv)
{
	if (argc < 2)
		return 2;
	if (argc > 2 && !strcmp(argv[2], "thread"))
		return start_thread(atoi(argv[1]));
	pid_t child = fork_as(atoi(argv[1]));
	if (child < 0)
		return 2;
	if (child > 0)
		return waitpid(child, NULL, 0) != child;
	if (argc > 2 && !strcmp(argv[2], "jit"))
		return make_code();
	print_owner((void *)first_owner);
	usleep(100000);
	return 0;
}
