// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/fidelity.h"

#include <string.h>

#include "output/label.h"
#include "util/vec.h"

/* All losses for one reason. */
struct reason {
	const struct loss *heaviest; /* NULL: nothing was lost for this reason */
	double weight;
	size_t objects;
};

struct reasons {
	struct reason lost[STACK_STATE_COUNT], unnamed[FRAME_STATUS_COUNT];
};

static void find_reasons(const struct summary *summary, struct reasons *ret)
{
	*ret = (struct reasons){};
	vec_each(loss, &summary->losses) {
		struct reason *reason = loss->status == FRAME_LOST ? &ret->lost[loss->lost]
								   : &ret->unnamed[loss->status];

		if (loss->weight <= 0 || loss->status == FRAME_NAMED)
			continue;
		if (!reason->heaviest || loss->weight > reason->heaviest->weight)
			reason->heaviest = loss;
		reason->weight += loss->weight;
		reason->objects++;
	}
}

/* Returns the heaviest of N reasons, NULL if there is none. Adds the number of others to OTHERS. */
static const struct reason *main_reason(const struct reason *reasons, size_t n, size_t *others)
{
	const struct reason *best = NULL;

	array_each(reason, reasons, n) {
		if (!reason->heaviest)
			continue;
		*others += best != NULL;
		if (!best || reason->weight > best->weight)
			best = reason;
	}
	return best;
}

void fidelity_add_share(struct text *text, double part, double whole, bool all)
{
	double percent = whole > 0 ? part / whole * 100 : 0;

	if (all)
		text_add_string(text, "100 %");
	else if (percent < 0.1)
		text_add_string(text, "under 0.1 %");
	else if (percent < 9.95)
		text_printf(text, "%.1f %%", percent);
	else if (percent < 99.5)
		text_printf(text, "%.0f %%", percent);
	else
		text_add_string(text, "over 99 %");
}

void fidelity_end_objects(struct text *text, size_t n)
{
	if (n > 1)
		text_printf(text, " and %zu more", n - 1);
	text_add_char(text, ']');
}

/* Adds " [libc.so.6 and 2 more]": the objects of REASON, if these are files. */
static void add_object(struct text *text, const struct reason *reason)
{
	const struct loss *loss = reason->heaviest;

	if (loss->status == FRAME_LOST || loss->object[0] == '[' || !strcmp(loss->object, "-"))
		return;
	text_printf(text, " [%s", loss->object);
	fidelity_end_objects(text, reason->objects);
}

static void add_reason(struct text *text, const struct reason *reason)
{
	const struct loss *loss = reason ? reason->heaviest : NULL;

	if (!loss)
		return;
	const char *fix = loss->fetch_fix ?: loss->fix;
	text_add_string(text, " (");
	label_add_reason(text, loss->status, loss->lost, loss->lost_error);
	add_object(text, reason);
	text_printf(text, "%s%s)", *fix ? ": " : "", fix);
}

/* Adds the total that shares refer to: "487 samples", "weight 8123456 (delta)". */
static void add_whole(struct text *text, const struct summary_round *round, bool weighted)
{
	const char *name = round->weights_differ ? NULL : round->weight_name;
	const char *dot = name ? strrchr(name, '.') : NULL;

	name = dot ? dot + 1 : name;
	if (!weighted || (name && !strcmp(name, "samples"))) {
		text_printf(text, "%llu sample%s", (unsigned long long)round->weight,
			round->weight == 1 ? "" : "s");
		return;
	}
	text_printf(text, "weight %llu", (unsigned long long)round->weight);
	if (!name || !*name || !strcmp(name, "value"))
		return;
	text_printf_escaped(text, " (%s)", name);
}

static const char *next_clause(bool *first)
{
	const char *separator = *first ? ": " : ", ";

	*first = false;
	return separator;
}

static void add_cut(struct text *text, const struct summary_round *round)
{
	text_printf(text, " in stacks cut at %zu frame%s", round->cut_depth,
		round->cut_depth == 1 ? "" : "s");
	if (round->cut_depth < FIDELITY_USUAL_DEPTH)
		text_printf(text, " (raise the depth: %d frames are %d bytes)",
			FIDELITY_USUAL_DEPTH, FIDELITY_DEPTH_SIZE(round->cut_records));
	else
		text_add_string(text, " (raise kernel.perf_event_max_stack, and then the depth)");
}

/* Adds the share of snapshots that lack frames, and the heaviest reason. */
static void add_unwound(struct text *text, const struct summary_round *round)
{
	enum unwound_end most = UNWOUND_COPY_ENDED;
	double weight = 0;

	for (enum unwound_end end = 0; end < UNWOUND_END_COUNT; end++) {
		weight += round->unwound_weight[end];
		if (round->unwound_weight[end] > round->unwound_weight[most])
			most = end;
	}
	fidelity_add_share(
		text, weight, (double)round->weight, round->unwound_short == round->samples);
	text_printf(text, " in snapshots unwound in part (%s", unwound_end_text(most));
	if (most == UNWOUND_COPY_ENDED)
		text_printf(text, ": send more than %zu bytes", round->copied_max);
	text_add_char(text, ')');
}

/*
 * Adds the share of unnamed frames. Names the side, user or kernel, if none of its frames has a
 * name while some of the other side have.
 */
static void add_unnamed(struct text *text, const struct summary_round *round)
{
	const struct summary_side *user = &round->user, *kernel = &round->kernel;
	double unnamed = user->unnamed_weight + kernel->unnamed_weight;

	fidelity_add_share(
		text, unnamed, user->weight + kernel->weight, !user->named && !kernel->named);
	text_add_string(text, " of frames");
	if (user->unnamed && !user->named && kernel->named)
		text_add_string(text, ", all user frames,");
	else if (kernel->unnamed && !kernel->named && user->named)
		text_add_string(text, ", all kernel frames,");
	text_add_string(text, " unnamed");
}

void fidelity_add(
	struct text *text, const struct summary *summary, const struct fidelity_options *options)
{
	const struct summary_round *round = &summary->round;
	double weight = (double)round->weight;
	struct reasons reasons;
	size_t others = 0;
	bool first = true, unnamed = round->user.unnamed || round->kernel.unnamed;

	if (!round->lossy && !round->cut_depth && !round->unwound_short && !unnamed)
		return;
	find_reasons(summary, &reasons);
	const struct reason *lost = main_reason(reasons.lost, STACK_STATE_COUNT, &others);
	const struct reason *nameless = main_reason(reasons.unnamed, FRAME_STATUS_COUNT, &others);
	add_whole(text, round, options->weighted);
	if (round->lossy) {
		text_add_string(text, next_clause(&first));
		fidelity_add_share(
			text, round->lossy_weight, weight, round->lossy == round->samples);
		text_add_string(text, " lost a stack");
		add_reason(text, lost);
	}
	if (round->cut_depth) {
		text_add_string(text, next_clause(&first));
		fidelity_add_share(text, round->cut_weight, weight, round->cut == round->samples);
		add_cut(text, round);
	}
	if (round->unwound_short) {
		text_add_string(text, next_clause(&first));
		add_unwound(text, round);
	}
	if (unnamed) {
		text_add_string(text, next_clause(&first));
		add_unnamed(text, round);
		add_reason(text, nameless);
	}
	if (others && options->hint)
		text_printf(text, "; %zu more reason%s: --why", others, others == 1 ? "" : "s");
}

bool fidelity_failed(const struct summary *summary)
{
	const struct summary_round *round = &summary->round;

	return round->samples && !round->user.named && !round->kernel.named;
}
