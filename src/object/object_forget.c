// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/object_forget.h"

#include <stdlib.h>

#include "util/order.h"
#include "util/xalloc.h"

/* A program with debug info takes some megabytes of memory, one without some hundred bytes. */
enum { OBJECTS_MAX = 1 << 14, IMAGES_MAX = 1 << 12, DOMAINS_MAX = 1 << 12 };
enum { KEYS_MAX = 1 << 16, MAPPED_MAX = 1 << 16 };
static const uint64_t BYTES_MAX = 4ULL << 30;

/* ---- limits --------------------------------------------------------------------------------- */

static struct object_amounts amounts_of(const struct object_cache *cache)
{
	struct object_amounts ret = {
		cache->objects.len, cache->images.len, cache->domains.all.len, 0};

	for (size_t i = 0; i < cache->images.len; i++)
		if (cache->images.data[i])
			ret.bytes += (uint64_t)cache->images.data[i]->stat.st_size;
	return ret;
}

/* Sets the limits, at least to twice what is in use now. */
static void allow(struct object_cache *cache)
{
	const struct object_amounts now = amounts_of(cache);

	cache->images_counted = cache->images.len;
	cache->max = (struct object_amounts){
		.objects = now.objects > OBJECTS_MAX / 2 ? 2 * now.objects : OBJECTS_MAX,
		.images = now.images > IMAGES_MAX / 2 ? 2 * now.images : IMAGES_MAX,
		.domains = now.domains > DOMAINS_MAX / 2 ? 2 * now.domains : DOMAINS_MAX,
		.bytes = now.bytes > BYTES_MAX / 2 ? 2 * now.bytes : BYTES_MAX,
	};
}

bool object_cache_is_full(struct object_cache *cache)
{
	const struct object_amounts *max = &cache->max;

	if (!max->objects)
		allow(cache);
	if (cache->objects.len > max->objects || cache->images.len > max->images ||
		cache->domains.all.len > max->domains)
		return true;
	/* The sum only changes with a new image. */
	if (cache->images_counted == cache->images.len)
		return false;
	cache->images_counted = cache->images.len;
	return amounts_of(cache).bytes > max->bytes;
}

void object_cache_choose(struct object_cache *cache)
{
	for (size_t i = 0; i < cache->objects.len; i++) {
		struct object *object = cache->objects.data[i];

		object->dropped = !object->used && !object->pinned && !object->given;
		object->used = false;
	}
}

/* ---- dropping ------------------------------------------------------------------------------- */

/* Replaces an old index + 1 by the new one. CONTEXT has these by old index; 0: dropped. */
static bool renumber(void *context, uint64_t *value)
{
	const uint64_t *indexes = context;

	*value = *value ? indexes[*value - 1] : 0;
	return *value;
}

COMPARE(compare_pointers, uintptr_t, order_of(*a, *b))

static uint64_t *drop_objects(struct object_cache *cache)
{
	uint64_t *ret = xreallocarray(NULL, cache->objects.len + 1, sizeof(uint64_t));
	size_t kept = 0;

	for (size_t i = 0; i < cache->objects.len; i++) {
		struct object *object = cache->objects.data[i];

		ret[i] = object->dropped ? 0 : kept + 1;
		if (object->dropped) {
			object_destroy(object);
			continue;
		}
		object->number = kept;
		cache->objects.data[kept++] = object;
	}
	cache->objects.len = kept;
	return ret;
}

/* Drops images that no object uses, and failures to open a file, which is then tried again. */
static uint64_t *drop_images(struct object_cache *cache)
{
	uint64_t *ret = xreallocarray(NULL, cache->images.len + 1, sizeof(uint64_t));
	size_t n = cache->objects.len, kept = 0;
	uintptr_t *used = xreallocarray(NULL, n + 1, sizeof(*used));

	for (size_t i = 0; i < n; i++)
		used[i] = (uintptr_t)cache->objects.data[i]->image;
	qsort(used, n, sizeof(*used), compare_pointers);
	for (size_t i = 0; i < cache->images.len; i++) {
		struct elf_image *image = cache->images.data[i];
		const uintptr_t key = (uintptr_t)image;
		bool keep = image && bsearch(&key, used, n, sizeof(*used), compare_pointers);

		ret[i] = keep ? kept + 1 : 0;
		if (keep)
			cache->images.data[kept++] = image;
		else
			elf_image_destroy(image);
	}
	cache->images.len = kept;
	free(used);
	return ret;
}

static void drop_domains(struct object_cache *cache)
{
	const struct domains *domains = &cache->domains;

	for (size_t i = 0; i < domains->all.len; i++)
		domains->all.data[i]->used = false;
	for (size_t i = 0; i < cache->objects.len; i++) {
		size_t number = cache->objects.data[i]->domain_number;
		size_t at = sorted_count(domains->all.data, domains->all.len, ->number < number);

		if (at < domains->all.len && domains->all.data[at]->number == number)
			domains->all.data[at]->used = true;
	}
	domains_keep_used(&cache->domains);
}

void object_cache_drop(struct object_cache *cache)
{
	uint64_t *objects = drop_objects(cache), *images = drop_images(cache);

	for (size_t i = 0; i < OBJECT_KEYS; i++)
		table_keep(&cache->found[i], renumber, objects);
	table_keep(&cache->image_by_file, renumber, images);
	free(objects);
	free(images);
	drop_domains(cache);
	allow(cache);
}

/* ---- keys ----------------------------------------------------------------------------------- */

static void forget_many(struct table *table)
{
	if (table->len > KEYS_MAX)
		table_deinit(table);
}

void object_cache_allow_mapped(struct object_cache *cache)
{
	cache->mapped_max = 2 * cache->mapped.len > MAPPED_MAX ? 2 * cache->mapped.len : MAPPED_MAX;
}

/* The next unknown build ID scans all processes again. */
static void forget_mapped(struct object_cache *cache)
{
	cache->mapped_max = 0;
	cache->scanned = false;
	vec_deinit(&cache->mapped);
	table_deinit(&cache->mapped_by_space);
	table_deinit(&cache->mapped_files);
}

void object_cache_forget_keys(struct object_cache *cache)
{
	for (size_t i = 0; i < OBJECT_BY_NAME; i++)
		forget_many(&cache->found[i]);
	forget_many(&cache->domains.by_space);
	if (!cache->mapped_max)
		cache->mapped_max = MAPPED_MAX;
	if (cache->mapped.len > cache->mapped_max)
		forget_mapped(cache);
}
