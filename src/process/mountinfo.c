// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/mountinfo.h"

#include "util/scan.h"

/*
 * 36 35 0:39 /root /mnt rw,noatime master:1 - overlay overlay rw,lowerdir=…
 * (1)(2)(3)
 * mount ID, parent ID, device major:minor — decimal here, hex in maps
 */
bool mountinfo_device(const char *text, size_t len, uint64_t mount_id, uint32_t *major_ret,
	uint32_t *minor_ret)
{
	struct scan all = {text, text + len}, line;
	uint64_t id, parent, major, minor;

	while (scan_line(&all, &line)) {
		if (!scan_decimal(&line, &id) || id != mount_id)
			continue;
		if (!scan_char(&line, ' ') || !scan_decimal(&line, &parent) ||
			!scan_char(&line, ' ') || !scan_decimal(&line, &major) ||
			!scan_char(&line, ':') || !scan_decimal(&line, &minor))
			continue;
		*major_ret = (uint32_t)major;
		*minor_ret = (uint32_t)minor;
		return true;
	}
	return false;
}
