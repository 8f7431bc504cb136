// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/listed_place.h"

#include <string.h>

#include "debug/debug.h"
#include "object/object_by_id.h"
#include "object/object_path.h"
#include "object/trampoline.h"
#include "resolve/place.h"
#include "util/file.h"

/* ---- which file ----------------------------------------------------------------------------- */

/* Returns true if BASE is `NAME.ko`, perhaps with a suffix; files may have - for a module's _. */
static bool is_module_file(const char *base, const char *name)
{
	for (; *name; name++, base++)
		if (*base != *name && (*base != '-' || *name != '_'))
			return false;
	return !strncmp(base, ".ko", 3) && (!base[3] || base[3] == '.');
}

static bool is_kernel_file(const char *base)
{
	size_t len = strlen("vmlinux");

	return !strncmp(base, "vmlinux", len) &&
	       (!base[len] || base[len] == '-' || base[len] == '.');
}

struct object *listed_kernel_file(struct object_cache *cache, const char *module)
{
	for (size_t i = 0; i < cache->objects.len; i++) {
		struct object *object = cache->objects.data[i];
		const char *base = object->label.path ? file_base_name(object->label.path) : "";

		if (object->given && object->image &&
			(*module ? is_module_file(base, module) : is_kernel_file(base)))
			return object;
	}
	return NULL;
}

static bool may_have_id(const struct object *object, const struct build_id *id)
{
	return !id->len || build_id_matches(&object->image->build_id, id);
}

/* Returns the file of -e with that name, and with the build ID if the text has one. */
static struct object *given_file(struct object_cache *cache, const struct stack_file *file)
{
	const char *base = file_base_name(file->path);

	for (size_t i = 0; i < cache->objects.len; i++) {
		struct object *object = cache->objects.data[i];

		if (object->given && object->image && object->label.path &&
			!strcmp(file_base_name(object->label.path), base) &&
			may_have_id(object, &file->build_id))
			return object;
	}
	return NULL;
}

/* Returns what the process has mapped from that path, or by name if there is no path. */
static struct object *mapped_file(
	const struct lookup *lookup, int64_t pid, const struct stack_file *file)
{
	struct object_cache *cache = &lookup->places->objects;
	const struct space *space = space_at(&lookup->places->spaces, pid, 0);
	bool whole = strchr(file->path, '/') != NULL;

	for (size_t i = 0; space->status == SPACE_READ && i < space->maps.len; i++) {
		const struct mapping *mapping = &space->maps.data[i];
		const char *path = whole ? mapping->path : file_base_name(mapping->path);

		if (!mapping->executable || mapping->ambiguous || strcmp(path, file->path) != 0)
			continue;
		struct object *object = object_of_mapping(cache, space, mapping, NULL);
		if (object->image && may_have_id(object, &file->build_id))
			return object;
	}
	return NULL;
}

/* Returns a program at a fixed address that has code at VALUE. */
static struct object *fixed_file_at(
	struct object_cache *cache, const struct stack_file *file, uint64_t value)
{
	for (size_t i = 0; i < cache->objects.len; i++) {
		struct object *object = cache->objects.data[i];

		if (object->given && object->image && !elf_image_is_relocatable(object->image) &&
			elf_image_is_code(object->image, value))
			return object;
	}
	struct object *object = file->path && strchr(file->path, '/')
					? object_of_path(cache, file->path, file->searched)
					: NULL;
	return object && object->image && elf_image_is_fixed(object->image) &&
			       elf_image_is_code(object->image, value)
		       ? object
		       : NULL;
}

/* Returns the file at the path and converts VALUE to an address in it; NULL: no code there. */
static struct object *loaded_file(
	struct object_cache *cache, const struct stack_file *file, uint64_t *value)
{
	struct object *object = given_file(cache, file);

	if (!object)
		object = object_of_path(cache, file->path, file->searched);
	if (!object->image)
		return object;
	*value -= elf_image_is_fixed(object->image) ? 0 : file->load;
	return elf_image_is_code(object->image, *value) ? object : NULL;
}

static struct object *without_file(struct object_cache *cache, const struct stack_file *file)
{
	if (file->base == STACK_FILE_ADDRESS)
		return object_without_image(cache, file->path ? file->path : "", FRAME_NO_PID,
			"the text has only an address, and not where files were loaded");
	return object_without_image(cache, file->path, FRAME_FILE_ABSENT,
		"the text does not say in which directory it is: -e FILE");
}

/* A given build ID identifies the file, whatever is at the path. */
static struct object *named_file(
	const struct lookup *lookup, int64_t pid, const struct stack_file *file)
{
	struct object_cache *cache = &lookup->places->objects;
	struct object *object = NULL;
	bool placed = file->path && strchr(file->path, '/');

	if (file->path)
		object = given_file(cache, file);
	if (!object && file->path && pid >= 0)
		object = mapped_file(lookup, pid, file);
	if (!object && placed)
		object = object_of_path(cache, file->path, file->searched);
	if (object &&
		(!file->build_id.len || (object->image && may_have_id(object, &file->build_id))))
		return object;
	if (file->build_id.len)
		return object_of_build_id(cache, &lookup->places->spaces, -1, &file->build_id);
	return without_file(cache, file);
}

static struct object *object_of_file_named(
	const struct lookup *lookup, int64_t pid, const struct stack_file *file, uint64_t *value)
{
	struct object_cache *cache = &lookup->places->objects;
	struct object *object;

	if (file->module)
		object = listed_kernel_file(cache, file->module);
	else if (!file->searched)
		object = object_of_path(cache, file->path, file->base == STACK_FILE_OFFSET);
	else if (file->load)
		object = loaded_file(cache, file, value);
	else if (file->base == STACK_FILE_ADDRESS)
		object = fixed_file_at(cache, file, *value);
	else
		object = named_file(lookup, pid, file);
	return object ? object : without_file(cache, file);
}

/* ---- where in it ---------------------------------------------------------------------------- */

/* Returns an unnamed place if the symbol is missing or ambiguous. */
static struct place *place_by_symbol(const struct lookup *lookup, struct named_starts *starts,
	struct object *object, const struct stack_file *file, uint64_t value)
{
	struct places *places = lookup->places;
	const struct named_start found = named_start_in_object(starts, object,
		target_debug(lookup->targets, target_of(lookup->targets, object)), file->symbol,
		file->size);

	if (found.status == FRAME_NAMED)
		return place_in_file(places, object, found.start + value,
			found.doubtful ? FILE_VALUE_OTHER_BUILD : FILE_VALUE_ADDRESS);
	object = object_without_image(&places->objects, object->label.path, FRAME_OUTSIDE_SYMBOLS,
		"the symbol in the list is not in the file, or more than once");
	return place_in_file(places, object, PLACE_NOWHERE, FILE_VALUE_FROM_BIAS);
}

/*
 * Some programs that walk their own stack subtract 1 from return addresses (seastar). A call that
 * ends one byte later shows it: VALUE is then inside an instruction, so neither exact nor a return
 * address.
 */
static uint64_t return_address(const struct elf_image *image, uint64_t value)
{
	return trampoline_never_returned_to(image, value) &&
			       trampoline_call_before(image, value + 1)
		       ? value + 1
		       : value;
}

struct place *listed_place(const struct lookup *lookup, struct named_starts *starts, int64_t pid,
	const struct stack_file *file, uint64_t value, bool exact)
{
	struct places *places = lookup->places;
	struct object *object = object_of_file_named(lookup, pid, file, &value);
	bool found = true;

	if (!object->image)
		return place_in_file(places, object,
			file->symbol || file->module ? PLACE_NOWHERE : value,
			file->base == STACK_FILE_OFFSET ? FILE_VALUE_OF_PATH
							: FILE_VALUE_FROM_BIAS);
	if (file->symbol)
		return place_by_symbol(lookup, starts, object, file, value);
	if (file->searched && file->base == STACK_FILE_LOADED && !file->sure && !exact)
		value = return_address(object->image, value);
	if (file->base == STACK_FILE_LOADED)
		return place_in_file(places, object, value,
			file->sure ? FILE_VALUE_FROM_BIAS : FILE_VALUE_FROM_START);
	if (file->base == STACK_FILE_OFFSET)
		found = object_offset_address(object->image, value, file->sure, &value);
	else if (file->base == STACK_FILE_START)
		found = elf_image_address(object->image, value, &value);
	else if (file->base == STACK_FILE_MAPPED)
		found = object_mapped_address(object->image, value, file->size, &value);
	if (found)
		return place_in_file(places, object, value,
			file->base == STACK_FILE_OFFSET ? FILE_VALUE_OF_PATH : FILE_VALUE_ADDRESS);
	object = object_without_image(&places->objects, object->label.path, FRAME_OUTSIDE_SEGMENTS,
		"no segment of the file was mapped so");
	return place_in_file(places, object, PLACE_NOWHERE, FILE_VALUE_ADDRESS);
}
