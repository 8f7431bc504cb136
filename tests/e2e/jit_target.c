// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A small JIT compiler for jit.test: makes functions in memory and says so as JIT compilers do.
 * Each line it prints is its process ID (as it counts) and an address; each line it reads makes it
 * go on, "q" makes it end.
 *
 * jit_target map    /tmp/perf-PID.map: early_code; then late_code; then, half written, cut_off
 * jit_target exec PROGRAM   no JIT code: known_code; then PROGRAM with the word "known"
 * jit_target known  known_code
 * jit_target dump DIR   DIR/jit-PID.dump: dumped_code with lines; then later_code
 */
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "jitdump.h"

#define CODE_SIZE 0x40
#define PAGE 4096UL

static unsigned char *code_make(void)
{
	return mmap(
		NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

static void tell(const unsigned char *code)
{
	char line[16];

	printf("%d %p\n", (int)getpid(), (const void *)(code + 0x10));
	fflush(stdout);
	if (!fgets(line, sizeof(line), stdin) || *line == 'q')
		_exit(0);
}

__attribute__((noinline, used)) void known_code(void)
{
	__asm__ volatile(".skip 64, 0x90");
}

static int run_known(char *program)
{
	tell((const unsigned char *)(uintptr_t)known_code);
	return program ? execl(program, program, "known", NULL) : 0;
}

static int run_map(unsigned char *code)
{
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "w");
	if (!map)
		return 1;
	fprintf(map, "%lx %x early_code\n", (unsigned long)code, CODE_SIZE);
	fflush(map);
	tell(code);
	fprintf(map, "%lx %x late_code\n", (unsigned long)(code + 0x100), CODE_SIZE);
	fflush(map);
	tell(code + 0x100);
	fprintf(map, "%lx %x cut_of", (unsigned long)(code + 0x200), CODE_SIZE);
	fflush(map);
	tell(code + 0x200);
	return 0;
}

static void put_line(struct jitdump_body *body, const unsigned char *address, uint32_t line)
{
	static const char file[] = "/src/script.jit";
	const uint32_t numbers[] = {line, 0};

	jitdump_put_u64(body, (uintptr_t)address);
	jitdump_put(body, numbers, sizeof(numbers));
	jitdump_put(body, file, sizeof(file));
}

static void write_lines(FILE *dump, const unsigned char *code)
{
	struct jitdump_body body = {};

	jitdump_put_u64(&body, (uintptr_t)code);
	jitdump_put_u64(&body, 2);
	put_line(&body, code, 41);
	put_line(&body, code + 0x10, 42);
	jitdump_write(dump, 2, &body);
}

static int run_dump(const char *dir, unsigned char *code)
{
	FILE *dump = jitdump_begin(dir);

	if (!dump)
		return 1;
	write_lines(dump, code);
	jitdump_load(dump, code, CODE_SIZE, 1, "dumped_code");
	tell(code);
	jitdump_load(dump, code + 0x100, CODE_SIZE, 1, "later_code");
	tell(code + 0x100);
	return 0;
}

int main(int argc, char **argv)
{
	unsigned char *code = code_make();

	if (code == MAP_FAILED || argc < 2)
		return 64;
	memset(code, 0xc3, PAGE);
	if (!strcmp(argv[1], "known") || !strcmp(argv[1], "exec"))
		return run_known(argv[2]);
	return !strcmp(argv[1], "map") ? run_map(code) : run_dump(argc > 2 ? argv[2] : ".", code);
}
