// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/domain.h"

#include <fcntl.h>
#include <limits.h>
#include <linux/nsfs.h>
#include <stdio.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/stat.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

static void domain_destroy(struct domain *domain)
{
	free((char *)domain->root);
	free(domain);
}

void domains_deinit(struct domains *domains)
{
	vec_destroy(&domains->all, domain_destroy);
	table_deinit(&domains->by_root);
	table_deinit(&domains->by_space);
}

static bool keep_used(void *context, uint64_t *value)
{
	(void)context;
	return ((const struct domain *)(uintptr_t)*value)->used;
}

void domains_keep_used(struct domains *domains)
{
	size_t kept = 0;

	if (domains->all.len)
		domains->all.data[0]->used = true;
	table_keep(&domains->by_root, keep_used, NULL);
	table_deinit(&domains->by_space);
	vec_each_value(domain, &domains->all)
		if (domain->used)
			domains->all.data[kept++] = domain;
		else
			domain_destroy(domain);
	domains->all.len = kept;
}

/* Linux 6.8: a mount ID that is never reused; missing in the headers of Debian 12 */
#ifndef STATX_MNT_ID_UNIQUE
#define STATX_MNT_ID_UNIQUE 0x4000U
#endif

/* Identifies a root directory. Mount IDs are unique over all mount namespaces. */
struct root_key {
	uint64_t mount, inode, device;
};

static bool root_key_of(int fd, const char *path, struct root_key *ret)
{
	struct statx stx;

	if (statx(fd, path, 0, STATX_INO | STATX_MNT_ID | STATX_MNT_ID_UNIQUE, &stx))
		return false;
	*ret = (struct root_key){
		stx.stx_mnt_id, stx.stx_ino, (uint64_t)stx.stx_dev_major << 32 | stx.stx_dev_minor};
	return true;
}

bool domain_is_foreign(struct domain *domain, const struct space *space)
{
	struct stat theirs, ours;

	if (domain->number && domain->owner == DOMAIN_UNASKED) {
		auto_fd int mounts = openat(space_dir(space), "ns/mnt", O_RDONLY | O_CLOEXEC);
		auto_fd int users = mounts < 0 ? -1 : ioctl(mounts, NS_GET_USERNS);
		bool own = users >= 0 && !fstat(users, &theirs) &&
			   !stat("/proc/self/ns/user", &ours) && theirs.st_ino == ours.st_ino &&
			   theirs.st_dev == ours.st_dev;

		domain->owner = own ? DOMAIN_OF_ROOT : DOMAIN_FOREIGN;
	}
	return domain->owner == DOMAIN_FOREIGN;
}

static struct domain *add_domain(struct domains *domains)
{
	struct domain *domain = xnew(domain);

	domain->number = domains->numbers++;
	vec_push(&domains->all, domain);
	return domain;
}

void domain_find_root(struct domain *domain, const struct space *space)
{
	char self[64], dir[PATH_MAX];

	if (domain->root)
		return;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", space_dir(space));
	ssize_t len = readlink(self, dir, sizeof(dir) - 1);
	domain->root = xasprintf("%.*s/root", len > 0 ? (int)len : 0, dir);
}

/*
 * Returns true if the root directory that DOMAIN is reached through is still that of KEY. It is not
 * once the process has exited, or its PID was reused.
 */
static bool is_root_of(const struct domain *domain, const struct root_key *key)
{
	struct root_key now;

	return !domain->root ||
	       (root_key_of(AT_FDCWD, domain->root, &now) && !memcmp(&now, key, sizeof(now)));
}

struct domain *domain_of(struct domains *domains, const struct space *space)
{
	const uint64_t space_key[] = {(uint64_t)space->pid, space->version};
	struct root_key key;
	bool added;

	if (!domains->all.len) {
		const struct domain *own = add_domain(domains);

		if (root_key_of(AT_FDCWD, "/", &key))
			*table_at(&domains->by_root, &key, sizeof(key), NULL) = (uintptr_t)own;
	}
	uint64_t *known = table_at(&domains->by_space, space_key, sizeof(space_key), &added);
	if (!added)
		return (struct domain *)(uintptr_t)*known;
	struct domain *domain = domains->all.data[0];
	if (root_key_of(space_dir(space), "root", &key)) {
		uint64_t *slot = table_at(&domains->by_root, &key, sizeof(key), &added);

		domain = (struct domain *)(uintptr_t)*slot;
		if (added || (domain->number && !is_root_of(domain, &key)))
			domain = add_domain(domains);
		*slot = (uintptr_t)domain;
	}
	*known = (uintptr_t)domain;
	return domain;
}
