/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which mapping of which process a copied file belongs to. */
#pragma once

#include <stdbool.h>

#include "process/recording/process_record.h"

/*
 * Returns true if COPY, a row of the process of RECORD, is a copy of the file of MAPPING, one of
 * its mappings: the same program had that file mapped there while the copy was made, and no lost
 * event could contradict that.
 */
bool recorded_copy_is_of(const struct process_record *record, const struct recorded_row *copy,
	const struct mapping *mapping);
