/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Which fields of BTF are stack IDs, the process and the comm where their names do not say: their numbers
 * are read as those of a key without BTF (input/roles/raw_reading.h).
 */
#pragma once

#include "input/counts/map.h"
#include "input/roles/raw_reading.h"
#include "input/roles/roles.h"

/*
 * Looks at the fields of the entries' keys, or OF_VALUE of their values, that have no role in NAMED. BASE has
 * the stacks and processes. RET is as of raw_reading_find(), but for named fields: RET->key_text and
 * RET->choices are for --key, and the notes are of fields as in the rows.
 */
enum reading_status content_roles_find(const struct raw_question *base, const struct roles *named,
	bool of_value, struct count_reading *ret);
