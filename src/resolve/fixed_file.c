// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/fixed_file.h"

enum section_answer fixed_file_address(const struct fixed_file *file, const char *section,
	uint64_t offset, bool first, uint64_t *ret)
{
	const struct object *object = file->object;
	const struct elf_image *image = object ? object->image : NULL;
	uint64_t start;

	if (section) {
		if (!image || !elf_image_section(image, section, &start))
			return SECTION_ABSENT;
		*ret = start + offset;
		return SECTION_FOUND;
	}
	*ret = offset;
	if (!image || !elf_image_is_relocatable(image) ||
		elf_image_code_offset(image, offset, first, ret))
		return SECTION_FOUND;
	return elf_image_code_offset(image, offset, true, &start) ? SECTION_AMBIGUOUS
								  : SECTION_ABSENT;
}

/* NULL: no file was given that can be read. */
static struct debug *fixed_debug(const struct fixed_file *file)
{
	struct object *object = file->object;

	return object && object->image
		       ? target_debug(file->targets, target_of(file->targets, object))
		       : NULL;
}

void fixed_file_want(const struct fixed_file *file, const uint64_t *values, size_t n)
{
	struct debug *debug = fixed_debug(file);

	if (debug)
		debug_want(debug, values, n);
}

bool fixed_file_variable(const struct fixed_file *file, uint64_t value, struct frame *ret)
{
	struct debug *debug = fixed_debug(file);

	return debug && debug_variable(debug, value, ret);
}

bool fixed_file_find_variable(const struct fixed_file *file, const char *name, uint64_t *ret)
{
	struct debug *debug = fixed_debug(file);

	return debug && debug_find_variable(debug, name, ret);
}

uint64_t fixed_file_shown(const struct fixed_file *file, uint64_t value)
{
	const struct object *object = file->object;

	return object && object->image && elf_image_is_relocatable(object->image)
		       ? elf_image_section_offset(object->image, value)
		       : value;
}

bool fixed_file_is_64bit(const struct fixed_file *file)
{
	const struct object *object = file->object;

	return !object || !object->image || object->image->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}
