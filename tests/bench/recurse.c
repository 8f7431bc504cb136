// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks of 30 frames of three functions that call each other: recurse ROUNDS [wait]. With wait it waits for a
 * byte on stdin, writes one to stdout when it is done, and ends with stdin.
 */
#include <stdlib.h>
#include <unistd.h>

static int a(int depth);
static volatile int sum;

__attribute__((noinline)) static int c(int depth)
{
	if (depth)
		return a(depth - 1) * 3;
	for (int i = 0; i < 2000; i++)
		sum += i;
	return sum;
}

__attribute__((noinline)) static int b(int depth)
{
	volatile char room[40];

	room[depth] = 1;
	return (depth ? c(depth - 1) : 2) + room[depth];
}

__attribute__((noinline)) static int a(int depth)
{
	return (depth ? b(depth - 1) : 1) + sum;
}

int main(int argc, char **argv)
{
	char byte;

	if (argc > 2 && read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	for (int i = atoi(argv[1]); i > 0; i--)
		sum += a(26);
	if (argc > 2 && write(STDOUT_FILENO, "", 1) == 1)
		while (read(STDIN_FILENO, &byte, 1) > 0)
			;
	return 0;
}
