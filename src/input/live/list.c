// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Lists the readable maps of the running kernel, with the programs that use them and the processes
 * that hold them (--list-maps).
 */
#include <bpf/bpf.h>
#include <bpf/libbpf.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "input/input.h"
#include "input/lists/addresses.h"
#include "input/live/entries.h"
#include "input/live/holders.h"
#include "input/live/live_map.h"
#include "input/live/type.h"
#include "util/arena.h"
#include "util/cleanup.h"
#include "util/json_text.h"
#include "util/number.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* ---- which maps have stacks ------------------------------------------------------------------ */

/* Guesses from the first entries of a map, because the list reads no map completely. */

enum {
	ENTRIES_LOOKED_AT = 64,
	ELEMENTS_TRIED = 4096,	/* limit on reads; most elements of an array may be zero */
	BYTES_LOOKED_AT = 1024, /* of a key and of a value */
	WORDS_OF_STACK = 3,	/* consecutive addresses that are taken for a stack */
};

/* The 32-bit numbers at one offset in all entries looked at. */
struct probed_word {
	size_t found, missing; /* number of stack IDs, of other numbers above 0 */
	int32_t first;	       /* the first number above 0 */
	bool differs;	       /* not all numbers above 0 are FIRST */
};

struct map_probe {
	const struct live_map *map;
	const struct live_map *const *stacks;
	size_t n_stacks;
	uint8_t *key, *value, *stack;
	struct probed_word words[2 * BYTES_LOOKED_AT]; /* by offset in the key, then in the value */
	size_t n;				       /* number of entries looked at */
	bool is_inline; /* an entry contains a stack, or the hash of one of bpftrace's */
};

static void probe_deinit(struct map_probe *probe)
{
	free(probe->key);
	free(probe->value);
	free(probe->stack);
}

static bool is_stack(const struct map_probe *probe, uint32_t id)
{
	array_each(map, probe->stacks, probe->n_stacks)
		if ((*map)->kind == LIVE_STACKS && id / 2 < (*map)->max_entries &&
			!bpf_map_lookup_elem((*map)->fd, &id, probe->stack))
			return true;
	return false;
}

/*
 * Looks at LEN bytes of a key or value: for consecutive addresses, for hashes of bpftrace's stacks,
 * and at the numbers at all byte offsets, because it may be packed.
 */
static void look_at_bytes(
	struct map_probe *probe, const uint8_t *bytes, size_t len, struct probed_word *words)
{
	size_t run = 0;
	bool wide = false;

	for (size_t at = 0; at + 8 <= len && !probe->is_inline; at += 8) {
		uint64_t word = load_u64(bytes + at);
		bool is_address = address_side(word) != SIDE_UNKNOWN;

		run = is_address ? run + 1 : 0;
		wide = is_address && (wide || word > UINT32_MAX);
		probe->is_inline = wide && run >= WORDS_OF_STACK;
	}
	array_each(map, probe->stacks, probe->n_stacks)
		for (size_t at = 0; (*map)->kind == LIVE_HASHED && at + (*map)->key_size <= len;
			at += 8)
			probe->is_inline |=
				!bpf_map_lookup_elem((*map)->fd, bytes + at, probe->stack);
	for (size_t i = 0; i + 4 <= len && i < BYTES_LOOKED_AT; i++) {
		struct probed_word *word = &words[i];
		int32_t id = (int32_t)load_u32(bytes + i);

		if (id <= 0 || word->missing > word->found + 2)
			continue;
		++*(is_stack(probe, (uint32_t)id) ? &word->found : &word->missing);
		word->first = word->first ?: id;
		word->differs |= id != word->first;
	}
}

static void look_at_entry(struct map_probe *probe)
{
	const struct live_map *map = probe->map;
	const uint8_t *value = probe->value;

	for (size_t i = 0; i < map->n_cpus && scan_is_zero(value, map->stride); i++)
		value = probe->value + i * map->stride;
	if (map->is_array && scan_is_zero(value, map->stride))
		return;
	probe->n++;
	look_at_bytes(probe, probe->key, map->key_size, probe->words);
	look_at_bytes(probe, value, map->value_size, probe->words + BYTES_LOOKED_AT);
}

/* Returns true if entries contain struct bpf_stack_build_id according to BTF. */
static bool has_records(const struct live_map *map)
{
	static const struct wanted nothing;
	scope_guard(live_shape_deinit) struct live_shape shape = {};

	error_destroy(live_shape_find(map, &nothing, &shape));
	const struct layout *const layouts[] = {&shape.key.layout, &shape.value.layout};
	for (size_t i = 0; i < array_len(layouts); i++)
		vec_each(field, &layouts[i]->fields)
			if (field->width == LAYOUT_RECORD_WIDTH)
				return true;
	return false;
}

/*
 * Returns false if MAP (LIVE_COUNTS) has entries, and the first ones contain neither stacks nor IDs
 * of stacks in the N stack maps STACKS.
 */
static bool may_have_stacks(
	const struct live_map *map, const struct live_map *const *stacks, size_t n)
{
	size_t stack_size = 1;

	if (!map->n_cpus || map->is_queue || has_records(map))
		return true;
	array_each(stack, stacks, n)
		if ((*stack)->value_size > stack_size)
			stack_size = (*stack)->value_size;
	scope_guard(probe_deinit) struct map_probe probe = {.map = map,
		.stacks = stacks,
		.n_stacks = n,
		.key = xcalloc(1, map->key_size + 1),
		.value = xmalloc(live_map_value_bytes(map) + 1),
		.stack = xmalloc(stack_size)};
	const uint8_t *last = NULL;
	for (size_t i = 0; i < ELEMENTS_TRIED && probe.n < ENTRIES_LOOKED_AT; i++) {
		if (bpf_map_get_next_key(map->fd, last, probe.key))
			break;
		last = probe.key;
		if (!bpf_map_lookup_elem(map->fd, probe.key, probe.value))
			look_at_entry(&probe);
	}
	bool possible = probe.is_inline || (!probe.n && !map->is_array);
	array_each(word, probe.words, array_len(probe.words))
		possible |= word->found > 3 * word->missing &&
			    (word->differs || (probe.n == 1 && !map->is_array));
	return possible;
}

/* ---- the list -------------------------------------------------------------------------------- */

enum {
	ENTRIES_MAX = 1 << 17, /* entries counted per map at most */
	MAPS_MAX = 1 << 16,
	COMMAND_MAX = 8, /* maps added to the command line of one */
	STACKS_MAX = 64, /* stack maps with which one map is compared */
};

struct program {
	uint32_t id;
	char name[BPF_OBJ_NAME_LEN + 1];
	struct live_ids maps;
};

enum { ID, NAME, KIND, ENTRIES, OWNER, COMMAND, COLUMNS };

/* A line of the table. */
struct list_row {
	const char *cells[COLUMNS];
};

struct list {
	struct live_maps maps;
	struct VEC(struct program) programs;
	struct live_holders holders;
	struct VEC(struct list_row) rows; /* the first one is the heading */
	struct arena cells;
	bool *stackless; /* for each map: it holds neither stacks nor IDs of stacks */
	size_t hidden;	 /* number of maps not printed */
	struct text *text;
};

static void list_deinit(struct list *list)
{
	live_maps_deinit(&list->maps);
	vec_each(program, &list->programs)
		live_ids_deinit(&program->maps);
	vec_deinit(&list->programs);
	live_holders_deinit(&list->holders);
	vec_deinit(&list->rows);
	arena_deinit(&list->cells);
	free(list->stackless);
}

/* ---- collecting ----------------------------------------------------------------------------- */

static struct error *find_maps(struct list *list)
{
	uint32_t id = 0;

	while (list->maps.len < MAPS_MAX && !bpf_map_get_next_id(id, &id)) {
		struct live_map map;

		try(live_map_open(id, "--list-maps", &map));
		/* skip libbpf's maps for global variables and constants (.rodata, .bss) */
		bool section = map.is_array && strchr(map.name, '.');
		if (map.fd >= 0 && map.kind != LIVE_OTHER && !section)
			vec_push(&list->maps, map);
		else
			live_map_deinit(&map);
	}
	if (errno == EPERM)
		return error_create(
			ERROR_SYSTEM, "--list-maps requires CAP_SYS_ADMIN: run as root");
	return errno == ENOENT ? NULL : error_errno(errno, "--list-maps");
}

/* ---- what belongs together ------------------------------------------------------------------ */

static bool uses(const struct program *program, uint32_t map)
{
	vec_each(used, &program->maps)
		if (*used == map)
			return true;
	return false;
}

/*
 * Returns true if the command line that reads MAP should read OTHER too: counts and the stacks that
 * they refer to belong together.
 */
static bool goes_with(
	const struct list *list, const struct live_map *map, const struct live_map *other)
{
	bool wanted = other->kind <= LIVE_HASHED;

	if (map->kind <= LIVE_HASHED)
		wanted = other->kind == LIVE_COUNTS && !other->is_array && !other->is_queue &&
			 !list->stackless[other - list->maps.data];
	if (!wanted)
		return false;
	vec_each(program, &list->programs)
		if (uses(program, map->id) && uses(program, other->id))
			return true;
	if (map->kind != LIVE_MAPS)
		return false;
	/* a process holds both */
	vec_each(holder, &list->holders) {
		if (holder->map != map->id)
			continue;
		vec_each(held, &list->holders)
			if (held->map == other->id && held->pid == holder->pid)
				return true;
	}
	return false;
}

/* Finds the maps from which no command line would read stacks. */
static void find_stackless(struct list *list)
{
	list->stackless = xcalloc(list->maps.len + 1, sizeof(bool));
	for (size_t i = 0; i < list->maps.len; i++) {
		const struct live_map *map = &list->maps.data[i], *stacks[STACKS_MAX];
		size_t n = 0;

		for (size_t j = 0; j < list->maps.len && n < STACKS_MAX; j++)
			if (map->kind > LIVE_HASHED && goes_with(list, map, &list->maps.data[j]))
				stacks[n++] = &list->maps.data[j];
		list->stackless[i] = (map->kind == LIVE_MAPS && !n) ||
				     (map->kind == LIVE_COUNTS && !may_have_stacks(map, stacks, n));
	}
}

/*
 * Adds the command line that reads MAP. If several counts refer to the stack map MAP, adds none of
 * them, because the user has to choose.
 */
static void add_command(const struct list *list, const struct live_map *map, struct text *text)
{
	bool events = map->kind == LIVE_EVENTS;
	size_t n = 0, most = COMMAND_MAX;

	for (size_t i = 0; map->kind <= LIVE_HASHED && i < list->maps.len; i++)
		n += goes_with(list, map, &list->maps.data[i]);
	if (n > 1)
		most = 0;
	n = 0;

	text_printf(text, "stack2line %s=id:%u", events ? "--events" : "--map", map->id);
	for (size_t i = 0; i < list->maps.len && n < most; i++) {
		const struct live_map *other = &list->maps.data[i];

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
	case LIVE_HASHED:
		return "stacks";
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

/*
 * Returns the number of entries: for arrays max_entries, otherwise ENTRIES_MAX at most, or -1 for
 * events and queues, which cannot be counted.
 */
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

static void add_row(struct list *list, const struct live_map *map, int64_t n, const char *command)
{
	auto_text struct text owner = {};
	struct list_row row = {{[ID] = arena_printf(&list->cells, "%u", map->id),
		[NAME] = *map->name ? map->name : "-",
		[KIND] = kind_of(map),
		[ENTRIES] = n < 0 || map->is_array
				    ? "-"
				    : arena_printf(&list->cells, "%" PRIi64 "%s/%u", n,
					      n == ENTRIES_MAX ? "+" : "", map->max_entries),
		[OWNER] = "-",
		[COMMAND] = arena_string(&list->cells, command)}};

	live_holders_add(&list->holders, map->id, &owner);
	for (size_t i = 0; i < list->programs.len && !owner.len; i++)
		if (uses(&list->programs.data[i], map->id))
			text_printf(&owner, "program %u", list->programs.data[i].id);
	if (owner.len)
		row.cells[OWNER] = arena_string(&list->cells, owner.data);
	vec_push(&list->rows, row);
}

/* Prints the rows, unless there is only the heading, in columns as wide as their widest cell. */
static void print_rows(const struct list *list)
{
	int widths[COLUMNS] = {};

	vec_each(row, &list->rows)
		for (size_t j = 0; j < COLUMNS; j++)
			if ((int)strlen(row->cells[j]) > widths[j])
				widths[j] = (int)strlen(row->cells[j]);
	for (size_t i = 0; list->rows.len > 1 && i < list->rows.len; i++)
		for (size_t j = 0; j < COLUMNS; j++) {
			const char *cell = list->rows.data[i].cells[j];

			if (j + 1 < COLUMNS)
				text_printf(list->text, "%-*s  ", widths[j], cell);
			else
				text_printf(list->text, "%s\n", cell);
		}
}

static void add_json(struct list *list, const struct live_map *map, int64_t n, const char *command)
{
	struct text *text = list->text;
	int64_t last = -1;

	text_add_char(text, '{');
	json_add_unsigned(text, "id", map->id);
	json_add_string(text, "name", map->name);
	json_add_string(text, "type", live_map_type_name(map));
	json_add_string(text, "kind", kind_of(map));
	if (n >= 0)
		json_add_unsigned(text, "entries", (uint64_t)n);
	json_add_unsigned(text, "max_entries", map->max_entries);
	if (command)
		json_add_string(text, "command", command);
	json_open(text, "programs", '[');
	vec_each(program, &list->programs) {
		if (!uses(program, map->id))
			continue;
		json_open(text, NULL, '{');
		json_add_unsigned(text, "id", program->id);
		json_add_string(text, "name", program->name);
		text_add_char(text, '}');
	}
	text_add_char(text, ']');
	json_open(text, "processes", '[');
	vec_each(holder, &list->holders) {
		if (holder->pid == last || holder->map != map->id)
			continue;
		last = holder->pid;
		json_open(text, NULL, '{');
		json_add_unsigned(text, "pid", (uint64_t)holder->pid);
		json_add_string(text, "comm", holder->comm);
		json_add_unsigned(text, "age", live_holder_age(holder));
		text_add_char(text, '}');
	}
	text_add_string(text, "]}\n");
}

struct error *input_list_maps(const char *proc_root, bool json, struct text *ret)
{
	scope_guard(list_deinit) struct list list = {.text = ret};

	libbpf_set_print(NULL);
	try(find_maps(&list));
	for (uint32_t id = 0; !bpf_prog_get_next_id(id, &id);) {
		struct program program = {.id = id};

		if (live_program_maps(id, program.name, &program.maps) || !program.maps.len)
			live_ids_deinit(&program.maps);
		else
			vec_push(&list.programs, program);
	}
	live_holders_find(proc_root, &list.holders);
	find_stackless(&list);
	vec_push(&list.rows,
		(struct list_row){{"ID", "NAME", "KIND", "ENTRIES", "OWNER", "COMMAND"}});
	for (size_t i = 0; i < list.maps.len; i++) {
		const struct live_map *map = &list.maps.data[i];
		auto_text struct text command = {};
		bool stackless = list.stackless[i];

		list.hidden += stackless;
		if (stackless && !json)
			continue;
		add_command(&list, map, &command);
		if (json)
			add_json(&list, map, count_entries(map), stackless ? NULL : command.data);
		else
			add_row(&list, map, count_entries(map), command.data);
	}
	print_rows(&list);
	if (list.hidden && !json)
		text_printf(ret,
			"%zu more maps have neither stacks nor stack IDs (--json lists them)\n",
			list.hidden);
	return NULL;
}
