// SPDX-License-Identifier: GPL-2.0-or-later
/* C whose stacks the tracer takes: leaves, tail calls, callbacks, pointers, libc, signals, longjmp, a thread. */
#define _GNU_SOURCE
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define noinline __attribute__((noinline, noclone))
#ifndef THREADS
#define THREADS 1
#endif

#ifdef ASSEMBLER
long asm_leaf(long), asm_frame(long, long (*)(long)), asm_data(long, long (*)(long)),
	asm_bare(long, long (*)(long)), asm_pushes(long, long (*)(long)), asm_jump(long),
	asm_through(long), asm_next(long);
#endif

static volatile long sink;
static jmp_buf back;

static noinline long leaf(long n)
{
	return n * 3 + 1;
}

static noinline long branches(long n)
{
	long sum = 0;

	for (long i = 0; i < n % 7 + 2; i++)
		sum += i & 1 ? leaf(i) : i;
	return sum;
}

static noinline long tail(long n)
{
	return n & 1 ? leaf(n) : branches(n);
}

static noinline long pointer(long n, long (*function)(long))
{
	return function(n) + 1;
}

static noinline long recurse(long n)
{
	return n ? recurse(n - 1) + pointer(n, n & 1 ? tail : branches) : leaf(n);
}

static noinline int compare(const void *a, const void *b)
{
	int x = *(const int *)a, y = *(const int *)b;

	return x < y ? -1 : x > y;
}

static noinline void sort(int seed)
{
	int numbers[24];

	for (int i = 0; i < 24; i++)
		numbers[i] = (i * 7919 + seed) % 101;
	qsort(numbers, 24, sizeof(*numbers), compare);
	sink += numbers[3];
}

static noinline int format(char *to, size_t size, const char *how, ...)
{
	va_list arguments;

	va_start(arguments, how);
	int n = vsnprintf(to, size, how, arguments);
	va_end(arguments);
	return n;
}

static noinline void text(int n)
{
	char line[256], *copy;

	format(line, sizeof(line), "%d %s %.3f %lx", n, "word", n / 7.0, (long)n * n);
	copy = strdup(line);
	for (char *word = strtok(copy, " "); word; word = strtok(NULL, " "))
		sink += strtol(word, NULL, 10) + (long)strlen(word);
	sink += strstr(line, "wor") != NULL;
	free(copy);
}

static noinline void large(size_t n)
{
	char *variable = __builtin_alloca(n), *memory = malloc(n * 100);

	memset(variable, (int)n, n);
	memset(memory, 1, n * 100);
	memmove(memory + 7, memory, n * 50);
	sink += variable[n / 2] + memory[n] + memcmp(memory, memory + 7, n);
	free(memory);
}

static void on_signal(int number)
{
	sink += leaf(number);
}

static noinline void interrupted(void)
{
	raise(SIGUSR1);
	sink += leaf(3);
}

static noinline void jump(int n)
{
	if (n)
		jump(n - 1);
	else
		longjmp(back, 1);
	sink++;
}

static noinline void far_back(void)
{
	if (!setjmp(back))
		jump(5);
	sink += leaf(sink);
}

static noinline void *thread(void *argument)
{
	sink += recurse(4);
	text(5);
	return argument;
}

static noinline void threads(void)
{
	pthread_t one;

	for (int i = 0; i < THREADS; i++)
		if (!pthread_create(&one, NULL, thread, NULL))
			pthread_join(one, NULL);
}

static noinline void clocks(void)
{
	struct timespec now;
	struct tm broken;

	/* The vdso reads other clocks in a loop, which slow single steps never leave. */
	clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
	time_t seconds = now.tv_sec;
	gmtime_r(&seconds, &broken);
	sink += broken.tm_year;
}

static noinline void assembler(void)
{
#ifdef ASSEMBLER
	for (int i = 0; i < 4; i++)
		sink += asm_leaf(i) + asm_frame(i, branches) + asm_data(i, tail) +
			asm_bare(i, branches) + asm_pushes(i, recurse) + asm_jump(i) +
			asm_through(i) + asm_next(i);
#endif
}

static noinline void round_of(int i)
{
	sink += recurse(i % 9);
	sort(i);
	text(i);
	large(40 + (size_t)i);
	clocks();
	far_back();
	assembler();
}

int main(void)
{
	signal(SIGUSR1, on_signal);
	for (int i = 0; i < 5; i++)
		round_of(i + 3);
	interrupted();
	threads();
	printf("%ld\n", sink);
	return 0;
}
