/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * perf's own clock, in which perf events are stamped unless they request another
 * (perf_event_open(2), sched_clock() in the kernel; printed by `bpftool map event_pipe`). It starts
 * near CLOCK_MONOTONIC and drifts away from it, since it is not disciplined.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

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
