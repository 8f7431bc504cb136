/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel's reports of changes of its code: of code that it generates at run time, mainly
 * BPF programs (perf's PERF_RECORD_KSYMBOL of Linux 5.1, include/uapi/linux/perf_event.h; requires
 * CAP_PERFMON), and of modules (NETLINK_KOBJECT_UEVENT, lib/kobject_uevent.c; needs no privilege).
 * Measures the clock that perf events are stamped by.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ksymbol_kind {
	KSYMBOL_NONE,
	KSYMBOL_BPF,   /* module [bpf] in kallsyms */
	KSYMBOL_OTHER, /* trampolines of ftrace, instruction slots of kprobes */
	KSYMBOL_LOST,  /* records were lost, or may have been, after those already read */
};

/* Code that was loaded or unloaded. For KSYMBOL_LOST only the kind is set. */
struct ksymbol_event {
	enum ksymbol_kind kind;
	bool gone;	     /* it was unloaded; else loaded */
	uint64_t start, end; /* kernel addresses */
	uint64_t time;	     /* ns, CLOCK_MONOTONIC; 0 if unknown */
	const char *name;    /* name as in kallsyms, pointing into the record; "" if it has none */
};

struct ksymbols;

/*
 * Starts listening on all CPUs. Returns NULL with errno set if it is not permitted, or if the
 * kernel is too old.
 */
struct ksymbols *ksymbols_open(void);
void ksymbols_close(struct ksymbols *ksymbols);
/* Calls HANDLE with each event since the last call. The event is valid during the call. */
void ksymbols_read(struct ksymbols *ksymbols,
	void (*handle)(void *context, const struct ksymbol_event *event), void *context);
/* Parses the record in LEN bytes. Returns KSYMBOL_NONE if it is of another kind. */
enum ksymbol_kind ksymbol_record(const void *record, size_t len, struct ksymbol_event *ret);

/*
 * Opens a non-blocking socket that receives all events from now on. Returns -1 with errno set on
 * failure.
 */
int uevent_open(void);
/*
 * Returns the name of the module that a message (LEN bytes) reports as added or removed. It is
 * NUL-terminated and points into MESSAGE. Returns NULL for other messages.
 */
const char *uevent_module(const char *message, size_t len);
/*
 * Calls HANDLE with the module of each message waiting at FD. Returns false with errno ENOBUFS if
 * messages were lost, or with another errno if FD is no longer usable.
 */
bool uevent_read(int fd, void (*handle)(void *context, const char *module), void *context);

/*
 * perf's own clock, in which perf events are stamped unless they request another
 * (perf_event_open(2), sched_clock() in the kernel; printed by `bpftool map event_pipe`). It starts
 * near CLOCK_MONOTONIC and drifts away from it, since it is not disciplined.
 */
struct s2l_perf_clock;

/*
 * Opens perf's clock, which only the calling thread can then measure. Returns NULL if this is not
 * permitted.
 */
struct s2l_perf_clock *perf_clock_open(void);
void perf_clock_close(struct s2l_perf_clock *clock);
/*
 * Measures how far perf's clock is ahead of CLOCK_MONOTONIC, in ns, to 0.1 ms. The two clocks drift
 * apart by less than half a millisecond per second. Returns false if the offset cannot be measured.
 */
bool perf_clock_ahead(struct s2l_perf_clock *clock, int64_t *ret);
/*
 * Converts TIME of perf's clock to CLOCK_MONOTONIC (ns), within 1 ms. Measures again every second.
 * Returns false if the offset is unknown.
 */
bool perf_clock_convert(struct s2l_perf_clock *clock, uint64_t time, uint64_t *ret);
