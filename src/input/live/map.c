// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

enum {
	NAME_LEN = BPF_OBJ_NAME_LEN - 1, /* bytes of a name that the kernel keeps */
	PROG_MAPS_MAX = 4096,
	IDS_SHOWN = 20,
};

void live_map_deinit(struct live_map *map)
{
	if (map->fd >= 0)
		close(map->fd);
	free(map->label);
}

static void map_cleanup(struct live_map *map)
{
	live_map_deinit(map);
}

void live_maps_deinit(struct live_maps *maps)
{
	for (size_t i = 0; i < maps->all.len; i++)
		live_map_deinit(&maps->all.data[i]);
	vec_deinit(&maps->all);
}

const char *live_map_type_name(const struct live_map *map)
{
	const char *name = libbpf_bpf_map_type_str((enum bpf_map_type)map->type);

	return name ? name : "unknown type";
}

static void set_kind(struct live_map *map)
{
	map->kind = LIVE_COUNTS;
	switch (map->type) {
	case BPF_MAP_TYPE_STACK_TRACE:
		map->kind = LIVE_STACKS;
		break;
	case BPF_MAP_TYPE_HASH:
	case BPF_MAP_TYPE_LRU_HASH:
	case BPF_MAP_TYPE_LPM_TRIE:
		break;
	case BPF_MAP_TYPE_PERCPU_HASH:
	case BPF_MAP_TYPE_LRU_PERCPU_HASH:
		map->per_cpu = true;
		break;
	case BPF_MAP_TYPE_ARRAY:
		map->is_array = true;
		break;
	case BPF_MAP_TYPE_PERCPU_ARRAY:
		map->is_array = map->per_cpu = true;
		break;
	case BPF_MAP_TYPE_ARRAY_OF_MAPS:
	case BPF_MAP_TYPE_HASH_OF_MAPS:
		map->kind = LIVE_MAPS;
		break;
	case BPF_MAP_TYPE_QUEUE:
	case BPF_MAP_TYPE_STACK:
		map->is_queue = true;
		break;
	case BPF_MAP_TYPE_RINGBUF:
	case BPF_MAP_TYPE_PERF_EVENT_ARRAY:
		map->kind = LIVE_EVENTS;
		break;
	default:
		map->kind = LIVE_OTHER;
	}
}

/* Takes FD over. */
static struct error *map_open(int fd, struct live_map *ret)
{
	scope_guard(map_cleanup) struct live_map map = {.fd = fd};
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	struct text label = {};

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return error_errno(errno, "cannot get information about a map");
	text_printf(&label, "map %u (", info.id);
	text_add_escaped(&label, info.name, strnlen(info.name, sizeof(info.name)));
	text_add_char(&label, ')');
	map.label = text_take(&label);
	map.id = info.id;
	map.type = info.type;
	map.key_size = info.key_size;
	map.value_size = info.value_size;
	map.max_entries = info.max_entries;
	map.flags = info.map_flags;
	map.btf_id = info.btf_id;
	map.key_type = info.btf_key_type_id;
	map.value_type = info.btf_value_type_id;
	set_kind(&map);
	*ret = map;
	map.fd = -1;
	map.label = NULL;
	return NULL;
}

/* Adds the map behind FD, which is taken over. */
static struct error *add_fd(struct live_maps *maps, int fd)
{
	struct live_map map = {.fd = -1};

	try(map_open(fd, &map));
	for (size_t i = 0; i < maps->all.len; i++) {
		if (maps->all.data[i].id != map.id)
			continue;
		live_map_deinit(&map);
		return NULL;
	}
	vec_push(&maps->all, map);
	return NULL;
}

static struct error *refused(int errnum, const char *option, const char *what, uint32_t id)
{
	if (errnum == ENOENT)
		return error_create(ERROR_INPUT,
			"%s: there is no %s with ID %u: see `bpftool %s list`", option, what, id,
			what[0] == 'm' ? "map" : "prog");
	if (errnum == EPERM)
		return error_create(ERROR_SYSTEM,
			"%s: maps and programs by ID or name require CAP_SYS_ADMIN: run as "
			"root, or pin the map (pinned:PATH requires CAP_BPF and permission to "
			"read and write PATH)",
			option);
	return error_errno(errnum, "%s: cannot open the %s with ID %u", option, what, id);
}

static struct error *add_id(struct live_maps *maps, uint32_t id, const char *option)
{
	int fd = bpf_map_get_fd_by_id(id);

	return fd < 0 ? refused(errno, option, "map", id) : add_fd(maps, fd);
}

struct error *live_maps_add_inner(
	struct live_maps *maps, uint32_t id, const char *option, bool *ret_added)
{
	size_t n = maps->all.len;
	int fd = bpf_map_get_fd_by_id(id);

	*ret_added = false;
	if (fd < 0)
		return errno == ENOENT ? NULL : refused(errno, option, "map", id);
	try(add_fd(maps, fd));
	*ret_added = maps->all.len > n;
	if (*ret_added)
		maps->all.data[n].is_inner = true;
	return NULL;
}

/* Whether a map called NAME is meant by WANTED, of which the kernel keeps but the beginning. */
static bool name_is(const char *name, const char *wanted)
{
	return !strncmp(name, wanted, NAME_LEN) && strlen(wanted) >= strnlen(name, NAME_LEN);
}

struct map_ids {
	struct VEC(uint32_t) all;
};

static void ids_cleanup(struct map_ids *ids)
{
	vec_deinit(&ids->all);
}

/* Adds ID to IDS if its map has that name. A map that is gone by now has none. */
static struct error *match_name(
	uint32_t id, const char *name, const char *option, struct map_ids *ids)
{
	auto_fd int fd = bpf_map_get_fd_by_id(id);
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);

	if (fd < 0 && errno == ENOENT)
		return NULL;
	if (fd < 0)
		return refused(errno, option, "map", id);
	if (!bpf_obj_get_info_by_fd(fd, &info, &size) && name_is(info.name, name))
		vec_push(&ids->all, id);
	return NULL;
}

/* The one of IDS; it is an error if there are more or none. WHERE is "" or " of program 12". */
static struct error *only_one(const struct map_ids *ids, const char *option, const char *name,
	const char *where, uint32_t *ret)
{
	struct text list = {};

	if (ids->all.len == 1) {
		*ret = ids->all.data[0];
		return NULL;
	}
	if (!ids->all.len)
		return error_create(ERROR_INPUT,
			"%s: there is no map%s with the name '%s': see `bpftool map list`", option,
			where, name);
	for (size_t i = 0; i < ids->all.len && i < IDS_SHOWN; i++)
		text_printf(&list, "%sid:%u", i ? ", " : "", ids->all.data[i]);
	auto_free char *shown = text_take(&list);
	return error_create(ERROR_INPUT,
		"%s: %zu maps%s have the name '%s': choose one with %s%s%s", option, ids->all.len,
		where, name, shown, ids->all.len > IDS_SHOWN ? ", …" : "",
		*where ? "" : ", or with prog:ID/NAME");
}

static struct error *find_name(
	const struct live_spec *spec, const char *option, struct live_maps *maps)
{
	scope_guard(ids_cleanup) struct map_ids ids = {};
	uint32_t id = 0;

	while (!bpf_map_get_next_id(id, &id))
		try(match_name(id, spec->name, option, &ids));
	if (errno != ENOENT)
		return refused(errno, option, "map", id);
	try(only_one(&ids, option, spec->name, "", &id));
	return add_id(maps, id, option);
}

static struct error *find_pinned(
	const struct live_spec *spec, const char *option, struct live_maps *maps)
{
	int fd = bpf_obj_get(spec->name);

	if (fd >= 0)
		return error_context(
			add_fd(maps, fd), "%s: %s: not a pinned map", option, spec->name);
	if (errno == EPERM)
		return error_create(ERROR_SYSTEM,
			"%s: %s: pinned maps require CAP_BPF or CAP_SYS_ADMIN: run as root", option,
			spec->name);
	return error_errno(errno, "%s: %s: cannot open it as a pinned map", option, spec->name);
}

/* The IDs of the maps that program ID uses. */
static struct error *prog_maps(uint32_t id, const char *option, struct map_ids *ids)
{
	auto_fd int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	if (fd < 0)
		return refused(errno, option, "program", id);
	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return error_errno(
			errno, "%s: cannot get information about program %u", option, id);
	uint32_t n = info.nr_map_ids < PROG_MAPS_MAX ? info.nr_map_ids : PROG_MAPS_MAX;
	vec_reserve(&ids->all, n + 1);
	info = (struct bpf_prog_info){
		.nr_map_ids = n, .map_ids = (uint64_t)(uintptr_t)ids->all.data};
	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return error_errno(
			errno, "%s: cannot get information about program %u", option, id);
	ids->all.len = info.nr_map_ids < n ? info.nr_map_ids : n;
	return NULL;
}

static struct error *nothing_to_add(
	const struct live_maps *found, const char *option, uint32_t prog)
{
	for (size_t i = 0; i < found->all.len; i++)
		if (found->all.data[i].is_queue)
			return error_create(ERROR_INPUT,
				"%s: program %u uses no hash, but a queue or stack, %s: pass it "
				"with id:%u and --clear, and its stack maps too",
				option, prog, found->all.data[i].label, found->all.data[i].id);
	return error_create(ERROR_INPUT,
		"%s: program %u uses no stack map and no hash: choose its map with prog:%u/NAME",
		option, prog, prog);
}

/*
 * Adds what can be counts or stacks; arrays of a program are its settings and scratch space, and
 * queues are read only when they are named, for that empties them.
 */
static struct error *add_all(
	const struct map_ids *ids, const char *option, uint32_t prog, struct live_maps *maps)
{
	scope_guard(live_maps_deinit) struct live_maps found = {};
	size_t added = 0, queues = 0, counts = 0;

	for (size_t i = 0; i < ids->all.len; i++)
		try(add_id(&found, ids->all.data[i], option));
	for (size_t i = 0; i < found.all.len; i++) {
		const struct live_map *map = &found.all.data[i];

		queues += map->is_queue;
		if (map->kind > LIVE_COUNTS || map->is_array || map->is_queue)
			continue;
		added++;
		counts += map->kind == LIVE_COUNTS;
		size_t before = maps->all.len;
		try(add_id(maps, map->id, option));
		if (maps->all.len > before)
			maps->all.data[before].automatic = true;
	}
	return !added || (queues && !counts) ? nothing_to_add(&found, option, prog) : NULL;
}

static struct error *find_prog(
	const struct live_spec *spec, const char *option, struct live_maps *maps)
{
	scope_guard(ids_cleanup) struct map_ids ids = {}, matching = {};
	auto_free char *where = xasprintf(" of program %u", spec->id);
	uint32_t id = 0;

	try(prog_maps(spec->id, option, &ids));
	if (!spec->name)
		return add_all(&ids, option, spec->id, maps);
	for (size_t i = 0; i < ids.all.len; i++)
		try(match_name(ids.all.data[i], spec->name, option, &matching));
	try(only_one(&matching, option, spec->name, where, &id));
	return add_id(maps, id, option);
}

struct error *live_maps_find(
	const struct live_spec *spec, const char *option, struct live_maps *maps)
{
	switch (spec->kind) {
	case LIVE_SPEC_ID:
		return add_id(maps, spec->id, option);
	case LIVE_SPEC_NAME:
		return find_name(spec, option, maps);
	case LIVE_SPEC_PINNED:
		return find_pinned(spec, option, maps);
	case LIVE_SPEC_PROG:
		return find_prog(spec, option, maps);
	}
	return NULL;
}
