// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/place_fix.h"

#include <unistd.h>

/* The same where the file of MAPPING could not be had; NULL: the status has it. */
static const char *fix_of_file(
	const struct space *space, const struct mapping *mapping, enum frame_status status)
{
	if (status != FRAME_FILE_DENIED && status != FRAME_FILE_WRONG &&
		status != FRAME_FILE_ABSENT)
		return NULL;
	bool gone = space->life && !space->files, root = !geteuid();
	if (status == FRAME_FILE_DENIED && space_is_fuse(space, mapping))
		return gone ? "pass its tree with --sysroot (FUSE admits only its user)"
			    : "run in the container's user namespace (nsenter --user -t PID), "
			      "as FUSE admits only its user; or pass its tree with "
			      "--sysroot";
	if (status == FRAME_FILE_DENIED && gone)
		return root ? "pass the file with --sysroot or --substitute-path" : "run as root";
	if (status == FRAME_FILE_DENIED && root)
		return "run outside of the container, or with CAP_CHECKPOINT_RESTORE";
	if (gone)
		return "keep the file that was mapped, and pass it with --sysroot or "
		       "--substitute-path";
	if (status == FRAME_FILE_WRONG && root)
		return "restart the process";
	return NULL;
}

const char *place_fix(
	const struct space *space, const struct mapping *mapping, enum frame_status status)
{
	if (status == FRAME_PROCESS_DENIED && !geteuid())
		return "run outside of the container, or with CAP_SYS_PTRACE";
	if (status == FRAME_UNMAPPED && space->life)
		return "build with -fno-omit-frame-pointer; if its mappings changed, --key time=FIELD";
	return mapping ? fix_of_file(space, mapping, status) : NULL;
}
