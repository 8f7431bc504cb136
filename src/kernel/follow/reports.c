// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/follow/reports.h"

#include <errno.h>
#include <linux/netlink.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* constants missing in headers before Linux 5.10 */
enum { KSYMBOL_TYPE_BPF = 1, RECORD_KSYMBOL = 17, FLAG_UNREGISTER = 1 };
/* a record has a name of up to KSYM_NAME_LEN (512); a program has up to 256 functions */
enum { RECORD_MAX = 640, FULL_MARGIN = 2 * RECORD_MAX };
/*
 * Pages per CPU. 64 hold the events of 1,000 programs loaded and unloaded on one CPU in a second.
 * If that much memory cannot be locked, the minimum is used.
 */
enum { DATA_PAGES_MAX = 64, DATA_PAGES_MIN = 8 };

/* ---- rings ----------------------------------------------------------------------------------- */

/* The records of a perf event. */
struct event_ring {
	int fd;
	struct perf_event_mmap_page *page; /* followed by the data; NULL: not open */
	size_t size;			   /* of the data, in bytes; a power of two */
};

static size_t page_size(void)
{
	return (size_t)sysconf(_SC_PAGESIZE);
}

static void ring_close(struct event_ring *ring)
{
	if (!ring->page)
		return;
	munmap(ring->page, page_size() + ring->size);
	close(ring->fd);
}

/*
 * Opens a ring of PAGES of data for what WANTED sets, with the time of each record at its end. For
 * PID and CPU see perf_event_open(2). Returns false with errno set on failure.
 */
static bool ring_open(const struct perf_event_attr *wanted, pid_t pid, int cpu, size_t pages,
	struct event_ring *ret)
{
	struct perf_event_attr attr = *wanted;
	size_t size = pages * page_size();

	attr.type = PERF_TYPE_SOFTWARE;
	attr.size = sizeof(attr);
	attr.config = PERF_COUNT_SW_DUMMY;
	attr.sample_type = PERF_SAMPLE_TIME;
	attr.sample_id_all = attr.exclude_kernel = 1;
	auto_fd int fd =
		(int)syscall(SYS_perf_event_open, &attr, pid, cpu, -1, PERF_FLAG_FD_CLOEXEC);
	void *page =
		fd < 0 ? MAP_FAILED
		       : mmap(NULL, page_size() + size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (page == MAP_FAILED)
		return false;
	*ret = (struct event_ring){take_fd(fd), page, size};
	return true;
}

/* Copies N bytes at AT out of the ring. */
static void copy_out(const struct event_ring *ring, uint64_t at, void *ret, size_t n)
{
	const char *data = (const char *)ring->page + page_size();

	for (size_t i = 0; i < n; i++)
		((char *)ret)[i] = data[(at + i) & (ring->size - 1)];
}

/* Returns the end of the records. Everything up to it is consumed by ring_consume(). */
static uint64_t ring_head(const struct event_ring *ring)
{
	return __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
}

static void ring_consume(struct event_ring *ring, uint64_t head)
{
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
}

/* ---- code generated at run time -------------------------------------------------------------- */

struct ksymbols VEC(struct event_ring); /* by CPU */

void ksymbols_close(struct ksymbols *ksymbols)
{
	if (!ksymbols)
		return;
	vec_deinit_each(ksymbols, ring_close);
	free(ksymbols);
}

static struct ksymbols *open_all(size_t pages)
{
	static const struct perf_event_attr wanted = {
		.ksymbol = 1, .use_clockid = 1, .clockid = CLOCK_MONOTONIC};
	struct ksymbols *ksymbols = xnew(ksymbols);
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus; cpu++) {
		struct event_ring ring;

		if (ring_open(&wanted, -1, cpu, pages, &ring)) {
			vec_push(ksymbols, ring);
		} else if (errno != ENODEV) { /* the CPU is not offline */
			int failed = errno;

			ksymbols_close(ksymbols);
			errno = failed;
			return NULL;
		}
	}
	return ksymbols;
}

struct ksymbols *ksymbols_open(void)
{
	return open_all(DATA_PAGES_MAX) ?: open_all(DATA_PAGES_MIN);
}

/*
 * The record has these fields: header (u32 type, u16 misc, u16 size), u64 addr, u32 len, u16
 * ksym_type, u16 flags, char name[] (padded with NULs to a multiple of 8 bytes), u64 time.
 *
 * The size in the header may be too large: perf_event_ksymbol_output() in kernel/events/core.c adds
 * the size of the time once more for each further listener on the CPU, and does not reset it (Linux
 * 6.18).
 */
enum ksymbol_kind ksymbol_record(const void *record, size_t len, struct ksymbol_event *ret)
{
	struct perf_event_header header;
	struct {
		uint64_t address;
		uint32_t len;
		uint16_t type, flags;
	} body;
	const char *name = (const char *)record + sizeof(header) + sizeof(body);

	if (len < sizeof(header))
		return KSYMBOL_NONE;
	memcpy(&header, record, sizeof(header));
	*ret = (struct ksymbol_event){.kind = KSYMBOL_LOST, .name = ""};
	if (header.type == PERF_RECORD_LOST)
		return KSYMBOL_LOST;
	if (header.type != RECORD_KSYMBOL ||
		len < sizeof(header) + sizeof(body) + sizeof(ret->time))
		return ret->kind = KSYMBOL_NONE;
	memcpy(&body, (const char *)record + sizeof(header), sizeof(body));
	size_t room = len - sizeof(header) - sizeof(body) - sizeof(ret->time), name_len = room;
	ret->kind = body.type == KSYMBOL_TYPE_BPF ? KSYMBOL_BPF : KSYMBOL_OTHER;
	ret->gone = body.flags & FLAG_UNREGISTER;
	ret->start = body.address;
	ret->end = body.address > UINT64_MAX - body.len ? UINT64_MAX : body.address + body.len;
	const char *end = memchr(name, '\0', room);
	if (end) {
		ret->name = name;
		name_len = (size_t)(end - name) / sizeof(ret->time) * sizeof(ret->time) +
			   sizeof(ret->time);
		if (name_len > room)
			return ret->kind = KSYMBOL_LOST;
	}
	memcpy(&ret->time, name + name_len, sizeof(ret->time));
	return ret->kind;
}

void ksymbols_read(struct ksymbols *ksymbols,
	void (*handle)(void *context, const struct ksymbol_event *event), void *context)
{
	vec_each(ring, ksymbols) {
		uint64_t head = ring_head(ring), at = ring->page->data_tail;

		while (at < head) {
			struct perf_event_header header;
			struct ksymbol_event event;
			char record[RECORD_MAX];

			copy_out(ring, at, &header, sizeof(header));
			if (header.size < sizeof(header) || header.size > head - at)
				break;
			size_t n = header.size < sizeof(record) ? header.size : sizeof(record);
			copy_out(ring, at, record, n);
			if (ksymbol_record(record, n, &event))
				handle(context, &event);
			at += header.size;
		}
		/* the kernel reports lost records only with the next record, which may never come */
		if (ring->size - (head - ring->page->data_tail) < FULL_MARGIN)
			handle(context, &(struct ksymbol_event){.kind = KSYMBOL_LOST, .name = ""});
		ring_consume(ring, head);
	}
}

/* ---- modules -------------------------------------------------------------------------------- */

/* the kernel's UEVENT_BUFFER_SIZE is 2048 bytes; group 1 is the kernel's, others are udev's */
enum { MESSAGE_MAX = 8192, KERNEL_GROUP = 1 };

int uevent_open(void)
{
	const struct sockaddr_nl address = {.nl_family = AF_NETLINK, .nl_groups = KERNEL_GROUP};
	auto_fd int fd =
		socket(AF_NETLINK, SOCK_RAW | SOCK_CLOEXEC | SOCK_NONBLOCK, NETLINK_KOBJECT_UEVENT);

	if (fd < 0 || bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0)
		return -1;
	return take_fd(fd);
}

/*
 * Messages have the form:
 *
 *	add@/module/nf_tables\0ACTION=add\0DEVPATH=/module/nf_tables\0SUBSYSTEM=module\0SEQNUM=4711\0
 *
 * The first string is sufficient.
 */
const char *uevent_module(const char *message, size_t len)
{
	static const char *const starts[] = {"add@/module/", "remove@/module/"};

	if (!len || !memchr(message, '\0', len))
		return NULL;
	array_each(start, starts, array_len(starts)) {
		const char *name = message + strlen(*start);

		if (!strncmp(message, *start, strlen(*start)) && *name && !strchr(name, '/'))
			return name;
	}
	return NULL;
}

bool uevent_read(int fd, void (*handle)(void *context, const char *module), void *context)
{
	char message[MESSAGE_MAX];

	for (;;) {
		struct sockaddr_nl sender = {};
		socklen_t sender_len = sizeof(sender);
		ssize_t n = recvfrom(fd, message, sizeof(message), MSG_DONTWAIT,
			(struct sockaddr *)&sender, &sender_len);

		if (n < 0 && errno == EINTR)
			continue;
		if (n <= 0) {
			errno = n ? errno : EPIPE;
			return errno == EAGAIN;
		}
		const char *module = uevent_module(message, (size_t)n);
		/*
		 * CAP_NET_ADMIN permits other processes to send messages; the kernel's own address
		 * is 0. Other sockets, as in tests, have no such address.
		 */
		bool from_kernel = sender_len < sizeof(sender) || sender.nl_family != AF_NETLINK ||
				   !sender.nl_pid;
		if (module && from_kernel)
			handle(context, module);
	}
}

/* ---- the clock ------------------------------------------------------------------------------- */

enum { COMM_LEN = 16, TRIES = 10 };

/* Limit on the time for one measurement; after a longer one, try again. */
#define SPENT_MAX 200000ULL /* in ns */

struct s2l_perf_clock {
	struct event_ring ring;
	uint64_t measured; /* when AHEAD was measured (ns, CLOCK_MONOTONIC); 0: never */
	bool known;	   /* AHEAD is valid */
	int64_t ahead;	   /* offset from CLOCK_MONOTONIC, in ns */
};

void perf_clock_close(struct s2l_perf_clock *clock)
{
	if (clock)
		ring_close(&clock->ring);
	free(clock);
}

/* Opens an event that records each change of this thread's name. */
struct s2l_perf_clock *perf_clock_open(void)
{
	static const struct perf_event_attr wanted = {.comm = 1, .watermark = 1};
	struct s2l_perf_clock *clock = xnew(clock);

	if (!ring_open(&wanted, 0, -1, 1, &clock->ring))
		free(take(clock));
	return clock;
}

bool perf_clock_ahead(struct s2l_perf_clock *clock, int64_t *ret)
{
	struct event_ring *ring = &clock->ring;
	char name[COMM_LEN + 1] = "";
	uint64_t perf;

	for (int i = 0; i < TRIES; i++) {
		/* the kernel records a name change even if the name stays the same */
		uint64_t before = clock_ns(CLOCK_MONOTONIC);
		if (prctl(PR_GET_NAME, name) || prctl(PR_SET_NAME, name))
			return false;
		uint64_t head = ring_head(ring);
		bool any = head != ring->page->data_tail && head >= sizeof(perf);
		/* the time is at the end of the last record */
		if (any)
			copy_out(ring, head - sizeof(perf), &perf, sizeof(perf));
		ring_consume(ring, head);
		if (!any)
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
