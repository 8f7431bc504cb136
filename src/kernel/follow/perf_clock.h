/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * The clock that perf events are stamped with unless they ask for another (perf_event_open(2), sched_clock()
 * in the kernel; what `bpftool map event_pipe` prints): it begins near CLOCK_MONOTONIC and runs
 * away from it, since nothing disciplines it.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

struct s2l_perf_clock;

/* NULL: not allowed. */
struct s2l_perf_clock *perf_clock_open(void);
void perf_clock_close(struct s2l_perf_clock *clock);
/*
 * How far it is ahead of CLOCK_MONOTONIC now, ns, to 0.1 ms; both drift apart by less than half a
 * millisecond in a second. False: that cannot be found out.
 */
bool perf_clock_ahead(struct s2l_perf_clock *clock, int64_t *ret);
