// SPDX-License-Identifier: GPL-2.0-or-later
/* Finders for the options --substitute-path and --sysroot. */
#include <errno.h>
#include <fcntl.h>

#include "object/find/finder.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

void find_substitute(struct search *search)
{
	const struct find_options *options = search->options;

	for (size_t i = 0; i < options->n_rules; i++) {
		const struct path_rule *rule = &options->rules[i];
		auto_free char *path = path_rule_apply(rule, search->mapping->path, NULL);

		if (path && search->offer(search, search_open(search, AT_FDCWD, path, 0, rule->to),
				    path, PROOF_COPY))
			return;
	}
}

void find_sysroot(struct search *search)
{
	const char *sysroot = search->options->sysroot;

	if (!sysroot || *search->mapping->path != '/')
		return;
	auto_fd int root = open(sysroot, O_PATH | O_DIRECTORY | O_CLOEXEC);
	auto_free char *path = xasprintf("%s%s", sysroot, search->mapping->path);
	int fd = root < 0 ? -errno
			  : search_open(search, root, search->mapping->path, DOOR_IN_ROOT, sysroot);
	search->offer(search, fd, path, PROOF_COPY);
}
