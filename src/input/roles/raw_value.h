/* SPDX-License-Identifier: GPL-2.0-or-later */
/* What the value of a map without BTF holds, where no layout is given. */
#pragma once

#include "input/roles/raw_search.h"

/* The comm in a value of a known program. */
struct raw_comm raw_value_comm(const struct reading_search *search);
/* A layout of our own for the value, unless there is none to be read. */
enum reading_status raw_value_find(struct reading_search *search);
/*
 * Whether the value names the stacks: its program keeps its stack IDs there, as memleak does, or a layout says
 * so.
 */
bool raw_value_find_id(struct reading_search *search);
