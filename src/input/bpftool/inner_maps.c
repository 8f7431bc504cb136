// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/bpftool/inner_maps.h"

#include <inttypes.h>
#include <stdlib.h>

#include "util/text.h"
#include "util/xalloc.h"

void inner_maps_deinit(struct inner_maps *maps)
{
	vec_deinit(&maps->ids);
	free(maps->position);
	*maps = (struct inner_maps){};
}

void inner_maps_add(struct inner_maps *maps, uint64_t id, const char *position)
{
	for (size_t i = 0; i < maps->ids.len; i++)
		if (maps->ids.data[i] == id)
			return;
	if (maps->ids.len == INNER_MAPS_SHOWN) {
		maps->more++;
		return;
	}
	if (!maps->position)
		maps->position = xstrdup(position);
	vec_push(&maps->ids, id);
}

void inner_maps_report(struct inner_maps *maps, struct dump *dump)
{
	struct text list = {};

	for (size_t i = 0; i < maps->ids.len; i++)
		text_printf(&list, "%s`bpftool map dump id %" PRIu64 "`", i ? ", " : "",
			maps->ids.data[i]);
	if (maps->ids.len)
		dump_warn(dump,
			"%s: the entries of this map are maps: dump those instead: %s%s (or "
			"pass the outer map to --map)",
			maps->position, list.data, maps->more ? ", …" : "");
	text_deinit(&list);
	inner_maps_deinit(maps);
}
