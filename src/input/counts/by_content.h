/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Finds stack IDs, the process and the comm among BTF fields whose names do not show their roles.
 * The fields are assembled into keys, which are examined like keys without BTF
 * (input/roles/raw_reading.h).
 */
#pragma once

#include "input/counts/map.h"
#include "input/roles/raw_reading.h"
#include "input/roles/roles.h"

/*
 * Examines the fields of the keys, or of the values if OF_VALUE, that have no role in NAMED. BASE
 * has the map, stacks and processes. RET is like that of raw_reading_find(), except that its
 * `key_text` and `choices` are for --key, and its notes have the field names of the rows.
 */
enum reading_status content_roles_find(const struct raw_question *base, const struct roles *named,
	bool of_value, struct count_reading *ret);
