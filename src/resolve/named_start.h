/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Where functions begin that a text names, `func+0x1a/0x40`: among several of one name the size
 * decides, which is what the kernel prints it by, the distance to the next symbol. What was found
 * is kept.
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "debug/debug.h"
#include "kernel/kernel.h"
#include "model/frame.h"
#include "object/object.h"
#include "util/table.h"
#include "util/vec.h"

struct named_start {
	enum frame_status status; /* FRAME_NAMED, or why it is not known */
	bool doubtful;		  /* the only one of the name has another size */
	uint64_t start;		  /* a kernel address, or an ELF address of the file */
};

/* Zero-filled is empty. */
struct named_starts {
	struct table by_name; /* whose, name, size → index in all */
	struct VEC(struct named_start) all;
};

void named_starts_deinit(struct named_starts *starts);
/* When symbols or the numbers of objects change. */
void named_starts_clear(struct named_starts *starts);
/* In MODULE, "": the kernel itself. SIZE 0: not said. */
struct named_start named_start_in_kernel(struct named_starts *starts, struct kernel *kernel,
	const char *module, const char *name, uint64_t size);
/* In OBJECT, whose debug info DEBUG is. */
struct named_start named_start_in_object(struct named_starts *starts, const struct object *object,
	struct debug *debug, const char *name, uint64_t size);
