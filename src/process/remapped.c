// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/remapped.h"

/*
 * maximum number of adjacent anonymous mappings to cross: text may be remapped in pieces, but a
 * process may have thousands of unrelated ones
 */
enum { PIECES_MAX = 256 };

/*
 * Returns the nearest file mapping on one side (STEP 1 or -1), or NULL if there is anything but
 * code in between.
 */
static const struct mapping *neighbour(
	const struct maps *maps, const struct mapping *anonymous, ptrdiff_t step)
{
	const struct mapping *first = maps->data, *last = maps->data + maps->len - 1;
	const struct mapping *edge = step < 0 ? first : last;

	for (size_t pieces = 0; anonymous != edge && pieces < PIECES_MAX; pieces++) {
		const struct mapping *at = anonymous;
		const struct mapping *next = at + step;

		if (step < 0 ? next->end != at->start : at->end != next->start)
			return NULL;
		if (next->inode)
			return next;
		if (!next->executable)
			return NULL;
		anonymous = next;
	}
	return NULL;
}

const struct mapping *remapped_file(const struct maps *maps, const struct mapping *anonymous)
{
	const struct mapping *below = neighbour(maps, anonymous, -1);
	const struct mapping *above = neighbour(maps, anonymous, 1);

	if (!below || !above || !mapping_same_file(below, above) ||
		above->file_offset - below->file_offset != above->start - below->start)
		return NULL;
	return below;
}
