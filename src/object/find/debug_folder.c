// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/find/debug_folder.h"

#include <dirent.h>
#include <stdlib.h>
#include <string.h>

#include "door/door.h"
#include "object/elf_image.h"
#include "util/cleanup.h"
#include "util/sort.h"
#include "util/xalloc.h"

/* directory entries that are read: a whole distribution has some 60,000 debug files */
enum { ENTRIES_MAX = 1 << 17 };
/* files with one build ID in one directory that are tried */
enum { SAME_ID_MAX = 8 };

struct debug_file_id {
	struct build_id id;
	char *path; /* owned */
};

struct debug_folder {
	char *dir;
	struct VEC(struct debug_file_id) files; /* ordered by ID, then path */
};

bool debug_folder_visit(const struct string_vec *dirs, const char *cache, const struct build_id *id,
	debug_folder_visitor *visit, void *context)
{
	const struct build_id_hex hex = build_id_hex(id);

	if (id->len < 2)
		return false;
	vec_each_value(dir, dirs) {
		auto_free char *path =
			xasprintf("%s/.build-id/%.2s/%s.debug", dir, hex.digits, hex.digits + 2);

		if (visit(context, path, dir))
			return true;
	}
	if (!cache)
		return false;
	auto_free char *path = xasprintf("%s/%s/debuginfo", cache, hex.digits);
	return visit(context, path, cache);
}

static void folder_destroy(struct debug_folder *folder)
{
	vec_free_each(&folder->files, path);
	vec_deinit(&folder->files);
	free(folder->dir);
	free(folder);
}

void debug_folders_deinit(struct debug_folders *folders)
{
	vec_destroy(folders, folder_destroy);
}

/* Compares IDs as if padded with zeros, because the kernel pads them. */
static int compare_ids(const struct build_id *a, const struct build_id *b)
{
	uint8_t left[BUILD_ID_MAX] = {}, right[BUILD_ID_MAX] = {};

	memcpy(left, a->bytes, a->len);
	memcpy(right, b->bytes, b->len);
	return memcmp(left, right, sizeof(left));
}

COMPARE(compare_files, struct debug_file_id,
	compare_ids(&a->id, &b->id) ?: strcmp(a->path, b->path))

/* Returns the directory PATH, read on the first call. */
static const struct debug_folder *folder_of(struct debug_folders *folders, const char *path)
{
	const struct dirent *entry;

	vec_each_value(known, folders)
		if (!strcmp(known->dir, path))
			return known;
	struct debug_folder *folder = xnew(folder);
	DIR *dir = opendir(path);

	vec_push(folders, folder);
	folder->dir = xstrdup(path);
	for (size_t n = 0; dir && n < ENTRIES_MAX && (entry = readdir(dir)); n++) {
		scope_guard(elf_image_cleanup) struct elf_image *image = NULL;

		if (entry->d_type != DT_REG && entry->d_type != DT_LNK &&
			entry->d_type != DT_UNKNOWN)
			continue;
		auto_free char *file = xasprintf("%s/%s", path, entry->d_name);
		int fd = door_open(dirfd(dir), entry->d_name, 0, NULL);
		if (fd < 0)
			continue;
		auto_error struct error *error = elf_image_open(fd, file, &image);
		if (!error && image->build_id.len)
			vec_push(&folder->files,
				(struct debug_file_id){image->build_id, take(file)});
	}
	if (dir)
		closedir(dir);
	vec_sort(&folder->files, compare_files);
	return folder;
}

bool debug_folders_visit(struct debug_folders *folders, const struct string_vec *dirs,
	const struct build_id *id, debug_folder_visitor *visit, void *context)
{
	if (!id->len)
		return false;
	vec_each_value(dir, dirs) {
		const struct debug_folder *folder = folder_of(folders, dir);
		const struct debug_file_id *files = folder->files.data;
		size_t n = folder->files.len, tried = 0;
		size_t i = partition_point(at, 0, n, compare_ids(&files[at].id, id) < 0);

		for (; i < n && tried++ < SAME_ID_MAX && !compare_ids(&files[i].id, id); i++)
			if (visit(context, files[i].path, dir))
				return true;
	}
	return false;
}
