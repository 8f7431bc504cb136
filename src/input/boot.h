/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Compares the boot of a sample with the boot that addresses are looked up on. PIDs and kernel
 * addresses are only valid within one boot of one machine.
 */
#pragma once

#include <stdbool.h>
#include <string.h>

struct boot {
	const char *id; /* boot ID of this system or the recording, not owned; NULL if unknown */
	bool assumed;	/* samples without a boot ID are of this boot too, as with a recording */
};

/*
 * Returns the boot_id of a sample (model/stack.h). SAID is the boot ID that the input gives for it,
 * or NULL.
 */
static inline const char *boot_of_sample(const struct boot *boot, const char *said)
{
	if (!said)
		return boot->assumed ? NULL : "-";
	return boot->id && !strcmp(boot->id, said) ? NULL : said;
}
