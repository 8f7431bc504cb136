// SPDX-License-Identifier: GPL-2.0-or-later
/* The finder for copies made by `stack2line record --keep-files`. */
#include <errno.h>
#include <fcntl.h>

#include "object/find/finder.h"
#include "process/recording/copy_owner.h"
#include "process/recording/kept_dir.h"
#include "process/recording/tasks.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

static bool offer_from(struct search *search, const char *dir, const struct recorded_row *copy)
{
	auto_free char *path = xasprintf("%s/%s", dir, copy->text.at);
	auto_fd int dir_fd = kept_dir_open(dir);
	int fd = dir_fd < 0 ? dir_fd : kept_dir_file(dir_fd, copy->text.at, copy->kept.size);

	if (fd != -EPERM)
		return search->offer(search, fd == -EINVAL ? -ENOENT : fd, path, PROOF_KEPT);
	auto_free char *unsafe = xasprintf(
		"%s: not used, because a user other than root and you owns it or can write to it",
		dir);
	search->remark(search, unsafe);
	return false;
}

static bool offer_copy(struct search *search, const struct recorded_row *copy)
{
	const struct recording *recording = search->space->life->recording;

	if (search->options->kept_dir)
		return offer_from(search, search->options->kept_dir, copy);
	for (size_t i = 0; i < recording->kept_dirs.len; i++)
		if (offer_from(search, recording->kept_dirs.data[i], copy))
			return true;
	return false;
}

void find_kept(struct search *search)
{
	const struct recorded_life *life = search->space ? search->space->life : NULL;
	const struct recorded_row *copies;
	size_t n = life ? recording_rows(life->recording, life->pid, ROW_KEPT, &copies) : 0;

	/* the last copy is the least likely to have been deleted */
	for (size_t i = n; i > 0; i--)
		if (recorded_copy_is_of(life, &copies[i - 1], search->mapping) &&
			offer_copy(search, &copies[i - 1]))
			return;
}
