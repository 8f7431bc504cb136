// SPDX-License-Identifier: GPL-2.0-or-later
#include "process/jit/state.h"

#include "util/cleanup.h"

void jit_deinit(struct jit *jit)
{
	recorded_jit_deinit(&jit->recorded);
	jit_file_deinit(&jit->perf_map);
	jit_file_deinit(&jit->dump);
	jit_map_deinit(&jit->map);
	jit_map_deinit(&jit->dump_map);
	text_deinit(&jit->refused);
}

static size_t map_bytes(const struct jit_map *map)
{
	return map->symbols.cap * sizeof(*map->symbols.data) +
	       map->lines.cap * sizeof(*map->lines.data) +
	       map->ranges.cap * sizeof(*map->ranges.data) + map->strings.bytes;
}

size_t jit_bytes(const struct jit *jit)
{
	return sizeof(*jit) + map_bytes(&jit->map) + map_bytes(&jit->dump_map) +
	       jit->dump.dump.by_address.cap * sizeof(struct table_slot) +
	       map_bytes(&jit->recorded.map) + history_bytes(&jit->recorded.history);
}

void jit_tidy(struct jit *jit)
{
	uint64_t version = jit->version + 1;

	if (!jit->map.has_old_names && !jit->dump_map.has_old_names)
		return;
	jit_deinit(jit);
	*jit = (struct jit){.version = version};
	jit->perf_map.fd = jit->dump.fd = -1;
}

void jit_close(struct jit *jit)
{
	cleanup_fd(&jit->perf_map.fd);
	cleanup_fd(&jit->dump.fd);
	jit->perf_map.fd = jit->dump.fd = -1;
}
