// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls probe_point() below many different deep chains of 256 functions: deep CHAINS.
 * It waits for a byte on stdin, writes one to stdout when it is done, and ends with stdin.
 */
#include <stdint.h>
#include <stdlib.h>
#include <unistd.h>

enum { DEPTH = 140 }; /* more than kernel.perf_event_max_stack */

__attribute__((noinline)) void probe_point(void);

void probe_point(void)
{
	__asm__ volatile("" ::"r"(__builtin_frame_address(0))); /* needs a frame */
}

typedef void chain(unsigned int depth, uint64_t seed);
extern chain *const chains[256];

static void go_on(unsigned int depth, uint64_t seed) __attribute__((always_inline));

static inline void go_on(unsigned int depth, uint64_t seed)
{
	seed = seed * 6364136223846793005U + 1442695040888963407U;
	if (depth)
		chains[seed >> 56](depth - 1, seed);
	else
		probe_point();
	__asm__ volatile(""); /* no tail call */
}

#define ONE(name)                                                                                  \
	static __attribute__((noinline)) void name(unsigned int depth, uint64_t seed)              \
	{                                                                                          \
		go_on(depth, seed);                                                                \
	}
#define FOUR(name) ONE(name##0) ONE(name##1) ONE(name##2) ONE(name##3)
#define SIXTEEN(name) FOUR(name##0) FOUR(name##1) FOUR(name##2) FOUR(name##3)
#define SIXTYFOUR(name) SIXTEEN(name##0) SIXTEEN(name##1) SIXTEEN(name##2) SIXTEEN(name##3)
SIXTYFOUR(chain_0)
SIXTYFOUR(chain_1)
SIXTYFOUR(chain_2)
SIXTYFOUR(chain_3)
#define NAME_FOUR(name) name##0, name##1, name##2, name##3,
#define NAME_SIXTEEN(name)                                                                         \
	NAME_FOUR(name##0) NAME_FOUR(name##1) NAME_FOUR(name##2) NAME_FOUR(name##3)
#define NAME_SIXTYFOUR(name)                                                                       \
	NAME_SIXTEEN(name##0) NAME_SIXTEEN(name##1) NAME_SIXTEEN(name##2) NAME_SIXTEEN(name##3)

chain *const chains[256] = {NAME_SIXTYFOUR(chain_0) NAME_SIXTYFOUR(chain_1) NAME_SIXTYFOUR(chain_2)
		NAME_SIXTYFOUR(chain_3)};

int main(int argc, char **argv)
{
	uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 0) : 1000;
	char byte;

	if (read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	for (uint64_t i = 0; i < n; i++)
		chains[i & 255](DEPTH, i);
	if (write(STDOUT_FILENO, &byte, 1) != 1)
		return 1;
	while (read(STDIN_FILENO, &byte, 1) == 1)
		;
	return 0;
}
