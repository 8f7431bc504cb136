/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What the kernel says of modules that come and go, over NETLINK_KOBJECT_UEVENT (lib/kobject_uevent.c).
 * Listening needs no privilege.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

/* A non-blocking socket that gets the events from now on; -1 with errno set. */
int uevent_open(void);
/*
 * The module that a message (LEN bytes) says was added or removed, in MESSAGE, NUL-terminated.
 * NULL: it is about something else, or no message of the kernel's.
 */
const char *uevent_module(const char *message, size_t len);
/*
 * Gives HANDLE the modules of all messages that wait at FD. False: some were lost, or FD is of no
 * use any more (then ERRNO is not ENOBUFS).
 */
bool uevent_read(int fd, void (*handle)(void *context, const char *module), void *context);
