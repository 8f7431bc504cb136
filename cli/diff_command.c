// SPDX-License-Identifier: GPL-2.0-or-later
#include <string.h>

#include "options.h"
#include "job.h"
#include "output/diff/diff.h"
#include "util/cleanup.h"

static const struct choice weights[] = {{"normalized", false}, {"absolute", true}, {}};
static const struct choice widths[] = {{"new", false}, {"old", true}, {}};

static void add_file(struct options *options, enum diff_side side, const char *path)
{
	vec_push(&options->diff.sides[side].sources, (struct input_source){path, INPUT_ANY});
	if (!options->diff.sides[side].name)
		options->diff.sides[side].name = path;
}

static void add_side_file(void *to, const struct option_value *value)
{
	add_file(to, (enum diff_side)value->row->value, value->arg);
}

static const struct option_row diff_rows[] = {
	{.doc = "Comparing dumps:\v"},
	{"--weights=HOW",
		"Compare weights absolute or normalized\v (default): as shares of their dump",
		STORES_CHOICE(diff.absolute, weights)},
	{"--widths=SIDE", "Draw flame graphs as wide as new (default) or old\v",
		STORES_CHOICE(diff.old_widths, widths)},
	{"--ignore-objects", "Match functions by name, whatever their object\v",
		STORES_TRUE(diff.ignore_objects)},
	{"--old=FILE", "Read FILE as a part of OLD\v (repeatable)", .set = add_side_file,
		.value = DIFF_OLD},
	{"--new=FILE", "Read FILE as a part of NEW\v (repeatable)", .set = add_side_file,
		.value = DIFF_NEW},
	{"--old-recording=FILE", "Look processes of OLD up in FILE\v",
		STORES_TEXT(diff.sides[DIFF_OLD].recording)},
	{"--new-recording=FILE", "Look processes of NEW up in FILE\n\v",
		STORES_TEXT(diff.sides[DIFF_NEW].recording)},
	{},
};

/* Fills the sides from the arguments. */
static const char *finish(void *to, char **arguments, size_t n)
{
	struct options *options = to;
	struct diff_options *diff = &options->diff;
	size_t missing = 0, stdins = 0;

	const char *wrong = options_finish(options, arguments, n);
	if (wrong)
		return wrong;
	enum output_format format = options->output.format;
	if (options->format_given && (format == OUTPUT_ANNOTATED || format == OUTPUT_PORTABLE ||
					     format == OUTPUT_SPEEDSCOPE))
		return "diff prints a table, JSON, folded stacks or a flame graph, no other format";
	if (options->filter || options->explain || options->health)
		return "--filter, --explain and --health cannot be used with diff";
	if (diff->ignore_objects && options->output.top.by == TOP_BY_OBJECT)
		return "--ignore-objects and --by=object are mutually exclusive";
	array_each(side, diff->sides, DIFF_SIDES)
		missing += !side->sources.len;
	if (n != DIFF_SIDES && (n || missing))
		return "two dumps are needed, OLD and NEW";
	for (size_t i = 0; i < DIFF_SIDES; i++) {
		struct diff_side_options *side = &diff->sides[i];

		if (n) {
			side->name = arguments[i];
			add_file(options, (enum diff_side)i, arguments[i]);
		}
		side->recording = side->recording ?: options->symbolize.recording;
		vec_append(&side->sources, options->sources.data, options->sources.len);
		vec_each(source, &side->sources)
			stdins += !strcmp(source->path, "-");
	}
	if (stdins > 1)
		return "standard input can be one of the dumps, not both";
	return NULL;
}

static struct error *take_batch(void *job, const struct sample *samples, size_t n, bool flush)
{
	(void)flush;
	return job_batch(job, samples, n);
}

/*
 * Adds the traces of SIDE to TRACES. Returns the exit status. Sets WHOLE_NAMES_RET if names are not
 * shortened.
 */
static int read_side(const struct options *options, enum diff_side side, struct diff_traces *traces,
	bool *weighted_ret, bool *whole_names_ret)
{
	const struct diff_side_options *this = &options->diff.sides[side];
	struct options of_side = *options;
	struct job job;
	struct input_sink sink = {.batch = take_batch, .context = &job};

	of_side.input.sources = this->sources.data;
	of_side.input.n_sources = this->sources.len;
	of_side.symbolize.recording = this->recording;
	struct error *error = job_init(&of_side, &job);
	if (error)
		return job_fail(error);
	job.kept = traces;
	job.side = side;
	error = input_read(&job.input, &job.log, &sink, &job.stats);
	if (error)
		error = error_context(error, "%s", side == DIFF_OLD ? "OLD" : "NEW");
	int status = job_finish(&job, error);
	*weighted_ret = job.stats.weighted;
	*whole_names_ret = job.printing.whole_names;
	job_deinit(&job);
	return status;
}

static struct error *print(
	const struct options *options, struct diff_traces *traces, bool whole_names)
{
	const struct diff_options *how = &options->diff;
	enum diff_objects objects = how->ignore_objects			      ? DIFF_OBJECTS_IGNORE
				    : options->output.top.by == TOP_BY_OBJECT ? DIFF_OBJECTS_KEEP
									      : DIFF_OBJECTS_IF_ALL;
	struct diff diff = {.traces = traces,
		.files = {how->sides[DIFF_OLD].name, how->sides[DIFF_NEW].name},
		.normalized = !how->absolute && diff_has_shares(traces),
		.old_widths = how->old_widths,
		.by_name = diff_match(traces, objects)};
	struct output_options printing = options->output;

	if (!how->absolute && !diff.normalized && !options->quiet)
		fprintf(stderr,
			"stack2line: a dump without weight has no shares: weights are compared\n");
	printing.diff = &diff;
	printing.whole_names = whole_names;
	printing.top.json = options_want_json(options);
	if (!options->format_given)
		printing.format = OUTPUT_TOP;
	struct output *output = output_create(&printing, stdout, NULL);
	struct error *error = output_end(output);
	output_destroy(output);
	return error;
}

CLEANUP_OF(diff_traces)

#define ABOUT                                                                                      \
	"Print what two dumps have more and less of, as a table, folded pairs or a flame graph. "  \
	"They may have any form that stack2line reads from files.\v"

const struct option_command diff_command = {
	.args_doc = "OLD NEW",
	.short_doc = ABOUT "All options: stack2line diff --help=all. Manual: man stack2line-diff.",
	.doc = ABOUT "Options other than those for comparing apply to both dumps.\n\n"
		     "Exit status: 0 success, whether there is a difference or not; else as "
		     "stack2line.",
	.tables = {diff_rows, options_dump_rows, options_resolve_rows, finding_rows, selecting_rows,
		options_print_rows, options_other_rows},
	.finish = finish,
};

int command_diff(const struct options *options)
{
	scope_guard(diff_traces_cleanup) struct diff_traces *traces = diff_traces_create();
	bool weighted[DIFF_SIDES], whole_names = false;
	int statuses[DIFF_SIDES];

	for (int side = 0; side < DIFF_SIDES; side++) {
		statuses[side] = read_side(
			options, (enum diff_side)side, traces, &weighted[side], &whole_names);
		if (statuses[side] > EXIT_UNRESOLVED)
			return statuses[side];
	}
	struct error *error =
		diff_check_weights(traces, weighted) ?: print(options, traces, whole_names);
	if (error)
		return job_fail(error);
	return statuses[DIFF_OLD] ?: statuses[DIFF_NEW];
}
