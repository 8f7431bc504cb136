/* SPDX-License-Identifier: GPL-2.0-or-later */
/* Which samples are of the system that addresses are looked up on: those of one boot of one machine. */
#pragma once

#include <stdbool.h>
#include <string.h>

struct boot {
	const char *id; /* of this system or the recording; NULL: unknown. Not owned */
	bool assumed;	/* of a recording: samples that do not say their boot are of it too */
};

/* What a sample's boot_id is to be (model/stack.h) that says SAID, NULL: nothing. */
static inline const char *boot_of_sample(const struct boot *boot, const char *said)
{
	if (!said)
		return boot->assumed ? NULL : "-";
	return boot->id && !strcmp(boot->id, said) ? NULL : said;
}
