/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the kernel's reports of modules that are loaded and unloaded, from NETLINK_KOBJECT_UEVENT
 * (lib/kobject_uevent.c). This needs no privilege.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/*
 * Opens a non-blocking socket that receives all events from now on. Returns -1 with errno set on
 * failure.
 */
int uevent_open(void);
/*
 * Returns the name of the module that a message (LEN bytes) reports as added or removed. It is
 * NUL-terminated and points into MESSAGE. Returns NULL for other messages.
 */
const char *uevent_module(const char *message, size_t len);
/*
 * Calls HANDLE with the module of each message waiting at FD. Returns false with errno ENOBUFS if
 * messages were lost, or with another errno if FD is no longer usable.
 */
bool uevent_read(int fd, void (*handle)(void *context, const char *module), void *context);
