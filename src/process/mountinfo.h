/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The text of /proc/PID/mountinfo (Documentation/filesystems/proc.rst, 3.5). */
#ifndef PROCESS_MOUNTINFO_H
#define PROCESS_MOUNTINFO_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The device of the mount MOUNT_ID. False: the text has no such mount. */
bool mountinfo_device(const char *text, size_t len, uint64_t mount_id, uint32_t *major_ret,
	uint32_t *minor_ret);

#endif
