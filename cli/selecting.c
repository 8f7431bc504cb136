// SPDX-License-Identifier: GPL-2.0-or-later
#include "options.h"

#include "util/scan.h"

#define KIND_CHOICE(name, word) {#word, SELECT_##name},
static const struct choice kinds[] = {SELECT_KINDS(KIND_CHOICE){}};

static void add_rule(struct options *options, const struct option_value *value,
	enum select_kind kind, const char *pattern)
{
	enum select_action action = (enum select_action)value->row->value;

	if (!*pattern)
		argp_error(value->state, "a pattern is empty");
	if (options->select.rules.len == SELECT_RULES_MAX)
		argp_error(value->state, "at most %d patterns can be given", SELECT_RULES_MAX);
	vec_push(&options->select.rules, (struct select_rule){action, kind, pattern});
}

static void add_kind(void *to, const struct option_value *value)
{
	char *equals = strchr(value->arg, '=');

	if (!equals) {
		option_wrong(value, "KIND=PATTERN, as in function=malloc*");
		return;
	}
	*equals = '\0';
	add_rule(to, value, (enum select_kind)option_choice(value), equals + 1);
}

static void add_name(void *to, const struct option_value *value)
{
	add_rule(to, value, SELECT_FUNCTION, value->arg);
	if (value->row->value == SELECT_COLLAPSE)
		add_rule(to, value, SELECT_OBJECT, value->arg);
}

static void set_time(void *to, const struct option_value *value)
{
	struct select_time *time = to;
	struct scan scan = scan_of(value->arg);

	*time = (struct select_time){.given = true, .relative = scan_char(&scan, '+')};
	if (!scan_seconds(&scan, &time->ns) || scan_left(&scan))
		option_wrong(value, "SECONDS or +SECONDS, as in 588.7 or +10");
}

const struct option_row selecting_rows[] = {
	{.doc = "\n  Which stacks to print:\v"},
	{"--only=KIND=PATTERN",
		"Print only stacks that match, as comm=nginx\v: whose pid, tid, comm, or a function, object "
		"or file of a frame, is PATTERN (* and ? are wildcards; repeatable: one of each kind has to)",
		.choices = kinds, .value = SELECT_ONLY, .set = add_kind},
	{"--without=KIND=PATTERN", "Leave out stacks that match (repeatable)", .choices = kinds,
		.value = SELECT_WITHOUT, .set = add_kind},
	{"--root=FUNCTION",
		"Begin stacks at their outermost frame of FUNCTION, and leave out those without it",
		.value = SELECT_ROOT, .set = add_name},
	{"--collapse=NAME",
		"Cut what the outermost frame of this function or object calls (repeatable)",
		.value = SELECT_COLLAPSE, .set = add_name},
	{"--user-only", "Leave out kernel frames", STORES_TRUE(select.no_kernel)},
	{"--kernel-only", "Leave out user frames", STORES_TRUE(select.no_user)},
	{"--from=SECONDS",
		"Leave out samples before this time of the dump's clock, or +SECONDS after the first",
		OPTION_MEMBER(CALL, struct options, select.from), .set = set_time},
	{"--until=SECONDS", "Leave out samples from this time on",
		OPTION_MEMBER(CALL, struct options, select.until), .set = set_time},
	{"--merge-threads",
		"Print the stacks of a process's threads as the process's: with its name, and without "
		"thread IDs",
		STORES_TRUE(select.merge_threads)},
	{},
};

const char *selecting_finish(struct options *options)
{
	struct select_options *select = &options->select;
	bool wanted = select->rules.len || select->no_user || select->no_kernel ||
		      select->from.given || select->until.given;

	options->symbolize.process_comms = select->merge_threads;
	if (select->no_user && select->no_kernel)
		return "--user-only and --kernel-only are mutually exclusive";
	if (wanted && options->addresses)
		return "--only, --without and the like require a dump, not addresses";
	if ((wanted || select->merge_threads) && options->symbolize.unnamed)
		return "--format=portable prints all stacks: use --only and the like where they are resolved";
	if (wanted && options->input.live.clear)
		return "--clear would delete stacks that --only, --without and the like leave unprinted";
	return NULL;
}
