/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a perf buffer made with PERF_SAMPLE_TIME | PERF_SAMPLE_RAW holds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_record {
	const uint8_t *data; /* what the BPF program sent; NULL: it is no sample */
	size_t len;	     /* bytes, with the kernel's padding up to 7 bytes */
	uint64_t time;	     /* ns */
	uint64_t lost;	     /* samples that did not fit in before this record */
};

/*
 * Reads one record of LEN bytes: a struct perf_event_header and what follows it
 * (perf_event_open(2)): PERF_RECORD_SAMPLE {u64 time; u32 size; u8 data[size]} or PERF_RECORD_LOST
 * {u64 id; u64 lost}. False if it is neither, or shorter than it says. RET points into RECORD.
 */
bool live_record_parse(const void *record, size_t len, struct live_record *ret);
