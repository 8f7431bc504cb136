// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * A program for record.test: prints its pid and the address of a function, then does what its
 * argument says. Built with -DDECOY it is another program with another name at the same address.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#ifdef DECOY
#define known_function decoy_function
#endif

__attribute__((noinline, used)) int known_function(int x)
{
	return x * 3 + 1;
}

static void print_address(void *address)
{
	printf("%d %p\n", getpid(), address);
	fflush(stdout);
}

/* dlopen, after MS ms dlclose: the function's address is of no mapping when this ends. */
static int use_library(const char *path, const char *ms)
{
	void *library = dlopen(path, RTLD_NOW);
	void *function = library ? dlsym(library, "library_function") : NULL;

	if (!function)
		return 1;
	print_address(function);
	usleep((useconds_t)atoi(ms) * 1000);
	return dlclose(library);
}

int main(int argc, char **argv)
{
	if (argc > 2 && !strcmp(argv[1], "library"))
		return use_library(argv[2], argc > 3 ? argv[3] : "0");
	print_address((void *)known_function);
	if (argc > 2 && !strcmp(argv[1], "exec")) {
		while (getenv("BEFORE_EXEC") && access(getenv("BEFORE_EXEC"), F_OK)) /* a file */
			usleep(10000);
		execv(argv[2], argv + 2);
	}
	if (argc > 2 && !strcmp(argv[1], "sleep"))
		usleep((useconds_t)atoi(argv[2]) * 1000);
	return 0;
}
