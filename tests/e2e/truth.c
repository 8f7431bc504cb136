// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for truth.test, which uses IDs and addresses again and again, and says in FILE what is true
 * when (say.h). Built with -DDECOY it has other names at the same addresses.
 *
 *	truth storm SECONDS FILE LIBRARY OTHER-LIBRARY	starts processes, each of which does one thing
 *	truth jit SECONDS FILE	makes code at one address, again and again, and a perf map that says so
 *	truth jitdump SECONDS FILE DIR	the same with a jitdump in DIR
 */
#include <dlfcn.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include "jitdump.h"
#include "say.h"

#ifdef DECOY
#define OWN "second_owner"
#define first_owner second_owner
#else
#define OWN "first_owner"
#endif

__attribute__((noinline, used)) int first_owner(int x)
{
	return x * 3 + 1;
}

/* Where the function of the program is. */
static void say_own(const char *file)
{
	say(file, syscall(SYS_gettid), (void *)first_owner, OWN);
}

static void *run_thread(void *file)
{
	say_own(file);
	return NULL;
}

static void start_thread(char *file)
{
	pthread_t thread;

	if (!pthread_create(&thread, NULL, run_thread, file))
		pthread_join(thread, NULL);
}

/* Where one library was, another one is likely to be next. */
static void load(const char *file, const char *library, const char *name)
{
	void *loaded = dlopen(library, RTLD_NOW), *function = loaded ? dlsym(loaded, name) : NULL;

	if (function)
		say(file, getpid(), function, name);
	if (loaded)
		dlclose(loaded);
}

static void do_one_thing(char **argv, unsigned int what)
{
	char *file = argv[3];

	say_own(file);
	switch (what % 5) {
	case 0:
		start_thread(file);
		break;
	case 1:
		for (int i = 0; i < 3; i++) {
			load(file, argv[4], "library_function");
			load(file, argv[5], "library_decoy");
		}
		break;
	case 2:
		if (!fork())
			say_own(file);
		break;
	case 3:
		execl(argv[0], argv[0], "once", argv[2], file, argv[4], argv[5], NULL);
		break;
	default:
		break;
	}
}

static void storm(char **argv, double end)
{
	for (unsigned int i = 0; now() < end; i++) {
		pid_t child = fork();

		if (!child) {
			do_one_thing(argv, i);
			_exit(0);
		}
		waitpid(child, NULL, 0);
		while (waitpid(-1, NULL, WNOHANG) > 0)
			;
		usleep(2000);
	}
}

static unsigned char *code_make(void)
{
	void *code = mmap(
		NULL, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

	if (code == MAP_FAILED)
		exit(1);
	return code;
}

static void compile(const char *file, double end)
{
	const unsigned char *code = code_make();
	char path[64], name[32];

	snprintf(path, sizeof(path), "/tmp/perf-%d.map", (int)getpid());
	for (unsigned int i = 0; now() < end; i++) {
		FILE *map = fopen(path, "a");

		snprintf(name, sizeof(name), "code_%u", i);
		fprintf(map, "%lx 100 %s\n", (unsigned long)code, name);
		fclose(map);
		for (int j = 0; j < 8; j++) {
			usleep(100000);
			say(file, getpid(), code + 0x10, name);
		}
	}
}

/* A dump has times: what is there may be another function each time that it is run. */
static void compile_with_times(const char *file, const char *dir, double end)
{
	const unsigned char *code = code_make();
	FILE *dump = jitdump_begin(dir);
	char name[32];

	if (!dump)
		exit(1);
	for (unsigned int i = 0; now() < end; i++) {
		snprintf(name, sizeof(name), "dumped_%u", i);
		jitdump_load(dump, code, 0x100, i, name);
		for (int j = 0; j < 4; j++) {
			say(file, getpid(), code + 0x10, name);
			usleep(10000);
		}
	}
}

int main(int argc, char **argv)
{
	double end = argc > 3 ? now() + atof(argv[2]) : 0;

	if (argc > 5 && !strcmp(argv[1], "storm"))
		storm(argv, end);
	else if (argc > 5 && !strcmp(argv[1], "once"))
		say_own(argv[3]);
	else if (argc > 3 && !strcmp(argv[1], "jit"))
		compile(argv[3], end);
	else if (argc > 4 && !strcmp(argv[1], "jitdump"))
		compile_with_times(argv[3], argv[4], end);
	else
		return 2;
	return 0;
}
