// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/object_cache.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/sysmacros.h>

#include "door/door.h"
#include "object/locate.h"
#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/vec.h"
#include "util/xalloc.h"

static void object_destroy(struct object *object)
{
	arena_deinit(&object->strings);
	free(object);
}

void object_cache_deinit(struct object_cache *cache)
{
	vec_destroy(&cache->objects, object_destroy);
	vec_destroy(&cache->images, elf_image_destroy);
	table_deinit(&cache->image_by_file);
	for (size_t i = 0; i < OBJECT_KEYS; i++)
		table_deinit(&cache->found[i]);
	vec_deinit(&cache->mapped);
	table_deinit(&cache->mapped_by_space);
	table_deinit(&cache->mapped_files);
	vec_destroy(&cache->conflicts, free);
	domains_deinit(&cache->domains);
	debug_folders_deinit(&cache->folders);
	mountinfo_deinit(&cache->here);
}

/* ---- objects -------------------------------------------------------------------------------- */

/* A file with two paths, or in two trust domains, has two objects with one image. */
struct object *object_of_result(
	struct object_cache *cache, const char *path, struct locate_result *result)
{
	bool tell = (!result->image || result->doubtful) && result->tried.len;
	const char *detail = tell ? result->tried.data : "";
	auto_text struct text key = {};

	text_printf(&key, "%p %d %d %zu %s %s%c%s", (void *)result->image, (int)result->status,
		result->doubtful, result->domain ? result->domain->number : 0,
		result->found_by ? result->found_by : "", path, 0, detail);
	text_add(&key, (const char *)result->build_id.bytes, result->build_id.len);
	uint64_t *known = table_at(&cache->found[OBJECT_BY_NAME], key.data, key.len, NULL);
	struct object *object = object_at(*known);
	if (!object) {
		object = xnew(object);
		*known = (uintptr_t)object;
		object->label.path = arena_string(&object->strings, path);
		object->label.name = file_base_name(object->label.path);
		object->label.build_id = result->build_id;
		object->label.found_by = result->found_by;
		object->image = result->image;
		object->status = result->status;
		object->doubtful = result->doubtful;
		object->detail = *detail ? arena_string(&object->strings, detail) : NULL;
		object->used = true;
		object->domain = result->domain;
		if (result->domain)
			object->path_in_root = arena_string(&object->strings, result->path_in_root);
		object->number = cache->objects.len;
		vec_push(&cache->objects, object);
	}
	if (!result->image && !object->label.not_fetched) {
		const char *lost = fetch_lost(result->failed, &object->label.fetch_fix);

		object->label.not_fetched = lost ? arena_string(&object->strings, lost) : NULL;
	}
	object->compare |= result->compare;
	text_deinit(&result->tried);
	return object;
}

struct object *object_of_image(
	struct object_cache *cache, const char *path, struct elf_image *image)
{
	return object_of_result(cache, path,
		&(struct locate_result){
			.image = image, .status = FRAME_NAMED, .build_id = image->build_id});
}

struct object *object_without_image(
	struct object_cache *cache, const char *path, enum frame_status status, const char *detail)
{
	struct locate_result result = {.status = status};

	text_add_string(&result.tried, detail);
	return object_of_result(cache, path, &result);
}

struct error *object_of_file(struct object_cache *cache, const char *path,
	struct writers *links_ret, struct object **ret)
{
	struct error *error = NULL;
	int fd = door_open(AT_FDCWD, path, 0, links_ret);

	if (fd < 0)
		return file_error(errno, path);
	struct elf_image *image = image_of_fd(cache, fd, path, &error);
	if (!image)
		return error;
	*ret = object_of_image(cache, path, image);
	return NULL;
}

/* ---- the vdso ------------------------------------------------------------------------------- */

/*
 * Returns the writers of a vdso image: none if it is recorded (the recorder saves only its own) or
 * equal to ours (the kernel maps one image everywhere), else the process's user, who may have
 * changed it.
 */
static struct writers vdso_writers(const struct space *space, const char *memory, size_t size)
{
	const uint64_t own = getauxval(AT_SYSINFO_EHDR);
	struct status status;

	if (space->record)
		return (struct writers){};
	auto_free char *bytes = xmalloc(size);
	auto_fd int fd = own ? file_open_regular(AT_FDCWD, "/proc/self/mem") : -1;
	if (fd >= 0 && file_read_at(fd, bytes, size, own) == size && !memcmp(bytes, memory, size))
		return (struct writers){};
	return status_read(space_dir(space), &status) ? writers_of_user((uid_t)status.uid)
						      : WRITERS_ANYONE;
}

static struct elf_image *find_in_memory(
	const struct object_cache *cache, const struct elf_image *image, size_t size)
{
	size_t known_size;

	vec_each_value(known, &cache->images)
		if (known && known->memory && elf_rawfile(known->elf, &known_size) &&
			known_size == size && !memcmp(known->memory, image->memory, size))
			return known;
	return NULL;
}

/*
 * Returns the object of the vdso, which is read from the process's memory. Processes with equal
 * images share one.
 */
static struct object *object_of_vdso(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping)
{
	const size_t size = mapping->end - mapping->start;
	scope_guard(elf_image_cleanup) struct elf_image *image = NULL;
	const struct recording *recording = space->record ? space->record->recording : NULL;
	void *memory;

	if (recording) {
		const struct text *saved = recording_vdso(recording, mapping->start, size);

		if (!saved)
			return object_without_image(cache, mapping->path, FRAME_FILE_ABSENT,
				"the recording has no such image");
		memory = memcpy(xmalloc(saved->len), saved->data, saved->len);
	} else if (!(memory = space_memory(space, mapping->start, mapping->end))) {
		return object_without_image(cache, mapping->path, FRAME_FILE_DENIED,
			"the process's memory cannot be read (requires CAP_SYS_PTRACE)");
	}
	const struct writers writers = vdso_writers(space, memory, size);
	auto_error struct error *error = elf_image_from_memory(memory, size, "[vdso]", &image);
	if (error)
		return object_without_image(
			cache, mapping->path, FRAME_FILE_BROKEN, error_message(error));
	image->writers = writers;
	const char *doubt = rule_of(
		EVIDENCE_MEMORY, rule_provenance(&writers, &writers, NULL), cache->find->trust)
				    .reason;
	struct elf_image *known = find_in_memory(cache, image, size);
	if (!known)
		vec_push(&cache->images, known = take(image));
	struct locate_result result = {.image = known,
		.status = FRAME_NAMED,
		.build_id = known->build_id,
		.doubtful = doubt};
	text_add_string(&result.tried, doubt ? doubt : "");
	return object_of_result(cache, mapping->path, &result);
}

/* ---- mapped files --------------------------------------------------------------------------- */

/* A view of the file tree, by its number, and a path in it. */
struct view {
	size_t domain;
	const char *path;
};

/*
 * Returns the cache's entry for a mapped file, by its inode, its build ID according to the kernel
 * (len 0: any) and its path: the address of the object, or 0 if there is none yet.
 */
static uint64_t *shared_at(struct object_cache *cache, const struct view *view,
	const struct mapping *mapping, const struct build_id *id)
{
	auto_free char *key = xasprintf("%zu %x:%x %llx %s %s", view->domain, mapping->dev_major,
		mapping->dev_minor, (unsigned long long)mapping->inode, build_id_hex(id).digits,
		view->path);

	return table_at(&cache->found[OBJECT_BY_FILE], key, strlen(key), NULL);
}

/*
 * Returns the object of a file that the kernel was asked about in this batch, or NULL. An inode
 * number is not reused while the image maps the file. On btrfs and overlays, where it may belong to
 * several files, the device in maps is not that of the file.
 */
static struct object *find_asked(
	struct object_cache *cache, const struct view *view, const struct mapping *mapping)
{
	const uint64_t *known = shared_at(cache, view, mapping, &(struct build_id){});
	struct object *object = object_at(*known);

	return object && object->asked == cache->batch && !object->compare &&
			       object->image->stat.st_ino == mapping->inode &&
			       object->image->stat.st_dev ==
				       makedev(mapping->dev_major, mapping->dev_minor)
		       ? object
		       : NULL;
}

/*
 * Returns the object found for another process, or NULL. If the kernel gave no build ID, or a
 * copy-up may have replaced the file, the process's link must lead to the same file.
 */
static struct object *find_shared(struct object_cache *cache, const struct view *view,
	const struct space *space, const struct mapping *mapping, const struct build_id *id)
{
	struct object *object = object_at(*shared_at(cache, view, mapping, id));

	if (!object ||
		(!object->compare && id->len && build_id_matches(&object->image->build_id, id)))
		return object;
	return locate_is_linked(space, mapping, id, object) ? object : NULL;
}

/*
 * Returns PATH, the path of a mapping of SPACE, relative to the process's root. Malloc'ed; starts
 * with /.
 */
static char *path_in_root(const struct space *space, const char *path)
{
	auto_free char *root = space_root(space);
	const char *below = mountinfo_below(path, root);

	return below ? xasprintf("/%s", below) : xstrdup(path);
}

/* Returns true if PATH, below our own root, is the file of IMAGE: then no other root matters. */
static bool is_in_own_root(const struct elf_image *image, const char *path)
{
	struct stat st;

	return image->stat.st_ino && *path == '/' && !stat(path, &st) &&
	       st.st_ino == image->stat.st_ino && st.st_dev == image->stat.st_dev;
}

static struct object *locate_object(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *said)
{
	const bool live = !space->record && mapping->inode;
	struct build_id id = said ? *said : (struct build_id){};
	struct locate_result result;
	struct object *object;

	if (!strcmp(mapping->path, "[vdso]"))
		return object_of_vdso(cache, space, mapping);
	struct domain *domain = domain_of(&cache->domains, space);
	auto_free char *inside =
		domain->number ? path_in_root(space, mapping->path) : xstrdup(mapping->path);
	/* A file of our own root is shared by all domains. */
	const struct view views[] = {{0, mapping->path}, {domain->number, inside}};
	const size_t n_views = !live ? 0 : domain->number ? 2 : 1;

	for (size_t i = 0; i < n_views && !said; i++)
		if ((object = find_asked(cache, &views[i], mapping)))
			return object;
	if (live && !said)
		(void)space_build_id(space, mapping, &id);
	object = NULL;
	for (size_t i = 0; i < n_views && !object; i++)
		object = find_shared(cache, &views[i], space, mapping, &id);
	if (!object) {
		locate_mapping(cache, space, mapping, &result);
		if (domain->number && result.image && !is_in_own_root(result.image, inside)) {
			domain_find_root(domain, space);
			result.domain = domain;
			result.path_in_root = inside;
		}
		object = object_of_result(cache, mapping->path, &result);
	}
	if (!live || !object->image || object->doubtful)
		return object;
	/* other processes may share it */
	const struct view *view = &views[object->domain != NULL];
	if (!said)
		object->asked = cache->batch;
	*shared_at(cache, view, mapping, &id) = (uintptr_t)object;
	*shared_at(cache, view, mapping, &(struct build_id){}) = (uintptr_t)object;
	return object;
}

struct mapping_key {
	uint64_t owner, start, version;
};

/* Returns the key of a mapping. All processes that mapped a recorded file share one key. */
static struct mapping_key mapping_key(const struct space *space, const struct mapping *mapping)
{
	return (struct mapping_key){mapping->file ? (uintptr_t)mapping->file : (uint64_t)space->pid,
		mapping->file && *mapping->path == '/' ? UINT64_MAX : mapping->start,
		space->version};
}

void object_prefetch_by_mapping(
	struct object_cache *cache, const struct space *space, const struct mapping *mapping)
{
	struct mapping_key key = mapping_key(space, mapping);
	bool added;

	if (!mapping->inode && !mapping->build_id)
		return;
	(void)table_at(&cache->found[OBJECT_AHEAD], &key, sizeof(key), &added);
	if (added)
		locate_prefetch(cache, space, mapping, NULL);
}

struct object *object_of_mapping(struct object_cache *cache, const struct space *space,
	const struct mapping *mapping, const struct build_id *said)
{
	struct mapping_key key = mapping_key(space, mapping);
	uint64_t *known = table_at(&cache->found[OBJECT_BY_MAPPING], &key, sizeof(key), NULL);

	if (!*known)
		*known = (uintptr_t)locate_object(cache, space, mapping, said);
	return object_at(*known);
}

/* ---- limits --------------------------------------------------------------------------------- */

/* A program with debug info takes some megabytes of memory, one without some hundred bytes. */
static const uint64_t least_max[AMOUNTS] = {1 << 14, 1 << 12, 1 << 12, 4ULL << 30};
enum { KEYS_MAX = 1 << 16, MAPPED_MAX = 1 << 16 };

/* Returns a limit of at least twice NOW. */
static uint64_t limit_for(uint64_t now, uint64_t least)
{
	return now > least / 2 ? 2 * now : least;
}

static uint64_t amount_of(const struct object_cache *cache, enum object_amount amount)
{
	return amount == AMOUNT_OBJECTS	  ? cache->objects.len
	       : amount == AMOUNT_IMAGES  ? cache->images.len
	       : amount == AMOUNT_DOMAINS ? cache->domains.all.len
					  : cache->bytes;
}

static void set_limits(struct object_cache *cache)
{
	for (size_t i = 0; i < AMOUNTS; i++)
		cache->max[i] = limit_for(amount_of(cache, i), least_max[i]);
}

bool object_cache_is_full(struct object_cache *cache)
{
	bool full = false;

	if (!cache->max[0])
		set_limits(cache);
	for (size_t i = 0; i < AMOUNTS; i++)
		full |= amount_of(cache, i) > cache->max[i];
	return full;
}

void object_cache_choose(struct object_cache *cache)
{
	vec_each_value(object, &cache->objects) {
		object->dropped = !object->used && !object->pinned && !object->given;
		object->used = false;
	}
}

/* ---- dropping ------------------------------------------------------------------------------- */

static bool keep_object(void *context, uint64_t *value)
{
	const struct object *object = object_at(*value);

	(void)context;
	return object && !object->dropped;
}

static bool keep_image(void *context, uint64_t *value)
{
	const struct elf_image *image = (const struct elf_image *)(uintptr_t)*value;

	(void)context;
	return image && image->used;
}

/* Drops images that no object uses, and failures to open a file, which is then tried again. */
static void drop_images(struct object_cache *cache)
{
	size_t kept = 0;

	vec_each_value(object, &cache->objects)
		if (object->image)
			object->image->used = true;
	table_keep(&cache->image_by_file, keep_image, NULL);
	vec_each_value(image, &cache->images) {
		if (image && image->used) {
			image->used = false;
			cache->images.data[kept++] = image;
		} else if (image) {
			cache->bytes -= (uint64_t)image->stat.st_size;
			elf_image_destroy(image);
		}
	}
	cache->images.len = kept;
}

void object_cache_drop(struct object_cache *cache)
{
	size_t kept = 0;

	for (size_t i = 0; i < OBJECT_KEYS; i++)
		table_keep(&cache->found[i], keep_object, NULL);
	vec_each_value(domain, &cache->domains.all)
		domain->used = false;
	vec_each_value(object, &cache->objects) {
		if (object->dropped) {
			object_destroy(object);
			continue;
		}
		if (object->domain)
			object->domain->used = true;
		object->number = kept;
		cache->objects.data[kept++] = object;
	}
	cache->objects.len = kept;
	drop_images(cache);
	domains_keep_used(&cache->domains);
	set_limits(cache);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void forget_many(struct table *table)
{
	if (table->len > KEYS_MAX)
		table_deinit(table);
}

void object_cache_begin(struct object_cache *cache)
{
	cache->batch++;
	for (size_t i = 0; i < OBJECT_BY_NAME; i++)
		forget_many(&cache->found[i]);
	forget_many(&cache->domains.by_space);
	if (cache->mapped.len <= limit_for(cache->scanned_len, MAPPED_MAX))
		return;
	/* The next unknown build ID scans all processes again. */
	cache->scanned_len = 0;
	cache->scanned = false;
	vec_deinit(&cache->mapped);
	table_deinit(&cache->mapped_by_space);
	table_deinit(&cache->mapped_files);
}
