// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Calls probe_point() below frames that never were: fake_frames STACKS ADDRESSES DEPTH_MIN DEPTH_MAX LIBRARY.
 * The return addresses are ADDRESSES random ones behind calls in the code of LIBRARY; STACKS stacks of them have
 * depths in [DEPTH_MIN, DEPTH_MAX]. Waits for a byte on stdin, writes one to stdout when it is done,
 * and ends with stdin.
 */
#include <dlfcn.h>
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { DEPTH_MAX = 140 };

struct frame {
	struct frame *caller;
	uint64_t address;
};

__attribute__((noinline)) void probe_point(void);

void probe_point(void)
{
	__asm__ volatile("" ::"r"(__builtin_frame_address(0))); /* needs a frame */
}

static void probe_below(const struct frame *frames)
{
	__asm__ volatile(
		"push %%rbp\n\tmov %0, %%rbp\n\tcall probe_point\n\tpop %%rbp"
		:
		: "r"(frames)
		: "rax", "rcx", "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11", "memory", "cc");
}

static uint64_t next_random(uint64_t *seed)
{
	*seed = *seed * 6364136223846793005U + 1442695040888963407U;
	return *seed >> 20;
}

/* The first executable mapping of the file whose path contains NAME. */
static int find_code(const char *name, uint64_t *start, uint64_t *end)
{
	FILE *maps = fopen("/proc/self/maps", "r");
	char line[4096];
	int found = 0;

	while (maps && !found && fgets(line, sizeof(line), maps))
		found = strstr(line, name) && strstr(line, " r-xp ") &&
			sscanf(line, "%" SCNx64 "-%" SCNx64, start, end) == 2;
	if (maps)
		fclose(maps);
	return found;
}

/* What looks like a call of x86-64 ends before it. */
static uint64_t random_return(uint64_t *seed, uint64_t start, uint64_t end)
{
	uint64_t address = end;

	while (address >= end || *(const uint8_t *)(uintptr_t)(address - 5) != 0xe8)
		if (address >= end || address % 256 == 0)
			address = start + 5 + next_random(seed) % (end - start - 5);
		else
			address++;
	return address;
}

int main(int argc, char **argv)
{
	static struct frame frames[DEPTH_MAX];
	uint64_t start, end, seed = 1;
	char byte;

	if (argc != 6 || !dlopen(argv[5], RTLD_LAZY) || !find_code(argv[5], &start, &end) ||
		read(STDIN_FILENO, &byte, 1) != 1)
		return 1;
	uint64_t stacks = strtoull(argv[1], NULL, 0), n = strtoull(argv[2], NULL, 0);
	uint64_t least = strtoull(argv[3], NULL, 0), most = strtoull(argv[4], NULL, 0);
	uint64_t *addresses = calloc(n, sizeof(*addresses));
	for (uint64_t i = 0; i < n; i++)
		addresses[i] = random_return(&seed, start, end);
	for (uint64_t i = 0; i < stacks; i++) {
		uint64_t depth = least + next_random(&seed) % (most - least + 1);

		for (uint64_t j = 0; j < depth && j < DEPTH_MAX; j++)
			frames[j] = (struct frame){j + 1 < depth ? &frames[j + 1] : NULL,
				addresses[next_random(&seed) % n]};
		probe_below(frames);
	}
	if (write(STDOUT_FILENO, &byte, 1) != 1)
		return 1;
	while (read(STDIN_FILENO, &byte, 1) == 1)
		;
	free(addresses);
	return 0;
}
