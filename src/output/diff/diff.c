// SPDX-License-Identifier: GPL-2.0-or-later
#include "output/diff/diff.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

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

static const char *const weight_texts[] = {
	[DIFF_SAMPLES] = "a number of samples",
	[DIFF_BYTES] = "bytes",
	[DIFF_NANOSECONDS] = "nanoseconds",
	[DIFF_MICROSECONDS] = "microseconds",
};

/* Returns true if WORD is the last word of S, as in nr_samples and value.samples. */
static bool ends_with(const char *s, const char *word)
{
	size_t len = strlen(s), word_len = strlen(word);
	const char *end = s + len - word_len;

	return len >= word_len && !strcasecmp(end, word) &&
	       (end == s || end[-1] == '_' || end[-1] == '.');
}

/* Words such as delta, total and value are missing, since they can count anything. */
enum diff_weight diff_weight_of(const char *name)
{
	static const struct {
		const char *word;
		enum diff_weight weight;
	} words[] = {{"count", DIFF_SAMPLES}, {"counts", DIFF_SAMPLES}, {"cnt", DIFF_SAMPLES},
		{"samples", DIFF_SAMPLES}, {"hits", DIFF_SAMPLES}, {"calls", DIFF_SAMPLES},
		{"events", DIFF_SAMPLES}, {"bytes", DIFF_BYTES}, {"size", DIFF_BYTES},
		{"ns", DIFF_NANOSECONDS}, {"us", DIFF_MICROSECONDS}};

	for (size_t i = 0; name && i < array_len(words); i++)
		if (ends_with(name, words[i].word))
			return words[i].weight;
	return DIFF_UNKNOWN;
}

struct error *diff_check_weights(const struct diff_traces *traces, const bool weighted[DIFF_SIDES])
{
	enum diff_weight weights[DIFF_SIDES];
	const char *names[DIFF_SIDES];

	for (int side = 0; side < DIFF_SIDES; side++) {
		const struct diff_sum *sum = &traces->sides[side].sum;

		if (!sum->samples)
			return NULL;
		names[side] = weighted[side] && sum->weight_name ? sum->weight_name : "no field";
		weights[side] = weighted[side] ? diff_weight_of(sum->weight_name) : DIFF_SAMPLES;
	}
	if (!weights[DIFF_OLD] || !weights[DIFF_NEW] || weights[DIFF_OLD] == weights[DIFF_NEW])
		return NULL;
	return error_create(ERROR_INPUT,
		"the weights of OLD are %s (%s) and those of NEW %s (%s): they cannot be compared; "
		"--key weight=FIELD chooses a field that both have",
		weight_texts[weights[DIFF_OLD]], names[DIFF_OLD], weight_texts[weights[DIFF_NEW]],
		names[DIFF_NEW]);
}
