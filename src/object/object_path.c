// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/object_cache.h"

#include <errno.h>
#include <fcntl.h>

#include "object/find/finder.h"
#include "object/locate.h"
#include "util/cleanup.h"
#include "door/door.h"
#include "util/file.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define PAGE 4096

struct object *object_of_path(struct object_cache *cache, const char *path, bool by_others)
{
	const struct find_options *find = cache->find;
	bool elsewhere = find->sysroot && *path == '/';
	auto_free char *key = xasprintf("%d%s", by_others, path);
	auto_free char *tried = NULL; /* the last path */
	int fd = -1;
	uint64_t *known = table_at(&cache->found[OBJECT_BY_PATH], key, strlen(key), NULL);

	if (*known)
		return object_at(*known);
	vec_each(rule, &find->rules) {
		char *other = fd < 0 ? path_rule_apply(rule, path) : NULL;

		if (!other)
			continue;
		free(tried);
		tried = other;
		fd = door_open(AT_FDCWD, tried, 0, NULL);
	}
	if (fd < 0 && (!tried || elsewhere)) {
		free(tried);
		tried = xasprintf("%s%s", elsewhere ? find->sysroot : "", path);
		fd = elsewhere ? sysroot_open(find->sysroot, path, NULL)
			       : door_open(AT_FDCWD, path, by_others ? DOOR_STORED : 0, NULL);
	}
	int err = errno;
	auto_error struct error *error = fd < 0 ? file_error(err, tried) : NULL;
	struct elf_image *image = fd < 0 ? NULL : image_of_fd(cache, fd, tried, &error);
	struct object *object = image ? object_of_image(cache, path, image)
				      : object_without_image(cache, path,
						fd >= 0 || err == EINVAL	? FRAME_FILE_BROKEN
						: err == EACCES || err == EPERM ? FRAME_FILE_DENIED
										: FRAME_FILE_ABSENT,
						error_message(error));
	*known = (uintptr_t)object;
	return object;
}

/* Returns true for code, or the end of code, which may be a return address. */
static bool is_code(const struct elf_image *image, uint64_t address)
{
	return elf_image_is_code(image, address) || elf_image_is_code(image, address - 1);
}

bool object_mapped_address(
	const struct elf_image *image, uint64_t offset, uint64_t size, uint64_t *ret)
{
	size_t found = 0;
	uint64_t start = 0;

	array_each(load, image->loads, image->n_loads) {
		uint64_t first = load->p_vaddr & -(uint64_t)PAGE;
		uint64_t end = (load->p_vaddr + load->p_filesz + PAGE - 1) & -(uint64_t)PAGE;

		if (!(load->p_flags & PF_X) || end - first != size)
			continue;
		start = first;
		found++;
	}
	if (found == 1)
		*ret = start + offset;
	return found == 1;
}

bool object_loaded_address(const struct elf_image *image, uint64_t offset, bool sure, uint64_t *ret,
	bool *doubtful_ret)
{
	uint64_t first = image->n_loads ? UINT64_MAX : 0;

	array_each(load, image->loads, image->n_loads)
		if (load->p_vaddr < first)
			first = load->p_vaddr;
	first &= -(uint64_t)PAGE;
	bool by_bias = sure || !first || is_code(image, offset);
	bool by_start = !sure && first && is_code(image, first + offset);

	if (elf_image_is_relocatable(image))
		return false;
	*ret = by_start && !by_bias ? first + offset : offset;
	*doubtful_ret = by_bias && by_start;
	return true;
}

bool object_offset_address(const struct elf_image *image, uint64_t offset, bool sure, uint64_t *ret)
{
	if (elf_image_address(image, offset, ret))
		return true;
	if (sure || !is_code(image, offset))
		return false;
	*ret = offset;
	return true;
}
