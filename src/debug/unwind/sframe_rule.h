/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Converts SFrame rows to unwind rules. */
#pragma once

#include <stdint.h>

#include "debug/sframe/sframe.h"
#include "debug/unwind/rule.h"

/*
 * Finds the rule at ADDRESS. MACHINE is e_machine. Returns NULL on success, else the reason (a
 * constant).
 */
const char *sframe_rule(
	const struct sframe *sframe, uint16_t machine, uint64_t address, struct unwind_rule *ret);
