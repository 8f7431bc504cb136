/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds the start of functions named in texts, `func+0x1a/0x40`. Among several with one name the
 * size decides, which the kernel prints as the distance to the next symbol. Results are cached.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "kernel/kernel.h"
#include "model/frame.h"
#include "object/object_cache.h"
#include "util/table.h"
#include "util/vec.h"

struct named_start {
	enum frame_status status; /* FRAME_NAMED, or the reason */
	bool doubtful;		  /* the only function with this name has another size */
	uint64_t start;		  /* kernel address, or ELF address */
};

struct named_starts {
	struct table by_name; /* object, name, size → index in all */
	struct VEC(struct named_start) all;
};

void named_starts_deinit(struct named_starts *starts);
/* Call it when symbols or object numbers change. */
void named_starts_clear(struct named_starts *starts);
/* Searches MODULE, "": the kernel itself. SIZE 0: not given. */
struct named_start named_start_in_kernel(struct named_starts *starts, struct kernel *kernel,
	const char *module, const char *name, uint64_t size);
/* Searches OBJECT, whose debug info is DEBUG. */
struct named_start named_start_in_object(struct named_starts *starts, const struct object *object,
	struct debug *debug, const char *name, uint64_t size);
