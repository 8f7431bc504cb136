// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Prints events as `bpftool map event_pipe` does, of processes most of which are not there.
 *
 *	events N PIDS PID ADDRESS
 *
 * N events, "u32 pid; u32 none; u64 ustack[4]", spread over PIDS processes that have exited long
 * ago; each 100th is of process PID, with ADDRESS alone.
 */
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

enum { GONE = 1 << 23 /* above all of Linux's */, LIVE_EVERY = 100 };

int main(int argc, char **argv)
{
	static const char digits[] = "0123456789abcdef";

	if (argc != 5) {
		fputs("usage: events N PIDS PID ADDRESS\n", stderr);
		return 64;
	}
	uint64_t n = strtoull(argv[1], NULL, 0), pids = strtoull(argv[2], NULL, 0);
	for (uint64_t i = 0; i < n; i++) {
		bool live = i % LIVE_EVERY == LIVE_EVERY - 1;
		uint64_t pid = live ? strtoull(argv[3], NULL, 0) : GONE + i * 7919 % pids;
		uint64_t words[5] = {pid,
			live ? strtoull(argv[4], NULL, 0) : 0x400000 + i % 1000 * 16,
			live ? 0 : 0x401000};
		struct timespec now;
		char text[3 * sizeof(words) + 1];

		for (size_t b = 0; b < sizeof(words); b++) {
			unsigned char byte = ((unsigned char *)words)[b];

			text[3 * b] = digits[byte >> 4];
			text[3 * b + 1] = digits[byte & 15];
			text[3 * b + 2] = b % 16 == 15 || b + 1 == sizeof(words) ? '\n' : ' ';
		}
		text[sizeof(text) - 1] = '\0';
		clock_gettime(CLOCK_MONOTONIC, &now);
		printf("== @%lld.%09ld CPU: 0 index: 0 =====\n%s", (long long)now.tv_sec,
			now.tv_nsec, text);
	}
	return 0;
}
