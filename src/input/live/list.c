// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Which maps of the running kernel can be read, for --list-maps: their programs by the kernel, the processes
 * that hold either by /proc/PID/fdinfo, as proc(5) says ("map_id:\t12", "prog_id:\t7").
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "input/input.h"
#include "input/live/map.h"
#include "input/live/probe.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/json_text.h"
#include "util/scan.h"
#include "util/xalloc.h"

enum {
	ENTRIES_MAX = 1 << 17, /* that are counted */
	MAPS_MAX = 1 << 16,
	HOLDERS_MAX = 1 << 16,
	COMMAND_MAX = 8, /* maps that go with one */
	STACKS_MAX = 64, /* stack maps that one is compared with */
	COMM_MAX = 64,
	FDINFO_MAX = 4096,
};

struct program {
	uint32_t id;
	char name[BPF_OBJ_NAME_LEN + 1];
	struct VEC(uint32_t) maps;
};

/* A process that has a descriptor of a map, or of a program or link. */
struct holder {
	int64_t pid;
	uint32_t map, program; /* 0: not this */
	char comm[COMM_MAX];
};

struct list {
	struct live_maps maps;
	struct VEC(struct program) programs;
	struct VEC(struct holder) holders;
	bool *stackless; /* by map: it holds no stacks, and names none */
	size_t hidden;	 /* maps that are not printed */
	bool json;
	struct text *text;
};

static void list_deinit(struct list *list)
{
	live_maps_deinit(&list->maps);
	for (size_t i = 0; i < list->programs.len; i++)
		vec_deinit(&list->programs.data[i].maps);
	vec_deinit(&list->programs);
	vec_deinit(&list->holders);
	free(list->stackless);
}

/* ---- collecting ----------------------------------------------------------------------------- */

/* What libbpf makes of a program's constants and variables is no map that is read. */
static bool is_section(const struct live_map *map)
{
	return map->is_array && strchr(map->label, '.');
}

static struct error *find_maps(struct list *list)
{
	uint32_t id = 0;

	while (list->maps.all.len < MAPS_MAX && !bpf_map_get_next_id(id, &id)) {
		bool added;

		try(live_maps_add_inner(&list->maps, id, "--list-maps", &added));
		if (!added)
			continue;
		struct live_map *map = &list->maps.all.data[list->maps.all.len - 1];
		if (map->kind != LIVE_OTHER && !is_section(map))
			continue;
		live_map_deinit(map);
		list->maps.all.len--;
	}
	if (errno == EPERM)
		return error_create(
			ERROR_SYSTEM, "--list-maps requires CAP_SYS_ADMIN: run as root");
	return errno == ENOENT ? NULL : error_errno(errno, "--list-maps");
}

static void add_program(struct list *list, uint32_t id)
{
	auto_fd int fd = bpf_prog_get_fd_by_id(id);
	struct bpf_prog_info info = {};
	uint32_t size = sizeof(info);

	if (fd < 0 || bpf_obj_get_info_by_fd(fd, &info, &size) || !info.nr_map_ids)
		return;
	struct program program = {.id = id};
	memcpy(program.name, info.name, sizeof(info.name));
	uint32_t n = info.nr_map_ids < MAPS_MAX ? info.nr_map_ids : MAPS_MAX;
	vec_reserve(&program.maps, n);
	info = (struct bpf_prog_info){
		.nr_map_ids = n, .map_ids = (uint64_t)(uintptr_t)program.maps.data};
	if (!bpf_obj_get_info_by_fd(fd, &info, &size))
		program.maps.len = info.nr_map_ids < n ? info.nr_map_ids : n;
	vec_push(&list->programs, program);
}

/* The number after KEY and a tab in TEXT, 0: there is none. */
static uint32_t number_of(const char *text, const char *key)
{
	const char *at = strstr(text, key);

	return at ? (uint32_t)strtoul(at + strlen(key), NULL, 10) : 0;
}

static void read_file(int dir, const char *path, size_t max, struct text *ret)
{
	auto_fd int fd = openat(dir, path, O_RDONLY | O_CLOEXEC | O_NONBLOCK);

	text_clear(ret);
	if (fd >= 0)
		(void)file_read_all(fd, max, ret);
	text_add_string(ret, "");
}

static void add_holder(struct list *list, int fds, const char *name, int64_t pid)
{
	scope_guard(text_deinit) struct text info = {}, comm = {};
	auto_free char *path = xasprintf("../fdinfo/%s", name);
	char target[32] = "";
	ssize_t len = readlinkat(fds, name, target, sizeof(target) - 1);

	if (len < 0 || strncmp(target, "anon_inode:bpf", 14) || list->holders.len >= HOLDERS_MAX)
		return;
	read_file(fds, path, FDINFO_MAX, &info);
	struct holder holder = {.pid = pid,
		.map = number_of(info.data, "\nmap_id:\t"),
		.program = number_of(info.data, "\nprog_id:\t")};
	if (!holder.map && !holder.program)
		return;
	read_file(fds, "../comm", COMM_MAX, &comm);
	snprintf(
		holder.comm, sizeof(holder.comm), "%.*s", (int)strcspn(comm.data, "\n"), comm.data);
	vec_push(&list->holders, holder);
}

static void close_directory(DIR **dir)
{
	if (*dir)
		closedir(*dir);
}

static void find_holders(struct list *list, const char *proc_root)
{
	scope_guard(close_directory) DIR *proc = opendir(proc_root);
	struct dirent *entry;

	while (proc && (entry = readdir(proc))) {
		auto_free char *path = xasprintf("%s/%s/fd", proc_root, entry->d_name);
		struct scan scan = {entry->d_name, entry->d_name + strlen(entry->d_name)};
		uint64_t pid;

		if (!scan_decimal(&scan, &pid) || scan_left(&scan) || pid == (uint64_t)getpid())
			continue;
		scope_guard(close_directory) DIR *fds = opendir(path);
		for (struct dirent *fd; fds && (fd = readdir(fds));)
			add_holder(list, dirfd(fds), fd->d_name, (int64_t)pid);
	}
}

/* ---- what belongs together ------------------------------------------------------------------ */

static bool uses(const struct program *program, uint32_t map)
{
	for (size_t i = 0; i < program->maps.len; i++)
		if (program->maps.data[i] == map)
			return true;
	return false;
}

static bool share_program(const struct list *list, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < list->programs.len; i++)
		if (uses(&list->programs.data[i], x) && uses(&list->programs.data[i], y))
			return true;
	return false;
}

static bool holds(const struct list *list, const struct holder *holder, uint32_t map)
{
	if (holder->map == map)
		return true;
	for (size_t i = 0; holder->program && i < list->programs.len; i++)
		if (list->programs.data[i].id == holder->program)
			return uses(&list->programs.data[i], map);
	return false;
}

static bool share_process(const struct list *list, uint32_t x, uint32_t y)
{
	for (size_t i = 0; i < list->holders.len; i++)
		for (size_t j = 0; j < list->holders.len; j++)
			if (list->holders.data[i].pid == list->holders.data[j].pid &&
				holds(list, &list->holders.data[i], x) &&
				holds(list, &list->holders.data[j], y))
				return true;
	return false;
}

/* Whether the command line that reads MAP is to read OTHER too: counts and the stacks that they name. */
static bool goes_with(
	const struct list *list, const struct live_map *map, const struct live_map *other)
{
	bool stacks = other->kind == LIVE_STACKS;

	if (map->kind == LIVE_STACKS)
		stacks = other->kind == LIVE_COUNTS && !other->is_array && !other->is_queue &&
			 !list->stackless[other - list->maps.all.data];
	return stacks && (share_program(list, map->id, other->id) ||
				 (map->kind == LIVE_MAPS && share_process(list, map->id, other->id)));
}

/* Finds out which maps no command line would read stacks of. */
static void find_stackless(struct list *list)
{
	list->stackless = xcalloc(list->maps.all.len + 1, sizeof(bool));
	for (size_t i = 0; i < list->maps.all.len; i++) {
		const struct live_map *map = &list->maps.all.data[i], *stacks[STACKS_MAX];
		size_t n = 0;

		for (size_t j = 0; j < list->maps.all.len && n < STACKS_MAX; j++)
			if (map->kind != LIVE_STACKS &&
				goes_with(list, map, &list->maps.all.data[j]))
				stacks[n++] = &list->maps.all.data[j];
		list->stackless[i] = (map->kind == LIVE_MAPS && !n) ||
				     (map->kind == LIVE_COUNTS && !live_probe(map, stacks, n));
	}
}

/* Of several counts with one stack map it is for the user to choose. */
static void add_command(const struct list *list, const struct live_map *map, struct text *text)
{
	bool events = map->kind == LIVE_EVENTS;
	size_t n = 0, most = COMMAND_MAX;

	for (size_t i = 0; map->kind == LIVE_STACKS && i < list->maps.all.len; i++)
		n += goes_with(list, map, &list->maps.all.data[i]);
	if (n > 1)
		most = 0;
	n = 0;

	text_printf(text, "stack2line %s=id:%u", events ? "--events" : "--map", map->id);
	for (size_t i = 0; i < list->maps.all.len && n < most; i++) {
		const struct live_map *other = &list->maps.all.data[i];

		if (!goes_with(list, map, other))
			continue;
		text_printf(text, " --map=id:%u", other->id);
		n++;
	}
	text_add_string(text, events ? " --event-layout=FIELDS" : map->is_queue ? " --clear" : "");
}

static const char *kind_of(const struct live_map *map)
{
	switch (map->kind) {
	case LIVE_STACKS:
		return map->flags & BPF_F_STACK_BUILD_ID ? "build-ID stacks" : "stacks";
	case LIVE_EVENTS:
		return "events";
	case LIVE_MAPS:
		return "maps";
	default:
		return map->is_array ? "array" : map->is_queue ? "queue" : "counts";
	}
}

/* How many entries there are, as far as ENTRIES_MAX; -1: it cannot be said. */
static int64_t count_entries(const struct live_map *map)
{
	auto_free uint8_t *key = xcalloc(1, map->key_size + 1);
	const uint8_t *last = NULL;
	int64_t n = 0;

	if (map->kind == LIVE_EVENTS || map->is_queue)
		return -1;
	if (map->is_array)
		return map->max_entries;
	for (; n < ENTRIES_MAX && !bpf_map_get_next_key(map->fd, last, key); last = key)
		n++;
	return n;
}

/* ---- printing ------------------------------------------------------------------------------- */

static void add_separator(struct list *list, const char *heading, bool *begun)
{
	if (list->json)
		text_add_string(list->text, *begun ? ",{" : "{");
	else
		text_add_string(list->text, *begun ? ", " : heading);
	*begun = true;
}

/* "7 do_sample" */
static void add_one(
	struct list *list, const char *key, uint64_t id, const char *name_key, const char *name)
{
	if (list->json) {
		json_add_unsigned(list->text, key, id);
		json_add_string(list->text, name_key, name);
		text_add_char(list->text, '}');
		return;
	}
	text_printf(list->text, "%" PRIu64 " ", id);
	text_add_escaped(list->text, name, strlen(name));
}

static void end_list(struct list *list, bool begun)
{
	if (list->json)
		text_add_char(list->text, ']');
	else if (begun)
		text_add_char(list->text, '\n');
}

static void add_programs(struct list *list, uint32_t map)
{
	bool begun = false;

	if (list->json)
		text_add_string(list->text, ",\"programs\":[");
	for (size_t i = 0; i < list->programs.len; i++) {
		const struct program *program = &list->programs.data[i];

		if (!uses(program, map))
			continue;
		add_separator(list, "\tused by program ", &begun);
		add_one(list, "id", program->id, "name", program->name);
	}
	end_list(list, begun);
}

static void add_processes(struct list *list, uint32_t map)
{
	bool begun = false;
	int64_t last = -1;

	if (list->json)
		text_add_string(list->text, ",\"processes\":[");
	for (size_t i = 0; i < list->holders.len; i++) {
		const struct holder *holder = &list->holders.data[i];

		if (holder->pid == last || !holds(list, holder, map))
			continue;
		last = holder->pid;
		add_separator(list, "\tof process ", &begun);
		add_one(list, "pid", (uint64_t)holder->pid, "comm", holder->comm);
	}
	end_list(list, begun);
}

/* The label is "map 12 (counts)". */
static void add_map(struct list *list, const struct live_map *map)
{
	auto_free char *name = xstrdup(strchr(map->label, '(') + 1);
	scope_guard(text_deinit) struct text command = {};
	bool stackless = list->stackless[map - list->maps.all.data];

	list->hidden += stackless;
	if (stackless && !list->json)
		return;
	int64_t n = count_entries(map);
	name[strlen(name) - 1] = '\0';
	add_command(list, map, &command);
	if (list->json) {
		text_add_char(list->text, '{');
		json_add_unsigned(list->text, "id", map->id);
		json_add_string(list->text, "name", name);
		json_add_string(list->text, "type", live_map_type_name(map));
		json_add_string(list->text, "kind", kind_of(map));
		if (n >= 0)
			json_add_unsigned(list->text, "entries", (uint64_t)n);
		json_add_unsigned(list->text, "max_entries", map->max_entries);
		if (!stackless)
			json_add_string(list->text, "command", command.data);
	} else {
		text_printf(list->text, "%u: %s  name %s  %s", map->id, live_map_type_name(map),
			*name ? name : "-", kind_of(map));
		if (n >= 0 && !map->is_array)
			text_printf(list->text, ", %s%" PRIi64 " of %u entries",
				n == ENTRIES_MAX ? "at least " : "", n, map->max_entries);
		text_printf(list->text, "\n\t%s\n", command.data);
	}
	add_programs(list, map->id);
	add_processes(list, map->id);
	text_add_string(list->text, list->json ? "}\n" : "");
}

struct error *input_list_maps(const char *proc_root, bool json, struct text *ret)
{
	scope_guard(list_deinit) struct list list = {.json = json, .text = ret};

	libbpf_set_print(NULL);
	try(find_maps(&list));
	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);)
		add_program(&list, id);
	find_holders(&list, proc_root);
	find_stackless(&list);
	for (size_t i = 0; i < list.maps.all.len; i++)
		add_map(&list, &list.maps.all.data[i]);
	if (list.hidden && !json)
		text_printf(ret, "%zu more maps hold no stacks and name none (--json lists them)\n",
			list.hidden);
	return NULL;
}
