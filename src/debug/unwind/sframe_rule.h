/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Rows of SFrame as unwind rules. */
#pragma once

#include <stdint.h>

#include "debug/sframe/sframe.h"
#include "debug/unwind/rule.h"

/* The rule at ADDRESS; MACHINE is e_machine. NULL: fine; else why there is none. */
const char *sframe_rule(
	const struct sframe *sframe, uint16_t machine, uint64_t address, struct unwind_rule *ret);
