/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which of several maps hold the counts. Maps of different meaning are never added:
 *
 *	1. Where one was given with --counts, those given are the counts, and no other.
 *	2. A map that names stacks in its keys counts them; one that names stacks in its values
 *(what is being measured, or each single allocation) is left out beside it.
 *	3. Of what remains, maps whose fields have the same names mean the same and are added.
 *Others are refused, as are two maps without BTF, of which nothing is known but bytes.
 *
 * Rows of tables and events always count.
 */
#pragma once

#include "input/counts/join.h"
#include "input/stacks/join.h"
#include "util/error.h"

/*
 * Marks those of ALL prepared maps that are left out, and says why in the log. ERROR_INPUT where
 * the user has to choose: the log has the choices.
 */
struct error *counts_choose(struct join *join, const struct count_joins *all) must_check;
