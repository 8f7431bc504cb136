// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/find/finder.h"

#include <string.h>

/*
 * The kernel's links come first; then what names the file by its path, from
 * the process's view to ours; then what the user says; then places that go by build ID alone; last the
 * copies that a recorder made.
 */
const struct finder finders[] = {
	{.name = "map_files",
		.find = find_map_files,
		.live = true,
		.capability = "CAP_SYS_ADMIN or CAP_CHECKPOINT_RESTORE"},
	{.name = "root",
		.find = find_root,
		.live = true,
		.by_path = true,
		.capability = "CAP_SYS_PTRACE"},
	{.name = "exe", .find = find_exe, .live = true, .capability = "CAP_SYS_PTRACE"},
	{.name = "path",
		.find = find_path,
		.by_path = true,
		.here = true,
		.guess = true,
		.capability = "CAP_DAC_READ_SEARCH"},
	{.name = "mountinfo",
		.find = find_mountinfo,
		.by_path = true,
		.capability = "CAP_DAC_READ_SEARCH"},
	{.name = "overlay",
		.find = find_overlay,
		.by_path = true,
		.capability = "CAP_DAC_READ_SEARCH"},
	{.name = "substitute", .find = find_substitute, .by_path = true, .guess = true},
	{.name = "sysroot", .find = find_sysroot, .by_path = true, .guess = true},
	{.name = "debug-dir", .find = find_debug_dir, .by_build_id = true, .guess = true},
	{.name = "perf-cache", .find = find_perf_cache, .by_build_id = true, .guess = true},
	{.name = "debuginfod-cache",
		.find = find_debuginfod_cache,
		.by_build_id = true,
		.guess = true},
	{.name = "debuginfod",
		.find = find_debuginfod,
		.by_build_id = true,
		.guess = true,
		.fetches = true},
	{.name = "kept", .find = find_kept, .guess = true},
	{},
};

uint64_t finder_bit(const char *name)
{
	for (size_t i = 0; finders[i].name; i++)
		if (!strcmp(finders[i].name, name))
			return (uint64_t)1 << i;
	return 0;
}
