// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/modules.h"

#include <dirent.h>
#include <fcntl.h>
#include <string.h>

#include "process/procfs.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/sort.h"
#include "util/scan.h"
#include "util/xalloc.h"

/* limits for saved copies; a large server has some 300 modules with 60 sections */
enum { LIST_MAX = 16 << 20, MODULES_MAX = 1 << 16, SECTIONS_MAX = 4096, ADDRESS_MAX = 64 };

enum { NOTES_MAX = 1 << 20 };

void modules_deinit(struct modules *modules)
{
	vec_each_value(module, &modules->all) {
		vec_deinit(&module->sections);
		free(module);
	}
	vec_deinit(&modules->all);
	table_deinit(&modules->by_name);
	arena_deinit(&modules->strings);
}

void modules_forget(struct modules *modules)
{
	const struct modules_source source = modules->source;

	modules_deinit(modules);
	*modules = (struct modules){.source = source};
}

static bool read_build_id(const char *path, struct build_id *ret)
{
	auto_text struct text notes = {};

	(void)file_read_regular(AT_FDCWD, path, NOTES_MAX, &notes);
	*ret = build_id_of_notes(notes.data, notes.len, 4, __BYTE_ORDER__ == __ORDER_BIG_ENDIAN__);
	return ret->len;
}

bool kernel_build_id_read(const char *sys_root, struct build_id *ret)
{
	auto_free char *path = xasprintf("%s/kernel/notes", sys_root);

	return read_build_id(path, ret);
}

bool module_tree_build_id(const char *tree, const char *module, struct build_id *ret)
{
	auto_free char *path = xasprintf("%s/%s/notes/.note.gnu.build-id", tree, module);

	return read_build_id(path, ret);
}

static void add_module(struct modules *modules, struct scan name, uint64_t start, uint64_t size)
{
	size_t len = scan_left(&name);
	bool added;

	/* names become parts of paths */
	if (!len || *name.at == '.' || memchr(name.at, '/', len) || memchr(name.at, '\0', len) ||
		modules->all.len == MODULES_MAX)
		return;
	uint64_t *slot = table_at(&modules->by_name, name.at, len, &added);
	if (!added)
		return;
	struct module *module = xnew(module);
	module->name = arena_copy(&modules->strings, name.at, len);
	module->start = start;
	module->end = start && size < -start ? start + size : start;
	*slot = (uintptr_t)module;
	vec_push(&modules->all, module);
}

COMPARE(compare_modules, struct module *, order_of((*a)->start, (*b)->start))

/*
 * Parses lines such as:
 *
 *	nf_tables 372736 1035 nft_compat,nft_ct, Live 0xffffffffc0a10000 (E)
 *
 * This is name, size of all its memory in bytes, references, users or "-", state, address and
 * taints.
 */
void modules_parse(struct modules *modules, const char *text, size_t len)
{
	struct scan all = {text, len ? text + len : text}, line;

	while (scan_line(&all, &line)) {
		struct scan name, skipped;
		uint64_t size, start = 0;

		if (!scan_word(&line, &name))
			continue;
		scan_blanks(&line);
		if (!scan_decimal(&line, &size))
			continue;
		for (int i = 0; i < 3; i++) {
			scan_blanks(&line);
			(void)scan_word(&line, &skipped);
		}
		scan_blanks(&line);
		if (!scan_literal(&line, "0x") || !scan_hex(&line, &start))
			continue;
		add_module(modules, name, start, size);
	}
	vec_sort(&modules->all, compare_modules);
	modules->complete = modules->all.len > 0;
}

COMPARE(compare_sections, struct module_section, order_of(a->address, b->address))

void modules_parse_sections(
	struct modules *modules, struct module *module, const char *text, size_t len)
{
	struct scan all = {text, len ? text + len : text}, line;
	size_t name_len = strlen(module->name);

	while (scan_line(&all, &line)) {
		struct scan word, section;
		uint64_t address;

		if (!scan_word(&line, &word) || scan_left(&word) != name_len ||
			memcmp(word.at, module->name, name_len) != 0)
			continue;
		scan_blanks(&line);
		if (!scan_word(&line, &section) || memchr(section.at, '\0', scan_left(&section)))
			continue;
		struct scan start = section;
		scan_blanks(&line);
		/* .init sections were freed */
		if (!scan_hex(&line, &address) || !address || scan_literal(&start, ".init") ||
			module->sections.len == SECTIONS_MAX)
			continue;
		vec_push(&module->sections,
			(struct module_section){address,
				arena_copy(&modules->strings, section.at, scan_left(&section))});
	}
}

static bool read_small(int dirfd, const char *name, struct text *ret)
{
	return !file_read_regular(dirfd, name, ADDRESS_MAX, ret) && ret->len;
}

/* Reads /sys/module/MODULE/sections/SECTION, which has a line such as "0xffffffffc0a10000". */
static bool read_address(int dirfd, const char *name, uint64_t *ret)
{
	auto_text struct text text = {};

	if (!read_small(dirfd, name, &text))
		return false;
	struct scan s = text_scan(&text);
	return scan_literal(&s, "0x") && scan_hex(&s, ret);
}

void module_tree_sections(const char *tree, const char *module, struct text *ret)
{
	auto_free char *path = xasprintf("%s/%s/sections", tree, module);
	scope_guard(procfs_close_dir) DIR *dir = opendir(path);
	struct dirent *entry;
	uint64_t address;

	for (size_t n = 0; dir && n < SECTIONS_MAX && (entry = readdir(dir)); n++)
		if (read_address(dirfd(dir), entry->d_name, &address) && address)
			text_printf(ret, "%s %s %llx\n", module, entry->d_name,
				(unsigned long long)address);
}

/*
 * Reads build ID and sections of MODULE (may be NULL) on the first call. These are many small
 * files, so they are read only for modules that are needed.
 */
static const struct module *looked_at(struct modules *modules, struct module *module)
{
	const struct recording *recording = modules->source.recording;
	const char *tree = modules->source.tree;
	auto_text struct text lines = {};

	if (!module || module->looked)
		return module;
	module->looked = true;
	if (recording) {
		module->build_id = recording_kernel_build_id(recording, module->name);
		modules_parse_sections(modules, module, recording->module_sections.data,
			recording->module_sections.len);
	} else if (tree) {
		(void)module_tree_build_id(tree, module->name, &module->build_id);
		module_tree_sections(tree, module->name, &lines);
		modules_parse_sections(modules, module, lines.data, lines.len);
	}
	vec_sort(&module->sections, compare_sections);
	return module;
}

/* Reads the list on the first call; if there is none, lists the modules in the tree. */
static void read_list(struct modules *modules)
{
	const struct recording *recording = modules->source.recording;
	const char *path = modules->source.list, *tree = modules->source.tree;
	auto_text struct text text = {};
	struct dirent *entry;

	if (modules->tried)
		return;
	modules->tried = true;
	if (recording)
		modules_parse(modules, recording->modules.data, recording->modules.len);
	else if (path && !file_read_regular(AT_FDCWD, path, LIST_MAX, &text))
		modules_parse(modules, text.data, text.len);
	if (modules->all.len || recording || !tree)
		return;
	scope_guard(procfs_close_dir) DIR *dir = opendir(tree);
	while (dir && (entry = readdir(dir)) && modules->all.len < MODULES_MAX) {
		auto_free char *path_of_size = xasprintf("%s/coresize", entry->d_name);
		auto_free char *path_of_start = xasprintf("%s/sections/.text", entry->d_name);
		uint64_t start = 0, size = 0;

		if (*entry->d_name == '.')
			continue;
		text_clear(&text);
		bool sized = read_small(dirfd(dir), path_of_size, &text);
		struct scan s = text_scan(&text);
		(void)(sized && scan_decimal(&s, &size));
		/* others, without coresize or a .text section, are built into the kernel */
		(void)read_address(dirfd(dir), path_of_start, &start);
		if (sized || start)
			add_module(modules, scan_of(entry->d_name), start, size);
	}
	vec_sort(&modules->all, compare_modules);
}

static struct module *find_named(struct modules *modules, const char *name)
{
	read_list(modules);
	const uint64_t *slot = table_find(&modules->by_name, name, strlen(name));
	return slot ? (struct module *)(uintptr_t)*slot : NULL;
}

static bool holds(const struct module *module, uint64_t address)
{
	return module->start && address >= module->start && address < module->end;
}

static struct module *find_at(struct modules *modules, uint64_t address)
{
	read_list(modules);
	size_t n = sorted_count(modules->all.data, modules->all.len, ->start <= address);
	struct module *module = n ? modules->all.data[n - 1] : NULL;
	return module && holds(module, address) ? module : NULL;
}

const struct module *modules_named(struct modules *modules, const char *name)
{
	return looked_at(modules, find_named(modules, name));
}

const struct module *modules_at(struct modules *modules, uint64_t address)
{
	return looked_at(modules, find_at(modules, address));
}

bool modules_deny(struct modules *modules, const char *name, uint64_t address)
{
	const struct module *module = find_named(modules, name);

	if (!module)
		return modules->complete;
	return module->start && !holds(module, address) && find_at(modules, address);
}

const struct module_section *module_section_at(const struct module *module, uint64_t address)
{
	const struct module_section *found = NULL;

	vec_each(section, &module->sections)
		if (section->address <= address)
			found = section;
	return found;
}
