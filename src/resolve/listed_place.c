// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/listed_place.h"

#include "kernel/kallsyms/kallsyms.h"
#include "object/trampoline.h"
#include "util/file.h"
#include "util/text.h"

/* Functions are aligned to at most 64 bytes, so padding to the next one is shorter. */
enum {
	STARTS_MAX = 1 << 16,
	FILL_MAX = 63,
};

/* A search among functions with one name. */
struct name_search {
	struct debug *debug; /* of the file; NULL: the kernel */
	uint64_t size;
	uint64_t any, right; /* the last match, and the last with that size */
	size_t n_any, n_right;
};

void named_starts_deinit(struct named_starts *starts)
{
	table_deinit(&starts->by_name);
	vec_deinit(&starts->all);
}

void named_starts_clear(struct named_starts *starts)
{
	table_clear(&starts->by_name);
	starts->all.len = 0;
}

static void add_start(struct name_search *search, uint64_t start, bool right)
{
	if (!search->n_any || search->any != start)
		search->n_any++;
	search->any = start;
	if (right && (!search->n_right || search->right != start))
		search->n_right++;
	if (right)
		search->right = start;
}

/* Returns the result of a search. */
static struct named_start settle(const struct name_search *search)
{
	if (search->n_right == 1)
		return (struct named_start){FRAME_NAMED, false, search->right};
	if (search->n_any == 1)
		return (struct named_start){FRAME_NAMED, true, search->any};
	return (struct named_start){.status = FRAME_OUTSIDE_SYMBOLS};
}

/*
 * Returns the cached answer for NAME in object NUMBER, or in OWNER, a module; or a new one with
 * ADDED_RET set.
 */
static struct named_start *start_at(struct named_starts *starts, const char *owner, uint64_t number,
	const char *name, uint64_t size, bool *added_ret)
{
	auto_text struct text key = {};

	if (starts->all.len >= STARTS_MAX)
		named_starts_clear(starts);
	text_add_string(&key, owner);
	text_add_char(&key, 0);
	text_printf(&key, "%llu %llu ", (unsigned long long)number, (unsigned long long)size);
	text_add_string(&key, name);
	uint64_t *index = table_at(&starts->by_name, key.data, key.len, added_ret);
	if (*added_ret) {
		*index = starts->all.len;
		(void)vec_add(&starts->all);
	}
	return &starts->all.data[*index];
}

/* ---- functions of the kernel ---------------------------------------------------------------- */

/*
 * The kernel prints the distance to the next symbol as the size (get_symbol_pos() in
 * kernel/kallsyms.c), except for BPF programs and the last function of a module.
 */
static bool is_that_long(
	const struct kallsyms *symbols, const char *module, uint64_t start, uint64_t size)
{
	struct kallsyms_answer here, next;

	if (!kallsyms_find_in(symbols, module, start, &here))
		return false;
	if (here.end - start == size)
		return true;
	bool last = *module && !kallsyms_find_in(symbols, module, here.end, &next);
	return size < here.end - start && (last || !strcmp(module, "bpf"));
}

struct named_start named_start_in_kernel(struct named_starts *starts, struct kernel *kernel,
	const char *module, const char *name, uint64_t size)
{
	bool added;
	struct named_start *start = start_at(starts, module, UINT64_MAX, name, size, &added);

	if (!added)
		return *start;
	struct kallsyms *symbols = kernel_symbols(kernel);
	const struct kallsyms_symbol *symbol;
	struct name_search search = {};
	if (symbols->status != KALLSYMS_READ)
		return *start = (struct named_start){.status = kernel_status(kernel)};
	for (size_t at = 0; (symbol = kallsyms_next_named(symbols, name, &at));) {
		const char *owner = symbols->text + symbol->module;
		/* the kernel prints BPF programs without a module */
		bool bpf = !*module && !strcmp(owner, "bpf");

		if (bpf || !strcmp(owner, module))
			add_start(&search, symbol->address,
				!size || is_that_long(symbols, owner, symbol->address, size));
	}
	return *start = settle(&search);
}

/* ---- functions of files --------------------------------------------------------------------- */

static void found_in_object(void *context, const struct symbol *symbol)
{
	struct name_search *search = context;
	uint64_t size = symbol->end - symbol->start;
	uint64_t distance =
		symbol_search_next(debug_symtab(search->debug), symbol->start) - symbol->start;
	/* up to the next symbol, or up to code that has no function in the file */
	bool reaches =
		search->size == distance || (search->size < distance && size <= search->size &&
						    search->size - size <= FILL_MAX);

	add_start(search, symbol->start, !search->size || reaches);
}

/* ---- which file ----------------------------------------------------------------------------- */

/* Returns true if BASE is `NAME.ko`, perhaps with a suffix; files may have - for a module's _. */
static bool is_module_file(const char *base, const char *name)
{
	for (; *name; name++, base++)
		if (*base != *name && (*base != '-' || *name != '_'))
			return false;
	return !strncmp(base, ".ko", 3) && (!base[3] || base[3] == '.');
}

struct object *listed_kernel_file(struct object_cache *cache, const char *module)
{
	vec_each_value(object, &cache->objects) {
		const char *base = object->label.path ? file_base_name(object->label.path) : "";
		bool kernel = !strcmp(base, "vmlinux") || !strncmp(base, "vmlinux-", 8) ||
			      !strncmp(base, "vmlinux.", 8);

		if (object->given && object->image &&
			(*module ? is_module_file(base, module) : kernel))
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

	vec_each_value(object, &cache->objects)
		if (object->given && object->image && object->label.path &&
			!strcmp(file_base_name(object->label.path), base) &&
			may_have_id(object, &file->build_id))
			return object;
	return NULL;
}

/* Returns what the process has mapped from that path, or by name if there is no path. */
static struct object *mapped_file(struct places *places, int64_t pid, const struct stack_file *file)
{
	struct object_cache *cache = &places->objects;
	const struct space *space = space_at(&places->spaces, pid, 0);
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

/* Returns a program at a fixed address that has code at VALUE; NULL: none. */
static struct object *fixed_file_at(
	struct object_cache *cache, const struct stack_file *file, uint64_t value)
{
	vec_each_value(object, &cache->objects)
		if (object->given && object->image && !elf_image_is_relocatable(object->image) &&
			elf_image_is_code(object->image, value))
			return object;
	if (!file->path || !strchr(file->path, '/'))
		return NULL;
	struct object *object = object_of_path(cache, file->path, file->searched);
	bool fits = object->image && elf_image_is_fixed(object->image) &&
		    elf_image_is_code(object->image, value);
	return fits ? object : NULL;
}

/* Returns the file of a value, and converts VALUE if FILE gives where it was loaded. */
static struct object *object_of_file_named(
	struct places *places, int64_t pid, const struct stack_file *file, uint64_t *value)
{
	struct object_cache *cache = &places->objects;
	struct object *object;

	if (file->module) {
		object = listed_kernel_file(cache, file->module);
	} else if (!file->searched) {
		object = object_of_path(cache, file->path, file->base == STACK_FILE_OFFSET);
	} else if (file->load) {
		object = given_file(cache, file)
				 ?: object_of_path(cache, file->path, file->searched);
		if (!object->image)
			return object;
		*value -= elf_image_is_fixed(object->image) ? 0 : file->load;
		if (!elf_image_is_code(object->image, *value))
			object = NULL;
	} else if (file->base == STACK_FILE_ADDRESS) {
		object = fixed_file_at(cache, file, *value);
	} else {
		object = file->path ? given_file(cache, file) : NULL;
		if (!object && file->path && pid >= 0)
			object = mapped_file(places, pid, file);
		if (!object && file->path && strchr(file->path, '/'))
			object = object_of_path(cache, file->path, file->searched);
		/* a given build ID identifies it, whatever is at the path */
		if (file->build_id.len &&
			!(object && object->image && may_have_id(object, &file->build_id)))
			object = object_of_build_id(cache, &places->spaces, -1, &file->build_id);
	}
	if (object)
		return object;
	if (file->base == STACK_FILE_ADDRESS)
		return object_without_image(cache, file->path ? file->path : "", FRAME_NO_PID,
			"the text gives an address, but not where files were loaded");
	return object_without_image(cache, file->path, FRAME_FILE_ABSENT,
		"the text gives no directory for the file: use -e FILE");
}

/* ---- where in it ---------------------------------------------------------------------------- */

/* Returns an unnamed place if the symbol is missing or ambiguous. */
static struct place *place_by_symbol(struct places *places, struct named_starts *starts,
	const struct target *target, const struct stack_file *file, uint64_t value)
{
	struct object *object = target->object;
	bool added;
	struct named_start *found =
		start_at(starts, "", object->number, file->symbol, file->size, &added);

	if (added) {
		struct name_search search = {.size = file->size, .debug = target->debug};

		symbol_search_each(debug_symtab(target->debug), file->symbol, SYMBOL_AS_IN_FILE,
			found_in_object, &search);
		*found = settle(&search);
	}
	if (found->status == FRAME_NAMED)
		return place_in_file(places, object, found->start + value,
			found->doubtful ? FILE_VALUE_OTHER_BUILD : FILE_VALUE_ADDRESS);
	object = object_without_image(&places->objects, object->label.path, FRAME_OUTSIDE_SYMBOLS,
		"the file has no such symbol, or several");
	return place_in_file(places, object, PLACE_NOWHERE, FILE_VALUE_FROM_BIAS);
}

struct place *listed_place(struct places *places, struct targets *targets,
	struct named_starts *starts, int64_t pid, const struct stack_file *file, uint64_t value,
	bool exact)
{
	struct object *object = object_of_file_named(places, pid, file, &value);
	bool found = true;

	if (!object->image)
		return place_in_file(places, object,
			file->symbol || file->module ? PLACE_NOWHERE : value,
			file->base == STACK_FILE_OFFSET ? FILE_VALUE_OF_PATH
							: FILE_VALUE_FROM_BIAS);
	if (file->symbol)
		return place_by_symbol(places, starts, target_of(targets, object), file, value);
	if (file->base == STACK_FILE_LOADED) {
		/*
		 * Some programs that walk their own stack subtract 1 from return addresses
		 * (seastar). A call that ends one byte later shows it: VALUE is then inside an
		 * instruction, so neither exact nor a return address.
		 */
		value += file->searched && !file->sure && !exact &&
			 trampoline_never_returned_to(object->image, value) &&
			 trampoline_call_before(object->image, value + 1);
		return place_in_file(places, object, value,
			file->sure ? FILE_VALUE_FROM_BIAS : FILE_VALUE_FROM_START);
	}
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
		"no segment of the file matches the mapping");
	return place_in_file(places, object, PLACE_NOWHERE, FILE_VALUE_ADDRESS);
}

/* ---- the file of -e or -b ------------------------------------------------------------------- */

enum section_answer fixed_file_address(const struct fixed_file *file, const char *section,
	uint64_t offset, bool first, uint64_t *ret)
{
	const struct elf_image *image = file->object ? file->object->image : NULL;
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

void fixed_file_want(const struct fixed_file *file, const uint64_t *values, size_t n)
{
	if (file->object)
		debug_want(target_of(file->targets, file->object)->debug, values, n);
}

bool fixed_file_variable(const struct fixed_file *file, uint64_t value, struct frame *ret)
{
	return file->object &&
	       debug_variable(target_of(file->targets, file->object)->debug, value, ret);
}

bool fixed_file_find_variable(const struct fixed_file *file, const char *name, uint64_t *ret)
{
	return file->object &&
	       debug_find_variable(target_of(file->targets, file->object)->debug, name, ret);
}

uint64_t fixed_file_shown(const struct fixed_file *file, uint64_t value)
{
	return file->object && elf_image_is_relocatable(file->object->image)
		       ? elf_image_section_offset(file->object->image, value)
		       : value;
}

bool fixed_file_is_64bit(const struct fixed_file *file)
{
	return !file->object || file->object->image->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
}
