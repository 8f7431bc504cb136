// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/recording/loss.h"

#include "util/sort.h"

COMPARE(compare_losses, struct recorded_loss, order_of(a->since, b->since))

void recorded_losses_order(struct recorded_losses *losses)
{
	struct recorded_loss *all = losses->data;
	size_t n = 0;

	vec_sort(losses, compare_losses);
	for (size_t i = 0; i < losses->len; i++) {
		if (!n || all[i].since > all[n - 1].until)
			all[n++] = all[i];
		else if (all[i].until > all[n - 1].until)
			all[n - 1].until = all[i].until;
	}
	losses->len = n;
}

bool recorded_losses_between(const struct recorded_losses *losses, uint64_t begin, uint64_t end)
{
	size_t at = sorted_count(losses->data, losses->len, .until <= begin);

	return at < losses->len && losses->data[at].since < end;
}
