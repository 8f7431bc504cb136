// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/status.h"

#include "process/procfs.h"
#include "util/scan.h"

static struct status_pids parse_pids(struct scan *s)
{
	struct status_pids pids = {};
	uint64_t pid;

	for (scan_blanks(s); pids.n < STATUS_PIDS_MAX && scan_decimal(s, &pid); scan_blanks(s))
		pids.pids[pids.n++] = (int64_t)pid;
	return pids;
}

/*
 * Uid:	1000	1000	1000	1000     real, effective, saved, file system
 * NStgid:	4711	12       from the reader's PID namespace inwards
 * NSpid:	4712	13
 */
bool status_parse(const char *text, size_t len, struct status *ret)
{
	struct scan all = {text, text ? text + len : text}, line;
	struct status status = {};
	uint64_t real;
	bool uid = false;

	while (scan_line(&all, &line)) {
		if (scan_literal(&line, "NStgid:")) {
			status.process = parse_pids(&line);
		} else if (scan_literal(&line, "NSpid:")) {
			status.thread = parse_pids(&line);
		} else if (scan_literal(&line, "Uid:")) {
			scan_blanks(&line);
			uid = scan_decimal(&line, &real);
			scan_blanks(&line);
			uid = uid && scan_decimal(&line, &status.uid);
		}
	}
	if (!uid || !status.process.n || !status.thread.n)
		return false;
	*ret = status;
	return true;
}

bool status_read(int dirfd, struct status *ret)
{
	auto_text struct text text = {};

	return dirfd >= 0 && !procfs_read(dirfd, "status", &text) &&
	       status_parse(text.data, text.len, ret);
}
