// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

#include "input/input.h"
#include "job.h"
#include "options.h"
#include "destination.h"
#include "spool.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/json_text.h"
#include "util/stop.h"
#include "util/text.h"
#include "util/vec.h"

/* ---- text ----------------------------------------------------------------------------------- */

static void add_side(struct text *text, const struct explained_side *side)
{
	bool any = false;

	for (enum stack_state state = 0; state < STACK_STATE_COUNT; state++) {
		if (!side->entries[state])
			continue;
		text_printf(text, "%s%" PRIu64 " %s (weight %" PRIu64 ")", any ? ", " : "",
			side->entries[state],
			state == STACK_PRESENT ? "found" : stack_state_words[state].text,
			side->weight[state]);
		any = true;
	}
	if (!any)
		text_add_string(text, "none");
}

static void add_map(struct text *text, const struct explained_map *map)
{
	const char *one = "entry", *many = "entries";
	size_t width = 0; /* of the longest field name that has at most 40 bytes */

	if (!strcmp(map->kind, "stack map")) {
		one = "stack";
		many = "stacks";
	}
	text_printf_escaped(text, "%s: %s, %zu %s", map->name, map->kind, map->entries,
		map->entries == 1 ? one : many);
	if (map->key_len)
		text_printf(text, ", keys of %zu bytes", map->key_len);
	if (map->value_len)
		text_printf(text, ", values of %zu bytes", map->value_len);
	text_add_string(text, "\n  ");
	text_add_escaped_string(text, map->evidence);
	text_add_char(text, '\n');
	if (!map->used) {
		text_printf_escaped(text, "  not used: %s", map->why);
		text_add_char(text, '\n');
	}
	vec_each_value(choice, &map->choices) {
		text_printf_escaped(text, "  possible reading: %s", choice);
		text_add_char(text, '\n');
	}
	vec_each(field, &map->fields) {
		size_t len = strlen(field->name);

		width = len > width && len <= 40 ? len : width;
	}
	vec_each(field, &map->fields) {
		auto_text struct text name = {};

		text_add_escaped_string(&name, field->name);
		text_printf_escaped(text, "  %-*s  %-8s  %s", (int)width, name.data ?: "",
			field->role ?: "unused", field->evidence);
		text_add_char(text, '\n');
	}
	if (!map->joined)
		return;
	text_printf(text, "  joined: %" PRIu64 " %s, weight %" PRIu64 "\n    user stacks:   ",
		map->join.samples, map->join.samples == 1 ? "sample" : "samples", map->join.weight);
	add_side(text, &map->join.user);
	text_add_string(text, "\n    kernel stacks: ");
	add_side(text, &map->join.kernel);
	text_add_char(text, '\n');
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_json_side(struct text *text, const char *name, const struct explained_side *side)
{
	json_open(text, name, '{');
	for (enum stack_state state = 0; state < STACK_STATE_COUNT; state++) {
		if (!side->entries[state])
			continue;
		json_open(text, stack_state_words[state].key, '{');
		json_add_unsigned(text, "entries", side->entries[state]);
		json_add_unsigned(text, "weight", side->weight[state]);
		text_add_char(text, '}');
	}
	text_add_char(text, '}');
}

static void add_json_map(struct text *text, const struct explained_map *map)
{
	text_add_string(text, "{\"schema\":1,\"explain\":\"map\"");
	json_add_string(text, "name", map->name);
	json_add_string(text, "kind", map->kind);
	json_add_string(text, "evidence", map->evidence);
	text_printf(text, ",\"entries\":%zu,\"key_size\":%zu,\"value_size\":%zu,\"used\":%s",
		map->entries, map->key_len, map->value_len, map->used ? "true" : "false");
	if (!map->used)
		json_add_string(text, "reason", map->why);
	if (map->choices.len)
		json_add_strings(
			text, "choices", (const char *const *)map->choices.data, map->choices.len);
	if (map->fields.len) {
		json_open(text, "fields", '[');
		vec_each(field, &map->fields) {
			json_open(text, NULL, '{');
			json_add_string(text, "name", field->name);
			json_add_known(text, "role", field->role);
			json_add_string(text, "evidence", field->evidence);
			text_add_char(text, '}');
		}
		text_add_char(text, ']');
	}
	if (map->joined) {
		text_printf(text, ",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64, map->join.samples,
			map->join.weight);
		add_json_side(text, "user", &map->join.user);
		add_json_side(text, "kernel", &map->join.kernel);
	}
	text_add_string(text, "}\n");
}

/* Prints EXPLANATION as text, or with JSON as one object per line. */
static void explain_print(const struct explanation *explanation, bool json)
{
	auto_text struct text text = {};

	vec_each(map, &explanation->maps)
		(json ? add_json_map : add_map)(&text, map);
	if (explanation->samples && json)
		text_printf(&text,
			"{\"schema\":1,\"explain\":\"stacks\",\"samples\":%" PRIu64
			",\"weight\":%" PRIu64 "}\n",
			explanation->samples, explanation->weight);
	else if (explanation->samples)
		text_printf(&text,
			"stacks stored in the entries themselves: %" PRIu64 ", weight %" PRIu64
			"\n",
			explanation->samples, explanation->weight);
	fwrite(text.data, 1, text.len, stdout);
}

struct dumps {
	struct job job;
	struct save_file save;
	struct spool spool;
	struct screen screen;
	sigset_t unblocked;		/* signal mask before the spool was opened */
	bool flushed;			/* samples were flushed */
	struct explanation explanation; /* for --explain */
};

static struct error *take_batch(void *context, const struct sample *samples, size_t n, bool flush)
{
	struct dumps *dumps = context;
	struct job *job = &dumps->job;
	const struct input_stats *stats = &job->stats;
	const struct input_live *live = &job->options->input.live;

	if (job->options->explain)
		return NULL;
	if (job->finite)
		return job_batch(job, samples, n);
	/* the output is read from the file while it grows */
	if (n && !stats->weighted)
		try(destination_publish());
	/*
	 * Input that came at once is a dump, whose samples may be older; changes of processes are
	 * recorded from the first time that the input is waited for.
	 */
	bool waited = dumps->flushed || (flush && n && !stats->ended && !stats->weighted);
	if (flush)
		symbolizer_hear(job->symbolizer);
	if (stats->events || waited)
		symbolizer_follow(job->symbolizer, NULL,
			live->events		     ? STREAM_EVENTS
			: waited && !stats->weighted ? STREAM_SAMPLES
						     : STREAM_ENTRIES);
	try(job_batch(job, samples, n));
	if (!flush)
		return NULL;
	dumps->flushed |= n > 0;
	if (!live->interval)
		symbolizer_mark(job->symbolizer, !live->events);
	return NULL;
}

static struct error *end_deleting(struct dumps *dumps, bool saved)
{
	if (!dumps->job.spool)
		return NULL;
	struct error *error = spool_close(&dumps->spool, saved);

	dumps->job.spool = NULL;
	sigprocmask(SIG_SETMASK, &dumps->unblocked, NULL);
	return error;
}

/*
 * Prepares for entries to be deleted until the end of the round. All that was read before is
 * printed. Entries deleted from now on exist only in the spool until they are printed, so signals
 * are blocked, and the file of --save-dump is synced first.
 */
static struct error *persist(void *context)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPROF};
	struct dumps *dumps = context;
	FILE *save = dumps->save.file;
	sigset_t held;

	if (stop_asked())
		return error_create(ERROR_INPUT, "stopped by a signal: nothing more is deleted");
	try(job_settle(&dumps->job));
	try(destination_publish());
	if (dumps->job.spool) {
		spool_empty(&dumps->spool);
		return NULL;
	}
	if (save && (fflush(save) || fsync(fileno(save))))
		return error_errno(errno, "cannot write %s", dumps->save.path);
	sigemptyset(&held);
	array_each(signal, signals, array_len(signals))
		sigaddset(&held, *signal);
	sigprocmask(SIG_BLOCK, &held, &dumps->unblocked);
	struct error *error = spool_open(&dumps->job.printing, &dumps->spool);
	if (error)
		sigprocmask(SIG_SETMASK, &dumps->unblocked, NULL);
	else
		dumps->job.spool = &dumps->spool;
	return error;
}

/* Ends a round. Addresses may have other meanings in the next one. */
static struct error *end_round(void *context)
{
	struct dumps *dumps = context;

	try(end_deleting(dumps, false));
	return job_next_round(&dumps->job);
}

/* Shows rounds of a table on a terminal, unless entries that are printed are deleted then. */
static void open_screen(struct dumps *dumps, const struct options *options)
{
	struct input_live *live = &dumps->job.input.live;

	if (!options->top || !live->interval || live->clear || options_want_json(options) ||
		!isatty(STDOUT_FILENO) || !screen_open(&dumps->screen))
		return;
	dumps->job.screen = &dumps->screen;
	live->wake = screen_wake;
	live->wake_context = &dumps->screen;
	live->wake_fd = dumps->screen.tty;
	live->wake_mask = &dumps->screen.mask;
}

static struct error *read_all(struct dumps *dumps, const struct options *options)
{
	struct input_sink sink = {
		.batch = take_batch, .context = dumps, .round = end_round, .persist = persist};
	struct job *job = &dumps->job;
	struct input_live *live = &job->input.live;

	if (options->save_dump)
		try(save_file_open(options->save_dump, S_IRUSR | S_IWUSR, &dumps->save));
	if (live_wanted(options) && !options->sources.len) {
		/* live maps do not read standard input: replace it by a silent pipe until Ctrl-C */
		int ends[2]; /* the second stays open as long as the program runs */

		if (pipe2(ends, O_CLOEXEC) < 0)
			return error_errno(errno, "cannot create a pipe");
		dup2(ends[0], STDIN_FILENO);
		close(ends[0]);
	}
	live->save = dumps->save.file;
	/* regular files end by themselves, other input may end only with Ctrl-C */
	job->finite = !live_wanted(options);
	vec_each(source, &options->sources)
		job->finite &= file_path_is_regular(source->path);
	if (!job->finite)
		ending_catch();
	open_screen(dumps, options);
	if (live->interval || live->events) {
		symbolizer_follow(
			job->symbolizer, NULL, live->events ? STREAM_EVENTS : STREAM_ENTRIES);
		try(destination_publish());
	}
	if (live->clear)
		signal(SIGPIPE, SIG_IGN); /* deleted entries must not be lost with the reader */
	return input_read(&job->input, &job->log, &sink, &job->stats);
}

int command_dumps(const struct options *options)
{
	struct dumps dumps = {};
	struct error *failed = NULL;

	struct error *error = job_init(options, &dumps.job);
	if (error)
		return job_fail(error);
	if (options->explain)
		dumps.job.input.explain = &dumps.explanation;
	error = read_all(&dumps, options);
	/* unusable data is worth saving too */
	if (dumps.save.file && dumps.job.stats.live_read)
		failed = save_file_finish(&dumps.save);
	struct error *kept =
		end_deleting(&dumps, !failed && !dumps.save.file && options->save_dump);
	save_file_deinit(&dumps.save);
	if (kept)
		log_add(&dumps.job.log, LOG_WARNING, 1, "%s", error_message(kept));
	error_destroy(kept);
	if (options->explain)
		explain_print(&dumps.explanation, options_want_json(options));
	int status = job_finish(&dumps.job, error_first(error, failed));
	explanation_deinit(&dumps.explanation);
	job_deinit(&dumps.job);
	return ending_status(status);
}
