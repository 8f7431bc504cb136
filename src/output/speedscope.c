// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Stacks for speedscope, in its JSON (https://www.speedscope.app/file-format-schema.json): a
 * sampled profile per process, or a single one if stacks do not begin with their process.
 */
#include <inttypes.h>

#include "model/stack.h"
#include "output/call_tree.h"
#include "output/format.h"
#include "util/json_text.h"
#include "util/vec.h"

/* The samples of a profile and their weights, each as the elements of a JSON array. */
struct profile {
	struct text samples, weights;
	uint64_t sum;
};

/* Adds the stacks through NODE, a child of the root. */
static void add_stacks(const struct call_graph *graph, uint32_t node, struct profile *profile)
{
	const uint32_t end = call_graph_after(graph, node);
	struct VEC(uint32_t) path = {};

	for (; node != end; node = call_graph_next(graph, node)) {
		const struct call_node *at = &graph->nodes[node];

		path.len = at->depth - 1;
		/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): DATA is set if LEN is */
		vec_push(&path, graph->frames[at->frame].function);
		if (!at->self)
			continue;
		text_add_string(&profile->samples, profile->samples.len ? ",\n[" : "\n[");
		for (size_t i = 0; i < path.len; i++)
			text_printf(&profile->samples, "%s%" PRIu32, i ? "," : "", path.data[i]);
		text_add_char(&profile->samples, ']');
		text_printf(
			&profile->weights, "%s%" PRIu64, profile->weights.len ? "," : "", at->self);
		weight_add(&profile->sum, at->self);
	}
	vec_deinit(&path);
}

static void end_profile(const struct call_graph *graph, struct text *text, struct profile *profile,
	const char *name)
{
	enum weight_unit unit = weight_unit_of(graph->weight_name);

	if (profile->samples.len) {
		json_open(text, NULL, '{');
		json_add_string(text, "type", "sampled");
		json_add_string(text, "name", name);
		json_add_string(
			text, "unit", unit < WEIGHT_BYTES ? "none" : weight_unit_words[unit].text);
		json_add_unsigned(text, "startValue", 0);
		json_add_unsigned(text, "endValue", profile->sum);
		text_printf(text, ",\"samples\":[%s],\"weights\":[%s]}", profile->samples.data,
			profile->weights.data);
	}
	text_deinit(&profile->samples);
	text_deinit(&profile->weights);
	*profile = (struct profile){};
}

/* There is a profile for each process, and one for stacks that name none. */
static void speedscope_piece(const void *state, size_t i, struct text *text)
{
	const struct call_graph *graph = call_tree_graph(state);
	struct profile of_process = {}, others = {};

	(void)i;
	text_add_char(text, '{');
	json_add_string(text, "$schema", "https://www.speedscope.app/file-format-schema.json");
	json_add_known(text, "name", graph->options->title.command);
	json_add_string(text, "exporter", "stack2line");
	json_open(text, "shared", '{');
	json_open(text, "frames", '[');
	array_each(frame, graph->frames, graph->n_frames) {
		json_open(text, NULL, '{');
		json_add_string(text, "name", graph->strings[frame->name]);
		json_add_known(text, "file", graph->strings[frame->object]);
		text_add_char(text, '}');
	}
	text_add_string(text, "]}");
	json_open(text, "profiles", '[');
	for (uint32_t node = graph->nodes->first; node; node = graph->nodes[node].next) {
		const struct call_frame *frame = &graph->frames[graph->nodes[node].frame];
		bool process =
			graph->options->prefix != OUTPUT_PREFIX_NONE && frame->kind == CALL_GROUP;

		add_stacks(graph, node, process ? &of_process : &others);
		if (process)
			end_profile(graph, text, &of_process, graph->strings[frame->name]);
	}
	end_profile(graph, text, &others, "all stacks");
	text_add_string(text, "]}\n");
}

const struct format speedscope_format = {
	call_tree_open, call_tree_destroy, call_tree_trace, call_tree_pieces, speedscope_piece};
