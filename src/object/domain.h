/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trust domains: who answers for a file. What is found through the root directory of one mount
 * namespace is the word of who owns that namespace, and speaks of its own processes only.
 */
#pragma once

#include <stdbool.h>

#include "object/elf_image.h"
#include "process/space.h"
#include "util/table.h"
#include "util/vec.h"

/* One view of the file tree. */
struct domain {
	size_t number; /* 0: our own root; those of domains that are forgotten are not given again */
	const char *
		root; /* owned: as a directory here, /proc/PID/root; NULL: our own root, or not asked for */
	enum { DOMAIN_UNASKED, DOMAIN_OF_ROOT, DOMAIN_FOREIGN } owner;
	bool used; /* for domains_keep_used() */
};

/* Zero-filled is empty. */
struct domains {
	struct VEC(struct domain *) all; /* by number */
	size_t numbers;			 /* given so far */
	struct table by_root;		 /* what root directory it is → struct domain * */
	struct table by_space;		 /* pid, version → struct domain * */
};

void domains_deinit(struct domains *domains);
/* Forgets all that are not marked as used, but for our own root. */
void domains_keep_used(struct domains *domains);
/*
 * That of the process SPACE; of one that is recorded or gone our own. Never NULL, owned by DOMAINS.
 */
struct domain *domain_of(struct domains *domains, const struct space *space);
/* Its root, which SPACE has; NULL: our own root. */
const char *domain_root(struct domain *domain, const struct space *space);
/* Whether the namespace, which SPACE has, is not of our user namespace: a user may have made it. */
bool domain_is_foreign(struct domain *domain, const struct space *space);
/*
 * Where PATH, as a mapping of SPACE has it, is below the process's root. Malloc'ed, starts with /.
 */
char *domain_path(const struct space *space, const char *path);
/* Whether the file at PATH, below our own root, is IMAGE's: then no other root matters. */
bool domain_is_ours(const struct elf_image *image, const char *path);
