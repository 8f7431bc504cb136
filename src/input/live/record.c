// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/record.h"

#include <linux/perf_event.h>
#include <string.h>

bool live_record_parse(const void *record, size_t len, struct live_record *ret)
{
	const uint8_t *at = record;
	struct perf_event_header header;
	uint32_t size;

	if (len < sizeof(header))
		return false;
	memcpy(&header, at, sizeof(header));
	len = header.size < len ? header.size : len;
	at += sizeof(header);
	if (header.type == PERF_RECORD_LOST && len >= sizeof(header) + 16) {
		*ret = (struct live_record){};
		memcpy(&ret->lost, at + 8, sizeof(ret->lost));
		return true;
	}
	if (header.type != PERF_RECORD_SAMPLE || len < sizeof(header) + 12)
		return false;
	memcpy(&size, at + 8, sizeof(size));
	if (size > len - sizeof(header) - 12)
		return false;
	*ret = (struct live_record){.data = at + 12, .len = size};
	memcpy(&ret->time, at, sizeof(ret->time));
	return true;
}
