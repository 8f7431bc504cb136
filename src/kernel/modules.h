/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Kernel modules without their symbols, which is quick to read: names and addresses from
 * /proc/modules, section addresses and build IDs from /sys/module, or from copies of these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "process/recording/recording.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/text.h"
#include "util/vec.h"

struct module_section {
	uint64_t address;
	const char *name; /* such as ".text" */
};

struct module {
	const char *name;
	/*
	 * Address range [start, end) of its code. The range may be too large, because /proc/modules
	 * adds up all of the module's memory. Both 0 if unknown, or hidden by kptr_restrict or
	 * missing CAP_SYSLOG.
	 */
	uint64_t start, end;
	struct build_id build_id; /* len 0 if unknown */
	/*
	 * Known sections, sorted by address, without .init sections: their memory was freed once
	 * the module was loaded, and may have been reused.
	 */
	struct VEC(struct module_section) sections;
	bool looked; /* build_id and sections were read */
};

/* Where modules are read from. All NULL: there are none. Not owned. */
struct modules_source {
	const char *list;		   /* path of /proc/modules or a copy */
	const char *tree;		   /* path of /sys/module or a copy */
	const struct recording *recording; /* contains both */
};

/* Zero-filled except SOURCE means that nothing was read yet. */
struct modules {
	struct modules_source source;
	bool tried;
	bool complete; /* a list like /proc/modules was read, so other modules do not exist */
	struct VEC(struct module *) all; /* sorted by start */
	struct table by_name;		 /* → struct module * */
	struct arena strings;		 /* owns the names */
};

void modules_deinit(struct modules *modules);
/* Discards what was read, because modules were loaded or unloaded. */
void modules_forget(struct modules *modules);
/* Returns the module NAME, or NULL if it is unknown. */
const struct module *modules_named(struct modules *modules, const char *name);
/* Returns the module whose range covers ADDRESS, or NULL if there is none. */
const struct module *modules_at(struct modules *modules, uint64_t address);
/*
 * Returns true if ADDRESS cannot be code of module NAME: either there is no such module (any more),
 * or its range excludes ADDRESS and another module covers it. ftrace keeps symbols of functions in
 * .init.text, whose memory was freed (ftrace_mod_get_kallsym() in kernel/trace/ftrace.c).
 */
bool modules_deny(struct modules *modules, const char *name, uint64_t address);
/* Returns the last section that starts at or below ADDRESS, or NULL if there is none. */
const struct module_section *module_section_at(const struct module *module, uint64_t address);

/* Adds the modules listed in TEXT, which has the form of /proc/modules. */
void modules_parse(struct modules *modules, const char *text, size_t len);
/* Adds the sections of MODULE from lines "NAME SECTION ADDRESS", the form in recordings. */
void modules_parse_sections(
	struct modules *modules, struct module *module, const char *text, size_t len);

/* Appends the sections of the module below TREE to RET, .init sections included, in that form. */
void module_tree_sections(const char *tree, const char *module, struct text *ret);
/*
 * Reads the build ID of the module below TREE. Returns false if it is unknown; RET has len 0 then.
 */
bool module_tree_build_id(const char *tree, const char *module, struct build_id *ret);
/* Reads the build ID of the kernel itself from the ELF notes below SYS_ROOT, likewise. */
bool kernel_build_id_read(const char *sys_root, struct build_id *ret);
