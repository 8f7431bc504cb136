// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/source_path.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/xalloc.h"

void source_paths_deinit(struct source_paths *paths)
{
	table_deinit(&paths->table);
}

/* Hostile sections can hold megabytes of "path", and every unit can join them anew. */
enum { PATH_MAX_JOINED = 16 << 10 };

static bool begins_with(const char *path, const char *dir)
{
	size_t len = strlen(dir);

	return !strncmp(path, dir, len) && (path[len] == '/' || (len && dir[len - 1] == '/'));
}

static const char *join(struct arena *arena, const char *dir, const char *path)
{
	size_t len = strnlen(dir, PATH_MAX_JOINED);

	if (len + strnlen(path, PATH_MAX_JOINED) >= PATH_MAX_JOINED || begins_with(path, dir))
		return path;
	auto_free char *joined = xasprintf("%s%s%s", dir, dir[len - 1] == '/' ? "" : "/", path);
	return arena_string(arena, joined);
}

const char *source_path(struct source_paths *paths, struct arena *arena, const char *comp_dir,
	const char *path)
{
	const void *key[2] = {comp_dir, path};
	bool added;

	if (!path || *path == '/' || !comp_dir || !*comp_dir)
		return path;
	uint64_t *known = table_at(&paths->table, key, sizeof(key), &added);
	if (added)
		*known = (uintptr_t)join(arena, comp_dir, path);
	return (const char *)(uintptr_t)*known;
}
