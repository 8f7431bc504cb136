/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the layout of values without BTF, unless it is given. Reports what raw_reading.c finds. */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/roles/raw_reading.h"

/* Returns the offset of the comm in the value, by its layout or a known program's; or RAW_NONE. */
size_t raw_value_comm(const struct raw_question *question, const struct count_reading *reading);
/* Chooses a layout for the value, unless it is empty. Refuses unclear values. */
enum reading_status raw_value_find(
	const struct raw_question *question, struct count_reading *reading);
/*
 * Returns true if the value contains the stack IDs, by its layout or by that of a known program
 * such as memleak, which then becomes its layout.
 */
bool raw_value_find_id(const struct raw_question *question, struct count_reading *reading);
