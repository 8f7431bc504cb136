// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/object_cache.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <string.h>
#include <sys/stat.h>

#include "object/locate.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/scan.h"

void object_cache_deinit(struct object_cache *cache)
{
	for (size_t i = 0; i < cache->objects.len; i++)
		free(cache->objects.data[i]);
	for (size_t i = 0; i < cache->images.len; i++)
		elf_image_destroy(cache->images.data[i]);
	vec_deinit(&cache->objects);
	vec_deinit(&cache->images);
	table_deinit(&cache->image_by_file);
	table_deinit(&cache->object_by_mapping);
	table_deinit(&cache->object_by_name);
	table_deinit(&cache->object_by_id);
	table_deinit(&cache->object_by_path);
	table_deinit(&cache->ahead);
	vec_deinit(&cache->mapped);
	table_deinit(&cache->mapped_files);
	mountinfo_deinit(&cache->here);
	arena_deinit(&cache->strings);
}

static const char *base_name(const char *path)
{
	const char *slash = strrchr(path, '/');

	return slash && slash[1] ? slash + 1 : path;
}

/* What makes an object: its name, and an image or the reason why there is none. */
struct identity {
	const char *path;
	struct elf_image *image;
	enum frame_status status;
	struct build_id build_id;
	const char *found_by, *detail; /* may be NULL */
	bool doubtful;
};

/* A file seen under two paths is two objects with one image. */
static struct object *object_named(struct object_cache *cache, const struct identity *identity)
{
	const char *found_by = identity->found_by ? identity->found_by : "";
	const char *detail = identity->detail ? identity->detail : "";
	struct text key = {};
	bool added;

	text_printf(&key, "%p %d %d %s %s%c%s", (void *)identity->image, (int)identity->status,
		identity->doubtful, found_by, identity->path, 0, detail);
	text_add(&key, (const char *)identity->build_id.bytes, identity->build_id.len);
	uint64_t *index = table_at(&cache->object_by_name, key.data, key.len, &added);
	text_deinit(&key);
	if (!added)
		return cache->objects.data[*index];
	struct object *object = xcalloc(1, sizeof(*object));
	object->label.path = arena_string(&cache->strings, identity->path);
	object->label.name = base_name(object->label.path);
	object->label.build_id = identity->build_id;
	object->label.found_by = identity->found_by;
	object->number = *index = cache->objects.len;
	object->image = identity->image;
	object->status = identity->status;
	object->doubtful = identity->doubtful;
	object->detail = *detail ? arena_string(&cache->strings, detail) : NULL;
	vec_push(&cache->objects, object);
	return object;
}

/* The image of a recorded process's vdso, malloc'ed; NULL: not recorded. */
static void *recorded_vdso(const struct space *space, const struct mapping *mapping)
{
	const struct text *image = recording_vdso(
		space->life->recording, mapping->start, mapping->end - mapping->start);

	return image ? memcpy(xmalloc(image->len), image->data, image->len) : NULL;
}

struct object *object_of_image(
	struct object_cache *cache, const char *path, struct elf_image *image)
{
	return object_named(cache, &(struct identity){.path = path,
					   .image = image,
					   .status = FRAME_NAMED,
					   .build_id = image->build_id});
}

struct object *object_without_image(struct object_cache *cache, const char *path,
	enum frame_status status, const char *detail)
{
	return object_named(cache,
		&(struct identity){.path = path, .status = status, .detail = detail});
}

/* The vdso is no file: the target's own image is read from its memory. */
static struct object *object_of_vdso(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping)
{
	struct elf_image *image = NULL;
	void *memory = space->life ? recorded_vdso(space, mapping)
				   : space_memory(space, mapping->start, mapping->end);

	if (!memory && space->life)
		return object_without_image(cache, mapping->path, FRAME_FILE_ABSENT,
			"the recording has no such image");
	if (!memory)
		return object_without_image(cache, mapping->path, FRAME_FILE_DENIED,
			"the process's memory cannot be read (needs CAP_SYS_PTRACE)");
	auto_error struct error *error =
		elf_image_from_memory(memory, mapping->end - mapping->start, "[vdso]", &image);
	if (error)
		return object_without_image(
			cache, mapping->path, FRAME_FILE_BROKEN, error_message(error));
	for (size_t i = 0; i < cache->images.len; i++) {
		struct elf_image *known = cache->images.data[i];

		if (known && known->memory && image->build_id.len &&
			build_id_equal(&known->build_id, &image->build_id)) {
			elf_image_destroy(image);
			return object_of_image(cache, mapping->path, known);
		}
	}
	vec_push(&cache->images, image);
	return object_of_image(cache, mapping->path, image);
}

static struct object *object_of_result(
	struct object_cache *cache, const char *path, struct location_result *result)
{
	bool tell = !result->image || result->doubtful;
	struct object *object = object_named(cache,
		&(struct identity){.path = path,
			.image = result->image,
			.status = result->status,
			.build_id = result->build_id,
			.found_by = result->found_by,
			.detail = tell ? result->tried.data : NULL,
			.doubtful = result->doubtful});

	if (!result->image)
		object->label.not_fetched = fetch_lost(result->failed, &object->label.fetch_fix);
	text_deinit(&result->tried);
	return object;
}

/* Both are "/" in the same place of the same mount. */
static bool same_root(int root)
{
	struct statx a, b;
	const unsigned mask = STATX_INO | STATX_MNT_ID;

	return !statx(root, "", AT_EMPTY_PATH, mask, &a) && !statx(AT_FDCWD, "/", 0, mask, &b) &&
	       a.stx_ino == b.stx_ino && a.stx_dev_major == b.stx_dev_major &&
	       a.stx_dev_minor == b.stx_dev_minor && a.stx_mnt_id == b.stx_mnt_id;
}

/* For objects of a process that does not live in our root. */
static void set_root(
	struct object_cache *cache, const struct space *space, struct object *object)
{
	char self[64], dir[PATH_MAX];

	if (space->dir_fd < 0)
		return;
	auto_fd int root = openat(space->dir_fd, "root", O_PATH | O_DIRECTORY | O_CLOEXEC);
	if (root < 0 || same_root(root))
		return;
	snprintf(self, sizeof(self), "/proc/self/fd/%d", space->dir_fd);
	ssize_t len = readlink(self, dir, sizeof(dir) - 1);
	if (len <= 0)
		return;
	dir[len] = '\0';
	auto_free char *path = xasprintf("%s/root", dir), *below = space_root(space);
	const char *inside = mountinfo_below(object->label.path, below);
	object->root = arena_string(&cache->strings, path);
	object->path_in_root = inside ? inside - 1 : object->label.path; /* with its slash */
}

static struct object *locate_object(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping)
{
	struct location_result result;

	if (!strcmp(mapping->path, "[vdso]"))
		return object_of_vdso(cache, space, mapping);
	locate_mapping(cache, space, mapping, &result);
	struct object *object = object_of_result(cache, mapping->path, &result);
	if (!object->root)
		set_root(cache, space, object);
	return object;
}

struct mapping_key {
	uint64_t whose, start, version;
};

/* A recorded file is looked for once, whoever had it mapped. */
static struct mapping_key mapping_key(const struct space *space, const struct mapping *mapping)
{
	return (struct mapping_key){
		mapping->file ? (uintptr_t)mapping->file : (uint64_t)space->pid,
		mapping->file && *mapping->path == '/' ? UINT64_MAX : mapping->start,
		space->version};
}

void object_ahead_of_mapping(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping)
{
	struct mapping_key key = mapping_key(space, mapping);
	bool added;

	if (!mapping->inode && !mapping->build_id)
		return;
	(void)table_at(&cache->ahead, &key, sizeof(key), &added);
	if (added)
		locate_ahead(cache, space, mapping, NULL);
}

struct object *object_of_mapping(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping)
{
	struct mapping_key key = mapping_key(space, mapping);
	bool added;
	uint64_t *index = table_at(&cache->object_by_mapping, &key, sizeof(key), &added);

	if (added)
		*index = locate_object(cache, space, mapping)->number;
	return cache->objects.data[*index];
}

struct error *object_of_file(struct object_cache *cache, const char *path, struct object **ret)
{
	struct error *error = NULL;
	int fd = file_open_regular(AT_FDCWD, path);

	if (fd < 0 && errno == EINVAL)
		return error_create(ERROR_INPUT, "%s: not a regular file", path);
	if (fd < 0)
		return error_errno(errno, "%s", path);
	struct elf_image *image = image_of_fd(cache, fd, path, &error);
	if (!image)
		return error;
	*ret = object_of_image(cache, path, image);
	return NULL;
}

static struct object *object_opened(const struct object_cache *cache, const struct build_id *id)
{
	for (size_t i = 0; i < cache->objects.len; i++) {
		struct object *object = cache->objects.data[i];

		if (object->image && build_id_matches(&object->image->build_id, id))
			return object;
	}
	return NULL;
}

static struct object *object_if_matching(struct object_cache *cache, const struct space *space,
	uint64_t start, const struct build_id *id)
{
	const struct mapping *mapping = maps_find(&space->maps, start);
	struct object *object = mapping ? object_of_mapping(cache, space, mapping) : NULL;

	return object && object->image && !object->doubtful && build_id_matches(&object->image->build_id, id) ? object
											: NULL;
}

static struct object *find_in_space(
	struct object_cache *cache, const struct space *space, const struct build_id *id)
{
	for (size_t i = 0; i < space->maps.len; i++) {
		const struct mapping *mapping = &space->maps.data[i];
		struct build_id known;
		struct object *object;

		if (!mapping->executable || (!mapping->inode && !mapping->build_id))
			continue;
		if (mapping->build_id ? !build_id_matches(mapping->build_id, id)
				      : space_build_id(space, mapping->start, &known) &&
						!build_id_matches(&known, id))
			continue;
		if ((object = object_if_matching(cache, space, mapping->start, id)))
			return object;
	}
	return NULL;
}

/* Remembers the build IDs of a process's executable mappings, each file once. */
static void scan_space(struct object_cache *cache, const struct space *space)
{
	for (size_t i = 0; i < space->maps.len; i++) {
		const struct mapping *mapping = &space->maps.data[i];
		const uint64_t file[] = {
			mapping->dev_major, mapping->dev_minor, mapping->inode};
		struct mapped_id mapped = {.pid = space->pid, .start = mapping->start};
		bool added;

		if (!mapping->executable || (!mapping->inode && !mapping->build_id))
			continue;
		(void)table_at(&cache->mapped_files, file, sizeof(file), &added);
		if (!added)
			continue;
		if (!space_build_id(space, mapping->start, &mapped.build_id)) {
			struct object *object = object_of_mapping(cache, space, mapping);

			mapped.build_id = object->label.build_id;
		}
		vec_push(&cache->mapped, mapped);
	}
}

static void scan_processes(struct object_cache *cache, struct space_cache *spaces)
{
	DIR *proc = opendir(spaces->proc_root);
	struct dirent *entry;
	uint64_t pid;

	cache->scanned = true;
	while (proc && (entry = readdir(proc)))
		if (entry->d_name[0] != '-' && scan_whole_number(entry->d_name, &pid))
			scan_space(cache, space_of(spaces, (int64_t)pid));
	if (proc)
		closedir(proc);
}

static struct object *find_in_processes(
	struct object_cache *cache, struct space_cache *spaces, const struct build_id *id)
{
	struct object *object = NULL;

	if (!cache->scanned)
		scan_processes(cache, spaces);
	for (size_t i = 0; !object && i < cache->mapped.len; i++) {
		const struct mapped_id *mapped = &cache->mapped.data[i];

		if (build_id_matches(&mapped->build_id, id))
			object = object_if_matching(
				cache, space_of(spaces, mapped->pid), mapped->start, id);
	}
	return object;
}

/* By the path that it was recorded under. */
static struct object *find_in_recording(
	struct object_cache *cache, const struct recording *recording, const struct build_id *id)
{
	const struct recorded_file *file = recording ? recording_file_of(recording, id) : NULL;
	struct object *object = NULL;

	if (!file || *file->path != '/')
		return NULL;
	auto_error struct error *error = object_of_file(cache, file->path, &object);
	return !error && object && build_id_matches(&object->image->build_id, id) ? object : NULL;
}

static struct object *find_on_disk(struct object_cache *cache, const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];
	struct location_result result;

	build_id_format(id, hex);
	locate_build_id(cache, id, &result);
	auto_free char *name = xasprintf("build-id:%s", hex);
	return object_of_result(cache, result.image ? result.image->path : name, &result);
}

/* What needs no search by build ID; NULL: it is nowhere. */
static struct object *find_nearby(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id)
{
	struct object *object = object_opened(cache, id);

	if (!object && pid >= 0)
		object = find_in_space(cache, space_at(spaces, pid, 0), id);
	if (!object)
		object = find_in_recording(cache, spaces->recording, id);
	if (!object)
		object = find_in_processes(cache, spaces, id);
	return object;
}

void object_ahead_of_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id)
{
	bool added;

	(void)table_at(&cache->ahead, id->bytes, id->len, &added);
	if (added && !find_nearby(cache, spaces, pid, id))
		locate_ahead(cache, NULL, NULL, id);
}

struct object *object_of_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id)
{
	bool added;
	uint64_t *index = table_at(&cache->object_by_id, id->bytes, id->len, &added);

	if (!added)
		return cache->objects.data[*index];
	struct object *object = find_nearby(cache, spaces, pid, id);
	if (!object)
		object = find_on_disk(cache, id);
	*index = object->number;
	return object;
}

static struct object *file_with_id(
	struct object_cache *cache, const char *path, const struct build_id *id)
{
	struct object *file = NULL;
	auto_error struct error *error = object_of_file(cache, path, &file);

	return !error && file && build_id_matches(&file->image->build_id, id) ? file : NULL;
}

static struct object *find_debug_file(struct object_cache *cache, const char *const *debug_dirs,
	const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];
	struct object *object = NULL;

	build_id_format(id, hex);
	for (; !object && *debug_dirs && id->len > 1; debug_dirs++) {
		auto_free char *path = xasprintf(
			"%s/.build-id/%.2s/%s.debug", *debug_dirs, hex, hex + 2);

		object = file_with_id(cache, path, id);
	}
	if (!object && cache->find->debuginfod_cache) {
		auto_free char *path =
			xasprintf("%s/%s/debuginfo", cache->find->debuginfod_cache, hex);

		object = file_with_id(cache, path, id);
	}
	return object;
}

static struct object *fetch_debug_file(struct object_cache *cache, const struct build_id *id)
{
	char hex[2 * BUILD_ID_MAX + 1];

	build_id_format(id, hex);
	const struct fetch *fetch =
		fetcher_start(cache->fetcher, DEBUGINFOD_DEBUGINFO, id, NULL, hex);
	if (!fetch)
		return NULL;
	fetcher_wait(cache->fetcher, fetch);
	return fetch_path(fetch) ? file_with_id(cache, fetch_path(fetch), id) : NULL;
}

/* What is here comes before what could be fetched, a debug file too. */
struct object *object_of_debug_id(struct object_cache *cache, struct space_cache *spaces,
	const char *const *debug_dirs, const struct build_id *id)
{
	struct fetcher *fetcher = take(cache->fetcher);
	struct object *object = find_nearby(cache, spaces, -1, id);

	if (!object)
		object = find_on_disk(cache, id);
	if (!object->image) {
		struct object *debug_file = find_debug_file(cache, debug_dirs, id);

		object = debug_file ? debug_file : object;
	}
	cache->fetcher = fetcher;
	if (!object->image) {
		struct object *debug_file = fetch_debug_file(cache, id);

		object = debug_file ? debug_file
				    : object_of_build_id(cache, spaces, -1, id);
	}
	return object;
}
