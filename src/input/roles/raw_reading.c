// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/roles/raw_reading.h"

#include <inttypes.h>
#include <string.h>

#include "input/roles/raw_rules.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

#define ALLOCATION_MAX (1ULL << 36) /* largest plausible average of allocations, in bytes */
#define ALLOCATIONS_MASK ((1ULL << 40) - 1)

#define NO_PROCESS " (user stacks have no names; -p PID assigns all of them to that process)"

struct reading_search {
	const struct raw_question *question;
	struct count_reading *reading;
	struct raw_columns columns;
	struct raw_rules rules;
	struct raw_roles roles;
};

static void search_deinit(struct reading_search *search)
{
	raw_columns_deinit(&search->columns);
	raw_rules_deinit(&search->rules);
}

/* ---- columns -------------------------------------------------------------------------------- */

/* Returns the option that declares the examined part. */
static const char *search_option(const struct reading_search *search)
{
	return search->columns.of_value ? "--value-layout" : "--key-layout";
}

/* Adds the option that assigns ROLES, followed by MORE, to the choices, unless there is none. */
static void search_offer(
	struct reading_search *search, const struct raw_roles *roles, const char *more)
{
	bool named = search->columns.fields.len;
	auto_free char *text = named ? raw_roles_key(roles, &search->columns)
				     : raw_roles_layout(roles, &search->columns);

	if (text)
		reading_offer(search->reading,
			xasprintf(named ? "%s=%s%s" : "%s='%s'%s",
				named ? "--key" : search_option(search), text, more));
}

/* If exactly one column has nothing but errors, gives it the missing side. */
static void find_failed_side(const struct reading_search *search, struct raw_roles *roles)
{
	const struct raw_column *all = search->columns.all.data;
	size_t failed = only_index(i, search->columns.all.len,
		all[i].number && all[i].ids.errors && !all[i].ids.found && !all[i].ids.missing &&
			!all[i].ids.odd);
	size_t *user = &roles->at[ROLE_USER], *kernel = &roles->at[ROLE_KERNEL];
	if ((*user == RAW_NONE) != (*kernel == RAW_NONE))
		*(*user == RAW_NONE ? user : kernel) = failed;
}

/*
 * Offers ROLES with each number that may be the process, and without a process. Returns how many
 * numbers may be the process.
 */
static size_t offer_processes(
	struct reading_search *search, const struct raw_process *process, struct raw_roles roles)
{
	size_t n = 0;

	array_each(column, process->possible, process->n_possible) {
		if (role_is_stack(role_at(roles.at, *column)))
			continue;
		roles.at[ROLE_PID] = *column;
		search_offer(search, &roles, "");
		n++;
	}
	if (n)
		roles.at[ROLE_PID] = RAW_NONE;
	search_offer(search, &roles, n ? NO_PROCESS : "");
	return n;
}

/*
 * Offers HYPOTHESIS. If it has no comm, offers it first with the only text as the comm, because
 * processes of that name may have exited. Returns how many numbers may be the process.
 */
static size_t offer_all(struct reading_search *search, const struct raw_hypothesis *hypothesis)
{
	const struct raw_process *process = &hypothesis->first->process;
	struct raw_roles roles = hypothesis->roles, named;

	find_failed_side(search, &roles);
	named = roles;
	named.at[ROLE_COMM] = search->rules.key_text;
	if (roles.at[ROLE_COMM] == RAW_NONE && named.at[ROLE_COMM] != RAW_NONE)
		offer_processes(search, process, named);
	return offer_processes(search, process, roles);
}

static enum reading_status refuse_ids(struct reading_search *search)
{
	const struct raw_rules *rules = &search->rules;

	array_each(open, rules->all, rules->n_open)
		offer_all(search, open);
	return reading_refuse(search->reading,
		rules->n_open > 1 ? xasprintf("%zu of its numbers could be stack IDs, cannot tell "
					      "which",
					    rules->n_candidates)
				  : xstrdup("its possible stack IDs may be other numbers: there "
					    "are too many stacks, and too few of these numbers, "
					    "to decide"),
		NULL);
}

/* Notes why the columns have their roles. */
static void note_roles(struct reading_search *search, const struct raw_process *process)
{
	for (enum role role = 0; role < ROLE_COUNT; role++) {
		char **evidence = &search->reading->evidence[role];
		size_t column = search->roles.at[role];

		if (column == RAW_NONE)
			continue;
		if (role == ROLE_COMM) {
			*evidence = xstrdup(process->shown
						    ? "processes with these stacks have that name"
						    : "the only text of 16 bytes");
		} else if (!role_is_stack(role)) {
			*evidence = xstrdup(process->why.data);
		} else {
			const struct id_column *ids = &search->columns.all.data[column].ids;
			const char *side = "";

			if (ids->user && !ids->kernel && !ids->either)
				side = ", all as user stacks";
			if (ids->kernel && !ids->user && !ids->either)
				side = ", all as kernel stacks";
			*evidence = xasprintf("%" PRIu64 " of %" PRIu64
					      " numbers are in the stack maps%s%s",
				ids->found, ids->found + ids->missing, side,
				ids->errors ? "; others are errors of bpf_get_stackid()" : "");
		}
	}
}

/* ---- stack IDs at any byte ------------------------------------------------------------------ */

/* Returns true if the stacks are kernel stacks, or the process of the user stacks is proven. */
static bool is_settled(const struct raw_hypothesis *hypothesis)
{
	return hypothesis && (hypothesis->first->process.shown ||
				     (hypothesis->first->kernel && !hypothesis->first->user));
}

/*
 * Refuses keys without stack IDs, and offers possible stack IDs in the value. If no ID is in the
 * first 8 bytes, offers these first as the weight.
 */
static enum reading_status refuse_no_ids(struct reading_search *search)
{
	struct count_reading *reading = search->reading;
	scope_guard(raw_columns_deinit) struct raw_columns values = {.index = search->columns.index,
		.of_value = true,
		.len = reading->value_len,
		.packed = true};

	reading_refuse(
		reading, xstrdup("none of its numbers is a stack ID of the stack maps"), NULL);
	if (search->columns.of_value || reading->value || !reading->value_len)
		return READING_NO_IDS;
	raw_columns_add(&values, search->question->map, RAW_NONE);
	raw_columns_read(&values);
	raw_rules_deinit(&search->rules);
	search->rules = (struct raw_rules){.columns = &values};
	raw_rules_find(&search->rules);
	array_each(open, search->rules.all, search->rules.n_open) {
		struct raw_roles roles = open->roles;
		bool weighted = true;

		roles.at[ROLE_COMM] = RAW_NONE;
		auto_free char *layout = raw_roles_layout(&roles, &values);
		stack_role_each(role)
			weighted &= roles.at[role] >= sizeof(uint64_t);
		if (weighted)
			reading_offer(
				reading, xasprintf("--value-layout='u64 weight; %s'", layout));
		reading_offer(
			reading, xasprintf("--value-layout='%s' (each entry counts once)", layout));
	}
	return READING_NO_IDS;
}

/* ---- all roles ---- */

/* Returns the accepted hypothesis, or NULL. */
static const struct raw_hypothesis *apply_rules(struct reading_search *search)
{
	raw_rules_deinit(&search->rules);
	search->rules = (struct raw_rules){
		.columns = &search->columns, .processes = search->question->processes};
	raw_rules_find(&search->rules);
	return raw_rules_taken(&search->rules);
}

/*
 * Returns true if the struct seems packed: it has stack IDs, and these are not aligned to 4 bytes,
 * or its size is no multiple of 4 and no process is proven.
 */
static bool is_packed(const struct reading_search *search, const struct raw_hypothesis *taken)
{
	bool any = false, odd = false;

	for (size_t at = 0; at < search->columns.all.len && !search->columns.fields.len; at++)
		if (raw_columns_certain(&search->columns, at)) {
			any = true;
			odd |= at % RAW_WORD != 0;
		}
	return odd || (any && !is_settled(taken) && search->columns.all.len % RAW_WORD);
}

static enum reading_status find_roles(struct reading_search *search)
{
	struct raw_rules *rules = &search->rules;
	const struct raw_hypothesis *taken = apply_rules(search);

	if (is_packed(search, taken)) {
		search->columns.packed = true;
		raw_columns_read(&search->columns);
		taken = apply_rules(search);
		if (!is_settled(taken)) {
			/* the user has to declare where the other fields begin */
			array_each(open, rules->all, rules->n_open)
				search_offer(search, &open->roles, "");
			return reading_refuse(search->reading,
				xasprintf("its struct is packed, so that fields may begin at any "
					  "byte: declare it with %s, as in 'u8 flag; u32 pid@1; "
					  "s32 user@5'",
					search_option(search)),
				NULL);
		}
	}
	if (!rules->n_candidates)
		return READING_NO_IDS;
	if (!taken)
		return refuse_ids(search);
	search->roles = taken->roles;
	find_failed_side(search, &search->roles);
	note_roles(search, &taken->first->process);
	return READING_USABLE;
}

/* Refuses user stacks whose process is unknown although a number may be it. */
static enum reading_status check_process(struct reading_search *search)
{
	const struct raw_hypothesis *taken = raw_rules_taken(&search->rules);
	const struct raw_process *process = taken ? &taken->first->process : NULL;

	if (!process || !process->matters || search->question->has_pid || !offer_all(search, taken))
		return READING_USABLE;
	return reading_refuse(search->reading,
		xasprintf("nothing shows which process its user stacks belong to (%s)",
			process->why.data),
		NULL);
}

/* ---- rows ----------------------------------------------------------------------------------- */

/* Selects the rows that --key=weight= names, or refuses rows if it names none. */
static enum reading_status find_rows(struct reading_search *search)
{
	const struct raw_question *question = search->question;
	enum bpftrace_part wanted = bpftrace_part_named(question->weight);
	const struct layout *key = search->reading->key;
	size_t n = search->columns.all.len;
	/* nothing is known of the last 8 bytes, by what was found or by a given layout */
	bool ends_in_row = n >= 8 && !search->columns.packed &&
			   role_at(search->roles.at, n - 8) == ROLE_COUNT &&
			   role_at(search->roles.at, n - RAW_WORD) == ROLE_COUNT;

	if (key) /* its last field is called unused */
		ends_in_row = !strncmp(vec_last(&key->fields)->name, "key.unused", 10);
	if (wanted == BPFTRACE_PART_NONE && (question->weight || !ends_in_row))
		return READING_USABLE;
	enum bpftrace_rows rows = bpftrace_rows_look(question->map);
	if (rows != BPFTRACE_NO_ROWS)
		search->reading->part = wanted;
	if (rows != BPFTRACE_ROWS || wanted != BPFTRACE_PART_NONE)
		return READING_USABLE;
	return reading_refuse(search->reading,
		xstrdup("its keys end in 0 or 1, so its values could be alternating counts and "
			"totals of bpftrace's avg() or stats()"),
		"--key=weight=count (avg() or stats(): how often)",
		"--key=weight=total (avg() or stats(): the sum)",
		"--key=weight=value (hist(), lhist(), or another number that is 0 or 1)", NULL);
}

/* Returns the offset of the comm in the value, by its layout or a known program's; or RAW_NONE. */
static size_t value_comm(const struct raw_question *question, const struct count_reading *reading)
{
	scope_guard(layout_deinit) struct layout known = {};
	const struct layout *value = reading->value;

	if (!value) {
		known_value_find(question->map, false, question->key_fields, &known);
		value = &known;
	}
	vec_each(field, &value->fields)
		if (field->kind == FIELD_TEXT && field->size == RAW_COMM_LEN &&
			!strcmp(field->name, "value.comm"))
			return field->offset;
	return RAW_NONE;
}

/* Reads the value with the layout of KNOWN, which is in `own_value`. */
static void use_known(struct count_reading *reading, const struct known_value *known)
{
	reading->value = &reading->own_value;
	reading->evidence[ROLE_WEIGHT] =
		xasprintf("in the only known layout that fits: %s", known->program);
}

/* ---- values ----------------------------------------------------------------- */

static enum reading_status refuse_value(struct count_reading *reading)
{
	size_t len = reading->value_len;

	if (len >= sizeof(uint64_t))
		reading_offer(reading, xstrdup("--value-layout='u64 weight@0; u8 rest[]' (for 0, "
					       "put the offset of the right number)"));
	for (size_t width = 8; width >= 4; width /= 2)
		if (len > width && !(len % width))
			reading_offer(reading,
				xasprintf("--value-layout='u%zu slots[%zu]' (all numbers add up)",
					8 * width, len / width));
	reading_offer(
		reading, xasprintf("--value-layout='u8 rest[%zu]' (each entry counts once)", len));
	return reading_refuse(
		reading, xasprintf("the content of its values of %zu bytes is unknown", len), NULL);
}

/* Refuses values of 8 bytes that may be something else than plain numbers. */
static enum reading_status check_number(const struct count_map *map, struct count_reading *reading)
{
	/*
	 * memleak's union combined_alloc_info (libbpf-tools/memleak.h): the total size of
	 * allocations, in bytes, in the lower 40 bits, and their number above. LARGE: a total is 4
	 * GiB or more.
	 */
	bool allocations = true, any = false, large = false;
	/*
	 * Two numbers of 4 bytes: the first ones of values above 32 bits are so small that chance
	 * explains it only once in a thousand times.
	 */
	uint32_t max_first = 0, max_second = 0;
	double chance = 1;
	size_t n = 0;

	count_each(i, map) {
		const struct count_entry *entry = &map->entries.data[i];

		if (entry->value_len != 8)
			return READING_USABLE;
		const uint8_t *value = count_map_value(map, i);
		uint64_t word = load_u64(value), number = word >> 40,
			 bytes = word & ALLOCATIONS_MASK;
		uint32_t first = load_u32(value), second = load_u32(value + 4);
		allocations &= entry->cpu < 0 && entry->key_len == 8 &&
			       (!word || (number && bytes / number <= ALLOCATION_MAX));
		large |= bytes > UINT32_MAX;
		any |= word != 0;
		if (!second || (second == UINT32_MAX && first >> 31)) /* fits in 32 bits */
			continue;
		n++;
		max_first = first > max_first ? first : max_first;
		max_second = second > max_second ? second : max_second;
	}
	if (allocations && any) {
		const char *once = "--value-layout='u8 rest[8]' (each entry counts once)";

		return reading_refuse(reading,
			xstrdup("its values could be plain numbers or, as in memleak, the bytes of "
				"allocations in 40 bits and their number in 24"),
			"--value-layout='u64 value' (plain numbers)",
			large ? once : "--value-layout='u32 value; u32 unused' (the bytes)",
			large ? NULL : once, NULL);
	}
	while (n-- && chance >= ID_CHANCE_MAX)
		chance *= (max_first + 1.0) / UINT32_MAX;
	if (chance >= ID_CHANCE_MAX)
		return READING_USABLE;
	const char *first = "--value-layout='u32 weight; u32 unused'",
		   *second = "--value-layout='u32 unused; u32 weight'";
	bool first_is_larger = max_first > max_second;
	return reading_refuse(reading,
		xstrdup("its values could be one number of 8 bytes, or two of 4 bytes"),
		first_is_larger ? first : second, first_is_larger ? second : first,
		"--value-layout='u64 value' (one number)", NULL);
}

/* Chooses a layout for the value, unless it is empty. Refuses unclear values. */
static enum reading_status find_value(
	const struct raw_question *question, struct count_reading *reading)
{
	static const char *const part_values[] = {"u64 value", "u64 count", "u64 total"};
	size_t len = reading->value_len;
	bool named = reading->part != BPFTRACE_PART_NONE;

	if (!len)
		return READING_USABLE;
	if (len != 4 && len != 8) {
		const struct known_value *known = known_value_find(
			question->map, false, question->key_fields, &reading->own_value);

		if (!known)
			return refuse_value(reading);
		use_known(reading, known);
		return READING_USABLE;
	}
	if (!named && !question->weight && check_number(question->map, reading) != READING_USABLE)
		return READING_REFUSED;
	/* cannot fail: the layouts are constants that parse */
	error_destroy(layout_given(len == 8 ? part_values[reading->part] : "u32 value", "layout",
		named ? "value." : "", question->key_fields, &reading->own_value));
	reading->value = &reading->own_value;
	return READING_USABLE;
}

/* ---- stack IDs in the value ----------------------------------------------------------------- */

/*
 * Returns true if the value contains the stack IDs, by its layout or by that of a known program
 * such as memleak, which then becomes its layout.
 */
static bool find_value_id(const struct raw_question *question, struct count_reading *reading)
{
	const struct count_map *map = question->map;
	struct layout *own = &reading->own_value;
	struct id_column ids = {};

	if (reading->value) {
		vec_each(field, &reading->value->fields) {
			const char *name = strrchr(field->name, '.');

			if (name && role_is_stack(role_of_name(scan_of(name + 1))))
				return true;
		}
		return false;
	}
	const struct known_value *known = known_value_find(map, true, question->key_fields, own);
	if (!known)
		return false;
	size_t offset = vec_last(&own->fields)->offset; /* of the stack ID */
	count_each(i, map)
		id_column_add(
			&ids, question->index, (int32_t)load_u32(count_map_value(map, i) + offset));
	if (id_column_certain(&ids, question->index)) {
		use_known(reading, known);
		return true;
	}
	layout_deinit(own);
	*own = (struct layout){};
	return false;
}

/* ---- all together --------------------------------------------------------------------------- */

/* Reads with the layout of the roles that were found. */
static enum reading_status use_layout(struct reading_search *search)
{
	struct count_reading *reading = search->reading;
	bool of_value = search->columns.of_value;
	struct layout *own = of_value ? &reading->own_value : &reading->own_key;

	if (search->columns.fields.len) {
		reading->key_text = raw_roles_key(&search->roles, &search->columns);
		return reading->key_text ? READING_USABLE : READING_NO_IDS;
	}
	reading->key_text = raw_roles_layout(&search->roles, &search->columns);
	/* cannot fail: the text is generated */
	error_destroy(layout_given(reading->key_text, "layout", of_value ? "value." : "key.",
		search->question->key_fields, own));
	*(of_value ? &reading->value : &reading->key) = own;
	return READING_USABLE;
}

/* Finds the roles of the columns. If there are none, the value may contain the stack IDs. */
static enum reading_status find_columns(struct reading_search *search)
{
	const struct raw_question *question = search->question;
	struct count_reading *reading = search->reading;
	struct raw_columns *columns = &search->columns;
	bool of_value = !reading->key_len && reading->value_len;

	columns->index = question->index;
	if (question->named) {
		raw_columns_assemble(columns, question->map, question->named, question->of_value);
	} else {
		columns->of_value = of_value;
		columns->len = of_value ? reading->value_len : reading->key_len;
		raw_columns_add(columns, question->map, value_comm(question, reading));
	}
	raw_columns_read(columns);
	enum reading_status status = find_roles(search);
	if (status != READING_NO_IDS || question->named)
		return status;
	if (!find_value_id(question, reading))
		return refuse_no_ids(search);
	search->roles.at[ROLE_COMM] = search->rules.key_comm;
	return READING_USABLE;
}

enum reading_status raw_reading_find(const struct raw_question *question, struct count_reading *ret)
{
	bool named = question->named;
	bool given = !named && (ret->key || (!ret->key_len && ret->value));
	scope_guard(search_deinit) struct reading_search search = {
		.question = question, .reading = ret, .roles = raw_no_roles};
	enum reading_status status = given ? READING_USABLE : find_columns(&search);

	bool value_open = !named && !search.columns.of_value && !ret->value;
	if (status == READING_USABLE && value_open)
		status = find_rows(&search);
	if (status == READING_USABLE && value_open)
		status = find_value(question, ret);
	if (status == READING_USABLE && !given)
		status = check_process(&search);
	if (status == READING_USABLE && !given)
		status = use_layout(&search);
	return named && status == READING_REFUSED && !ret->choices.len ? READING_NO_IDS : status;
}
