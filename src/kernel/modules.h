/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What is quickly known of kernel modules, without their symbols: names and addresses by
 * /proc/modules, section addresses and build IDs by /sys/module, or by copies of these.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/build_id.h"
#include "process/recording/recording.h"
#include "util/arena.h"
#include "util/table.h"
#include "util/vec.h"

struct module_section {
	uint64_t address;
	const char *name; /* ".text" */
};

struct module {
	const char *name;
	/*
	 * [start, end): its code, and, as /proc/modules counts all of it in one size, perhaps more.
	 * Both 0: unknown, or hidden from who may not know (kptr_restrict, no CAP_SYSLOG).
	 */
	uint64_t start, end;
	struct build_id build_id; /* len 0: unknown */
	/*
	 * By address, as far as they are known. Without .init sections: that memory was freed when
	 * the module was loaded, and what lies there now is another's.
	 */
	struct VEC(struct module_section) sections;
	bool looked; /* build_id and sections are set */
};

/* Where to read. All NULL: there are no modules. Not owned. */
struct modules_source {
	const char *list;		   /* /proc/modules */
	const char *tree;		   /* /sys/module */
	const struct recording *recording; /* has both */
};

/* Zero-filled but for SOURCE is unread. */
struct modules {
	struct modules_source source;
	bool tried;
	bool complete; /* a list like /proc/modules was read: what is not in it is not there */
	struct VEC(struct module *) all; /* by start */
	struct table by_name;		 /* → struct module * */
	struct arena strings;		 /* names */
};

void modules_deinit(struct modules *modules);
/* Forgets what was read: modules came or went. */
void modules_forget(struct modules *modules);
/* The module called NAME. NULL: not known. */
const struct module *modules_named(struct modules *modules, const char *name);
/* The module that ADDRESS seems to be in: the last one that begins before, if it is long enough. */
const struct module *modules_at(struct modules *modules, uint64_t address);
/*
 * True if ADDRESS cannot be code of the module NAME: there is no such module (any more), or what is
 * known of its addresses says no while another module has it. ftrace keeps symbols of functions
 * whose memory was freed, those of .init.text (ftrace_mod_get_kallsym() in kernel/trace/ftrace.c).
 */
bool modules_deny(struct modules *modules, const char *name, uint64_t address);
/* The last section that begins at or before ADDRESS, NULL: none. */
const struct module_section *module_section_at(const struct module *module, uint64_t address);

/* Adds the modules of a text like /proc/modules. */
void modules_parse(struct modules *modules, const char *text, size_t len);
/* Adds the sections of MODULE among lines "NAME SECTION ADDRESS", as recordings have them. */
void modules_parse_sections(
	struct modules *modules, struct module *module, const char *text, size_t len);

/* Calls VISIT for each section (also .init ones) of the module below TREE. */
typedef void module_section_visitor(void *context, const char *name, uint64_t address);
void module_tree_sections(
	const char *tree, const char *module, module_section_visitor *visit, void *context);
