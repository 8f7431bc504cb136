// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/diff/diff.h"

#include <inttypes.h>
#include <stdio.h>

#include "model/stack.h"
#include "output/label.h"
#include "util/cleanup.h"
#include "util/table.h"
#include "util/vec.h"

static uint64_t weight_of(const struct diff *diff, enum diff_side side)
{
	return diff->traces->sides[side].sum.weight;
}

bool diff_has_shares(const struct diff_traces *traces)
{
	return traces->sides[DIFF_OLD].sum.weight && traces->sides[DIFF_NEW].sum.weight;
}

double diff_share(const struct diff *diff, enum diff_side side, uint64_t weight)
{
	uint64_t all = weight_of(diff, side);

	return all ? (double)weight / (double)all * 100 : 0;
}

bool diff_is_same(const struct diff *diff, struct diff_pair pair)
{
	if (!diff->normalized)
		return pair.old == pair.new;
	return (unsigned __int128)pair.old * weight_of(diff, DIFF_NEW) ==
	       (unsigned __int128)pair.new *weight_of(diff, DIFF_OLD);
}

double diff_difference(const struct diff *diff, struct diff_pair pair)
{
	if (diff_is_same(diff, pair))
		return 0;
	if (diff->normalized)
		return diff_share(diff, DIFF_NEW, pair.new) - diff_share(diff, DIFF_OLD, pair.old);
	return pair.new > pair.old ? (double)(pair.new - pair.old) : -(double)(pair.old - pair.new);
}

uint64_t diff_scaled(const struct diff *diff, uint64_t old)
{
	uint64_t all = weight_of(diff, DIFF_OLD);

	if (!diff->normalized || !all)
		return old;
	unsigned __int128 scaled =
		((unsigned __int128)old * weight_of(diff, DIFF_NEW) + all / 2) / all;
	return scaled > UINT64_MAX ? UINT64_MAX : (uint64_t)scaled;
}

void diff_add_difference(struct text *text, const struct diff *diff, struct diff_pair pair)
{
	if (diff->normalized)
		text_printf(text, "%+.2f %%", diff_difference(diff, pair));
	else if (pair.new >= pair.old)
		text_printf(text, "+%" PRIu64, pair.new - pair.old);
	else
		text_printf(text, "-%" PRIu64, pair.old - pair.new);
}

/* ---- units of weights ----------------------------------------------------------------------- */

struct error *diff_check_weights(const struct diff_traces *traces, const bool weighted[DIFF_SIDES])
{
	enum weight_unit weights[DIFF_SIDES];
	const char *names[DIFF_SIDES];

	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct diff_sum *sum = &traces->sides[side].sum;

		if (!sum->samples)
			return NULL;
		names[side] = weighted[side] && sum->weight_name ? sum->weight_name : "no field";
		weights[side] = weighted[side] ? weight_unit_of(sum->weight_name) : WEIGHT_SAMPLES;
	}
	if (!weights[DIFF_OLD] || !weights[DIFF_NEW] || weights[DIFF_OLD] == weights[DIFF_NEW])
		return NULL;
	return error_create(ERROR_INPUT,
		"the weights of OLD are %s (%s) and those of NEW %s (%s): they cannot be compared; "
		"--key weight=FIELD chooses a field that both have",
		weight_unit_words[weights[DIFF_OLD]].text, names[DIFF_OLD],
		weight_unit_words[weights[DIFF_NEW]].text, names[DIFF_NEW]);
}

/* ---- what is the same in both dumps ---------------------------------------------------------- */

/* Names of objects that differ only in their versions. */
struct stem {
	const char *names[DIFF_SIDES]; /* NULL: none */
	/* without version, owned by the traces; NULL: not made yet */
	const char *name;
	bool several; /* one side has several */
};

struct stems {
	struct table numbers; /* name without version → number */
	struct VEC(struct stem) stems;
	struct text text; /* scratch */
};

void diff_match_add_stem(struct text *text, const char *object)
{
	const char *so = strstr(object, ".so");

	if (!so || (so[3] && so[3] != '.')) {
		text_add_string(text, object);
		return;
	}
	size_t len = (size_t)(so - object), stem = len;
	while (stem && strchr("0123456789.", object[stem - 1]))
		stem--;
	if (stem > 1 && stem < len && object[stem - 1] == '-')
		len = stem - 1;
	text_add(text, object, len);
	text_add_string(text, ".so");
}

static struct stem *stem_of(struct stems *stems, const char *object)
{
	text_clear(&stems->text);
	diff_match_add_stem(&stems->text, object);
	uint64_t number = table_number(&stems->numbers, stems->text.data, stems->text.len);
	if (number > stems->stems.len)
		vec_add(&stems->stems);
	return &stems->stems.data[number - 1];
}

/*
 * Adds NAME to the names of STEM. It is interned, so that names are compared by address. SIDES:
 * bits of the sides that have it.
 */
static void note_name(struct stem *stem, const char *name, unsigned int sides)
{
	for (int side = 0; side < DIFF_SIDES; side++) {
		if (!(sides >> side & 1))
			continue;
		stem->several |= stem->names[side] && stem->names[side] != name;
		stem->names[side] = name;
	}
}

static void merge_versions(struct diff_traces *traces)
{
	struct stems stems = {};

	vec_each_value(kept, &traces->locations)
		if (kept->object.name)
			note_name(
				stem_of(&stems, kept->object.name), kept->object.name, kept->sides);
	vec_each_value(kept, &traces->locations) {
		struct frame_object *object = &kept->object;
		struct stem *stem = object->name ? stem_of(&stems, object->name) : NULL;

		if (!stem || stem->several || !stem->names[DIFF_OLD] || !stem->names[DIFF_NEW] ||
			stem->names[DIFF_OLD] == stem->names[DIFF_NEW])
			continue;
		if (!stem->name)
			stem->name = diff_traces_string(traces, stems.text.data);
		object->name = stem->name;
	}
	table_deinit(&stems.numbers);
	vec_deinit(&stems.stems);
	text_deinit(&stems.text);
}

/* ---- short names ---- */

/*
 * Notes or (CHANGE) changes the short name of FRAME. WHOLE: gives a function that has a mark in
 * only one dump, because only that build has others of its short name, the mark in both. Otherwise,
 * gives functions that share a short name, each the only one in its build, their whole names.
 */
static void match_frame(struct stems *stems, const struct diff_location *kept, struct frame *frame,
	bool whole, bool change)
{
	const char *const key[] = {whole ? frame->function : frame->shown, kept->object.name};

	if (!frame->shown)
		return;
	struct stem *stem = vec_keyed(&stems->stems, &stems->numbers, key, sizeof(key));
	const char *old = stem->names[DIFF_OLD], *new = stem->names[DIFF_NEW];
	bool differ = old && new &&old != new;
	if (!change)
		note_name(stem, whole ? frame->shown : frame->function, kept->sides);
	else if (!whole && (differ || stem->several))
		frame->shown = NULL;
	else if (whole && differ && !stem->several)
		frame->shown = strlen(old) > strlen(new) ? old : new;
}

static void match_short_names(struct diff_traces *traces, bool whole)
{
	struct stems stems = {};

	for (int change = 0; change < 2; change++)
		vec_each_value(kept, &traces->locations)
			array_each(frame, kept->frames, kept->location.n_frames)
				match_frame(&stems, kept, frame, whole, change);
	table_deinit(&stems.numbers);
	vec_deinit(&stems.stems);
}

/* ---- addresses without a name ---- */

/*
 * Returns where BUILDS keeps which sides have this build of LOCATION's object: a bit for each side.
 * Returns NULL if the object has no build ID.
 */
static uint64_t *sides_of(struct table *builds, struct text *key, const struct location *location)
{
	const struct frame_object *object = location->object;

	if (!object || !object->build_id.len)
		return NULL;
	text_clear(key);
	text_add(key, (const char *)object->build_id.bytes, object->build_id.len);
	text_add_string(key, label_object(location) ?: "");
	return table_at(builds, key->data, key->len, NULL);
}

static void name_addresses(struct diff_traces *traces)
{
	const uint64_t both = 1U << DIFF_OLD | 1U << DIFF_NEW;
	scope_guard(table_deinit) struct table builds = {};
	auto_text struct text text = {};

	vec_each_value(kept, &traces->locations) {
		uint64_t *sides = sides_of(&builds, &text, &kept->location);

		if (sides)
			*sides |= kept->sides;
	}
	vec_each_value(kept, &traces->locations) {
		const struct location *location = &kept->location;
		const uint64_t *sides = sides_of(&builds, &text, location);
		bool comparable = sides && *sides == both;

		if (location->status != FRAME_NAMED && location->kind != LOCATION_LOST &&
			location->object &&
			(location->has_elf_address || location->has_file_offset)) {
			text_clear(&text);
			if (comparable)
				label_add_function(&text, location);
			else
				text_printf(&text, "[unnamed in %s]",
					label_object(location) ?: "an object without a name");
			kept->frames[0].function = diff_traces_string(traces, text.data);
			continue;
		}
		/* "f @0x1139" of one build or kernel is not that of another */
		if (!comparable || location->kind != LOCATION_USER)
			array_each(frame, kept->frames, location->n_frames)
				if (frame->qualifier && *frame->qualifier == '@')
					frame->qualifier = "@?";
	}
}

bool diff_match(struct diff_traces *traces, enum diff_objects how)
{
	bool bare = how == DIFF_OBJECTS_IGNORE;

	merge_versions(traces);
	match_short_names(traces, true);
	match_short_names(traces, false);
	name_addresses(traces);
	vec_each_value(kept, &traces->locations) {
		const struct location *location = &kept->location;

		/* a name from a text, without an object */
		bare |= how == DIFF_OBJECTS_IF_ALL && location->status == FRAME_NAMED &&
			!label_object(location) && location->source >= SOURCE_PERF;
	}
	vec_each_value(kept, &traces->locations)
		if (bare)
			kept->location.object = NULL;
	return bare;
}
