/* SPDX-License-Identifier: GPL-2.0-or-later */
/* The symbols of kallsyms by their names, for many questions: kallsyms_each_named() looks at all of them for each. */
#pragma once

#include <stdint.h>

#include "kernel/kallsyms/kallsyms.h"
#include "util/vec.h"

struct kallsyms_entry {
	uint64_t hash; /* of the name */
	uint32_t table, index;
};

/* Zero-filled is empty. */
struct kallsyms_index {
	struct kallsyms symbols;	       /* the tables that it is of */
	struct VEC(struct kallsyms_entry) all; /* by hash */
};

void kallsyms_index_deinit(struct kallsyms_index *index);
/* As kallsyms_each_named(). Begins anew when the tables are others. */
void kallsyms_index_each(struct kallsyms_index *index, const struct kallsyms *kallsyms,
	const char *name, void (*found)(void *context, const char *module, uint64_t address),
	void *context);
