/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Unwind rules as text. */
#pragma once

#include "debug/unwind/rule.h"
#include "util/text.h"

/*
 * Adds RULE as "CFA=sp+16 RA=*(CFA-8) FP=*(CFA-16) SP=CFA", with ", signal frame" and ", signed return address"
 * behind it. Registers other than SP and FP are r and their number.
 */
void unwind_rule_format(const struct unwind_rule *rule, struct text *text);
/* ".eh_frame" and so on. */
const char *unwind_source_name(enum unwind_source source);
