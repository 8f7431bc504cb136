/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The end of each main(): runs its tests as a suite with the name of the program. */
#pragma once

#include <check.h>
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/*
 * Seconds for one test: against tests that hang. Check's own 4 are too few under sanitizers beside
 * others.
 */
#define TEST_SECONDS 120

/* Returns true in the long run (tests/run-all.sh --all). */
static inline bool thorough(void)
{
	const char *all = getenv("S2L_ALL");

	return all && *all;
}

/*
 * Returns true under qemu-user: maps then has the emulator's mappings of the program, which are not
 * executable.
 */
static inline bool is_emulated(void)
{
	int proc = open("/proc/self", O_PATH | O_DIRECTORY | O_CLOEXEC);
	FILE *maps = fdopen(openat(proc, "maps", O_RDONLY | O_CLOEXEC), "r");
	unsigned long start, end;
	char line[1024], rights[5] = "";

	while (maps && fgets(line, sizeof(line), maps))
		if (sscanf(line, "%lx-%lx %4s", &start, &end, rights) == 3 &&
			(uintptr_t)is_emulated - start < end - start)
			break;
	ck_assert_ptr_nonnull(maps);
	fclose(maps);
	close(proc);
	return rights[2] != 'x';
}

/* Takes ownership of the tests. Returns the program's exit status. */
static inline int tests_run(TCase *tests)
{
	Suite *suite = suite_create(program_invocation_short_name);

	tcase_set_timeout(tests, TEST_SECONDS);
	suite_add_tcase(suite, tests);
	SRunner *runner = srunner_create(suite);
	srunner_run_all(runner, CK_ENV);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed != 0;
}
