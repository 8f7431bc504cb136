/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Chooses which of several maps hold the counts. Maps with different meanings are never added up:
 *
 *	1. If --counts is given, only maps given with it are used.
 *	2. Maps with stacks in their keys are preferred. Maps with stacks in their values
 *	   (measurements in progress, or single allocations) are then left out.
 *	3. Remaining maps with the same field names are added up. Others are refused, and so are
 *	   several maps without BTF, because only their bytes are known.
 *
 * Rows of tables and events are always used.
 */
#pragma once

#include "input/counts/join.h"
#include "input/stacks/join.h"
#include "util/error.h"

/*
 * Marks the maps of ALL that are left out, and logs why. Returns ERROR_INPUT, and logs the choices,
 * if the user has to choose.
 */
struct error *counts_choose(const struct count_joins *all) must_check;
