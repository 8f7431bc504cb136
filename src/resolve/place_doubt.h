/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Reasons against a name that the process and its code give. */
#pragma once

#include "resolve/place.h"

/*
 * False: no thread of the sample's process has the sample's name, so that it may have run another
 * program then, or have been another process.
 */
bool place_comm_fits(struct places *places, const struct sample *sample);
/*
 * Doubts the names of code that the process has otherwise than OBJECT's file at OFFSET, which PLACE's
 * address is; bytes that uprobes put there aside. Only where no build ID tells.
 */
void place_compare_code(struct places *places, const struct space *space,
	const struct object *object, uint64_t offset, struct place *place);
/* The same for a page that was anonymous memory: true if it has the file's bytes. */
bool place_same_page(const struct space *space, const struct object *object, uint64_t address,
	uint64_t file_offset);
/* Doubts LOCATION's names if PLACE, a caller's, is no return address. */
void place_doubt_caller(const struct place *place, struct location *location);
