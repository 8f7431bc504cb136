// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/perf_clock.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/xalloc.h"

enum { COMM_LEN = 16, TRIES = 10 };

/* Limit on the time for one measurement; after a longer one, try again. */
#define SPENT_MAX 200000ULL /* in ns */

struct s2l_perf_clock {
	int fd;
	struct perf_event_mmap_page *page; /* followed by one data page */
	size_t page_size;
	uint64_t measured; /* when AHEAD was (ns, CLOCK_MONOTONIC); 0: never */
	bool known;	   /* AHEAD is */
	int64_t ahead;	   /* offset from CLOCK_MONOTONIC, in ns */
};

void perf_clock_close(struct s2l_perf_clock *clock)
{
	if (!clock)
		return;
	if (clock->page)
		munmap(clock->page, 2 * clock->page_size);
	cleanup_fd(&clock->fd);
	free(clock);
}

/* Opens an event that records each change of this thread's name. */
struct s2l_perf_clock *perf_clock_open(void)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.exclude_kernel = 1,
		.comm = 1,
		.watermark = 1,
	};
	struct s2l_perf_clock *clock = xnew(clock);

	clock->page_size = (size_t)sysconf(_SC_PAGESIZE);
	clock->fd = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	void *page =
		mmap(NULL, 2 * clock->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, clock->fd, 0);
	if (page != MAP_FAILED) {
		clock->page = page;
		return clock;
	}
	perf_clock_close(clock);
	return NULL;
}

/*
 * Reads the time at the end of the last record, and consumes all records. Returns false if there
 * are none.
 */
static bool last_time(struct s2l_perf_clock *clock, uint64_t *ret)
{
	struct perf_event_mmap_page *page = clock->page;
	const char *data = (const char *)page + clock->page_size;
	uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
	bool any = head != page->data_tail && head >= sizeof(*ret);

	for (size_t n = 0; any && n < sizeof(*ret); n++)
		((char *)ret)[n] = data[(head - sizeof(*ret) + n) & (clock->page_size - 1)];
	__atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
	return any;
}

bool perf_clock_ahead(struct s2l_perf_clock *clock, int64_t *ret)
{
	char name[COMM_LEN + 1] = "";
	uint64_t perf;

	for (int i = 0; i < TRIES; i++) {
		/* the kernel records a name change even if the name stays the same */
		uint64_t before = clock_ns(CLOCK_MONOTONIC);
		if (prctl(PR_GET_NAME, name) || prctl(PR_SET_NAME, name) ||
			!last_time(clock, &perf))
			return false;
		uint64_t spent = clock_ns(CLOCK_MONOTONIC) - before;

		*ret = (int64_t)(perf - before - spent / 2);
		if (spent <= SPENT_MAX)
			return true;
	}
	return false;
}

bool perf_clock_convert(struct s2l_perf_clock *clock, uint64_t time, uint64_t *ret)
{
	uint64_t now = clock_ns(CLOCK_MONOTONIC_COARSE);

	if (!clock->measured || now - clock->measured >= SECOND) {
		clock->measured = now;
		clock->known = perf_clock_ahead(clock, &clock->ahead);
	}
	if (clock->known)
		*ret = time - (uint64_t)clock->ahead;
	return clock->known;
}
