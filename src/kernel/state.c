// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/state.h"

#include <string.h>
#include <sys/stat.h>

#include "kernel/build_ids.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

/*
 * limits of kernel_is_full(): bytes of strings, and unloaded programs that are kept with their
 * lines
 */
enum { STRINGS_MAX = 4 << 20, PROGRAMS_KEPT_MAX = 256 };

bool kernel_is_foreign(const struct kernel *kernel)
{
	return kernel->saved || (kernel->recording && kernel->recording->foreign);
}

const char *kernel_string(struct kernel *kernel, const char *s, size_t len)
{
	bool added;
	uint64_t *slot = table_at(&kernel->names, s, len, &added);

	if (added)
		*slot = (uintptr_t)arena_copy(&kernel->strings, s, len);
	return (const char *)(uintptr_t)*slot;
}

bool kernel_is_full(const struct kernel *kernel)
{
	return kernel->strings.bytes + kernel->label_strings.bytes > STRINGS_MAX ||
	       kernel->bpf.kept > PROGRAMS_KEPT_MAX;
}

void kernel_forget(struct kernel *kernel)
{
	bpf_programs_drop(&kernel->bpf);
	table_deinit(&kernel->names);
	table_deinit(&kernel->labels);
	arena_deinit(&kernel->strings);
	arena_deinit(&kernel->label_strings);
}

/*
 * Returns true if sys_root belongs to the system of the symbols. /sys of this system does not if
 * the symbols are foreign; a directory given by --sys does.
 */
static bool knows_sys(const struct kernel *kernel)
{
	return !kernel_is_foreign(kernel) || strcmp(kernel->sys_root, "/sys") != 0;
}

static bool is_directory(const char *path)
{
	struct stat st;

	return !stat(path, &st) && S_ISDIR(st.st_mode);
}

struct modules *kernel_modules(struct kernel *kernel)
{
	const char *given = kernel->modules_given;
	struct modules_source *source = &kernel->modules.source;

	if (kernel->modules_tried)
		return &kernel->modules;
	kernel->modules_tried = true;
	if (!given && kernel->recording && kernel->recording->foreign) {
		source->recording = kernel->recording;
		return &kernel->modules;
	}
	bool tree_given = given && is_directory(given);
	bool own = !kernel_is_foreign(kernel) || strcmp(kernel->proc_root, "/proc") != 0;
	if (given)
		kernel->modules_list = tree_given ? NULL : xstrdup(given);
	else if (own)
		kernel->modules_list = xasprintf("%s/modules", kernel->proc_root);
	if (tree_given)
		kernel->modules_tree = xstrdup(given);
	else if (given ? strcmp(kernel->sys_root, "/sys") != 0 : knows_sys(kernel))
		kernel->modules_tree = xasprintf("%s/module", kernel->sys_root);
	source->list = kernel->modules_list;
	source->tree = kernel->modules_tree;
	return &kernel->modules;
}

/* Returns the build ID of MODULE, or of the kernel itself if MODULE is NULL; len 0 if unknown. */
static struct build_id build_id_of(struct kernel *kernel, const char *module)
{
	struct build_id id = {};

	if (module) {
		const struct module *known = modules_named(kernel_modules(kernel), module);

		return known ? known->build_id : id;
	}
	if (kernel->recording && kernel->recording->foreign) {
		return recording_kernel_build_id(kernel->recording, "kernel");
	}
	if (knows_sys(kernel))
		(void)kernel_build_id_read(kernel->sys_root, NULL, &id);
	return id;
}

struct build_id kernel_build_id(struct kernel *kernel)
{
	return build_id_of(kernel, NULL);
}

struct frame_object *kernel_label(struct kernel *kernel, const char *module)
{
	scope_guard(text_deinit) struct text name = {};
	bool added;

	text_printf(&name, "[%s]", module ? module : "kernel");
	uint64_t *slot = table_at(&kernel->labels, name.data, name.len, &added);
	if (added) {
		struct frame_object *label = arena_alloc(&kernel->label_strings, sizeof(*label));

		*label = (struct frame_object){.build_id = build_id_of(kernel, module)};
		label->path = label->name = arena_string(&kernel->label_strings, name.data);
		label->module = arena_string(&kernel->label_strings, module ? module : "");
		*slot = (uintptr_t)label;
	}
	return (struct frame_object *)(uintptr_t)*slot;
}
