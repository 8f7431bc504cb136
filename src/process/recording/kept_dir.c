// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/kept_dir.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <time.h>

#include "door/writers.h"
#include "door/rule.h"
#include "util/cleanup.h"

enum { DIGITS_MIN = 16, LOCK_TRIES = 150, LOCK_NS = 20000000 };

bool kept_name_is(const char *name)
{
	const char *dash = strchr(name, '-');
	size_t digits = dash ? strspn(dash + 1, "0123456789abcdef") : 0;
	struct build_id id;

	if (digits < DIGITS_MIN || dash[1 + digits])
		return false;
	return build_id_parse(name, (size_t)(dash - name), &id) ||
	       !strncmp(name, KEPT_NO_ID "-", sizeof(KEPT_NO_ID));
}

static int open_directory(const char *path)
{
	return open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Locks FD. Retries for 3 seconds: a killed recorder and its children may still be exiting. */
static bool lock(int fd)
{
	for (int i = 0; i < LOCK_TRIES; i++) {
		if (!flock(fd, LOCK_EX | LOCK_NB))
			return true;
		if (errno != EWOULDBLOCK)
			return false;
		nanosleep(&(struct timespec){.tv_nsec = LOCK_NS}, NULL);
	}
	errno = EWOULDBLOCK;
	return false;
}

struct error *kept_dir_create(const char *path, int *ret)
{
	struct stat st;

	if (mkdir(path, 0700) && errno != EEXIST)
		return error_errno(errno, "--keep-files=%s", path);
	auto_fd int fd = open_directory(path);
	if (fd < 0 && (errno == ELOOP || errno == ENOTDIR))
		return error_create(ERROR_USAGE,
			"--keep-files=%s: is a symbolic link or not a directory: name the directory itself",
			path);
	if (fd < 0 || fstat(fd, &st))
		return error_errno(errno, "--keep-files=%s", path);
	if (st.st_uid != geteuid())
		return error_create(ERROR_USAGE,
			"--keep-files=%s: belongs to another user: name a directory of your own, or a new one",
			path);
	if (st.st_mode & (S_IRWXG | S_IRWXO))
		return error_create(ERROR_USAGE,
			"--keep-files=%s: others have access, and copies may be private: run chmod 700 on it, "
			"or name a new directory",
			path);
	bool locked = lock(fd);
	if (!locked && errno == EWOULDBLOCK)
		return error_create(ERROR_USAGE,
			"--keep-files=%s: another recorder uses it: name another directory", path);
	if (!locked)
		return error_errno(errno, "--keep-files=%s", path);
	*ret = take_fd(fd);
	return NULL;
}

static bool is_safe(int fd)
{
	const struct writers writers = writers_of_file(fd);

	return rule_of(EVIDENCE_KEPT, rule_provenance(&writers, NULL, NULL), TRUST_STRICT).answer ==
	       RULE_YES;
}

int kept_dir_open(const char *path)
{
	auto_fd int fd = open_directory(path);

	if (fd < 0)
		return -errno;
	return is_safe(fd) ? take_fd(fd) : -EPERM;
}

int kept_dir_file(int dir, const char *name, uint64_t size)
{
	struct stat st;

	if (!kept_name_is(name))
		return -EINVAL;
	auto_fd int fd =
		openat(dir, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);
	if (fd < 0 || fstat(fd, &st))
		return -errno;
	if (!is_safe(fd))
		return -EPERM;
	return S_ISREG(st.st_mode) && (uint64_t)st.st_size == size ? take_fd(fd) : -EINVAL;
}
