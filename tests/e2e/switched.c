// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * For when.test: a process whose code at one address is now of one file and now of another. It prints a portable
 * stack with that address each millisecond, and adds "TIME NAME" to the file TRUTH: NAME was there at TIME (ns,
 * CLOCK_MONOTONIC).
 *
 *	switched libraries BOOT TRUTH US SECONDS FIRST SECOND
 *		has one of two libraries loaded, which export first_code and second_code, and changes it each US
 *		The file TRUTH.end ends it before SECONDS have passed.
 *	switched rewritten BOOT TRUTH US SECONDS FIRST SECOND
 *		the same, but copies each to TRUTH.so and loads that: to a new file, or if it has time, in turns over the
 *		other one
 *	switched calls BOOT TRUTH US SECONDS FIRST SECOND
 *		as libraries, for tests/bpf/capture: in place of printing it calls the code, which makes a system call
 *	switched jit BOOT TRUTH US SECONDS -
 *	switched jitcalls BOOT TRUTH US SECONDS -
 *		the same with code that is made and named in /tmp/perf-PID.map; others replace it, in turns in its place and
 *		after it was unmapped
 *	switched programs BOOT TRUTH US SECONDS OTHER
 *		runs for US, and then becomes OTHER, the same built with -DSECOND
 */
#include <dlfcn.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "say.h"

#ifdef SECOND
#define CODE second_code
#else
#define CODE first_code
#endif
#define TEXT_OF(x) #x
#define NAME_OF(x) TEXT_OF(x)

__attribute__((noinline, used)) int CODE(int x)
{
#if defined(LIBRARY) && defined(__x86_64__)
	long number = SYS_getppid; /* here, not in the C library */

	__asm__ volatile("syscall" : "+a"(number) : : "rcx", "r11", "memory");
	x += (int)number;
#endif
	return x * 3 + 1;
}

#ifndef LIBRARY
static const char *boot;
static char stop[4096], copy[4096]; /* TRUTH.end, TRUTH.so */
static int truth, calls, rewrites;

static void sample(int (*code)(int), const char *name)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	dprintf(truth, "%ld%09ld %s\n", (long)t.tv_sec, t.tv_nsec, name);
	if (calls)
		code(0);
	else
		dprintf(STDOUT_FILENO,
			"stack2line-portable 1 boot=%s pid=%d weight=1 time=%ld%09ld exact=1 user=%p\n",
			boot, getpid(), (long)t.tv_sec, t.tv_nsec, (void *)code);
}

static int has_ended(double end)
{
	return now() >= end || !access(stop, F_OK);
}

static void sample_until(double end, int (*code)(int), const char *name)
{
	do {
		sample(code, name);
		usleep(1000);
	} while (!has_ended(end));
}

/* Copies the file FROM. ANEW: never over the file that is there. */
static const char *rewrite(const char *from, int anew)
{
	static int times;
	char bytes[1 << 16];

	if (times++ & 2 || anew)
		unlink(copy);
	int in = open(from, O_RDONLY), out = open(copy, O_WRONLY | O_CREAT | O_TRUNC, 0755);
	for (ssize_t n; (n = read(in, bytes, sizeof(bytes))) > 0;)
		if (write(out, bytes, (size_t)n) != n)
			return "";
	close(in);
	close(out);
	return copy;
}

static int switch_libraries(double each, double end, char **libraries)
{
	static const char *const names[] = {"first_code", "second_code"};

	for (int i = 0; !has_ended(end); i = !i) {
		void *library = dlopen(rewrites ? rewrite(libraries[i], each < 0.1) : libraries[i],
			RTLD_NOW | RTLD_LOCAL);
		int (*code)(int) = library ? (int (*)(int))dlsym(library, names[i]) : NULL;

		if (!code)
			return 2;
		sample_until(now() + each, code, names[i]);
		dlclose(library);
	}
	return 0;
}

static int run_jit(double each, double end)
{
	static const unsigned char calls_getppid[] = {
		0xb8, 110, 0, 0, 0, 0x0f, 0x05, 0xc3}; /* x86-64 */
	char path[64], name[32];
	void *code = NULL;

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", getpid());
	unlink(path);
	for (int i = 0; !has_ended(end); i++) {
		if (i && !(i & 1))
			munmap(code, 4096);
		if (!(i & 1))
			code = mmap(code, 4096, PROT_READ | PROT_WRITE | PROT_EXEC,
				MAP_PRIVATE | MAP_ANONYMOUS | (i ? MAP_FIXED : 0), -1, 0);
		if (code == MAP_FAILED)
			return 2;
		memcpy(code, calls_getppid, sizeof(calls_getppid));
		FILE *map = fopen(path, "a");
		snprintf(name, sizeof(name), "jit_%d", i);
		fprintf(map, "%lx 1000 %s\n", (unsigned long)code, name);
		fclose(map);
		sample_until(now() + each, (int (*)(int))code, name);
	}
	unlink(path);
	return 0;
}

static int run_programs(double each, double end, char **argv)
{
	char until[32], *self = argv[0];

	sample_until(now() + each, CODE, NAME_OF(CODE));
	if (now() >= end)
		return 0;
	snprintf(until, sizeof(until), "%.6f", end - now());
	argv[5] = until;
	argv[0] = argv[6];
	argv[6] = self;
	execv(argv[0], argv);
	return 2;
}

int main(int argc, char **argv)
{
	if (argc < 7)
		return 64;
	char byte;

	calls = strstr(argv[1], "calls") != NULL;
	if (calls && read(STDIN_FILENO, &byte, 1) != 1)
		return 2;
	boot = argv[2];
	rewrites = !strcmp(argv[1], "rewritten");
	snprintf(stop, sizeof(stop), "%s.end", argv[3]);
	snprintf(copy, sizeof(copy), "%s.so", argv[3]);
	truth = open(argv[3], O_WRONLY | O_APPEND | O_CREAT | O_CLOEXEC, 0600);
	double each = atof(argv[4]) / 1e6, end = now() + atof(argv[5]);
	if (!strcmp(argv[1], "programs"))
		return run_programs(each, end, argv);
	int status = strncmp(argv[1], "jit", 3) ? switch_libraries(each, end, argv + 6)
						: run_jit(each, end);
	if (calls && write(STDOUT_FILENO, "", 1) == 1)
		(void)!read(STDIN_FILENO, &byte, 1);
	return status;
}
#endif
