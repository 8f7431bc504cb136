// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/lock.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

static const char lock_path[] = "/run/stack2line.lock";

/*
 * Returns the error for a refused lock. F_GETLK gives the PID of the lock's holder, or 0 or -1 if
 * that is in another PID namespace.
 */
static struct error *say_holder(const struct live_map *map, int fd, struct flock *lock)
{
	bool known = !fcntl(fd, F_GETLK, lock) && lock->l_type != F_UNLCK && lock->l_pid > 0;
	auto_free char *holder =
		known ? xasprintf("process %d", (int)lock->l_pid) : xstrdup("another process");

	return error_create(ERROR_INPUT,
		"--clear: %s: %s clears it already, and two would print entries twice", map->label,
		holder);
}

struct error *live_lock(const struct live_map *map, int *fd, struct log *log)
{
	struct flock lock = {
		.l_type = F_WRLCK, .l_whence = SEEK_SET, .l_start = map->id, .l_len = 1};

	if (*fd < 0)
		*fd = open(lock_path, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (*fd >= 0 && !fcntl(*fd, F_SETLK, &lock))
		return NULL;
	if (*fd >= 0 && (errno == EACCES || errno == EAGAIN))
		return say_holder(map, *fd, &lock);
	log_add(log, LOG_WARNING, 1,
		"%s: %s: another process that clears the same map would not be noticed", lock_path,
		strerror(errno));
	return NULL;
}
