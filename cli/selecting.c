// SPDX-License-Identifier: GPL-2.0-or-later
#include "selecting.h"

#include <string.h>

#include "util/scan.h"
#include "value.h"

enum {
	OPT_ONLY = 1280,
	OPT_WITHOUT,
	OPT_ROOT,
	OPT_COLLAPSE,
	OPT_FROM,
	OPT_UNTIL,
	OPT_MERGE_THREADS,
};

static const struct argp_option option_table[] = {
	HELP_HEADING(HELP_SELECT, "\n  Which stacks to print:"),
	OPTION(HELP_SELECT, "only", OPT_ONLY, "KIND=PATTERN",
		"Print only stacks whose pid, tid or comm, or a frame's function, object or file, "
		"matches (* and ? are wildcards; repeatable: one of each kind has to)"),
	OPTION(HELP_SELECT, "without", OPT_WITHOUT, "KIND=PATTERN",
		"Leave out stacks that match (repeatable)"),
	OPTION(HELP_SELECT, "root", OPT_ROOT, "FUNCTION",
		"Begin stacks at their outermost frame of FUNCTION, and leave out those without it"),
	OPTION(HELP_SELECT, "collapse", OPT_COLLAPSE, "NAME",
		"Cut what the outermost frame of this function or object calls (repeatable)"),
	OPTION(HELP_SELECT, "user-only", STORES_TRUE(select.no_kernel), NULL,
		"Leave out kernel frames"),
	OPTION(HELP_SELECT, "kernel-only", STORES_TRUE(select.no_user), NULL,
		"Leave out user frames"),
	OPTION(HELP_SELECT, "from", OPT_FROM, "SECONDS",
		"Leave out samples before this time of the dump's clock, or +SECONDS after the first"),
	OPTION(HELP_SELECT, "until", OPT_UNTIL, "SECONDS", "Leave out samples from this time on"),
	OPTION(HELP_SELECT, "merge-threads", OPT_MERGE_THREADS, NULL,
		"Print the stacks of a process's threads as the process's: with its name, and without "
		"thread IDs"),
	{},
};

#define KIND_CHOICE(name, word) {#word, SELECT_##name},
static const struct choice kinds[] = {SELECT_KINDS(KIND_CHOICE){}};
const struct choices selecting_choices[] = {{"only", kinds}, {"without", kinds}, {}};

static void add_rule(
	struct options *options, struct argp_state *state, const struct select_rule *rule)
{
	value_refuse(state, !*rule->pattern, "a pattern is empty");
	if (options->select_rules.len == SELECT_RULES_MAX)
		argp_error(state, "at most %d patterns can be given", SELECT_RULES_MAX);
	vec_push(&options->select_rules, *rule);
}

/* KIND=PATTERN; ARG is cut. */
static void add_kind(struct options *options, struct argp_state *state, const char *option,
	enum select_action action, char *arg)
{
	char *equals = strchr(arg, '=');

	if (!equals) {
		argp_error(
			state, "%s: '%s' is not KIND=PATTERN, as in function=malloc*", option, arg);
		return;
	}
	*equals = '\0';
	const struct select_rule rule = {
		action, (enum select_kind)value_choice(state, option, kinds, arg), equals + 1};
	add_rule(options, state, &rule);
}

static struct select_time parse_time(struct argp_state *state, const char *option, const char *arg)
{
	struct scan scan = scan_of(arg);
	struct select_time ret = {.given = true, .relative = scan_char(&scan, '+')};

	if (!scan_seconds(&scan, &ret.ns) || scan_left(&scan))
		argp_error(state, "%s: '%s' is not SECONDS or +SECONDS, as in 588.7 or +10", option,
			arg);
	return ret;
}

static error_t parse_option(int key, char *arg, struct argp_state *state)
{
	struct options *options = state->input;
	struct select_options *select = &options->select;

	switch (key) {
	case OPT_ONLY:
		add_kind(options, state, "--only", SELECT_ONLY, arg);
		break;
	case OPT_WITHOUT:
		add_kind(options, state, "--without", SELECT_WITHOUT, arg);
		break;
	case OPT_ROOT:
		add_rule(options, state, &(struct select_rule){SELECT_ROOT, SELECT_FUNCTION, arg});
		break;
	case OPT_COLLAPSE:
		add_rule(options, state,
			&(struct select_rule){SELECT_COLLAPSE, SELECT_FUNCTION, arg});
		add_rule(
			options, state, &(struct select_rule){SELECT_COLLAPSE, SELECT_OBJECT, arg});
		break;
	case OPT_FROM:
		select->from = parse_time(state, "--from", arg);
		break;
	case OPT_UNTIL:
		select->until = parse_time(state, "--until", arg);
		break;
	case OPT_MERGE_THREADS:
		select->merge_threads = options->symbolize.process_comms = true;
		break;
	default:
		return options_store(options, key, arg);
	}
	return 0;
}

const struct argp selecting_argp = {.options = option_table, .parser = parse_option};

void selecting_finish(struct options *options, struct argp_state *state)
{
	struct select_options *select = &options->select;
	bool wanted = options->select_rules.len || select->no_user || select->no_kernel ||
		      select->from.given || select->until.given;

	value_refuse(state, select->no_user && select->no_kernel,
		"--user-only and --kernel-only are mutually exclusive");
	value_refuse(state, wanted && options->addresses,
		"--only, --without and the like require a dump, not addresses");
	value_refuse(state, (wanted || select->merge_threads) && options->symbolize.unnamed,
		"--format=portable prints all stacks: use --only and the like where they are resolved");
	value_refuse(state, wanted && options->input.live.clear,
		"--clear would delete stacks that --only, --without and the like leave unprinted");
	select->rules = options->select_rules.data;
	select->n_rules = options->select_rules.len;
}
