/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What a reader of debug info, whichever it is, says of one address. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "model/frame.h"

struct reader_answer {
	/*
	 * Innermost first, at least one. Their function is DW_AT_name and their linkage
	 * DW_AT_linkage_name, each NULL where DWARF has none; their offset is not set.
	 */
	struct frame *frames;
	size_t n_frames;
	bool has_function;  /* the last frame is a function that DWARF knows */
	uint64_t entry;	    /* where that function is entered (ELF address) */
	const char *detail; /* what was missing, NULL: nothing */
	enum frame_gap gap; /* what DETAIL is about */
};
