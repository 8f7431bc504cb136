/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Finds the layout of values without BTF, unless it is given. */
#pragma once

#include "input/roles/raw_search.h"

/* Returns where the value has the comm, by its layout or by that of a known program. */
struct raw_comm raw_value_comm(const struct reading_search *search);
/* Chooses a layout for the value if it has none and is needed. Refuses unclear values. */
enum reading_status raw_value_find(struct reading_search *search);
/*
 * Returns true if the value contains the stack IDs, by its layout or by that of a known program
 * such as memleak, which then becomes its layout.
 */
bool raw_value_find_id(struct reading_search *search);
