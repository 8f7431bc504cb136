/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Parses the records of a perf buffer opened with PERF_SAMPLE_TIME | PERF_SAMPLE_RAW. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct live_record {
	const uint8_t *data; /* bytes that the BPF program sent; NULL: not a sample */
	size_t len;	     /* bytes, including the kernel's padding of up to 7 bytes */
	uint64_t time;	     /* ns */
	uint64_t lost;	     /* number of samples lost before this record */
};

/*
 * Parses one record of LEN bytes: a struct perf_event_header, followed by {u64 time; u32 size; u8
 * data[size]} (PERF_RECORD_SAMPLE) or {u64 id; u64 lost} (PERF_RECORD_LOST), see
 * perf_event_open(2). Returns false if it has another type or is truncated. RET points into RECORD.
 */
bool live_record_parse(const void *record, size_t len, struct live_record *ret);
