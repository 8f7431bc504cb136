// SPDX-License-Identifier: GPL-2.0-or-later
#include "util/limits.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <unistd.h>

#include "util/cleanup.h"

enum { FILES_WANTED = 1 << 16 };

uint64_t limits_files(void)
{
	struct rlimit limit;

	return getrlimit(RLIMIT_NOFILE, &limit) ? 1024 : limit.rlim_cur;
}

void limits_set_files(uint64_t soft)
{
	struct rlimit limit;

	if (getrlimit(RLIMIT_NOFILE, &limit))
		return;
	limit.rlim_cur = soft < limit.rlim_max ? soft : limit.rlim_max;
	(void)setrlimit(RLIMIT_NOFILE, &limit);
}

uint64_t limits_raise_files(void)
{
	uint64_t before = limits_files();

	if (before < FILES_WANTED)
		limits_set_files(FILES_WANTED);
	return before;
}

bool limits_has_memory(uint64_t bytes)
{
	const uint64_t page = (uint64_t)sysconf(_SC_PAGESIZE);
	const uint64_t all = (uint64_t)sysconf(_SC_PHYS_PAGES) * page;
	unsigned long long size, resident, shared;
	auto_file FILE *file = fopen("/proc/self/statm", "re");
	uint64_t taken = 0; /* without pages shared with files; 0: unknown */

	/* statm is `4127 2305 1027 …`: total, resident and shared pages (proc(5)) */
	if (file && fscanf(file, "%llu %llu %llu", &size, &resident, &shared) == 3 &&
		resident >= shared)
		taken = (resident - shared) * page;
	return taken < all / 2 && bytes <= all / 2 - taken;
}

void limits_check(int errnum)
{
	if (errnum != EMFILE && errnum != ENFILE && errnum != ENOMEM)
		return;
	fprintf(stderr, "stack2line: %s%s\n", strerror(errnum),
		errnum == EMFILE ? ": raise the limit (ulimit -n)" : "");
	fflush(stderr);
	_Exit(2);
}
