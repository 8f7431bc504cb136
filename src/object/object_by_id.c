// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Finds objects by build ID alone. Anybody can copy the build ID of a file into another, so the
 * order of preference depends on who could have written the file: see object_of_build_id().
 */
#include "object/object_cache.h"

#include <linux/magic.h>

#include "object/identity.h"
#include "object/locate.h"
#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/vec.h"

#define CANDIDATES_MAX 16      /* files with one build ID that are compared */
#define COMPARED_MAX (8 << 20) /* bytes of a code segment that are compared */

/* ---- what processes have mapped ------------------------------------------------------------- */

/* Indexes of the mappings of one process in object_cache.mapped. */
struct mapped_range {
	uint32_t first, n;
};

/*
 * Adds the build IDs of the process's executable mappings according to the kernel, one per file, on
 * first use. Returns where they are in cache.mapped.
 */
static struct mapped_range mapped_of_space(struct object_cache *cache, const struct space *space)
{
	const uint64_t key[] = {(uint64_t)space->pid, space->version};
	const struct mapping *last = NULL;
	bool added;

	if (!space->maps.len)
		return (struct mapped_range){};
	uint64_t *packed = table_at(&cache->mapped_by_space, key, sizeof(key), &added);
	size_t first = cache->mapped.len;

	for (size_t i = 0; added && i < space->maps.len; i++) {
		const struct mapping *mapping = &space->maps.data[i];
		struct mapped_id mapped = {
			.pid = space->pid, .version = space->version, .start = mapping->start};

		if (!mapping->executable || (!mapping->inode && !mapping->build_id) ||
			(last && mapping_same_file(last, mapping) &&
				last->build_id == mapping->build_id))
			continue;
		last = mapping;
		mapped.build_id = locate_mapped_id(space, mapping);
		vec_push(&cache->mapped, mapped);
	}
	if (added)
		*packed = (uint64_t)first << 32 | (cache->mapped.len - first);
	return (struct mapped_range){(uint32_t)(*packed >> 32), (uint32_t)*packed};
}

/*
 * Lists what all processes have mapped. Reads the build IDs that the kernel does not report from
 * the files; a file that many processes have mapped is opened once.
 */
static void scan_processes(struct object_cache *cache, struct space_cache *spaces)
{
	scope_guard(procfs_close_dir) DIR *proc = opendir(spaces->proc_root);
	uint32_t pid;

	cache->scanned = true;
	while (proc && !stop_asked() && procfs_next_id(proc, &pid)) {
		const struct space *space = space_of(spaces, pid);
		const struct mapped_range range = mapped_of_space(cache, space);

		for (size_t i = range.first; i < range.first + range.n; i++) {
			const struct mapping *mapping =
				maps_find(&space->maps, cache->mapped.data[i].start);
			bool added;

			if (cache->mapped.data[i].build_id.len || !mapping)
				continue;
			/* skip files already seen in a process of this trust domain */
			const uint64_t file[] = {mapping->dev_major, mapping->dev_minor,
				mapping->inode, domain_of(&cache->domains, space)->number};
			(void)table_at(&cache->mapped_files, file, sizeof(file), &added);
			if (!added)
				continue;
			const struct object *object =
				object_of_mapping(cache, space, mapping, NULL);
			cache->mapped.data[i].build_id = object->label.build_id;
		}
	}
	cache->scanned_len = cache->mapped.len;
}

static struct object *object_if_matching(struct object_cache *cache, const struct space *space,
	const struct mapped_id *mapped, const struct build_id *id)
{
	const struct mapping *mapping = maps_find(&space->maps, mapped->start);
	/* the PID may have been reused */
	bool as_then = space->version == mapped->version;
	const struct build_id *said = as_then && mapped->build_id.len ? &mapped->build_id : NULL;
	struct object *object = mapping ? object_of_mapping(cache, space, mapping, said) : NULL;

	return object && object->image && !object->doubtful &&
			       build_id_matches(&object->image->build_id, id)
		       ? object
		       : NULL;
}

/* ---- files with the same build ID ----------------------------------------------------------- */

/* The files with one build ID that processes have mapped, and who could have written them. */
struct same_id_files {
	struct same_id_file {
		struct object *object;
		enum provenance from;
	} all[CANDIDATES_MAX + 1]; /* best first; the last is temporary */
	size_t n;
};

/*
 * Returns who could have written OBJECT, mapped by SPACE, relative to a frame of the process ASKS
 * (NULL: unknown).
 */
static enum provenance provenance_in(struct object_cache *cache, const struct space *space,
	const struct object *object, const struct space *asks)
{
	const struct elf_image *image = object->image;
	const enum provenance file = rule_provenance(&image->writers, NULL, NULL);
	/* a file system that cannot be written to while mounted, as that of a snap */
	bool read_only = image->fs_type == SQUASHFS_MAGIC || image->fs_type == EROFS_SUPER_MAGIC_V1;

	if (!object->domain || (file == PROVENANCE_OURS && read_only))
		return file;
	if (asks && domain_of(&cache->domains, asks) == object->domain)
		return PROVENANCE_THEIRS;
	return domain_is_foreign(domain_of(&cache->domains, space), space) ? PROVENANCE_NAMESPACE
									   : PROVENANCE_CONTAINER;
}

/* If there are too many, the best are kept. */
static void add_candidate(
	struct same_id_files *candidates, struct object *object, enum provenance from)
{
	const struct same_id_file candidate = {object, from};
	size_t at = candidates->n;

	array_each(known, candidates->all, candidates->n)
		if (known->object->image == object->image && known->from <= from)
			return;
	for (; at && candidates->all[at - 1].from > from; at--)
		candidates->all[at] = candidates->all[at - 1];
	candidates->all[at] = candidate;
	candidates->n += candidates->n < CANDIDATES_MAX;
}

/* Returns true if two files have the same segments. One of them may be stripped of its symbols. */
static bool same_program(const struct elf_image *a, const struct elf_image *b)
{
	if (a == b)
		return true;
	if (a->n_loads != b->n_loads)
		return false;
	for (size_t i = 0; i < a->n_loads; i++) {
		const GElf_Phdr *load = &a->loads[i];
		size_t len = load->p_filesz < COMPARED_MAX ? load->p_filesz : COMPARED_MAX;

		if (memcmp(load, &b->loads[i], sizeof(*load)) != 0)
			return false;
		if (load->p_flags & PF_W)
			continue;
		const uint8_t *one = elf_image_raw(a, load->p_offset, len);
		const uint8_t *two = elf_image_raw(b, load->p_offset, len);
		if (!one || !two || memcmp(one, two, len) != 0)
			return false;
	}
	return true;
}

/*
 * Returns the best of CANDIDATES, or NULL if none is at least as good as PROVENANCE. Warns of the
 * others that are different programs. KNOWN: the process that the frame belongs to is known.
 */
static struct object *take_candidate(struct object_cache *cache,
	const struct same_id_files *candidates, const struct build_id *id,
	enum provenance provenance, bool known)
{
	const struct same_id_file *best = candidates->all;
	bool disputed = false;

	if (!candidates->n || best->from > provenance)
		return NULL;
	struct object *taken = best->object;
	for (const struct same_id_file *candidate = best; candidate < best + candidates->n;
		candidate++) {
		const char *path = candidate->object->label.path;

		if (same_program(taken->image, candidate->object->image))
			continue;
		disputed |= candidate->from == best->from;
		if (cache->conflicts.len >= LOG_MAX)
			continue;
		struct text text = {};
		text_printf(&text, "build ID %s: ", build_id_hex(id).digits);
		text_add_escaped_string(&text, path);
		text_add_string(&text, " has it too, but differs from ");
		text_add_escaped_string(&text, taken->label.path);
		vec_push(&cache->conflicts, text_take(&text));
	}
	const char *doubt = disputed ? "several different files have this build ID"
				     : rule_of(known ? EVIDENCE_UNMAPPED : EVIDENCE_ID, best->from,
					       cache->find->trust)
					       .reason;
	if (!doubt || taken->doubtful)
		return taken;
	struct locate_result result = {.image = taken->image,
		.status = FRAME_NAMED,
		.build_id = taken->label.build_id,
		.found_by = taken->label.found_by,
		.doubtful = true,
		.domain = taken->domain,
		.path_in_root = taken->path_in_root};
	text_add_string(&result.tried, doubt);
	return object_of_result(cache, taken->label.path, &result);
}

void object_cache_notes(const struct object_cache *cache, struct log *log)
{
	vec_each_value(conflict, &cache->conflicts)
		log_add(log, LOG_WARNING, 1, "%s", conflict);
}

/* ---- files that are not mapped -------------------------------------------------------------- */

/*
 * Returns the object filed by this build ID in directories and caches, or NULL. With FETCH it also
 * asks servers, and returns an object without image instead of NULL. With DEBUG, a separate debug
 * file will do.
 */
static struct object *find_on_disk(
	struct object_cache *cache, const struct build_id *id, bool fetch, bool debug)
{
	struct fetcher *fetcher = cache->fetcher;
	struct locate_result result;

	if (!fetch)
		cache->fetcher = NULL;
	locate_build_id(cache, id, debug, &result);
	cache->fetcher = fetcher;
	if (!fetch && !result.image) {
		text_deinit(&result.tried);
		return NULL;
	}
	auto_free char *name = xasprintf("build-id:%s", build_id_hex(id).digits);
	return object_of_result(cache, result.image ? result.image->path : name, &result);
}

/* ---- the order of preference ---------------------------------------------------------------- */

/*
 * Searches everywhere except in the files of -e, in those of the process ASKS (NULL: unknown), and
 * on servers.
 * Returns NULL if the file is not found.
 */
static struct object *find_elsewhere(struct object_cache *cache, struct space_cache *spaces,
	const struct space *asks, const struct build_id *id)
{
	struct same_id_files candidates = {};
	struct object *object;

	if (!cache->scanned)
		scan_processes(cache, spaces);
	vec_each_value(mapped, &cache->mapped) {
		if (!mapped.build_id.len || !build_id_matches(&mapped.build_id, id))
			continue;
		const struct space *space = space_of(spaces, mapped.pid);
		if ((object = object_if_matching(cache, space, &mapped, id)))
			add_candidate(
				&candidates, object, provenance_in(cache, space, object, asks));
	}
	/* the file at the path that the recording has for this build ID */
	const struct recorded_file *file =
		spaces->recording ? recording_file_of(spaces->recording, id) : NULL;
	if (file && *file->path == '/') {
		struct search search = {};
		auto_error struct error *error =
			object_of_file(cache, file->path, &search.links, &object);

		if (!error && build_id_matches(&object->image->build_id, id))
			add_candidate(
				&candidates, object, identity_provenance(&search, object->image));
	}
	if ((object = take_candidate(cache, &candidates, id, PROVENANCE_OURS, asks)) ||
		(object = find_on_disk(cache, id, false, false)))
		return object;
	return take_candidate(cache, &candidates, id, PROVENANCES, asks);
}

/*
 * Used in keys instead of a process ID, if the result is the same for all processes, or for all but
 * the one that has the file mapped.
 */
enum { ANY_PROCESS = -1, ANOTHER_PROCESS = -2 };

struct id_key {
	int64_t pid;
	uint64_t version;
	struct build_id id;
} __attribute__((packed));

/*
 * Returns the object if it is found without a download, else NULL. Calls find_elsewhere() once per
 * trust domain and build ID.
 */
static struct object *find_here(struct object_cache *cache, struct space_cache *spaces,
	const struct space *space, const struct build_id *id)
{
	struct mapped_range range = {};
	bool added;

	vec_each_value(given, &cache->objects)
		if (given->given && given->image && build_id_matches(&given->image->build_id, id))
			return given;
	if (space)
		range = mapped_of_space(cache, space);
	for (size_t i = range.first; i < range.first + range.n; i++) {
		const struct mapped_id mapped = cache->mapped.data[i];

		if (mapped.build_id.len && !build_id_matches(&mapped.build_id, id))
			continue;
		struct object *object = object_if_matching(cache, space, &mapped, id);
		if (object)
			return object;
	}
	const struct id_key key = {space ? ANOTHER_PROCESS : ANY_PROCESS,
		space ? domain_of(&cache->domains, space)->number : 0, *id};
	uint64_t *known = table_at(&cache->found[OBJECT_BY_OTHERS], &key, sizeof(key), &added);
	if (added)
		*known = (uintptr_t)find_elsewhere(cache, spaces, space, id);
	return object_at(*known);
}

static struct id_key key_in(const struct space *space, const struct build_id *id)
{
	bool known = space && space->pid >= 0;

	return (struct id_key){known   ? space->pid
			       : space ? ANOTHER_PROCESS
				       : ANY_PROCESS,
		known ? space->version : 0, *id};
}

void object_prefetch_by_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id)
{
	const struct space *space = pid < 0 ? NULL : space_at(spaces, pid, 0);
	const struct id_key key = key_in(space, id);
	bool added;

	(void)table_at(&cache->found[OBJECT_AHEAD], &key, sizeof(key), &added);
	if (added && !find_here(cache, spaces, space, id))
		locate_prefetch(cache, NULL, NULL, id);
}

struct object *object_of_build_id(struct object_cache *cache, struct space_cache *spaces,
	int64_t pid, const struct build_id *id)
{
	const struct space *space = pid < 0 ? NULL : space_at(spaces, pid, 0);
	const struct id_key key = key_in(space, id);
	uint64_t *known = table_at(&cache->found[OBJECT_BY_ID], &key, sizeof(key), NULL);

	if (*known)
		return object_at(*known);
	struct object *object = find_here(cache, spaces, space, id);
	if (!object)
		object = find_on_disk(cache, id, true, false);
	*known = (uintptr_t)object;
	return object;
}

/* Files found here are preferred to downloads, even if only a debug file is found. */
struct object *object_of_debug_id(
	struct object_cache *cache, struct space_cache *spaces, const struct build_id *id)
{
	struct fetcher *fetcher = take(cache->fetcher);
	struct object *object = find_here(cache, spaces, NULL, id);

	cache->fetcher = fetcher;
	return object ? object : find_on_disk(cache, id, true, true);
}
