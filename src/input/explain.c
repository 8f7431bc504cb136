// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/explain.h"

#include <stdlib.h>
#include <string.h>

#include "input/roles/roles.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define EXPLAIN_FIELDS_MAX 256 /* fields of a row that are explained */

static void map_deinit(struct explained_map *map)
{
	free(map->name);
	free(map->kind);
	free(map->evidence);
	free(map->why);
	vec_free_each(&map->fields, name);
	vec_free_each(&map->fields, role);
	vec_free_each(&map->fields, evidence);
	vec_deinit(&map->fields);
	vec_destroy(&map->choices, free);
}

void explanation_deinit(struct explanation *explanation)
{
	vec_deinit_each(&explanation->maps, map_deinit);
}

static struct explained_map *add_map(
	struct explanation *explanation, const char *name, const char *kind, char *evidence)
{
	struct explained_map *map = vec_add(&explanation->maps);

	map->name = xstrdup(name);
	map->kind = xstrdup(kind);
	map->evidence = evidence;
	return map;
}

/* ---- stack maps ----------------------------------------------------------------------------- */

static const char *given_as(const struct stack_store *store, bool hashed)
{
	switch (store->role) {
	case INPUT_USER_STACKS:
		return "given as the map of user stacks";
	case INPUT_KERNEL_STACKS:
		return "given as the map of kernel stacks";
	default:
		return hashed ? "its keys are the hashes that bpftrace (0.21 to 0.24) makes of "
				"its values"
		       : store->role != INPUT_ANY ? "given as a stack map"
						  : "keys of 4 bytes, values that look like stacks";
	}
}

void explain_stacks(struct explanation *explanation, const struct stack_store *store)
{
	size_t sides[SIDE_COUNT] = {};
	const struct stored_stack *first = store->stacks.len ? store->stacks.data : NULL;
	bool hashed = first && first->id > UINT32_MAX;

	vec_each(stack, &store->stacks)
		sides[stack->side]++;
	struct explained_map *map = add_map(explanation, store->name, "stack map",
		xasprintf("%s: %s; %zu user and %zu kernel stacks", given_as(store, hashed),
			first && first->records ? "build-ID records" : "addresses of 8 bytes",
			sides[SIDE_USER], sides[SIDE_KERNEL]));
	map->entries = store->stacks.len;
	map->key_len = hashed ? 0 : sizeof(uint32_t);
	map->value_len = first ? first->len : 0;
	map->used = true;
}

void explain_empty(struct explanation *explanation, const char *name)
{
	struct explained_map *map =
		add_map(explanation, name, "map", xstrdup("without usable entries"));

	map->why = xstrdup("it is empty, or all of its entries were rejected");
}

/* ---- counts --------------------------------------------------------------------------------- */

static const char *evidence_of(const struct count_join *counts, const struct roles *roles,
	const struct field *field, enum role role)
{
	const struct count_reading *reading = &counts->reading;
	const struct join *join = counts->join;
	/* the halves of a pair are found one by one */
	const char *found = role == ROLE_COUNT
				    ? NULL
				    : reading->evidence[role == ROLE_PID_TGID ? ROLE_PID : role];
	bool in_key = field_in_key(field), in_value = field_in_value(field);

	if (role < ROLE_COUNT && roles_given(join->overrides, role))
		return "given with --key";
	if (found)
		return found;
	if (role == ROLE_LENGTH)
		return "it is the length of the stack, in bytes";
	if (counts->is_set && in_value && role == ROLE_COUNT)
		return "all values are 0: it is read as a set";
	if (role == ROLE_STACK && roles->stack_is_key)
		return join->index->stores.len ? "the numbers of the key are in the stack maps"
					       : "the map has a plain key";
	if (counts->map->of_bpftrace && role < ROLE_WEIGHT)
		return "all entries have the shape of bpftrace's keys and values (0.21 and "
		       "later)";
	if ((in_key && reading->key == join->key_layout && reading->key) ||
		(in_value && reading->value == join->value_layout && reading->value))
		return role < ROLE_COUNT ? "by its name in the given layout"
					 : "the given layout has no role for it";
	if (reading->key_text && in_key)
		return "nothing shows that it is a stack ID, the process or the comm";
	if (role == ROLE_WEIGHT && role_of_name(scan_of(field_last_name(field))) != ROLE_WEIGHT)
		return "the only number of the value without another role";
	if (role == ROLE_WEIGHT && counts->map->rows->sums_arrays && !strcmp(field->name, "value"))
		return "the value is an unnamed array of numbers: they add up";
	if (role == ROLE_WEIGHT && !strcmp(field->name, "value"))
		return "the value is a plain number";
	return role < ROLE_COUNT ? "by its name" : "its name implies no role";
}

static const char *reading_of(const struct count_join *counts)
{
	const struct count_map *map = counts->map;

	if (map->is_events)
		return "read by --event-layout";
	if (map->is_rows)
		return "read by the names of its columns";
	if (map->entries.data[0].packed && (counts->reading.key || counts->reading.value))
		return "read by the given layout, which overrides BTF";
	if (counts->found.len)
		return "read by BTF; what its names leave open, in the only way that fits all "
		       "entries";
	if (map->entries.data[0].packed)
		return "read by the field names of BTF";
	return counts->reading.key_text ? "without BTF: read in the only way that fits all entries"
	       : counts->status == READING_USABLE ? "without BTF: read by the given layout"
						  : "without BTF";
}

static const char *reason_of(const struct count_join *counts)
{
	if (counts->reading.reason)
		return counts->reading.reason;
	if (counts->map->empty)
		return "an array in which no element was ever set";
	if (counts->status == READING_USABLE && (counts->tally.samples || !counts->join->unjoined))
		return NULL;
	return counts->join->unfitting ?: "there is no stack map to join it with";
}

static bool same_text(const char *a, const char *b)
{
	return a && b ? !strcmp(a, b) : a == b;
}

/* Returns true if A and B have the same kind, fields, roles and reason why they are unused. */
static bool same_shape(const struct explained_map *a, const struct explained_map *b)
{
	if (strcmp(a->kind, b->kind) != 0 || !same_text(a->why, b->why) ||
		a->fields.len != b->fields.len)
		return false;
	for (size_t i = 0; i < a->fields.len; i++)
		if (!same_text(a->fields.data[i].name, b->fields.data[i].name) ||
			!same_text(a->fields.data[i].role, b->fields.data[i].role))
			return false;
	return true;
}

static void add_side(struct explained_side *sum, const struct explained_side *side)
{
	for (size_t i = 0; i < STACK_STATE_COUNT; i++) {
		sum->entries[i] += side->entries[i];
		sum->weight[i] += side->weight[i];
	}
}

/* Merges the last map into an earlier one of the same shape: events come a few at a time. */
static void merge_last(struct explanation *explanation)
{
	struct explained_map *last = vec_last(&explanation->maps);

	vec_each(map, &explanation->maps) {
		if (map == last || !same_shape(map, last))
			continue;
		map->entries += last->entries;
		map->join.samples += last->join.samples;
		map->join.weight += last->join.weight;
		add_side(&map->join.user, &last->join.user);
		add_side(&map->join.kernel, &last->join.kernel);
		map_deinit(last);
		explanation->maps.len--;
		return;
	}
}

void explain_counts(struct explanation *explanation, struct count_join *counts)
{
	const struct count_map *from = counts->map;
	struct row row = {};
	struct explained_map *map = add_map(explanation, from->name,
		from->is_events ? "events"
		: from->is_rows ? "table"
				: "counts",
		xstrdup(reading_of(counts)));
	const char *why = reason_of(counts);

	count_key_each(i, from)
		map->entries++;
	map->key_len = from->entries.data[0].key_len;
	map->value_len = from->entries.data[0].value_len;
	map->used = !why;
	map->joined = map->used;
	map->why = why ? xstrdup(why) : NULL;
	vec_each_value(choice, &counts->reading.choices)
		vec_push(&map->choices, xstrdup(choice));
	map->join = counts->tally;
	const struct roles *roles = count_join_entry(counts, 0, &row);
	if (!roles)
		return;
	for (size_t i = 0; i < row.n && i < EXPLAIN_FIELDS_MAX; i++) {
		const struct field *field = &row.fields[i];
		const char *key = role_of_field(roles, i);
		enum role role = role_at(roles->field, i);

		vec_push(&map->fields,
			(struct explained_field){xstrdup(field->name), key ? xstrdup(key) : NULL,
				xstrdup(role == ROLE_COUNT && key
						? "the used length of the array"
						: evidence_of(counts, roles, field, role))});
	}
	if (from->is_rows)
		merge_last(explanation);
}

/* ---- snapshots ------------------------------------------------------------------------------ */

static void add_named(struct explained_map *map, const char *name, const char *role)
{
	vec_push(&map->fields, (struct explained_field){xstrdup(name), role ? xstrdup(role) : NULL,
				       xstrdup(role ? "by its name" : "its name implies no role")});
}

void explain_snapshot(struct explanation *explanation, const struct event_reading *events,
	const struct row *row, const struct roles *roles, const char *name)
{
	static const char kind[] = "events with snapshots";

	if (!explanation->maps.len || strcmp(vec_last(&explanation->maps)->kind, kind) != 0) {
		struct explained_map *map =
			add_map(explanation, name, kind, xstrdup("read by --event-layout"));
		map->used = true;
		for (size_t i = 0; i < row->n; i++)
			add_named(map, row->fields[i].name, role_of_field(roles, i));
		for (size_t i = 0; i < events->snapshot.n; i++)
			add_named(map, row->fields[row->n + i].name,
				snapshot_field_role(&events->snapshot, i));
	}
	vec_last(&explanation->maps)->entries++;
}
