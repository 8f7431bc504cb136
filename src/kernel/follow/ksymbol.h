/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of code that it makes while it runs, BPF programs above all: perf's
 * PERF_RECORD_KSYMBOL (Linux 5.1, include/uapi/linux/perf_event.h). Needs CAP_PERFMON.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum ksymbol_kind {
	KSYMBOL_NONE,
	KSYMBOL_BPF,   /* [bpf] of kallsyms */
	KSYMBOL_OTHER, /* trampolines of ftrace, instruction slots of kprobes */
	KSYMBOL_LOST, /* some records did not fit, or may not have: they are after those before it */
};

/* Code that came or went. Of KSYMBOL_LOST only the kind is set. */
struct ksymbol_event {
	enum ksymbol_kind kind;
	bool gone;	     /* else it is new */
	uint64_t start, end; /* kernel addresses */
	uint64_t time;	     /* ns, CLOCK_MONOTONIC; 0: not said */
	const char *name;    /* as kallsyms has it, in the record; "": it has none */
};

struct ksymbols;

/* NULL with errno set: not allowed, or a kernel that does not know it. */
struct ksymbols *ksymbols_open(void);
void ksymbols_close(struct ksymbols *ksymbols);
/* Gives HANDLE all that has been said since; the event is valid during the call. */
void ksymbols_read(struct ksymbols *ksymbols,
	void (*handle)(void *context, const struct ksymbol_event *event), void *context);
/* Reads the record in LEN bytes. KSYMBOL_NONE: it is about something else. */
enum ksymbol_kind ksymbol_record(const void *record, size_t len, struct ksymbol_event *ret);
