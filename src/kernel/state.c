// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/kernel.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "door/door.h"
#include "util/cleanup.h"
#include "util/clock.h"
#include "util/file.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"

/*
 * limits of kernel_is_full(): bytes of strings, and unloaded programs that are kept with their
 * lines
 */
enum { STRINGS_MAX = 4 << 20, PROGRAMS_KEPT_MAX = 256 };

enum { MODULES_TEXT_MAX = 4 << 20, READ_TRIES = 3 };

void kernel_deinit(struct kernel *kernel)
{
	follow_destroy(kernel->follow);
	perf_clock_close(kernel->perf_clock);
	kallsyms_deinit(&kernel->kallsyms);
	bpf_programs_deinit(&kernel->bpf);
	modules_deinit(&kernel->modules);
	free(kernel->modules_list);
	free(kernel->modules_tree);
	table_deinit(&kernel->labels);
	table_deinit(&kernel->names);
	text_deinit(&kernel->name);
	arena_deinit(&kernel->strings);
	arena_deinit(&kernel->label_strings);
}

bool kernel_is_foreign(const struct kernel *kernel)
{
	return kernel->saved || (kernel->recording && kernel->recording->foreign);
}

/* ---- symbols --------------------------------------------------------------------------------- */

/* Looks at the file GIVEN for OPTION. */
static struct error *look_at(const char *option, const char *given, struct stat *ret)
{
	if (access(given, R_OK) < 0 || stat(given, ret) < 0)
		return error_errno(errno, "%s %s", option, given);
	return NULL;
}

static struct error *wrong_lines(const char *option, const char *given, const char *expected)
{
	return error_create(ERROR_INPUT, "%s %s: it has no line like those of /proc/%s", option,
		given, expected);
}

/* An empty file is valid: it is the list of a kernel without modules. */
static struct error *check_modules(const char *given)
{
	scope_guard(modules_deinit) struct modules modules = {.source = {.list = given}};
	struct stat st = {};

	try(look_at("--modules", given, &st));
	if (S_ISDIR(st.st_mode) || (S_ISREG(st.st_mode) && !st.st_size))
		return NULL;
	(void)modules_named(&modules, "");
	return modules.all.len ? NULL : wrong_lines("--modules", given, "modules");
}

/* Parses the start of a regular file. A pipe is not checked, because it can be read only once. */
static struct error *check_kallsyms(const char *given)
{
	enum { LOOK_BYTES = 1 << 16 };
	scope_guard(kallsyms_deinit) struct kallsyms kallsyms = {};
	struct stat st = {};

	try(look_at("--kallsyms", given, &st));
	if (S_ISDIR(st.st_mode))
		return error_errno(EISDIR, "--kallsyms %s", given);
	if (!S_ISREG(st.st_mode))
		return NULL;
	auto_fd int fd = door_open(AT_FDCWD, given, 0, NULL);
	auto_free char *start = xmalloc(LOOK_BYTES);
	ssize_t len = fd < 0 ? -1 : read(fd, start, LOOK_BYTES);
	if (len < 0)
		return error_errno(errno, "--kallsyms %s", given);
	kallsyms_parse(start, (size_t)len, &kallsyms);
	return kallsyms.status != KALLSYMS_ABSENT ? NULL
						  : wrong_lines("--kallsyms", given, "kallsyms");
}

struct error *kernel_check(const struct kernel *kernel)
{
	if (kernel->modules_given)
		try(check_modules(kernel->modules_given));
	return kernel->saved ? check_kallsyms(kernel->saved) : NULL;
}

static void read_modules(const struct kernel *kernel, struct text *ret)
{
	auto_free char *path = xasprintf("%s/modules", kernel->proc_root);

	text_clear(ret);
	(void)file_read_regular(AT_FDCWD, path, MODULES_TEXT_MAX, ret);
}

/*
 * Reads symbols from the system. /proc/kallsyms counts entries to find a reader's position, so that
 * a module loaded or unloaded meanwhile makes it skip or repeat some. In that case, reads again.
 */
static void read_system(struct kernel *kernel)
{
	auto_text struct text before = {}, after = {};
	auto_free char *path = xasprintf("%s/kallsyms", kernel->proc_root);

	kernel->follow = follow_create(path, uevent_open(), ksymbols_open(), SECOND);
	for (int i = 0; i < READ_TRIES && (!i || !text_equal(&before, &after)); i++) {
		auto_fd int fd = door_open(AT_FDCWD, path, 0, NULL);

		kallsyms_deinit(&kernel->kallsyms);
		kernel->kallsyms = (struct kallsyms){.status = KALLSYMS_ABSENT};
		if (fd < 0)
			break;
		read_modules(kernel, &before);
		(void)kallsyms_read(fd, &kernel->kallsyms);
		read_modules(kernel, &after);
	}
}

struct kallsyms *kernel_symbols(struct kernel *kernel)
{
	const struct recording *recording = kernel->recording;
	struct kallsyms *symbols = &kernel->kallsyms;

	if (kernel->tried)
		return symbols;
	kernel->tried = true;
	symbols->status = KALLSYMS_ABSENT;
	if (kernel->saved) {
		/* not door_open(): the user's file may be a pipe */
		auto_fd int fd = open(kernel->saved, O_RDONLY | O_CLOEXEC);

		if (fd >= 0)
			(void)kallsyms_read(fd, symbols);
		return symbols;
	}
	if (!kernel_is_foreign(kernel))
		read_system(kernel);
	/* symbols of the running kernel are newer, so prefer them if they can be read */
	if (recording && recording->kallsyms.len && symbols->status != KALLSYMS_READ) {
		follow_destroy(take(kernel->follow));
		kallsyms_deinit(symbols);
		*symbols = (struct kallsyms){};
		kallsyms_parse(recording->kallsyms.data, recording->kallsyms.len, symbols);
	}
	return symbols;
}

enum frame_status kernel_status(struct kernel *kernel)
{
	enum kallsyms_status status = kernel_symbols(kernel)->status;

	return status == KALLSYMS_HIDDEN   ? FRAME_KALLSYMS_DENIED
	       : status == KALLSYMS_ABSENT ? FRAME_KALLSYMS_ABSENT
					   : FRAME_KALLSYMS_OUTSIDE;
}

/* ---- strings -------------------------------------------------------------------------------- */

const char *kernel_string(struct kernel *kernel, const char *s)
{
	return table_string(&kernel->names, s, strlen(s));
}

bool kernel_is_full(const struct kernel *kernel)
{
	return kernel->names.keys.bytes + kernel->strings.bytes + kernel->label_strings.bytes >
		       STRINGS_MAX ||
	       kernel->bpf.kept > PROGRAMS_KEPT_MAX;
}

void kernel_forget(struct kernel *kernel)
{
	bpf_programs_deinit(&kernel->bpf);
	table_deinit(&kernel->names);
	table_deinit(&kernel->labels);
	arena_deinit(&kernel->strings);
	arena_deinit(&kernel->label_strings);
}

/*
 * Returns true if sys_root belongs to the system that the symbols are from: a directory given by
 * --sys does, /sys only if the symbols are this system's.
 */
static bool knows_sys(const struct kernel *kernel)
{
	return !kernel_is_foreign(kernel) || strcmp(kernel->sys_root, "/sys") != 0;
}

struct modules *kernel_modules(struct kernel *kernel)
{
	const char *given = kernel->modules_given;
	struct modules_source *source = &kernel->modules.source;
	struct stat st;

	if (kernel->modules_tried)
		return &kernel->modules;
	kernel->modules_tried = true;
	if (!given && kernel->recording && kernel->recording->foreign) {
		source->recording = kernel->recording;
		return &kernel->modules;
	}
	bool tree_given = given && !stat(given, &st) && S_ISDIR(st.st_mode);
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

struct build_id kernel_build_id(struct kernel *kernel, const char *module)
{
	struct build_id id = {};

	if (module) {
		const struct module *known = modules_named(kernel_modules(kernel), module);

		return known ? known->build_id : id;
	}
	if (kernel->recording && kernel->recording->foreign)
		return recording_kernel_build_id(kernel->recording, "kernel");
	if (knows_sys(kernel))
		(void)kernel_build_id_read(kernel->sys_root, &id);
	return id;
}

struct frame_object *kernel_label(struct kernel *kernel, const char *module)
{
	auto_text struct text name = {};
	bool added;

	text_printf(&name, "[%s]", module ? module : "kernel");
	uint64_t *slot = table_at(&kernel->labels, name.data, name.len, &added);
	if (added) {
		struct frame_object *label = arena_alloc(&kernel->label_strings, sizeof(*label));

		*label = (struct frame_object){.build_id = kernel_build_id(kernel, module)};
		label->path = label->name = arena_string(&kernel->label_strings, name.data);
		label->module = arena_string(&kernel->label_strings, module ? module : "");
		*slot = (uintptr_t)label;
	}
	return (struct frame_object *)(uintptr_t)*slot;
}

/* ---- saved symbols -------------------------------------------------------------------------- */

/* compares every EVERY'th function in the first lines of the system's kallsyms */
enum { HEAD_BYTES = 1 << 16, EVERY = 16, COMPARED_MAX = 24 };

/* Parses a line of a global function of the kernel itself: "ffffffff81000000 T _text". */
static bool is_function_line(struct scan line, uint64_t *address_ret, struct scan *name_ret)
{
	struct scan type;

	if (!scan_hex(&line, address_ret))
		return false;
	scan_blanks(&line);
	if (!scan_word(&line, &type) || scan_left(&type) != 1 || *type.at != 'T')
		return false;
	scan_blanks(&line);
	if (!scan_word(&line, name_ret))
		return false;
	scan_blanks(&line);
	return !scan_left(&line); /* not in a module */
}

bool kernel_saved_elsewhere(struct kernel *kernel)
{
	size_t same = 0, other = 0;
	uint64_t address, there, n_functions = 0;
	struct scan line, name;

	if (!kernel->saved || kernel_symbols(kernel)->status != KALLSYMS_READ)
		return false;
	auto_free char *path = xasprintf("%s/kallsyms", kernel->proc_root);
	auto_free char *head = xmalloc(HEAD_BYTES);
	auto_fd int fd = door_open(AT_FDCWD, path, 0, NULL);
	ssize_t len = 0, n = 1;

	while (fd >= 0 && len < HEAD_BYTES && n > 0)
		if ((n = read(fd, head + len, (size_t)(HEAD_BYTES - len))) > 0)
			len += n;
	struct scan text = {head, head + len};
	while (scan_line(&text, &line) && same + other < COMPARED_MAX) {
		if (!is_function_line(line, &address, &name) || n_functions++ % EVERY)
			continue;
		auto_free char *copy = xstrndup(name.at, scan_left(&name));
		bool found = kallsyms_find_name(&kernel->kallsyms, copy, &there);
		/* if its address is hidden (0), only its presence counts */
		if (found && (!address || there == address))
			same++;
		else
			other++;
	}
	return other > same;
}
