/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of code that it makes while it runs, BPF programs above all: perf's
 * PERF_RECORD_KSYMBOL (Linux 5.1, include/uapi/linux/perf_event.h). Needs CAP_PERFMON.
 */
#ifndef KERNEL_KSYMBOL_H
#define KERNEL_KSYMBOL_H

#include <poll.h>
#include <stdbool.h>
#include <stddef.h>

enum ksymbol_kind {
	KSYMBOL_NONE,
	KSYMBOL_BPF,   /* [bpf] of kallsyms */
	KSYMBOL_OTHER, /* trampolines of ftrace, instruction slots of kprobes */
	KSYMBOL_LOST,  /* some records did not fit */
};

struct ksymbols;

/* NULL with errno set: not allowed, or a kernel that does not know it. */
struct ksymbols *ksymbols_open(void);
void ksymbols_close(struct ksymbols *ksymbols);
/* What to poll, one for each CPU. */
const struct pollfd *ksymbols_polls(const struct ksymbols *ksymbols, size_t *n_ret);
/* Takes what has been said since; the bits 1 << kind of all of it. */
unsigned int ksymbols_read(struct ksymbols *ksymbols);
/* What the record in LEN bytes is about. */
enum ksymbol_kind ksymbol_record(const void *record, size_t len);

#endif
