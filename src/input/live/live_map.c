// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/live/live_map.h"

#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/live/holders.h"
#include "input/roles/bpftrace_stack.h"
#include "util/cleanup.h"
#include "util/scan.h"
#include "util/text.h"
#include "util/xalloc.h"

/* ---- how the command line selects maps ------------------------------------------------------- */

static bool parse_spec(struct scan scan, struct live_spec *spec)
{
	static const struct {
		const char *word;
		enum live_spec_kind kind;
		bool by_id;
	} kinds[] = {{"id:", LIVE_SPEC_ID, true}, {"name:", LIVE_SPEC_NAME, false},
		{"pinned:", LIVE_SPEC_PINNED, false}, {"comm:", LIVE_SPEC_COMM, false},
		{"pid:", LIVE_SPEC_PID, true}, {"prog:", LIVE_SPEC_PROG, true}};
	uint64_t id = 0;
	size_t i = 0;

	while (i < array_len(kinds) && !scan_literal(&scan, kinds[i].word))
		i++;
	if (i == array_len(kinds) || (kinds[i].by_id && (!scan_decimal(&scan, &id) || !id)) ||
		id > UINT32_MAX)
		return false;
	spec->id = (uint32_t)id;
	spec->kind = kinds[i].kind;
	if (kinds[i].by_id && !scan_left(&scan))
		return true;
	if (kinds[i].by_id && (spec->kind != LIVE_SPEC_PROG || !scan_char(&scan, '/')))
		return false;
	spec->name = scan.at;
	return scan_left(&scan) > 0;
}

struct error *live_spec_parse(const char *text, const char *option, struct live_spec *ret)
{
	struct live_spec spec = {};

	if (!parse_spec(scan_of(text), &spec))
		return error_create(ERROR_USAGE,
			"%s: '%s' does not name a map: expected id:NUMBER, name:NAME, pinned:PATH, "
			"prog:ID/NAME (a map of a program), prog:ID, comm:COMM or pid:PID",
			option, text);
	*ret = spec;
	return NULL;
}

/* ---- finding maps ---------------------------------------------------------------------------- */

enum {
	NAME_LEN = BPF_OBJ_NAME_LEN - 1, /* bytes of a map's name that the kernel keeps */
	IDS_SHOWN = 20,			 /* IDs in an error */
	INNER_MAX = 256,		 /* limit on maps in maps, because each is an open file */
	HASHES_TRIED = 8,		 /* entries that may be stacks of bpftrace */
};

void live_map_deinit(struct live_map *map)
{
	if (map->fd >= 0)
		close(map->fd);
	free(map->label);
}

void live_maps_deinit(struct live_maps *maps)
{
	vec_deinit_each(maps, live_map_deinit);
}

const char *live_map_type_name(const struct live_map *map)
{
	return libbpf_bpf_map_type_str((enum bpf_map_type)map->type) ?: "unknown type";
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

/*
 * Makes MAP LIVE_HASHED if one of its first entries is a stack of bpftrace under its hash. Others
 * may have been replaced while they were read.
 */
static void look_for_hashes(struct live_map *map)
{
	uint8_t key[16], *last = NULL;

	if (map->type != BPF_MAP_TYPE_LRU_HASH || map->key_size > sizeof(key))
		return;
	auto_free uint8_t *value = xmalloc(map->value_size);
	for (int i = 0; i < HASHES_TRIED && !bpf_map_get_next_key(map->fd, last, key); i++) {
		last = key;
		if (!bpf_map_lookup_elem(map->fd, key, value) &&
			bpftrace_stack_is_hashed(key, map->key_size, value, map->value_size))
			map->kind = LIVE_HASHED;
	}
}

/* Takes ownership of FD, also if it fails. */
static struct error *map_open(int fd, struct live_map *ret)
{
	scope_guard(live_map_deinit) struct live_map map = {.fd = fd};
	struct bpf_map_info info = {};
	uint32_t size = sizeof(info);
	struct text label = {};

	if (bpf_obj_get_info_by_fd(fd, &info, &size))
		return error_errno(errno, "cannot get information about a map");
	snprintf(map.name, sizeof(map.name), "%.*s", (int)sizeof(info.name), info.name);
	text_printf_escaped(&label, "map %u (%s)", info.id, map.name);
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
	look_for_hashes(&map);
	int cpus = map.per_cpu ? libbpf_num_possible_cpus() : 1;
	map.n_cpus = cpus > 0 ? (size_t)cpus : 0;
	/* the kernel pads per-CPU values to 8 bytes (kernel/bpf/syscall.c, bpf_map_value_size()) */
	map.stride = map.per_cpu ? (map.value_size + 7ULL) & ~7ULL : map.value_size;
	*ret = map;
	map.fd = -1;
	map.label = NULL;
	return NULL;
}

/* Adds MAP and takes ownership of it. Returns false, and closes it, if MAPS already has its ID. */
static bool live_maps_add(struct live_maps *maps, struct live_map *map)
{
	vec_each(known, maps) {
		if (known->id != map->id)
			continue;
		live_map_deinit(map);
		return false;
	}
	vec_push(maps, *map);
	return true;
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

struct error *live_map_open(uint32_t id, const char *option, struct live_map *ret)
{
	int fd = bpf_map_get_fd_by_id(id);

	*ret = (struct live_map){.fd = -1};
	if (fd >= 0)
		return map_open(fd, ret);
	return errno == ENOENT ? NULL : refused(errno, option, "map", id);
}

static struct error *add_id(struct live_maps *maps, uint32_t id, const char *option)
{
	struct live_map map;

	try(live_map_open(id, option, &map));
	if (map.fd < 0)
		return refused(ENOENT, option, "map", id);
	(void)live_maps_add(maps, &map);
	return NULL;
}

/*
 * Returns the error for maps of the name in SPEC, which are not one. WHERE is "" or
 * " of program 12".
 */
static struct error *not_one(const struct live_maps *found, const char *option,
	const struct live_spec *spec, const char *where, const char *proc_root)
{
	size_t n = found->len;

	if (!n)
		return error_create(ERROR_INPUT,
			"%s: there is no map%s with the name '%s': see `bpftool map list`", option,
			where, spec->name);
	/* the newest ones, and who holds them: "id:12 (profile 4711, 3 min), id:15" */
	scope_guard(live_holders_deinit) struct live_holders holders = {};
	auto_text struct text shown = {};
	live_holders_find(proc_root, &holders);
	size_t first = n > IDS_SHOWN ? n - IDS_SHOWN : 0;
	for (size_t i = first; i < n; i++) {
		auto_text struct text owner = {};
		uint32_t id = found->data[i].id;

		text_printf(&shown, "%sid:%u", i > first ? ", " : "", id);
		if (live_holders_add(&holders, id, &owner))
			text_printf(&shown, " (%s)", owner.data);
	}
	return error_create(ERROR_INPUT,
		"%s: %zu maps%s have the name '%s': choose one with %s%s%s", option, n, where,
		spec->name, shown.data, n > IDS_SHOWN ? ", …" : "",
		*where ? "" : ", or with prog:ID/NAME");
}

static struct error *find_pinned(
	const struct live_spec *spec, const char *option, struct live_maps *maps)
{
	int fd = bpf_obj_get(spec->name);
	struct live_map map;

	if (fd >= 0) {
		try(error_context(
			map_open(fd, &map), "%s: %s: not a pinned map", option, spec->name));
		(void)live_maps_add(maps, &map);
		return NULL;
	}
	if (errno == EPERM)
		return error_create(ERROR_SYSTEM,
			"%s: %s: pinned maps require CAP_BPF or CAP_SYS_ADMIN: run as root", option,
			spec->name);
	return error_errno(errno, "%s: %s: cannot open it as a pinned map", option, spec->name);
}

/*
 * Adds those of the maps IDS that may hold counts or stacks. Skips arrays, which are settings and
 * scratch space of programs, and queues: reading empties them, so the user must name them. Fails if
 * nothing is left to read. OWNER is "program 12" or "process 4711".
 */
static struct error *add_all(
	const struct live_ids *ids, const char *option, const char *owner, struct live_maps *maps)
{
	scope_guard(live_maps_deinit) struct live_maps found = {};
	bool added = false, queues = false, counts = false;

	vec_each_value(id, ids)
		try(add_id(&found, id, option));
	vec_each(map, &found) {
		queues |= map->is_queue;
		if (map->kind > LIVE_COUNTS || map->is_array || map->is_queue)
			continue;
		added = true;
		counts |= map->kind == LIVE_COUNTS;
		map->automatic = true;
		struct live_map moved = *map;
		*map = (struct live_map){.fd = -1};
		(void)live_maps_add(maps, &moved);
	}
	if (added && (!queues || counts))
		return NULL;
	vec_each(map, &found)
		if (map->is_queue)
			return error_create(ERROR_INPUT,
				"%s: %s uses no hash, but a queue or stack, %s: pass it "
				"with id:%u and --clear, and its stack maps too",
				option, owner, map->label, map->id);
	return error_create(ERROR_INPUT,
		"%s: %s uses no stack map and no hash: choose its map by its ID or name (see "
		"`bpftool map list`)",
		option, owner);
}

/* Adds the only map with the name in SPEC, of all or of a program; or all maps of the program. */
static struct error *find_name(const struct live_spec *spec, const char *option,
	const char *proc_root, struct live_maps *maps)
{
	scope_guard(live_ids_deinit) struct live_ids ids = {};
	scope_guard(live_maps_deinit) struct live_maps found = {};
	bool of_program = spec->kind == LIVE_SPEC_PROG;
	auto_free char *where = of_program ? xasprintf(" of program %u", spec->id) : xstrdup("");

	if (of_program) {
		int failed = live_program_maps(spec->id, NULL, &ids);

		if (failed)
			return refused(failed, option, "program", spec->id);
		if (!spec->name)
			return add_all(&ids, option, where + strlen(" of "), maps);
	} else {
		uint32_t id = 0;

		while (!bpf_map_get_next_id(id, &id))
			vec_push(&ids, id);
		if (errno != ENOENT)
			return refused(errno, option, "map", id);
	}
	vec_each_value(id, &ids) {
		struct live_map map;

		/* the kernel cuts names to NAME_LEN bytes */
		try(live_map_open(id, option, &map));
		if (map.fd >= 0 && !strncmp(map.name, spec->name, NAME_LEN) &&
			strlen(spec->name) >= strlen(map.name))
			vec_push(&found, map);
		else
			live_map_deinit(&map);
	}
	if (found.len != 1)
		return not_one(&found, option, spec, where, proc_root);
	found.len = 0;
	(void)live_maps_add(maps, &found.data[0]);
	return NULL;
}

/* Adds the maps of the process that SPEC selects. Fails if there is none or several. */
static struct error *find_owner(const struct live_spec *spec, const char *option,
	const char *proc_root, struct live_maps *maps)
{
	scope_guard(live_holders_deinit) struct live_holders holders = {};
	scope_guard(live_ids_deinit) struct live_ids ids = {};
	auto_text struct text owners = {};
	int64_t last = -1;
	size_t n = 0;

	live_holders_find(proc_root, &holders);
	vec_each(holder, &holders) {
		if (spec->name ? strcmp(spec->name, holder->comm) != 0 : spec->id != holder->pid)
			continue;
		vec_push(&ids, holder->map);
		if (holder->pid == last)
			continue;
		last = holder->pid;
		text_printf(&owners, "%spid:%" PRIi64 " (", n++ ? ", " : "", holder->pid);
		live_holder_add(holder, &owners);
		text_add_char(&owners, ')');
	}
	auto_free char *owner = spec->name ? xasprintf("process '%s'", spec->name)
					   : xasprintf("process %u", spec->id);
	if (!n)
		return error_create(ERROR_INPUT,
			"%s: no %s holds a map that can be read: see --list-maps (as root)", option,
			owner);
	if (n > 1)
		return error_create(ERROR_INPUT,
			"%s: %zu processes are called '%s': choose one with %s", option, n,
			spec->name, owners.data);
	return add_all(&ids, option, owner, maps);
}

struct error *live_maps_find(const struct live_spec *spec, const char *option,
	const char *proc_root, struct live_maps *maps)
{
	switch (spec->kind) {
	case LIVE_SPEC_ID:
		return add_id(maps, spec->id, option);
	case LIVE_SPEC_NAME:
	case LIVE_SPEC_PROG:
		return find_name(spec, option, proc_root, maps);
	case LIVE_SPEC_PINNED:
		return find_pinned(spec, option, maps);
	case LIVE_SPEC_COMM:
	case LIVE_SPEC_PID:
		return find_owner(spec, option, proc_root, maps);
	}
	return NULL;
}

/* ---- maps of maps --------------------------------------------------------------------------- */

/* Adds the maps in OUTER, which is one of MAPS: its values are map IDs. Adds their number to N. */
static struct error *add_each_inner(struct live_maps *maps, const struct live_map *outer, size_t *n)
{
	uint64_t steps = 4 * (uint64_t)outer->max_entries + 1024; /* OUTER may change */
	auto_free uint8_t *key = xcalloc(1, outer->key_size);
	int fd = outer->fd; /* OUTER moves when MAPS grows */
	int failed = bpf_map_get_next_key(fd, NULL, key);
	uint32_t id;

	for (; !failed && --steps; failed = bpf_map_get_next_key(fd, key, key)) {
		struct live_map map;

		if (bpf_map_lookup_elem(fd, key, &id))
			continue;
		try(live_map_open(id, "--map", &map));
		map.is_inner = true;
		*n += map.fd >= 0 && live_maps_add(maps, &map);
		if (*n > INNER_MAX)
			return error_create(ERROR_INPUT,
				"--map: more than %d maps in maps: choose some with id:N",
				INNER_MAX);
	}
	return NULL;
}

struct error *live_maps_follow(struct live_maps *maps)
{
	size_t n = 0, kept = 0;

	vec_each(map, maps) {
		if (map->is_inner)
			live_map_deinit(map);
		else
			maps->data[kept++] = *map;
	}
	maps->len = kept;
	vec_each(map, maps)
		look_for_hashes(map);
	for (size_t i = 0, given = maps->len; i < given; i++)
		if (maps->data[i].kind == LIVE_MAPS)
			try(add_each_inner(maps, &maps->data[i], &n));
	return NULL;
}
