// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/fits.h"

#include <dirent.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/scan.h"
#include "util/vec.h"

#define COMM_LEN 15	    /* maximum length of a comm in bytes: TASK_COMM_LEN - 1 */
#define THREADS_MAX 4096    /* maximum number of threads to read per process */
#define LOOK_NS 20000000ULL /* minimum time between two reads of a process's threads */
/* code below is rarely randomized: not PIE, or a 32-bit program */
#define LOW_END (1ULL << 32)
#define USER_END (1ULL << 48)

struct code_area {
	uint64_t start, end;
};

static bool is_in(uint64_t address, const struct code_area *areas, size_t n)
{
	array_each(area, areas, n)
		if (address >= area->start && address < area->end)
			return true;
	return false;
}

/*
 * The fixed areas below have code that is not randomized (personality ADDR_NO_RANDOMIZE,
 * randomize_va_space 0): PIE programs at ELF_ET_DYN_BASE, and libraries below the top of the
 * address space, on x86-64 and arm64 (arch/x86/include/asm/elf.h, arch/arm64/include/asm/elf.h).
 */
bool fits_is_random(uint64_t address)
{
	static const struct code_area fixed[] = {
		{0, LOW_END},
		{0x555555554000, 0x555600000000},
		{0x7ffff0000000, 0x800000000000},
		{0xaaaaaaaa0000, 0xaaab00000000},
		{0xfffff0000000, USER_END},
	};

	return !is_in(address, fixed, array_len(fixed));
}

/*
 * PIE programs are at ELF_ET_DYN_BASE and up to 2^28 (x86-64) or 2^33 (arm64) pages above;
 * libraries are near the top.
 */
bool fits_is_program(uint64_t address)
{
	static const struct code_area random[] = {
		{0x555600000000, 0x565600000000},
		{0xaaab00000000, 0xcaab00000000},
	};

	return is_in(address, random, array_len(random));
}

static bool same_comm(const char *comm, const char *wanted)
{
	return !strncmp(comm, wanted, COMM_LEN);
}

static bool has_name(const struct thread_names *threads, const char *comm)
{
	vec_each(thread, &threads->all)
		if (same_comm(thread->comm, comm))
			return true;
	return false;
}

/*
 * Reads the names of the threads, at most every LOOK_NS: there may be hundreds of threads, and
 * thousands of names to check.
 */
static void read_threads(const struct space *space)
{
	struct thread_names *threads = space->threads;
	struct dirent *entry;

	if (threads->looked && clock_ns(CLOCK_MONOTONIC) - threads->looked < LOOK_NS)
		return;
	scope_guard(procfs_close_dir) DIR *tasks = procfs_open_dir(space_dir(space), "task");
	for (int i = 0; tasks && i < THREADS_MAX && (entry = readdir(tasks)); i++) {
		auto_text struct text comm = {};
		struct thread_name name = {};

		if (entry->d_name[0] == '.')
			continue;
		auto_fd int fd =
			openat(dirfd(tasks), entry->d_name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
		if (fd < 0 || procfs_read(fd, "comm", &comm) || !comm.len)
			continue;
		comm.data[comm.len - 1] = '\0'; /* it ends with a newline */
		memcpy(name.comm, comm.data, strnlen(comm.data, COMM_LEN));
		if (!has_name(threads, name.comm))
			vec_push(&threads->all, name);
	}
	threads->looked = clock_ns(CLOCK_MONOTONIC);
}

bool fits_comm(const struct space *space, const char *comm)
{
	if (space->comm && same_comm(space->comm, comm))
		return true;
	for (size_t i = 0; space->record && i < space->record->comms.len; i++)
		if (same_comm(space->record->comms.data[i].comm, comm))
			return true;
	if (space->record)
		return false;
	if (!has_name(space->threads, comm))
		read_threads(space);
	return has_name(space->threads, comm);
}

bool fits_had_children(const struct space *space)
{
	int dir = space_dir(space);
	auto_text struct text status = {};
	uint64_t minor, major, ignored;

	/* cminflt and cmajflt: page faults of all children waited for; each child has some */
	if (!procfs_stat_field(dir, 11, &minor) || minor || !procfs_stat_field(dir, 13, &major) ||
		major || procfs_read(dir, "status", &status))
		return true;
	/*
	 * A process that ignores SIGCHLD need not wait for its children.
	 * SigIgn:	0000000000010000     one bit per signal
	 */
	struct scan all = text_scan(&status), line;
	while (scan_line(&all, &line)) {
		if (!scan_literal(&line, "SigIgn:"))
			continue;
		scan_blanks(&line);
		return !scan_hex(&line, &ignored) || (ignored >> (SIGCHLD - 1) & 1);
	}
	return true;
}
