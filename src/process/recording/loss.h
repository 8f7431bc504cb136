/* SPDX-License-Identifier: GPL-2.0-or-later */
/* When events were lost: what happened then is not in a recording. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include "util/vec.h"

/* In (SINCE, UNTIL), ns. */
struct recorded_loss {
	uint64_t since, until;
};

struct recorded_losses VEC(struct recorded_loss);

/* Makes them ascending and disjoint. */
void recorded_losses_order(struct recorded_losses *losses);
/* Returns true if events were lost after BEGIN and before END. They are in order. */
bool recorded_losses_between(const struct recorded_losses *losses, uint64_t begin, uint64_t end);
