// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/marker.h"

#include <stdbool.h>
#include <string.h>

#include "util/text.h"
#include "util/vec.h"

/* Mapping symbols mark the kind of bytes that follow: "$d", "$d.12", on RISC-V "$xrv64i2p1". */
static bool is_mapping(const char *name, size_t len)
{
	return len > 1 && name[0] == '$' && strchr("adtxm", name[1]) &&
	       (len == 2 || name[2] == '.' || text_starts_with(name + 1, len - 1, "xrv"));
}

enum marker marker_of(const char *name, size_t len)
{
	static const struct {
		const char *name;
		bool is_prefix;
		enum marker marker;
	} markers[] = {{".L", true, MARKER_INSIDE}, {"L0\001", true, MARKER_INSIDE},
		{".annobin_", true, MARKER_BORDER}, {"__crc_", true, MARKER_BORDER},
		{"gcc2_compiled.", false, MARKER_BORDER}, {"Letext0", false, MARKER_BORDER},
		{"_etext", false, MARKER_BORDER}, {"_einittext", false, MARKER_BORDER}};

	array_each(marker, markers, array_len(markers))
		if (text_starts_with(name, len, marker->name) &&
			(marker->is_prefix || len == strlen(marker->name)))
			return marker->marker;
	return !len || is_mapping(name, len) ? MARKER_INSIDE : MARKER_NONE;
}
