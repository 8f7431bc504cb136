// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls that record themselves: each f_X writes its letter X to the chain (snapshot.h) behind its
 * prologue and takes it away when it has no further call to make. Built without frame pointers, in
 * two files: with -DLIBRARY the functions that a shared library has.
 *
 *	unwound ROUNDS
 *
 * It waits for a byte on stdin, runs, writes a byte to stdout, and ends with the end of stdin.
 */
#include <alloca.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>
#include <unistd.h>

#include "snapshot.h"

#define CHAIN ((volatile char *)CHAIN_ADDRESS)
#define DEPTH (*(volatile int *)(CHAIN_ADDRESS + CHAIN_LEN))
#define ENTER(letter) (CHAIN[DEPTH] = (letter), DEPTH++)
#define LEAVE() (DEPTH--, CHAIN[DEPTH] = '\0')
#define FUNCTION __attribute__((noinline, noclone))

typedef int callback(int n);

int f_L(int n, callback *next);
int f_M(int n, callback *next);

/* No frame at all. */
static FUNCTION int spin(int n)
{
	volatile int sum = 0;

	for (int i = 0; i < n; i++)
		sum += i;
	return sum;
}

#ifdef LIBRARY
/* A large frame. */
FUNCTION int f_M(int n, callback *next)
{
	volatile char buffer[700];

	ENTER('M');
	memset((char *)buffer, n, sizeof(buffer));
	int sum = next(n) + spin(300);
	LEAVE();
	return sum + buffer[n & 7];
}

/* A frame whose size is not known before it runs. */
FUNCTION int f_L(int n, callback *next)
{
	volatile char *buffer = alloca((size_t)(n & 63) + 16);

	ENTER('L');
	buffer[3] = (char)n;
	int sum = f_M(n, next) + spin(200);
	LEAVE();
	return sum + buffer[3];
}
#else
static volatile int stop;

/* What the clock finds in the C library's and the kernel's code, and behind a PLT stub. */
static FUNCTION int f_V(int n)
{
	struct timespec now;
	int sum = n;

	ENTER('V');
	for (int i = 0; i < 20; i++) {
		clock_gettime(CLOCK_MONOTONIC, &now);
		sum += (int)now.tv_nsec + (int)strlen((const char *)CHAIN) + getppid();
	}
	LEAVE();
	return sum;
}

/* Registers that calls keep are in use here. */
static FUNCTION int f_D(int n)
{
	int a = n * 3, b = n * 5, c = n * 7, d = n * 11, e = n * 13, f = n * 17;

	ENTER('D');
	int sum = spin(100) + f_V(a) + b;
	sum += spin(100) + c;
	sum += spin(100) + d;
	sum += spin(100) + e + f + a;
	LEAVE();
	return sum + a * b + c * d + e * f;
}

static FUNCTION int f_R(int n)
{
	ENTER('R');
	int sum = n > 0 ? f_R(n - 1) + 1 : f_D(n);
	sum += spin(50);
	LEAVE();
	return sum;
}

static int f_C(int n)
{
	ENTER('C');
	int sum = f_R(n & 7) + spin(100);
	LEAVE();
	return sum;
}

static FUNCTION int f_Q(const void *a, const void *b)
{
	ENTER('Q');
	int sum = spin(100);
	LEAVE();
	return *(const int *)a - *(const int *)b + (sum == 1);
}

/* The C library calls back. */
static FUNCTION int f_B(int n)
{
	int numbers[8] = {5, 3, 9, n, 1, 7, 8, 2};

	ENTER('B');
	qsort(numbers, 8, sizeof(numbers[0]), f_Q);
	int sum = numbers[3] + f_L(n, f_C);
	LEAVE();
	return sum;
}

static FUNCTION void f_H(int signal)
{
	ENTER('H');
	spin(500 + signal);
	f_D(signal);
	LEAVE();
}

/* A signal handler on top. */
static FUNCTION int f_S(int n)
{
	ENTER('S');
	raise(SIGUSR1);
	int sum = spin(100) + n;
	LEAVE();
	return sum;
}

static FUNCTION int f_A(int n)
{
	ENTER('A');
	int sum = f_B(n) + f_S(n) + spin(100);
	LEAVE();
	return sum;
}

int main(int argc, char **argv)
{
	int rounds = argc > 1 ? atoi(argv[1]) : 1;
	char byte;

	if (mmap((void *)CHAIN_ADDRESS, 4096, PROT_READ | PROT_WRITE,
		    MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE, -1, 0) == MAP_FAILED ||
		signal(SIGUSR1, f_H) == SIG_ERR || read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	for (int i = 0; i < rounds; i++)
		for (int n = 0; n < 100; n++)
			stop += f_A(n);
	if (write(STDOUT_FILENO, "", 1) != 1)
		return 1;
	while (read(STDIN_FILENO, &byte, 1) > 0)
		;
	return 0;
}
#endif
