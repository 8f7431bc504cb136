// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/collector.h"

#include <stdlib.h>
#include <string.h>

#include "input/batch.h"
#include "input/counts/count_map.h"
#include "input/counts/count_join.h"
#include "input/explain.h"
#include "input/roles/bpftrace_stack.h"
#include "input/roles/event_reading.h"
#include "input/roles/layout.h"
#include "input/roles/roles.h"
#include "input/roles/unnamed.h"
#include "input/roles/values.h"
#include "input/stacks/join.h"
#include "input/stacks/stack_index.h"
#include "input/stacks/stack_store.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

#define SHOWN_MAX 200 /* bytes of the dump's text that are quoted */

/* The map being read. Its entries go to STORE as long as all can be stacks, then to COUNTS. */
struct current_map {
	bool open;
	bool stacks; /* known to be a stack map */
	enum input_role role;
	struct stack_store *store;
	struct count_map *counts;
};

struct collector {
	const struct input_options *options;
	struct log *log;
	struct batch batch;
	struct join join;
	struct stack_index index;
	struct looked_up looked_up; /* not yet in INDEX */
	struct role_overrides overrides;
	struct layout key_layout, value_layout;
	struct event_reading events;
	struct role_memo row_memo;
	struct current_map current;
	struct VEC(struct count_map *) held; /* counts that wait for stack maps, in input order */
	bool unfound;			     /* counts have stack IDs, and none was found */
	struct count_joins kept;	     /* joined maps, if live.clear */
	bool complete;			     /* no further stack map will come */
	bool rows_checked;		     /* the first row has the fields that --key names */
	bool counted;			     /* there were usable counts, rows or events */
	char *doubt; /* name of the first possible counts that are unusable, or NULL */
	bool weighted;
	bool events_came;
	bool sampled; /* the input itself has stacks */
	bool refused; /* part of the input is unusable */
	bool awaited; /* an empty map may have counts in a later round */
};

CLEANUP_OF(collector)

struct error *collector_create(const struct input_options *options, struct log *log,
	struct input_sink *sink, struct collector **ret)
{
	scope_guard(collector_cleanup) struct collector *collector = xnew(collector);
	const char *fields = options->key_fields;
	struct layout *key = &collector->key_layout, *value = &collector->value_layout;

	collector->options = options;
	collector->log = log;
	collector->batch.sink = sink;
	try(role_overrides_parse(fields, &collector->overrides));
	try(layout_given(options->key_layout, "--key-layout", "key.", fields, key));
	try(layout_given(options->value_layout, "--value-layout", "value.", fields, value));
	try(event_reading_init(options->event_layout, fields, &collector->events));
	collector->join = (struct join){
		.options = options,
		.log = log,
		.index = &collector->index,
		.batch = &collector->batch,
		.overrides = &collector->overrides,
		.key_layout = key->fields.len ? key : NULL,
		.value_layout = value->fields.len ? value : NULL,
	};
	*ret = take(collector);
	return NULL;
}

void collector_destroy(struct collector *collector)
{
	if (!collector)
		return;
	batch_deinit(&collector->batch);
	join_deinit(&collector->join);
	stack_index_deinit(&collector->index);
	stack_store_destroy(collector->looked_up.store);
	table_deinit(&collector->looked_up.ids);
	role_overrides_deinit(&collector->overrides);
	layout_deinit(&collector->key_layout);
	layout_deinit(&collector->value_layout);
	event_reading_deinit(&collector->events);
	role_memo_deinit(&collector->row_memo);
	stack_store_destroy(collector->current.store);
	count_map_destroy(collector->current.counts);
	vec_destroy(&collector->held, count_map_destroy);
	vec_destroy(&collector->kept, count_join_destroy);
	free(collector->doubt);
	free(collector);
}

static void map_begin(struct collector *collector, const char *name, enum input_role role,
	enum input_record_shape shape)
{
	const struct input_options *options = collector->options;

	collector_map_end(collector, false);
	collector->current = (struct current_map){
		.open = true,
		.role = role,
		.store = stack_store_create(name, role, shape, &options->halves),
		.counts = count_map_create(name, false),
	};
	collector->current.counts->keeps_raw = options->key_layout || options->value_layout;
	if (role == INPUT_COUNTS)
		collector->current.counts->choice = COUNT_GIVEN;
}

void collector_map_begin(struct collector *collector, const char *name, enum input_role role)
{
	map_begin(collector, name, role, collector->options->shape);
}

void collector_map_is_lookup(struct collector *collector)
{
	if (collector->current.open)
		collector->current.counts->lookups = true;
}

void collector_count_map_begin(
	struct collector *collector, const char *name, bool automatic, bool peeked)
{
	collector_map_begin(collector, name, INPUT_COUNTS);
	collector->current.counts->choice = automatic ? COUNT_AUTOMATIC : COUNT_FOUND;
	collector->current.counts->peeked = peeked;
}

void collector_no_counts(struct collector *collector, const char *what, enum input_role role)
{
	if (!collector->doubt && (role == INPUT_ANY || role == INPUT_COUNTS))
		collector->doubt = xstrdup(what);
}

void collector_stack_map_begin(struct collector *collector, const char *name, bool build_ids)
{
	map_begin(collector, name, INPUT_STACKS,
		build_ids ? INPUT_SHAPE_BUILD_IDS : INPUT_SHAPE_ADDRESSES);
	collector->current.stacks = true;
}

void collector_entry(struct collector *collector, const struct map_entry *entry)
{
	struct current_map *current = &collector->current;
	uint32_t id;

	if (!current->open)
		collector_map_begin(collector, "input", INPUT_ANY);
	if (!entry->key && !entry->value && !entry->formatted)
		return;
	/* a single entry that cannot be a stack shows that the map is no stack map */
	if (!current->counts->entries.len && current->role != INPUT_COUNTS && !entry->formatted &&
		entry->cpu < 0 && entry->key && entry->value && entry->key_len == sizeof(id)) {
		memcpy(&id, entry->key, sizeof(id));
		if (stack_store_add(current->store, id, entry->value, entry->value_len))
			return;
	}
	if (!current->counts->entries.len && !current->stacks)
		count_map_add_stacks(current->counts, current->store);
	count_map_add(current->counts, entry);
}

void collector_entry_error(struct collector *collector, const char *text)
{
	auto_text struct text shown = {};

	text_add_escaped(&shown, text, strnlen(text, SHOWN_MAX));
	log_add(collector->log, LOG_DETAIL, 1,
		"the program that dumped the map could not read an entry: %s",
		shown.data ?: "no reason given");
}

/* Takes ownership of STORE, which may be NULL. */
static void keep_stacks(struct collector *collector, struct stack_store *store)
{
	if (!store)
		return;
	stack_store_seal(store);
	if (collector->options->explain)
		explain_stacks(collector->options->explain, store);
	log_add(collector->log, LOG_DETAIL, store->repeated,
		"%s: a stack ID is repeated; its last stack is used", store->name);
	if (stack_index_add(&collector->index, store))
		return;
	log_add(collector->log, LOG_WARNING, 1,
		"more than %d stack maps: %s and those after it are not used; pass fewer at a "
		"time",
		STACK_INDEX_MAX, store->name);
	stack_store_destroy(store);
}

static bool has_stacks(const struct collector *collector)
{
	return collector->index.stores.len || collector->looked_up.store;
}

bool collector_holds_rows(const struct collector *collector)
{
	size_t n = collector->held.len;

	return n && collector->held.data[n - 1]->is_rows && has_stacks(collector);
}

/* Returns true if both have looked-up entries and can be the same map: same name and sizes. */
static bool are_one_map(const struct count_map *a, const struct count_map *b)
{
	const struct count_entry *x = &a->entries.data[0], *y = &b->entries.data[0];

	return a->lookups && b->lookups && !x->packed == !y->packed && x->key_len == y->key_len &&
	       x->value_len == y->value_len && !strcmp(a->name, b->name) && a->choice == b->choice;
}

static void keep_counts(struct collector *collector, enum input_role role, struct count_map *map)
{
	log_add(collector->log, LOG_DETAIL, map->repeated,
		"%s: a key is repeated; its last value is used", map->name);
	if (role != INPUT_ANY && role != INPUT_COUNTS) {
		log_add(collector->log, LOG_WARNING, 1,
			"%s: not used: given as a stack map, but its keys are not 4 bytes, or "
			"its values not a multiple of 8",
			map->name);
		collector_no_counts(collector, map->name, INPUT_ANY);
		collector_refuse(collector);
		count_map_destroy(map);
		return;
	}
	map->after_stacks = has_stacks(collector);
	if (!map->lookups && !collector->options->live.clear)
		table_deinit(&map->keys);
	struct count_map *last = collector->held.len ? *vec_last(&collector->held) : NULL;
	if (!last || !are_one_map(last, map)) {
		vec_push(&collector->held, map);
		return;
	}
	count_map_append(last, map);
}

void collector_map_end(struct collector *collector, bool truncated)
{
	struct current_map *current = &collector->current;

	if (!current->open)
		return;
	current->open = false;
	if (truncated) /* the parser has logged where and why */
		log_add(collector->log, LOG_DETAIL, 1,
			"%s: the dump is truncated; the entries before the cut are used",
			current->store->name);
	current->stacks |=
		bpftrace_stacks_find(current->counts, &collector->options->halves, &current->store);
	struct count_map *counts = current->counts;
	bool is_stacks = !counts->entries.len && current->store->stacks.len;
	if (!counts->entries.len && !is_stacks)
		log_add(collector->log, LOG_EMPTY, 1, "%s: no entries", counts->name);
	if (current->role == INPUT_ANY)
		is_stacks = is_stacks && stack_store_plausible(current->store);
	if (!current->stacks && !is_stacks) {
		if (!counts->entries.len)
			count_map_add_stacks(counts, current->store);
		if (!truncated)
			count_map_compact(counts);
		if (counts->entries.len) {
			keep_counts(collector, current->role, take(current->counts));
		} else {
			collector_no_counts(collector, counts->name, current->role);
			collector->awaited = true;
			if (collector->options->explain)
				explain_empty(collector->options->explain, counts->name);
		}
	} else if (counts->lookups && !collector->complete) {
		keep_stacks(collector, looked_up_add(&collector->looked_up, take(current->store)));
	} else {
		keep_stacks(collector, looked_up_take(&collector->looked_up));
		keep_stacks(collector, take(current->store));
	}
	stack_store_destroy(take(current->store));
	count_map_destroy(take(current->counts));
}

/* Returns the error for a field that --key names and no map has, or NULL. */
static struct error *take_unmet(struct collector *collector)
{
	vec_each(override, &collector->overrides)
		if (!override->met)
			return take(collector->join.unmet);
	return NULL;
}

/* Moves the held maps to JOINS and decides which of them are counts, and of what. */
static struct error *prepare_held(struct collector *collector, struct count_joins *joins)
{
	bool any = false;

	vec_each_value(map, &collector->held) {
		value_array_settle(map);
		unnamed_settle(map, &collector->options->halves, &collector->index);
		vec_push(joins, count_join_create(&collector->join, map));
		any |= vec_last(joins)[0]->status >= READING_REFUSED;
	}
	collector->held.len = 0;
	for (size_t i = 0; i < joins->len && !any; i++)
		count_join_search(joins->data[i]);
	if (!collector->join.unfitting) /* check_unmet() reports that first */
		try(take_unmet(collector));
	struct error *error = counts_choose(joins);
	vec_each_value(counts, joins) {
		bool usable = counts->status == READING_USABLE;

		if (usable && !counts->left_out && !counts->map->empty) {
			collector->weighted |= counts->weighted;
			collector->counted = true;
		} else {
			collector_no_counts(collector, counts->map->name, INPUT_ANY);
			collector->refused |= !counts->map->empty && !usable;
		}
	}
	return error;
}

/* Joins the held maps. Examines all of them before it emits samples of any. */
static struct error *emit_held(struct collector *collector)
{
	struct count_joins joins = {};
	struct error *error = prepare_held(collector, &joins);

	for (size_t i = 0; !error && i < joins.len; i++)
		error = count_join_emit(joins.data[i]);
	for (size_t i = 0; collector->options->explain && i < joins.len; i++)
		explain_counts(collector->options->explain, joins.data[i]);
	if (collector->options->live.clear && !error) {
		vec_append(&collector->kept, joins.data, joins.len);
		joins.len = 0;
	}
	vec_destroy(&joins, count_join_destroy);
	return error;
}

/* Returns the sample of ROW, which is not from a map. */
static struct sample row_sample(struct collector *collector, const struct row *row,
	const struct roles *roles, const char *position)
{
	struct sample sample = join_sample(&collector->join, row, roles);

	collector->weighted |= roles->field[ROLE_WEIGHT] != ROLE_NO_FIELD;
	sample.position = position;
	return sample;
}

/* Holds ROW until all stack maps are read. TIME is in ns; 0: unknown. */
static void hold_row(struct collector *collector, const struct row *row, const char *position,
	uint64_t time, bool is_event)
{
	size_t n = collector->held.len;

	if (!n || !collector->held.data[n - 1]->is_rows ||
		collector->held.data[n - 1]->is_events != is_event) {
		vec_push(&collector->held, count_map_create(position ?: "input", true));
		collector->held.data[n++]->is_events = is_event;
	}
	count_map_add_row(collector->held.data[n - 1], row, position, time);
}

struct error *collector_row(
	struct collector *collector, const struct row *row, const char *position)
{
	if (!collector->rows_checked)
		try(roles_check(row, &collector->overrides, position ?: "input"));
	collector->rows_checked = true;
	collector->counted = true;
	if (!collector->complete || collector->options->explain) {
		hold_row(collector, row, position, 0, false);
		return NULL;
	}
	const struct roles *roles =
		role_memo_find(&collector->row_memo, row, &collector->overrides);
	collector->join.ids = (struct join_ids){};
	const struct sample sample = row_sample(collector, row, roles, position);
	return join_add(&collector->join, &sample, position ?: "input");
}

struct error *collector_event(struct collector *collector, const uint8_t *data, size_t len,
	uint64_t time, const char *position)
{
	struct event_reading *events = &collector->events;
	const struct roles *roles;
	struct row row;

	if (!events->layout.fields.len)
		return error_create(ERROR_USAGE,
			"%s: events have no type information: declare them with --event-layout "
			"'u32 pid; char comm[16]; s32 ustack_sz; u64 ustack[127]'",
			position ?: "input");
	collector->counted = true;
	if (!event_reading_row(events, data, len, &row)) {
		log_add(collector->log, LOG_WARNING, 1,
			"an event of %zu bytes is shorter than --event-layout declares; it is "
			"skipped",
			len);
		collector_refuse(collector);
		return NULL;
	}
	collector->events_came = true;
	/* its stack IDs may be newer than a dump of the stack map */
	static const char fix[] = "read the stack map as the events come: --map with --events";
	collector->join.ids = (struct join_ids){.fix = {fix, fix, fix}};
	try(event_reading_roles(events, &row, &collector->overrides, &roles));
	if (collector->options->explain && events->snapshot.any) {
		explain_snapshot(
			collector->options->explain, events, &row, roles, position ?: "input");
		return NULL;
	}
	/* snapshots are unwound at once: a stack map for IDs in them must come earlier, or be live */
	if (collector->options->explain ||
		(!collector->complete && !events->snapshot.any && event_names_ids(&row, roles))) {
		hold_row(collector, &row, position, time, true);
		return NULL;
	}
	struct sample sample = row_sample(collector, &row, roles, position);
	sample.snapshot = event_snapshot(events, &collector->batch.memory);
	join_set_time(&collector->join, time, &sample);
	return join_add(&collector->join, &sample, position ?: "input");
}

void collector_live_events(struct collector *collector, bool early)
{
	collector->join.monotonic = true;
	collector->join.early = early;
}

void collector_lost_events(struct collector *collector, uint64_t count)
{
	collector->refused |= count > 0;
	log_add(collector->log, LOG_WARNING, count,
		"an event was lost before it could be read: enlarge the buffer, or sample less "
		"often");
}

struct error *collector_sample(struct collector *collector, const struct sample *sample)
{
	/* portable stacks have weights, address lists do not */
	collector->weighted |= sample->weight != 1;
	collector->sampled = true;
	if (collector->options->explain) {
		collector->options->explain->samples++;
		collector->options->explain->weight += sample->weight;
		return batch_make_room(&collector->batch);
	}
	return batch_add_copy(&collector->batch, sample);
}

const struct location *collector_name(struct collector *collector, enum location_kind kind,
	enum frame_source source, const char *name)
{
	return batch_name(&collector->batch, kind, source, name);
}

uint64_t collector_samples(const struct collector *collector)
{
	return collector->batch.delivered + collector->batch.samples.len;
}

void collector_sample_process(struct collector *collector, uint64_t number, int64_t pid)
{
	const struct batch *batch = &collector->batch;

	if (number >= batch->delivered && number - batch->delivered < batch->samples.len)
		batch->samples.data[number - batch->delivered].pid = pid;
}

void collector_samples_count(struct collector *collector)
{
	collector->weighted = true;
}

struct error *collector_stacks_complete(struct collector *collector)
{
	collector_map_end(collector, false);
	keep_stacks(collector, looked_up_take(&collector->looked_up));
	collector->complete = true;
	return emit_held(collector);
}

void collector_live_stacks(struct collector *collector, const struct join_live *live)
{
	collector->join.live = *live;
}

struct error *collector_flush(struct collector *collector)
{
	if (collector->complete)
		try(emit_held(collector));
	return batch_deliver(&collector->batch, true);
}

/*
 * Emits the stacks if there were no counts at all. If there were unusable ones, fails, because the
 * weights are unknown, unless the next round of live maps may have counts.
 */
static struct error *emit_uncounted(struct collector *collector)
{
	struct join *join = &collector->join;
	const struct stack_index *index = &collector->index;

	if (collector->counted || join->unfitting || join->unmet || join->unjoined)
		return NULL;
	if (!collector->doubt) { /* each stack is one sample */
		for (size_t i = 0; i < index->stores.len; i++) {
			const struct stack_store *store = index->stores.data[i];

			vec_each(stack, &store->stacks)
				try(join_stored(join, store, stack));
			join->found_in |= 1ULL << i;
		}
		return NULL;
	}
	if (!stack_index_count(index) || collector->sampled ||
		(collector->options->live.interval && (collector->awaited || !collector->refused)))
		return NULL;
	return error_create(ERROR_INPUT,
		"%s: has no usable counts, so it is unknown how often each stack was seen: pass "
		"the stack map alone, or with --stacks=FILE, to print each of its stacks once",
		collector->doubt);
}

/* Returns an error if an option describes something that is nowhere in the input. */
static struct error *check_unmet(struct collector *collector)
{
	struct join *join = &collector->join;
	bool layouts_met = (!join->key_layout || join->key_layout_met) &&
			   (!join->value_layout || join->value_layout_met);

	if (join->unfitting && !layouts_met)
		return error_create(ERROR_USAGE, "%s", join->unfitting);
	if (join->unfitting)
		log_add(collector->log, LOG_WARNING, 1, "%s", join->unfitting);
	try(take_unmet(collector));
	if (!join->unjoined)
		return NULL;
	/* without a stack map it is unknown whether the numbers of counts are stack IDs */
	if (collector->options->live.maps.len && !collector->options->n_sources)
		return error_create(ERROR_INPUT,
			"%s: a map without stacks: if it holds stack IDs, pass the stack map "
			"that they refer to with another --map (`bpftool map list` shows stack "
			"maps as stack_trace)",
			join->unjoined_name);
	return error_create(ERROR_INPUT,
		"%s: refers to stack IDs, but the input has no stack map: dump the stack map "
		"too (bpftool map dump name STACKS), after this one, and pass both; if this is "
		"the stack map, pass it with --stacks",
		join->unjoined_name);
}

struct error *collector_end(struct collector *collector, struct input_stats *ret)
{
	struct error *error = collector_stacks_complete(collector);

	if (!error)
		error = emit_uncounted(collector);
	if (!error)
		error = batch_deliver(&collector->batch, true);

	collector->unfound =
		collector->join.states[STACK_LOST_ID] && !collector->join.states[STACK_PRESENT];
	bool negative = collector->join.negative && !collector->batch.delivered &&
			!collector->options->live.interval;
	join_report(&collector->join);
	if (!error)
		error = check_unmet(collector);
	if (!error && negative)
		error = error_create(ERROR_INPUT,
			"nothing is left to print: all weights (%s) are negative: choose another "
			"weight with --key=weight=FIELD",
			collector->join.weight_name);
	ret->weighted = collector->weighted;
	ret->samples = collector->batch.delivered;
	ret->stacks = stack_index_count(&collector->index);
	ret->refused = collector->refused || collector->join.unfitting;
	return error;
}

bool collector_used(const struct collector *collector, const char *name)
{
	const struct stack_index *index = &collector->index;

	for (size_t i = 0; i < index->stores.len; i++)
		if (!strcmp(index->stores.data[i]->name, name))
			return collector->join.found_in >> i & 1;
	return !collector->unfound && counts_given(&collector->kept, name);
}

struct error *collector_changed(struct collector *collector, const char *name,
	const struct map_entry *entries, size_t n, bool *ret_other)
{
	struct count_join *counts = counts_given(&collector->kept, name);

	*ret_other = false;
	return counts ? count_change_emit(counts, entries, n, ret_other) : NULL;
}

struct error *collector_taken(
	struct collector *collector, const char *name, const struct map_entry *entries, size_t n)
{
	struct count_join *counts = counts_given(&collector->kept, name);

	return counts ? count_taken_emit(counts, entries, n) : NULL;
}

void collector_report(struct collector *collector)
{
	join_report(&collector->join);
}

void collector_refuse(struct collector *collector)
{
	collector->refused = true;
}

bool collector_has_events(const struct collector *collector)
{
	return collector->events_came;
}

bool collector_weighted(const struct collector *collector)
{
	return collector->weighted;
}
