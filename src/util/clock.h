/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reads the clocks of clock_gettime(2). */
#pragma once

#include <stdint.h>
#include <time.h>

#define SECOND 1000000000ULL /* in ns */
/* ns per clock tick in /proc (USER_HZ; other only on Alpha) */
#define CLOCK_TICK (SECOND / 100)

/* Returns the time of CLOCK in nanoseconds, or 0 if there is no such clock. */
static inline uint64_t clock_ns(clockid_t clock)
{
	struct timespec time = {};

	clock_gettime(clock, &time);
	return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

/* Returns how many nanoseconds CLOCK_REALTIME is ahead of CLOCK_MONOTONIC. */
static inline uint64_t clock_real(void)
{
	return clock_ns(CLOCK_REALTIME) - clock_ns(CLOCK_MONOTONIC);
}

/* Returns how many nanoseconds CLOCK_BOOTTIME is ahead of CLOCK_MONOTONIC: it includes suspend. */
static inline uint64_t clock_slept(void)
{
	uint64_t awake = clock_ns(CLOCK_MONOTONIC), boot = clock_ns(CLOCK_BOOTTIME);

	return boot > awake ? boot - awake : 0;
}

/* Returns CLOCK_MONOTONIC in milliseconds. */
static inline int64_t clock_ms(void)
{
	return (int64_t)(clock_ns(CLOCK_MONOTONIC) / 1000000);
}
