/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Trust domains: one for each root directory that processes have. What is found through the root
 * directory of another mount namespace is under the control of that namespace's owner, so it may
 * name frames of its own processes only.
 */
#pragma once

#include <stdbool.h>

#include "process/space.h"
#include "util/table.h"
#include "util/vec.h"

/* One view of the file tree. */
struct domain {
	size_t number; /* 0: our own root; numbers are not reused */
	/* path here, such as /proc/PID/root, owned; NULL: our own root, or not yet requested */
	const char *root;
	enum { DOMAIN_UNASKED, DOMAIN_OF_ROOT, DOMAIN_FOREIGN } owner;
	bool used; /* mark for domains_keep_used() */
};

struct domains {
	struct VEC(struct domain *) all; /* ordered by number */
	size_t numbers;			 /* count of numbers given out */
	struct table by_root;		 /* struct root_key → struct domain * */
	struct table by_space;		 /* pid, version → struct domain * */
};

void domains_deinit(struct domains *domains);
/* Frees all domains not marked as used, except our own root. */
void domains_keep_used(struct domains *domains);
/*
 * Returns the domain of the process SPACE, or our own if the process is recorded or gone. Never
 * NULL; owned by DOMAINS.
 */
struct domain *domain_of(struct domains *domains, const struct space *space);
/* Sets the root of DOMAIN, which is not ours. SPACE is in DOMAIN. */
void domain_find_root(struct domain *domain, const struct space *space);
/*
 * Returns true if another user namespace than ours owns the mount namespace of DOMAIN, or if that
 * cannot be determined: any user may have created it. SPACE is in DOMAIN.
 */
bool domain_is_foreign(struct domain *domain, const struct space *space);
