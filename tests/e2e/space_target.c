// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * The program whose address is asked for in every kind of address space. NAME is its function's
 * name: it distinguishes the program from its decoys, whose code is the same. It writes one line to
 * standard output, its process ID and an address, and waits to be killed.
 *
 * space_target             the address of NAME
 * space_target library SO  that of NAME in a library (this file, built with -shared)
 * space_target exit        the same, but it ends at once
 * space_target closed SO   that of NAME in a library that is closed again; it ends at once
 * space_target thread      the same as the first, but the thread that started the process ends
 * space_target threads  the same as the first, with a second thread
 * space_target jit         an address in memory that NAME was copied to, named by a perf map
 * space_target remap       as the first, with the code moved to anonymous memory
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#ifndef NAME
#define NAME right_name
#endif
#define TEXT_OF(name) #name
#define TEXT(name) TEXT_OF(name)
#define PAGE 4096UL

__attribute__((noinline)) void NAME(void)
{
	for (;;)
		pause();
}

static void tell(const void *address)
{
	printf("%d %lx\n", (int)getpid(), (unsigned long)address);
	fflush(stdout);
}

static int close_library(const char *path)
{
	void *library = dlopen(path, RTLD_NOW);

	tell(dlsym(library, TEXT(NAME)));
	return dlclose(library);
}

static pthread_t first;

static void *wait_in_thread(void *unused)
{
	(void)unused;
	pthread_join(first, NULL);
	tell((const void *)NAME);
	NAME();
	return NULL;
}

static void end_first_thread(void)
{
	pthread_t thread;

	first = pthread_self();
	pthread_create(&thread, NULL, wait_in_thread, NULL);
	pthread_exit(NULL);
}

static void *wait_beside(void *unused)
{
	(void)unused;
	NAME();
	return NULL;
}

/* In a map two lines overlap, as when code was thrown away and its place used again. */
static void jit(void)
{
	char *code = mmap(
		NULL, PAGE, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
	char path[64];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	FILE *map = fopen(path, "w");
	if (code == MAP_FAILED || !map)
		return;
	fprintf(map, "%lx 800 wrong_name of what was there before\n", (unsigned long)code);
	fprintf(map, "%lx 400 %s\n", (unsigned long)code, TEXT(NAME));
	fclose(map);
	tell(code + 0x10);
}

/* As programs do that put their code into huge pages. */
__attribute__((section(".remapper"), noinline)) static int move_text(char *start, char *copy)
{
	return mremap(copy, PAGE, PAGE, MREMAP_MAYMOVE | MREMAP_FIXED, start) == MAP_FAILED;
}

static void remap(void)
{
	char *start = (char *)((unsigned long)NAME & -PAGE);
	char *copy = mmap(NULL, PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (copy == MAP_FAILED)
		return;
	memcpy(copy, start, PAGE);
	mprotect(copy, PAGE, PROT_READ | PROT_EXEC);
	if (!move_text(start, copy))
		tell((const void *)NAME);
}

int main(int argc, char **argv)
{
	const char *how = argc > 1 ? argv[1] : "";
	pthread_t thread;

	if (!strcmp(how, "closed") && argc > 2)
		return close_library(argv[2]);
	if (!strcmp(how, "library") && argc > 2)
		tell(dlsym(dlopen(argv[2], RTLD_NOW), TEXT(NAME)));
	else if (!strcmp(how, "thread"))
		end_first_thread();
	else if (!strcmp(how, "threads"))
		tell(pthread_create(&thread, NULL, wait_beside, NULL) ? NULL : (const void *)NAME);
	else if (!strcmp(how, "jit"))
		jit();
	else if (!strcmp(how, "remap"))
		remap();
	else
		tell((const void *)NAME);
	if (!strcmp(how, "exit"))
		return 0;
	for (;;)
		pause();
}
