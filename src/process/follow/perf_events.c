// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/follow/perf_events.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <poll.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/clock.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* maximum size in bytes of records kept outside the buffers, for all CPUs */
enum { KEPT_MAX = 64 << 20 };
/*
 * The size of a record has 16 bits. Because of sample_id_all, a record ends with pid, tid, time and
 * the ID of the event.
 */
enum { RECORD_MAX = 1 << 16, SAMPLE_ID_SIZE = 24, TIME_FROM_END = 16, ID_FROM_END = 8 };
/* in bytes; any record fits into this space: the largest ones have a path */
enum { FULL_MARGIN = 3 << 12 };

/* The ring buffer of a CPU, and the records taken from it. */
struct ring {
	int cpu;
	int fd; /* the event that owns the buffer; other events on this CPU write to it too */
	struct perf_event_mmap_page *page;
	size_t size;	       /* size of the data area in bytes, a power of two */
	uint64_t id;	       /* kernel's ID of the event */
	struct VEC(char) kept; /* whole records taken from the buffer */
	/* position of the next record in KEPT, and its size (0: none) */
	size_t at, next;
	uint64_t time;	      /* time of the next record, ns */
	uint64_t before;      /* time of the record before it; 0 if none */
	bool was_full;	      /* true if there was no space for a record since the last read */
	uint64_t lost, told;  /* lost records: by PERF_RECORD_LOST; reported so far */
	uint64_t lost_closed; /* records lost by closed events */
};

/* An event for all processes, one thread, or a cgroup. */
struct opened_event {
	int fd, cpu;
	bool of_cgroup;
	uint32_t cgroup; /* number of the cgroup */
};

struct s2l_perf_events {
	size_t page_size, buffer;
	struct VEC(struct ring) rings;
	struct VEC(struct opened_event) all;
	uint64_t read_format; /* read_format of all events */
	struct VEC(struct pollfd) polls;
	/* true if cgroups were ever added: their records may still be in the buffers */
	bool heard_cgroups;
	union record *record; /* RECORD_MAX bytes */
};

void perf_events_close(struct s2l_perf_events *events)
{
	if (!events)
		return;
	vec_each(ring, &events->rings) {
		munmap(ring->page, events->page_size + ring->size);
		vec_deinit(&ring->kept);
	}
	vec_each(event, &events->all)
		close(event->fd);
	vec_deinit(&events->rings);
	vec_deinit(&events->all);
	vec_deinit(&events->polls);
	free(events->record);
	free(events);
}

/* ---- opening -------------------------------------------------------------------------------- */

/* Returns the attributes that both kinds of events have. BUFFER is in bytes. */
static struct perf_event_attr attr_of(size_t buffer)
{
	return (struct perf_event_attr){
		.type = PERF_TYPE_SOFTWARE,
		.size = sizeof(struct perf_event_attr),
		.config = PERF_COUNT_SW_DUMMY,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_ID,
		.exclude_kernel = 1, /* counts nothing, so this needs no privilege */
		.comm = 1,
		.comm_exec = 1,
		.task = 1,
		.namespaces = 1,
		.sample_id_all = 1,
		.watermark = 1,
		.wakeup_watermark = (uint32_t)(buffer / 2),
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
	};
}

static int open_as(struct perf_event_attr *attr, int64_t of, int cpu, unsigned flags)
{
	return (int)syscall(SYS_perf_event_open, attr, of, cpu, -1, flags | PERF_FLAG_FD_CLOEXEC);
}

static struct ring *ring_of(const struct s2l_perf_events *events, int cpu)
{
	vec_each(ring, &events->rings)
		if (ring->cpu == cpu)
			return ring;
	return NULL;
}

/*
 * Does not request build IDs: otherwise the kernel (5.12 to 6.18 at least) also marks the records
 * of listeners that did not request them, and perf takes their device and inode for a build ID. So
 * PERF_RECORD_MISC_MMAP_BUILD_ID is to be ignored here.
 */
static int open_event(struct s2l_perf_events *events, int64_t tid, int cpu)
{
	struct perf_event_attr attr = attr_of(events->buffer);

	attr.inherit = tid >= 0;
	attr.mmap = attr.mmap2 = 1;
	attr.read_format = PERF_FORMAT_LOST;
	int fd = open_as(&attr, tid, cpu, 0);
	if (fd < 0 && errno == EINVAL) {
		attr.read_format = 0; /* Linux before 6.0 */
		fd = open_as(&attr, tid, cpu, 0);
	}
	events->read_format = attr.read_format;
	return fd;
}

/*
 * Adds an event on CPU for the thread TID, or for all processes if TID is -1. All events of a CPU
 * share the first one's buffer.
 */
static struct error *add_event(struct s2l_perf_events *events, int64_t tid, int cpu)
{
	int fd = open_event(events, tid, cpu);

	if (fd < 0 && (errno == ENODEV || errno == ESRCH))
		return NULL;
	if (fd < 0 && (errno == EACCES || errno == EPERM))
		return error_create(ERROR_SYSTEM,
			"no permission to follow processes: run as root or with CAP_PERFMON, or "
			"record the current state with --once");
	if (fd < 0 && errno == EMFILE)
		return error_create(ERROR_SYSTEM,
			"too many threads to follow one by one: use -a, or raise `ulimit -n`");
	if (fd < 0)
		return error_errno(errno, "perf_event_open");
	vec_push(&events->all, (struct opened_event){.fd = fd, .cpu = cpu});
	const struct ring *shared = ring_of(events, cpu);
	if (shared)
		return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, shared->fd) < 0
			       ? error_errno(errno, "perf_event_open: shared buffer")
			       : NULL;
	struct ring ring = {.cpu = cpu, .fd = fd, .size = events->buffer};
	ring.page = mmap(
		NULL, events->page_size + ring.size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (ring.page == MAP_FAILED && errno == EPERM)
		return error_create(ERROR_SYSTEM,
			"cannot lock memory for the event buffers: run as root, use a smaller "
			"--buffer-size, or raise kernel.perf_event_mlock_kb");
	if (ring.page == MAP_FAILED)
		return error_errno(errno, "cannot map the event buffer");
	(void)ioctl(fd, PERF_EVENT_IOC_ID, &ring.id);
	vec_reserve(&ring.kept, ring.size);
	vec_push(&events->rings, ring);
	vec_push(&events->polls, (struct pollfd){.fd = fd, .events = POLLIN});
	return NULL;
}

static struct error *add_events(struct s2l_perf_events *events, const uint32_t *tids, size_t n_tids)
{
	int cpus = (int)sysconf(_SC_NPROCESSORS_CONF);

	for (int cpu = 0; cpu < cpus; cpu++) {
		if (!n_tids)
			try(add_event(events, -1, cpu));
		array_each(tid, tids, n_tids)
			try(add_event(events, *tid, cpu));
	}
	return events->rings.len ? NULL
				 : error_create(ERROR_SYSTEM, "the process to follow has exited");
}

struct error *perf_events_open(
	const uint32_t *tids, size_t n_tids, size_t buffer, struct s2l_perf_events **ret)
{
	struct s2l_perf_events *events = xnew(events);

	events->page_size = (size_t)sysconf(_SC_PAGESIZE);
	events->buffer = events->page_size;
	while (events->buffer < buffer)
		events->buffer *= 2;
	events->record = xmalloc(RECORD_MAX);
	struct error *error = add_events(events, tids, n_tids);
	if (error)
		perf_events_close(events);
	else
		*ret = events;
	return error;
}

/* Returns the number of records that EVENT has lost. */
static uint64_t lost_by(const struct opened_event *event)
{
	struct {
		uint64_t value, lost;
	} counts;

	return read(event->fd, &counts, sizeof(counts)) == sizeof(counts) ? counts.lost : 0;
}

bool perf_events_add_cgroup(struct s2l_perf_events *events, int cgroup_fd, uint32_t number)
{
	struct perf_event_attr attr = attr_of(events->buffer);

	attr.read_format = events->read_format;
	events->heard_cgroups = true;
	vec_each(ring, &events->rings) {
		auto_fd int fd = open_as(&attr, cgroup_fd, ring->cpu, PERF_FLAG_PID_CGROUP);

		if (fd < 0 || ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fd) < 0) {
			perf_events_drop_cgroup(events, number);
			return false;
		}
		vec_push(&events->all, (struct opened_event){take_fd(fd), ring->cpu, true, number});
	}
	return true;
}

void perf_events_drop_cgroup(struct s2l_perf_events *events, uint32_t number)
{
	size_t left = 0;

	vec_each(event, &events->all) {
		if (!event->of_cgroup || event->cgroup != number) {
			events->all.data[left++] = *event;
			continue;
		}
		struct ring *ring = ring_of(events, event->cpu);
		if (ring)
			ring->lost_closed += lost_by(event);
		close(event->fd);
	}
	events->all.len = left;
}

void perf_events_wait(struct s2l_perf_events *events, int timeout)
{
	(void)poll(events->polls.data, events->polls.len, timeout);
}

/* ---- reading -------------------------------------------------------------------------------- */

/* A record; a string may follow, then the sample ID. */
union record {
	struct perf_event_header header;
	struct {
		struct perf_event_header header;
		uint32_t pid, parent, tid;
	} task; /* fork, exit */
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
	} comm; /* the name follows */
	struct map_record {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t start, length, offset;
		uint32_t major, minor;
		uint64_t inode, generation;
		uint32_t protection, flags;
	} map; /* PERF_RECORD_MMAP2; the path follows */
	struct {
		struct perf_event_header header;
		uint32_t pid, tid;
		uint64_t n;
		struct perf_ns_link_info links[MNT_NS_INDEX + 1];
	} namespaces;
	struct {
		struct perf_event_header header;
		uint64_t id, count;
	} lost;
};

/* Returns the string [NAME, END), or NULL if it is not NUL-terminated. */
static const char *string_of(const char *name, const char *end)
{
	return name < end && memchr(name, 0, (size_t)(end - name)) ? name : NULL;
}

static bool read_map(const struct map_record *map, const char *end, struct task_event *event)
{
	const char *name = string_of((const char *)(map + 1), end);

	if (!name)
		return false;
	bool is_file = name[0] == '/' && name[1] != '/';
	event->kind = TASK_MAP;
	event->pid = map->pid;
	event->tid = map->tid;
	event->mapping = (struct mapping){
		.start = map->start,
		.end = map->start + map->length,
		.file_offset = map->offset,
		.executable = true,
		.dev_major = map->major,
		.dev_minor = map->minor,
		.inode = is_file ? map->inode : 0,
		.deleted = is_file && maps_cut_deleted((char *)name),
		.path = is_file || *name == '[' ? name : "",
	};
	return event->mapping.start < event->mapping.end;
}

/* Makes EVENT report what was LOST in all up to its time. Returns false if all was reported. */
static bool tell_lost(struct ring *ring, uint64_t lost, struct task_event *event)
{
	event->kind = TASK_LOST;
	event->since = ring->before;
	event->count = lost > ring->told ? lost - ring->told : 0;
	ring->told += event->count;
	return event->count > 0;
}

static bool read_record(const struct s2l_perf_events *events, struct ring *ring,
	const union record *record, struct task_event *event)
{
	const size_t size = record->header.size - SAMPLE_ID_SIZE;
	const char *end = (const char *)record + size;
	uint64_t id;

	*event = (struct task_event){.time = ring->time};
	memcpy(&id, end + SAMPLE_ID_SIZE - ID_FROM_END, sizeof(id));
	event->in_cgroup = events->heard_cgroups && id != ring->id;
	switch (record->header.type) {
	case PERF_RECORD_FORK:
	case PERF_RECORD_EXIT:
		event->kind = record->header.type == PERF_RECORD_EXIT	? TASK_EXIT
			      : record->task.pid == record->task.parent ? TASK_THREAD
									: TASK_FORK;
		event->pid = record->task.pid;
		event->parent = record->task.parent;
		event->tid = record->task.tid;
		return size >= sizeof(record->task);
	case PERF_RECORD_COMM:
		event->kind =
			record->header.misc & PERF_RECORD_MISC_COMM_EXEC ? TASK_EXEC : TASK_COMM;
		event->pid = record->comm.pid;
		event->tid = record->comm.tid;
		event->name = string_of((const char *)(&record->comm + 1), end);
		return event->name;
	case PERF_RECORD_MMAP2:
		return read_map(&record->map, end, event);
	case PERF_RECORD_NAMESPACES:
		event->kind = TASK_MOUNTS;
		event->pid = record->namespaces.pid;
		event->tid = record->namespaces.tid;
		event->pid_namespace = record->namespaces.links[PID_NS_INDEX].ino;
		event->namespace = record->namespaces.links[MNT_NS_INDEX].ino;
		return size >= sizeof(record->namespaces) && record->namespaces.n > MNT_NS_INDEX;
	case PERF_RECORD_LOST:
		/* the kernel writes this record before the next one that fits */
		if (size < sizeof(record->lost))
			return false;
		ring->lost += record->lost.count;
		return tell_lost(ring, ring->lost, event);
	default:
		return false;
	}
}

/* Sets the size and time of the next record. */
static void peek(struct ring *ring)
{
	struct perf_event_header header;

	ring->next = 0;
	if (ring->at == ring->kept.len)
		return;
	const char *next = ring->kept.data + ring->at;
	memcpy(&header, next, sizeof(header));
	ring->next = header.size;
	memcpy(&ring->time, next + header.size - TIME_FROM_END, sizeof(ring->time));
}

/* Moves the records in the buffer of RING to KEPT. */
static void take_ring(const struct s2l_perf_events *events, struct ring *ring)
{
	const char *data = (const char *)ring->page + events->page_size;
	uint64_t head = __atomic_load_n(&ring->page->data_head, __ATOMIC_ACQUIRE);
	size_t size = head - ring->page->data_tail;
	size_t offset = ring->page->data_tail & (ring->size - 1);
	size_t first = size < ring->size - offset ? size : ring->size - offset;

	ring->was_full |= ring->size - size < FULL_MARGIN;
	vec_append(&ring->kept, data + offset, first);
	vec_append(&ring->kept, data, size - first);
	__atomic_store_n(&ring->page->data_tail, head, __ATOMIC_RELEASE);
	peek(ring);
}

void perf_events_take(struct s2l_perf_events *events)
{
	for (size_t i = 0; events && i < events->rings.len; i++)
		if (events->rings.data[i].kept.len < KEPT_MAX / events->rings.len)
			take_ring(events, &events->rings.data[i]);
}

bool perf_events_map_since(
	struct s2l_perf_events *events, uint32_t pid, uint64_t inode, uint64_t time)
{
	for (size_t i = 0; events && i < events->rings.len; i++) {
		struct ring *ring = &events->rings.data[i];

		take_ring(events, ring);
		for (size_t at = ring->at; at < ring->kept.len;) {
			const char *next = ring->kept.data + at;
			struct map_record map;
			uint64_t mapped;

			memcpy(&map.header, next, sizeof(map.header));
			at += map.header.size;
			if (map.header.type != PERF_RECORD_MMAP2)
				continue;
			memcpy(&map, next, sizeof(map));
			memcpy(&mapped, next + map.header.size - TIME_FROM_END, sizeof(mapped));
			if (map.pid == pid && (!inode || map.inode == inode) && mapped > time)
				return true;
		}
	}
	return false;
}

/* Returns the ring with the oldest next record, if that is older than LIMIT, or NULL. */
static struct ring *oldest(struct s2l_perf_events *events, uint64_t limit)
{
	struct ring *found = NULL;

	vec_each(ring, &events->rings)
		if (ring->next && ring->time < (found ? found->time : limit))
			found = ring;
	return found;
}

/*
 * A task continues only after its record is in the buffer, so that record precedes all records
 * caused by the task. So for records older than LIMIT, the time at which the first buffer is read,
 * all earlier records are in the buffers. The others are kept for the next call.
 */
uint64_t perf_events_read(struct s2l_perf_events *events,
	void (*handle)(void *context, const struct task_event *event), void *context)
{
	uint64_t limit = clock_ns(CLOCK_MONOTONIC);
	struct ring *next;

	vec_each(ring, &events->rings)
		take_ring(events, ring);
	while ((next = oldest(events, limit))) {
		struct task_event event;

		memcpy(events->record, next->kept.data + next->at, next->next);
		bool read = read_record(events, next, events->record, &event);
		next->before = next->time;
		next->at += next->next;
		peek(next);
		if (read && (event.kind == TASK_LOST || (event.pid && event.pid <= INT32_MAX)))
			handle(context, &event);
	}
	vec_each(ring, &events->rings) {
		/*
		 * Report lost records. The kernel's own record of them comes with the next record
		 * of this CPU, which may never come before recording ends; the counts of the events
		 * are up to date (Linux 6.0).
		 */
		if (ring->was_full) {
			struct task_event event = {};
			uint64_t lost = ring->lost_closed;

			vec_each(opened, &events->all)
				if (opened->cpu == ring->cpu)
					lost += lost_by(opened);
			event.time = clock_ns(CLOCK_MONOTONIC);
			if (tell_lost(ring, lost, &event))
				handle(context, &event);
		}
		ring->was_full = false;
		vec_drop(&ring->kept, ring->at);
		ring->at = 0;
		/* free the space of a burst */
		if (!ring->kept.len && ring->kept.cap > 2 * ring->size)
			vec_deinit(&ring->kept);
	}
	return limit;
}
