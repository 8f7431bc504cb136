/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Periods in which events were lost, so that a recording lacks them. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"

/* The period (SINCE, UNTIL), in ns. */
struct recorded_loss {
	uint64_t since, until;
};

struct recorded_losses VEC(struct recorded_loss);

/* Sorts the periods and merges those that overlap. */
void recorded_losses_order(struct recorded_losses *losses);
/* Returns true if events were lost between BEGIN and END (ns). LOSSES must be ordered. */
bool recorded_losses_between(const struct recorded_losses *losses, uint64_t begin, uint64_t end);
