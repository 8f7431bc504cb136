// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/health.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "output/fidelity.h"
#include "model/remedy.h"
#include "util/json_text.h"
#include "util/sort.h"
#include "util/table.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { SCHEMA = 1, ROWS_MAX = 100, DAMAGES_MAX = 1 << 14, RECENT = 4096 };
/* Larger stack IDs are ignored: in practice no stack map has more buckets. */
enum { IDS_MAX = 1 << 24 };
/* Identifies a row of the report. */
struct damage_key {
	enum health_kind kind;
	enum lost_caller lost; /* for HEALTH_LOST_CALLER */
	enum language language;
};

struct damage {
	struct damage_key key;
	char *object; /* owned; "user stacks" or "kernel stacks" if the damage is not in a frame */
	struct build_id build_id;
	bool frames; /* the damage is in frames: KEY has their language */
	double weight;
	double guessed,
		framed; /* of the lost callers: guessed; called by code with a frame pointer */
	uint64_t samples;
	uint64_t last; /* number of the last sample that was counted */
};

struct recent_damage {
	uint64_t serial;
	enum health_kind kind;
	size_t index; /* index in `damages` */
};

struct health_report {
	const char *system; /* see remedy_of(); not owned */
	uint64_t samples, user_stacks;
	double weight, user_weight; /* of all samples; of those with a user stack */
	double damaged, cut;
	double kinds[HEALTH_KIND_COUNT];
	struct numbered {
		double weight, collided; /* of stacks with an ID; of collided stacks */
	} numbered[2];			 /* user, kernel */
	struct {
		struct VEC(uint64_t) bits; /* bit mask: one bit per ID, up to the largest */
		uint64_t in_use, last;
	} ids; /* of user and kernel stacks, which are mostly in one map */
	size_t cut_depth;
	bool cut_records;
	struct table by_key;
	struct VEC(struct damage) damages;
	struct text scratch;
	struct recent_damage recent[RECENT];
};

struct health_report *health_report_create(const char *system)
{
	struct health_report *report = xnew(report);

	report->system = system;
	return report;
}

void health_report_destroy(struct health_report *report)
{
	if (!report)
		return;
	vec_free_each(&report->damages, object);
	vec_deinit(&report->damages);
	vec_deinit(&report->ids.bits);
	table_deinit(&report->by_key);
	text_deinit(&report->scratch);
	free(report);
}

/* ---- counting ------------------------------------------------------------------------------- */

static size_t find_damage(struct health_report *report, struct damage_key key, const char *name,
	const struct frame_object *object)
{
	struct text *text = &report->scratch;

	if (report->damages.len >= DAMAGES_MAX) {
		name = "(others)";
		object = NULL;
	}
	text_clear(text);
	text_add(text, (const char *)&key, sizeof(key));
	if (object)
		text_add(text, (const char *)&object->build_id, 1 + (size_t)object->build_id.len);
	text_add_string(text, name);
	uint64_t number = table_number(&report->by_key, text->data, text->len);
	if (number > report->damages.len) {
		struct damage *damage = vec_add(&report->damages);
		*damage = (struct damage){.key = key, .object = xstrdup(name)};
		if (object)
			damage->build_id = object->build_id;
	}
	return number - 1;
}

static void count_damage(struct health_report *report, struct damage *damage, double weight)
{
	if (damage->last == report->samples)
		return;
	damage->last = report->samples;
	damage->samples++;
	damage->weight += weight;
}

/* Counts damage of KIND at LOCATION. Returns its row. */
static struct damage *count_frame(struct health_report *report, enum health_kind kind,
	const struct location *location, double weight)
{
	struct recent_damage *recent =
		&report->recent[(location->serial * HEALTH_KIND_COUNT + kind) % RECENT];

	if (!location->serial || recent->serial != location->serial || recent->kind != kind) {
		const struct frame_object *object = location->object;
		const struct damage_key key = {kind,
			kind == HEALTH_LOST_CALLER ? location->lost_caller : CALLER_NONE,
			language_of(location)};
		const char *name = object && object->path && *object->path ? object->path : "-";

		*recent = (struct recent_damage){
			location->serial, kind, find_damage(report, key, name, object)};
		report->damages.data[recent->index].frames = true;
	}
	struct damage *damage = &report->damages.data[recent->index];
	count_damage(report, damage, weight);
	return damage;
}

static void count_stack(
	struct health_report *report, enum health_kind kind, bool kernel, double weight)
{
	const struct damage_key key = {.kind = kind};
	size_t index = find_damage(report, key, kernel ? "kernel stacks" : "user stacks", NULL);

	count_damage(report, &report->damages.data[index], weight);
}

static void count_id(
	struct health_report *report, const struct stack *stack, bool kernel, double weight)
{
	struct numbered *numbered = &report->numbered[kernel];
	__auto_type ids = &report->ids;
	bool collided = stack->state == STACK_LOST_COLLISION;

	if (!collided && (stack->state != STACK_PRESENT || stack->id < 0))
		return;
	numbered->weight += weight;
	numbered->collided += collided ? weight : 0;
	if (!collided && stack->id < IDS_MAX) {
		uint64_t id = (uint64_t)stack->id;

		while (ids->bits.len <= id / 64)
			vec_push(&ids->bits, 0);
		ids->in_use += !(ids->bits.data[id / 64] >> id % 64 & 1);
		ids->bits.data[id / 64] |= 1ULL << id % 64;
		ids->last = id > ids->last ? id : ids->last;
	}
	if (stack->truncated && stack->depth > report->cut_depth)
		report->cut_depth = stack->depth;
	report->cut_records |= stack->truncated && stack->origins;
}

static void count_frames(struct health_report *report, const struct trace *trace, double weight)
{
	const struct location *const *user = trace->user;
	const size_t n = trace->n_user;
	unsigned int kinds = trace->user_health.kinds;
	const struct location *last = NULL;

	/* Callers lost in a row, in one object, count once: at the innermost frame. */
	for (size_t i = 0; kinds & 1U << HEALTH_LOST_CALLER && i < n; i++) {
		if (!user[i]->lost_caller || (last && last->object == user[i]->object &&
						     last->lost_caller == user[i]->lost_caller))
			continue;
		last = user[i];
		struct damage *damage = count_frame(report, HEALTH_LOST_CALLER, last, weight);
		damage->guessed += last->caller_guessed ? weight : 0;
		/* the leaf's lost caller keeps a frame pointer: the next frame is right */
		if (!i && (last->caller_guessed ||
				  (n > 1 && user[1]->object == last->object && !user[1]->doubtful)))
			damage->framed += weight;
	}
	for (size_t i = 0; kinds & 1U << HEALTH_DOUBTFUL && i < n; i++)
		if (user[i]->end == END_GARBAGE)
			count_frame(report, HEALTH_DOUBTFUL, user[i], weight);
	if (kinds & 1U << HEALTH_ENDED_EARLY) {
		/* values that are no addresses are in no object; the code that led to them is */
		size_t i = n - 1;

		while (i && !user[i]->object)
			i--;
		count_frame(report, HEALTH_ENDED_EARLY, user[i], weight);
	}
	for (size_t i = 0; kinds & 1U << HEALTH_UNJUDGED && i < n; i++)
		if (user[i]->unjudged && (!i || i + 1 < n))
			count_frame(report, HEALTH_UNJUDGED, user[i], weight);
	if (kinds & 1U << HEALTH_TEXT)
		count_stack(report, HEALTH_TEXT, false, weight);
}

void health_report_count(struct health_report *report, const struct trace *trace)
{
	const struct sample *sample = trace->sample;
	const struct stack_health sides[] = {trace->user_health, trace->kernel_health};
	unsigned int kinds = sides[0].kinds | sides[1].kinds;
	double weight = (double)sample->weight;

	report->samples++;
	report->weight += weight;
	report->user_stacks += sample->user.state != STACK_ABSENT;
	report->user_weight += sample->user.state != STACK_ABSENT ? weight : 0;
	report->cut += trace->user_health.cut ? weight : 0;
	count_id(report, &sample->user, false, weight);
	count_id(report, &sample->kernel, true, weight);
	if (!kinds)
		return;
	report->damaged += kinds & ~(1U << HEALTH_UNJUDGED) ? weight : 0;
	for (unsigned int kind = 0; kind < HEALTH_KIND_COUNT; kind++) {
		report->kinds[kind] += kinds & 1U << kind ? weight : 0;
		for (int kernel = 0; kernel < 2 && kind >= HEALTH_TRUNCATED; kernel++)
			if (sides[kernel].kinds & 1U << kind)
				count_stack(report, (enum health_kind)kind, kernel, weight);
	}
	count_frames(report, trace, weight);
}

/* ---- remedies ------------------------------------------------------------------------------- */

/* Returns the share of the user or kernel stacks that collided, 0 to 1. */
static double collided_share(const struct numbered *numbered)
{
	return numbered->weight > 0 ? numbered->collided / numbered->weight : 0;
}

/*
 * Returns how many buckets a stack map needs so that one stack in a hundred collides; 0 if so few
 * collide already, or if no ID is known. Only the first stack of a bucket is kept: of N different
 * stacks in B buckets, with the load L = N/B, the share 1 - (1 - e^-L)/L is lost. N is estimated
 * from the buckets in use, by user and kernel stacks together: while F are free, it takes B/F
 * stacks to fill another one. If the map also has older stacks, the share of collisions is the
 * better estimate: L is 2 * share / (1 - share), or less if that is large. The larger estimate
 * counts.
 */
static uint64_t wanted_entries(const struct health_report *report)
{
	const struct numbered *user = &report->numbered[0], *kernel = &report->numbered[1];
	const struct numbered all = {
		user->weight + kernel->weight, user->collided + kernel->collided};
	double share = collided_share(&all), buckets = 1, wanted = 2;

	if ((collided_share(user) <= 0.01 && collided_share(kernel) <= 0.01) || !report->ids.in_use)
		return 0;
	while (buckets <= (double)report->ids.last)
		buckets *= 2;
	double came = 0;
	for (uint64_t used = 0; used < report->ids.in_use; used++)
		came += buckets / (buckets - (double)used);
	double load = came / buckets;
	double by_share = share < 0.99 ? 2 * share / (1 - share) : 200;
	load = load > by_share ? load : by_share;
	while ((wanted <= buckets || wanted < buckets * load / 0.02) && wanted < 1 << 24)
		wanted *= 2;
	return (uint64_t)wanted;
}

static size_t wanted_size(const struct health_report *report)
{
	bool shallow = report->cut_depth && report->cut_depth < FIDELITY_USUAL_DEPTH;

	return shallow ? FIDELITY_DEPTH_SIZE(report->cut_records) : 0;
}

static void add_remedy(
	struct text *text, const struct health_report *report, const struct damage *damage)
{
	enum health_kind kind = damage->key.kind;
	uint64_t entries = kind == HEALTH_COLLIDED ? wanted_entries(report) : 0;

	if (damage->frames)
		text_add_string(text, remedy_of(kind, damage->key.lost, damage->key.language,
					      damage->framed > damage->weight / 2, damage->object,
					      report->system));
	else if (kind == HEALTH_COLLIDED && entries)
		text_printf(text, "max_entries %" PRIu64 " of the stack map", entries);
	else if (kind == HEALTH_COLLIDED)
		text_add_string(text, stack_state_words[STACK_LOST_COLLISION].fix);
	else if (kind == HEALTH_TRUNCATED && wanted_size(report))
		text_printf(text, "value_size %zu of the stack map", wanted_size(report));
	else if (kind == HEALTH_TRUNCATED)
		text_add_string(text, "raise kernel.perf_event_max_stack, and then value_size");
}

static const char *otherwise(const struct damage *damage)
{
	return damage->frames ? remedy_otherwise(damage->key.kind, damage->key.lost,
					damage->key.language, damage->object)
			      : NULL;
}

/* ---- text ----------------------------------------------------------------------------------- */

COMPARE(compare_damages, struct damage *const,
	order_of((*b)->weight, (*a)->weight) ?: strcmp((*a)->object, (*b)->object))

struct damages VEC(const struct damage *);

static struct damages sorted_damages(const struct health_report *report)
{
	struct damages ret = {};

	vec_each(damage, &report->damages)
		vec_push(&ret, damage);
	vec_sort(&ret, compare_damages);
	return ret;
}

/* Adds " [libc.so.6 and 2 more]": the objects with KIND, of which the heaviest is named. */
static void add_objects(struct text *text, const struct damages *damages, enum health_kind kind)
{
	size_t n = 0;

	for (size_t i = 0; i < damages->len; i++) {
		const char *object = damages->data[i]->object, *slash = strrchr(object, '/');
		size_t first = 0; /* row of KIND and OBJECT */

		while (first < i && (damages->data[first]->key.kind != kind ||
					    strcmp(damages->data[first]->object, object) != 0))
			first++;
		if (damages->data[i]->key.kind != kind || first < i || !strcmp(object, "-") || n++)
			continue;
		text_printf_escaped(text, " [%s", slash ? slash + 1 : object);
	}
	if (n)
		fidelity_end_objects(text, n);
}

void health_report_add_line(const struct health_report *report, struct text *text)
{
	static const char *const verbs[] = {[HEALTH_LOST_CALLER] = "lack a caller",
		[HEALTH_ENDED_EARLY] = "end early",
		[HEALTH_DOUBTFUL] = "have frames that are no return addresses",
		[HEALTH_TEXT] = "have text as an address",
		[HEALTH_UNJUDGED] = "cannot be judged"};
	struct damages damages = sorted_damages(report);
	bool begun = false;

	for (unsigned int kind = 0; kind < HEALTH_TRUNCATED; kind++) {
		if (report->kinds[kind] <= 0)
			continue;
		text_add_string(text, begun ? ", " : "");
		fidelity_add_share(text, report->kinds[kind], report->user_weight,
			report->kinds[kind] >= report->user_weight);
		text_printf(text, "%s %s", begun ? "" : " of user stacks", verbs[kind]);
		add_objects(text, &damages, (enum health_kind)kind);
		begun = true;
	}
	vec_deinit(&damages);
}

static void add_row(
	struct text *text, const struct health_report *report, const struct damage *damage)
{
	size_t start = text->len;
	double all = damage->key.kind < HEALTH_TRUNCATED ? report->user_weight : report->weight;

	fidelity_add_share(text, damage->weight, all, damage->weight >= all);
	text_printf(text, "%*s", (int)(start + 13 > text->len ? start + 13 - text->len : 1), "");
	text_printf(text, "weight %.0f  ", damage->weight);
	text_add_string(text, health_kind_words[damage->key.kind].text);
	if (damage->key.lost)
		text_printf(text, ": %s", lost_caller_words[damage->key.lost].text);
	text_printf_escaped(text, "  %s", damage->object);
	text_add_char(text, '\n');
	size_t before = text->len;
	text_add_string(text, "             remedy: ");
	size_t empty = text->len;
	add_remedy(text, report, damage);
	if (text->len == empty)
		text->len = before;
	else
		text_add_char(text, '\n');
	if (otherwise(damage))
		text_printf(text, "             otherwise: %s\n", otherwise(damage));
	if (damage->guessed <= 0)
		return;
	text_add_string(text, "             --guess-callers: puts ");
	fidelity_add_share(
		text, damage->guessed, damage->weight, damage->guessed >= damage->weight);
	text_add_string(text, " of these callers back\n");
}

static void add_report(struct text *text, const struct health_report *report)
{
	struct damages damages = sorted_damages(report);

	text_printf(text, "%" PRIu64 " sample%s, weight %.0f: ", report->samples,
		report->samples == 1 ? "" : "s", report->weight);
	if (report->damaged > 0)
		fidelity_add_share(
			text, report->damaged, report->weight, report->damaged >= report->weight);
	text_add_string(text, report->damaged > 0 ? " with a damaged stack"
			      : report->samples	  ? "nothing is wrong with the stacks"
						  : "no stacks were read");
	text_add_string(text, report->damaged <= 0 && report->kinds[HEALTH_UNJUDGED] > 0
				      ? " that can be judged\n"
				      : "\n");
	for (size_t i = 0; i < damages.len && i < ROWS_MAX; i++)
		add_row(text, report, damages.data[i]);
	if (damages.len > ROWS_MAX)
		text_printf(text, "and %zu more\n", damages.len - ROWS_MAX);
	if (damages.len && report->user_weight < report->weight)
		text_printf(text,
			"Percentages of damage to user stacks are of all user stacks (weight %.0f).\n",
			report->user_weight);
	if (report->cut > 0)
		text_printf(text,
			"Samples with a weight of %.0f had their stacks cut at values that are not return "
			"addresses.\n",
			report->cut);
	vec_deinit(&damages);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_object(
	struct text *text, const struct health_report *report, const struct damage *damage)
{
	const struct build_id_hex id = build_id_hex(&damage->build_id);
	struct text remedy = {};

	json_open(text, NULL, '{');
	json_add_known(text, "kind", health_kind_words[damage->key.kind].key);
	json_add_known(text, "lost_caller", lost_caller_words[damage->key.lost].key);
	json_add_string(text, "object", damage->object);
	json_add_known(text, "build_id", id.digits);
	if (damage->frames)
		json_add_string(text, "language", language_words[damage->key.language].key);
	json_add_unsigned(text, "samples", damage->samples);
	text_printf(text, ",\"weight\":%.0f", damage->weight);
	if (damage->guessed > 0)
		text_printf(text, ",\"guessed\":%.0f", damage->guessed);
	add_remedy(&remedy, report, damage);
	json_add_known(text, "remedy", remedy.data);
	json_add_known(text, "otherwise", otherwise(damage));
	text_add_char(text, '}');
	text_deinit(&remedy);
}

static void add_json(struct text *text, const struct health_report *report)
{
	struct damages damages = sorted_damages(report);

	text_printf(text, "{\"schema\":%d,\"samples\":%" PRIu64 ",\"weight\":%.0f,\"damaged\":%.0f",
		SCHEMA, report->samples, report->weight, report->damaged);
	json_open(text, "kinds", '{');
	for (unsigned int kind = 0; kind < HEALTH_KIND_COUNT; kind++)
		if (report->kinds[kind] > 0) {
			json_add_key(text, health_kind_words[kind].key);
			text_printf(text, "%.0f", report->kinds[kind]);
		}
	text_add_string(text, "},\"objects\":[");
	vec_each_value(damage, &damages)
		add_object(text, report, damage);
	text_printf(text, "],\"cut\":%.0f", report->cut);
	if (wanted_entries(report))
		json_add_unsigned(text, "max_entries", wanted_entries(report));
	if (wanted_size(report))
		json_add_unsigned(text, "value_size", wanted_size(report));
	text_add_string(text, "}\n");
	vec_deinit(&damages);
}

void health_report_add(const struct health_report *report, bool json, struct text *text)
{
	if (json)
		add_json(text, report);
	else
		add_report(text, report);
}
