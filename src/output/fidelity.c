// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/fidelity.h"

#include <inttypes.h>
#include <string.h>

#include "output/label.h"
#include "util/vec.h"

/* All losses for one reason. */
struct reason {
	const struct loss *heaviest; /* NULL: nothing was lost for this reason */
	double weight;
	size_t objects;
};

static void add_loss(struct reason *reason, const struct loss *loss)
{
	if (loss->weight <= 0)
		return;
	if (!reason->heaviest || loss->weight > reason->heaviest->weight)
		reason->heaviest = loss;
	reason->weight += loss->weight;
	reason->objects++;
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

/* Adds " (no such file [libc.so.6 and 2 more]: remedy)"; the objects only if these are files. */
static void add_reason(struct text *text, const struct reason *reason)
{
	const struct loss *loss = reason ? reason->heaviest : NULL;

	if (!loss)
		return;
	const char *fix = loss->fetch_fix ?: loss->fix;
	text_add_string(text, " (");
	label_add_reason(text, loss->status, loss->lost, loss->lost_error);
	if (loss->status != FRAME_LOST && loss->object[0] != '[' &&
		strcmp(loss->object, "-") != 0) {
		text_printf(text, " [%s", loss->object);
		fidelity_end_objects(text, reason->objects);
	}
	text_printf(text, "%s%s)", *fix ? ": " : "", fix);
}

/* Adds the total that shares refer to: "487 samples", "weight 8123456 (delta)". */
static void add_whole(struct text *text, const struct summary_round *round, bool weighted)
{
	const char *name = round->weights_differ ? NULL : round->weight_name;
	const char *dot = name ? strrchr(name, '.') : NULL;

	name = dot ? dot + 1 : name;
	if (!weighted || (name && !strcmp(name, "samples"))) {
		text_printf(
			text, "%" PRIu64 " sample%s", round->weight, round->weight == 1 ? "" : "s");
		return;
	}
	text_printf(text, "weight %" PRIu64, round->weight);
	if (!name || !*name || !strcmp(name, "value"))
		return;
	text_printf_escaped(text, " (%s)", name);
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
	text_printf(text, " in snapshots unwound in part (%s", unwound_end_words[most].text);
	if (most == UNWOUND_COPY_ENDED)
		text_printf(text, ": send more than %zu bytes", round->copied_max);
	text_add_char(text, ')');
}

void fidelity_add(
	struct text *text, const struct summary *summary, const struct fidelity_options *options)
{
	const struct summary_round *round = &summary->round;
	const struct summary_side *user = &round->user, *kernel = &round->kernel;
	const double weight = (double)round->weight;
	struct reason lost[STACK_STATE_COUNT] = {}, unnamed[FRAME_STATUS_COUNT] = {};
	const char *separator = ": ";
	size_t others = 0;

	if (!round->lossy && !round->cut_depth && !round->unwound_short && !user->unnamed &&
		!kernel->unnamed)
		return;
	vec_each(loss, &summary->losses) {
		if (loss->status == FRAME_LOST)
			add_loss(&lost[loss->lost], loss);
		else if (loss->status != FRAME_NAMED)
			add_loss(&unnamed[loss->status], loss);
	}
	const struct reason *main_lost = main_reason(lost, STACK_STATE_COUNT, &others);
	const struct reason *main_unnamed = main_reason(unnamed, FRAME_STATUS_COUNT, &others);
	add_whole(text, round, options->weighted);
	if (round->lossy) {
		text_add_string(text, separator);
		fidelity_add_share(
			text, round->lossy_weight, weight, round->lossy == round->samples);
		text_add_string(text, " lost a stack");
		add_reason(text, main_lost);
		separator = ", ";
	}
	if (round->cut_depth) {
		text_add_string(text, separator);
		fidelity_add_share(text, round->cut_weight, weight, round->cut == round->samples);
		add_cut(text, round);
		separator = ", ";
	}
	if (round->unwound_short) {
		text_add_string(text, separator);
		add_unwound(text, round);
		separator = ", ";
	}
	if (user->unnamed || kernel->unnamed) {
		text_add_string(text, separator);
		fidelity_add_share(text, user->unnamed_weight + kernel->unnamed_weight,
			user->weight + kernel->weight, !user->named && !kernel->named);
		text_add_string(text, " of frames");
		/* name the side if none of its frames has a name while some of the other have */
		if (user->unnamed && !user->named && kernel->named)
			text_add_string(text, ", all user frames,");
		else if (kernel->unnamed && !kernel->named && user->named)
			text_add_string(text, ", all kernel frames,");
		text_add_string(text, " unnamed");
		add_reason(text, main_unnamed);
	}
	if (others && options->hint)
		text_printf(text, "; %zu more reason%s: --why", others, others == 1 ? "" : "s");
}

bool fidelity_failed(const struct summary *summary)
{
	const struct summary_round *round = &summary->round;

	return round->samples && !round->user.named && !round->kernel.named;
}
