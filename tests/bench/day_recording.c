// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * day_recording N FILE: a synthetic recording of N processes, about 300 a second, as a machine that builds
 * software has them in a day: each forks, executes one of 40 programs with four libraries at random
 * addresses, and ends within some ms. IDs are reused as the kernel does, from 301 up to 2^22. It prints PID, time
 * and an address in the program of one process in the middle.
 */
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "record/recorder.h"

enum { PROGRAMS = 40, LIBRARIES = 4, FIRST_PID = 301, LAST_PID = 1 << 22 };
#define MS ((uint64_t)1000000)

static uint64_t state = 88172645463325252;

static uint64_t random_number(uint64_t below)
{
	state ^= state << 13;
	state ^= state >> 7;
	state ^= state << 17;
	return state % below;
}

static uint32_t file(struct recorder *recorder, unsigned int number)
{
	char path[32];
	uint8_t id[20] = {(uint8_t)number, 1};
	snprintf(
		path, sizeof(path), number < PROGRAMS ? "/usr/bin/p%u" : "/usr/lib/l%u.so", number);
	const struct recorded_file file = {.build_id = build_id_make(id, sizeof(id)), .path = path};

	return recorder_file(recorder, &file);
}

/* Returns when it is mapped. */
static uint64_t map(struct recorder *recorder, uint32_t pid, uint64_t time, uint64_t start,
	uint64_t size, unsigned int number)
{
	time += 10000 + random_number(60000);
	recorder_row(recorder, ROW_MAP, "", pid, time, start, start + size, 0x1000,
		file(recorder, number));
	return time;
}

/* Returns where its program is mapped. */
static uint64_t process(struct recorder *recorder, uint32_t pid, uint64_t time)
{
	unsigned int number = (unsigned int)random_number(PROGRAMS);
	uint64_t base = 0x550000000000 + (random_number(1 << 28) << 12);
	uint64_t library = 0x7f0000000000 + (random_number(1 << 27) << 12);
	char comm[16];

	recorder_row(recorder, ROW_FORK, "", pid, time, 300);
	snprintf(comm, sizeof(comm), "p%u", number);
	time += 200000 + random_number(400000);
	recorder_row(recorder, ROW_EXEC, comm, pid, time);
	time = map(recorder, pid, time, base, 0x8000 + number * 0x1000ULL, number);
	for (unsigned int i = 0; i < LIBRARIES; i++)
		time = map(recorder, pid, time, library - i * 0x200000ULL, 0x100000 + i * 0x1000ULL,
			PROGRAMS + i);
	recorder_row(recorder, ROW_EXIT, "", pid, time + MS + random_number(20 * MS));
	return base;
}

int main(int argc, char **argv)
{
	uint64_t n = argc > 2 ? strtoull(argv[1], NULL, 10) : 0, time = 1000 * MS;
	const struct recorder_clocks clocks = {time, time, time};
	struct recorder recorder = {
		.fd = n ? open(argv[2], O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600) : -1};
	uint32_t pid = FIRST_PID;
	struct error *error = NULL;

	if (recorder.fd < 0)
		return 2;
	recorder_begin(&recorder, "day", "x86_64", "6.18", &clocks);
	for (uint64_t i = 0; i < n && !error; i++, time += 3 * MS + random_number(MS)) {
		uint64_t base = process(&recorder, pid, time);

		if (i == n / 2)
			printf("%" PRIu32 " %" PRIu64 " %#" PRIx64 "\n", pid, time + 2 * MS,
				base + 0x100);
		pid = pid + 1 < LAST_PID ? pid + 1 : FIRST_PID;
		error = recorder_poll(&recorder, time);
	}
	recorder_end(&recorder, time, false);
	error = error ? error : recorder_flush(&recorder);
	recorder_deinit(&recorder);
	return error ? 1 : 0;
}
