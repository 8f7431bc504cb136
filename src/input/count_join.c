// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/count_join.h"

#include <stdlib.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

/* The record of entry I; false if its raw bytes have no layout or another size. */
static bool entry_record(struct count_join *counts, size_t i, struct record *ret)
{
	const struct count_entry *entry = &counts->map->entries.data[i];

	if (!entry->record.n)
		return (counts->layout.key || counts->layout.value) &&
		       raw_layout_decode(&counts->layout, entry, ret);
	*ret = entry->record;
	return true;
}

static void report_size(struct join *join, const struct count_join *counts, bool is_key)
{
	const struct layout *layout = is_key ? join->key_layout : join->value_layout;
	const char *part = is_key ? "key" : "value";
	size_t len = is_key ? counts->layout.key_len : counts->layout.value_len;

	if (join->unfitting || !layout)
		return;
	join->unfitting = xasprintf("--%s-layout describes %zu bytes, but each %s in %s has %zu: "
				    "%s",
		part, layout->size, part, counts->map->name, len,
		len > layout->size ? "add the fields that are missing, or 'u8 rest[N]'"
				   : "leave out what is not there");
}

static void report_layout(struct join *join, const struct count_join *counts,
	enum raw_layout_found found, const char *const names[2])
{
	const struct raw_layout *layout = &counts->layout;

	switch (found) {
	case RAW_LAYOUT_FOUND:
		if (names[0])
			log_add(join->log, LOG_DETAIL, 1, "%s: read with the layout '%s'",
				counts->map->name, names[0]);
		if (!layout->value && layout->value_len)
			log_add(join->log, LOG_WARNING, 1,
				"%s: what its values of %zu bytes hold is not known, so each entry "
				"counts 1: say it with --value-layout",
				counts->map->name, layout->value_len);
		break;
	case RAW_LAYOUT_NONE:
		log_add(join->log, LOG_WARNING, 1,
			"%s: keys of %zu and values of %zu bytes fit no known layout and the dump "
			"has no BTF: say what they hold with --key-layout 'u32 pid; s32 user; …'%s",
			counts->map->name, layout->key_len, layout->value_len,
			layout->key_len == 4 ? ", or use --stacks if it is a stack map" : "");
		break;
	case RAW_LAYOUT_AMBIGUOUS:
		log_add(join->log, LOG_WARNING, 1,
			"%s: fits both layouts '%s' and '%s': say which with --key-layout",
			counts->map->name, names[0], names[1]);
		break;
	case RAW_LAYOUT_KEY_SIZE:
	case RAW_LAYOUT_VALUE_SIZE:
		report_size(join, counts, found == RAW_LAYOUT_KEY_SIZE);
		break;
	}
}

/* Whether there is something to read the raw entries with; formatted ones need nothing. */
static bool find_layout(struct join *join, struct count_join *counts)
{
	const char *names[2] = {};

	if (!counts->map->entries.len || counts->map->entries.data[0].record.n)
		return true;
	/* without stacks nothing can be checked; the missing stack map is what will be said */
	if (!join->key_layout && !join->index->stores.len) {
		join->unjoined += counts->map->entries.len;
		if (!join->unjoined_name)
			join->unjoined_name = xstrdup(counts->map->name);
		return false;
	}
	enum raw_layout_found found = raw_layout_find(counts->map, join->index, join->key_layout,
		join->value_layout, &counts->layout, names);
	report_layout(join, counts, found, names);
	join->key_layout_met |= found == RAW_LAYOUT_FOUND || found == RAW_LAYOUT_VALUE_SIZE;
	join->value_layout_met |= found == RAW_LAYOUT_FOUND;
	return found == RAW_LAYOUT_FOUND;
}

struct census {
	struct stack_votes user, kernel, either;
	size_t odd;    /* entries that cannot be read */
	bool has_id;   /* a field says which stack is meant */
	bool only_key; /* nothing but the plain key can be the stack ID */
};

static void vote(const struct join *join, const struct record *record, size_t field,
	enum address_side side, struct stack_votes *votes)
{
	if (field == ROLE_NO_FIELD || record->fields[field].kind != FIELD_NUMBER)
		return;
	int64_t id = field_stack_id(&record->fields[field]);
	if (id >= 0)
		stack_index_vote(join->index, (uint64_t)id, side, votes);
}

static void take_census(struct join *join, struct count_join *counts, struct census *census)
{
	struct record record;

	for (size_t i = 0; i < counts->map->entries.len; i++) {
		if (!entry_record(counts, i, &record)) {
			census->odd++;
			continue;
		}
		const struct roles *roles =
			role_memo_find(&counts->memo, &record, join->overrides);
		size_t user = roles->field[ROLE_USER], kernel = roles->field[ROLE_KERNEL],
		       either = roles->field[ROLE_STACK];

		vote(join, &record, user, SIDE_USER, &census->user);
		vote(join, &record, kernel, SIDE_KERNEL, &census->kernel);
		vote(join, &record, either, SIDE_UNKNOWN, &census->either);
		bool named = user != ROLE_NO_FIELD || kernel != ROLE_NO_FIELD;
		bool plain_key = !named && roles->stack_is_key;
		census->only_key |= plain_key;
		census->has_id |= named || (either != ROLE_NO_FIELD && !plain_key);
		counts->weighted |= roles->field[ROLE_WEIGHT] != ROLE_NO_FIELD;
	}
}

static void report_no_id(struct join *join, struct count_join *counts)
{
	struct record record = {};
	struct text names = {};

	entry_record(counts, 0, &record);
	record_names(&record, &names);
	log_add(join->log, LOG_WARNING, 1,
		"%s: no field is known to be a stack ID, it is not used; name it with "
		"--key user=FIELD, kernel=FIELD or stack=FIELD (fields: %s)",
		counts->map->name, names.data ? names.data : "none");
	text_deinit(&names);
}

/* Kept until the end: another map may have the field. */
static void check_overrides(struct join *join, struct count_join *counts)
{
	struct record record;

	if (join->unmet || !entry_record(counts, 0, &record))
		return;
	join->unmet = roles_check(&record, join->overrides, counts->map->name);
}

void count_join_prepare(struct join *join, struct count_map *map, struct count_join *ret)
{
	struct census census = {};

	ret->map = map;
	if (!find_layout(join, ret))
		return;
	check_overrides(join, ret);
	take_census(join, ret, &census);
	/* a plain key may be anything: it is a stack ID if the stack maps know most of them */
	bool key_is_id = census.only_key && (!join->index->stores.len || map->is_rows ||
						    census.either.found * 2 >= census.either.ids);
	ret->usable = census.has_id || key_is_id;
	ret->preference = (struct join_preference){
		stack_index_elect(join->index, &census.user),
		stack_index_elect(join->index, &census.kernel),
		stack_index_elect(join->index, &census.either)};
	log_add(join->log, LOG_WARNING, census.odd,
		"%s: an entry of another size, or cut off, is skipped", map->name);
	if (!ret->usable && map->entries.len > census.odd)
		report_no_id(join, ret);
	ret->weighted = ret->weighted && ret->usable;
}

void count_join_deinit(struct count_join *counts)
{
	raw_layout_deinit(&counts->layout);
	role_memo_deinit(&counts->memo);
}

static uint64_t add_saturated(uint64_t a, uint64_t b)
{
	return a > UINT64_MAX - b ? UINT64_MAX : a + b;
}

/* A per-CPU entry is one sample: its weight over all CPUs, the rest from the first that counts. */
struct cpu_sum {
	uint64_t weight;
	size_t source;
};

static struct cpu_sum *sum_cpus(struct join *join, struct count_join *counts)
{
	const struct count_map *map = counts->map;
	struct cpu_sum *sums = xcalloc(map->entries.len, sizeof(*sums));
	struct record record;

	for (size_t i = 0; i < map->entries.len; i++) {
		struct cpu_sum *sum = &sums[map->entries.data[i].head];
		uint64_t weight = map->entries.data[i].head == i;

		if (!entry_record(counts, i, &record))
			continue;
		size_t field = role_memo_find(&counts->memo, &record, join->overrides)
				       ->field[ROLE_WEIGHT];
		if (field != ROLE_NO_FIELD)
			weight = record.fields[field].number;
		if (!sum->weight)
			sum->source = i;
		sum->weight = add_saturated(sum->weight, weight);
	}
	return sums;
}

static struct error *emit_entry(
	struct join *join, struct count_join *counts, size_t i, const struct cpu_sum *sum)
{
	struct record record;

	if (!entry_record(counts, sum ? sum->source : i, &record))
		return NULL;
	const struct roles *roles = role_memo_find(&counts->memo, &record, join->overrides);
	struct sample sample = join_sample(join, &record, roles, &counts->preference);
	if (sum)
		sample.weight = sum->weight;
	sample.place = counts->map->entries.data[i].place;
	return join_add(join, &sample, counts->map->name);
}

struct error *count_join_emit(struct join *join, struct count_join *counts)
{
	const struct count_map *map = counts->map;

	if (!counts->usable)
		return NULL;
	auto_free struct cpu_sum *sums = map->per_cpu ? sum_cpus(join, counts) : NULL;
	for (size_t i = 0; i < map->entries.len; i++)
		if (map->entries.data[i].head == i)
			try(emit_entry(join, counts, i, sums ? &sums[i] : NULL));
	return NULL;
}
