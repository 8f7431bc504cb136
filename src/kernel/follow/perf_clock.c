// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/perf_clock.h"

#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/xalloc.h"

enum { COMM_LEN = 16 };

/* One event in two clocks. */
struct s2l_perf_clock {
	int fds[2];
	struct perf_event_mmap_page *pages[2]; /* one page of data follows */
	size_t page_size;
};

void perf_clock_close(struct s2l_perf_clock *clock)
{
	if (!clock)
		return;
	for (int i = 0; i < 2; i++) {
		if (clock->pages[i])
			munmap(clock->pages[i], 2 * clock->page_size);
		if (clock->fds[i] >= 0)
			close(clock->fds[i]);
	}
	free(clock);
}

/* Hears how this thread is called, each time that it is said. */
static bool open_event(struct s2l_perf_clock *clock, int i)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TIME,
		.sample_id_all = 1,
		.use_clockid = i,
		.clockid = i ? CLOCK_MONOTONIC : 0,
		.exclude_kernel = 1,
		.comm = 1,
		.watermark = 1,
	};

	clock->fds[i] = (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
	if (clock->fds[i] < 0)
		return false;
	void *page = mmap(
		NULL, 2 * clock->page_size, PROT_READ | PROT_WRITE, MAP_SHARED, clock->fds[i], 0);
	if (page == MAP_FAILED)
		return false;
	clock->pages[i] = page;
	return true;
}

struct s2l_perf_clock *perf_clock_open(void)
{
	struct s2l_perf_clock *clock = xcalloc(1, sizeof(*clock));

	clock->fds[0] = clock->fds[1] = -1;
	clock->page_size = (size_t)sysconf(_SC_PAGESIZE);
	if (open_event(clock, 0) && open_event(clock, 1))
		return clock;
	perf_clock_close(clock);
	return NULL;
}

/* The last record ends with its time. Forgets what was said. */
static bool last_time(struct s2l_perf_clock *clock, int i, uint64_t *ret)
{
	struct perf_event_mmap_page *page = clock->pages[i];
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
	uint64_t perf, monotonic;

	/* The kernel tells it, to both at once, also when it stays the same. */
	if (prctl(PR_GET_NAME, name) || prctl(PR_SET_NAME, name) || !last_time(clock, 0, &perf) ||
		!last_time(clock, 1, &monotonic))
		return false;
	*ret = (int64_t)(perf - monotonic);
	return true;
}
