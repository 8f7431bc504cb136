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

static void add_size(struct text *text, const struct explained_map *map)
{
	bool stacks = !strcmp(map->kind, "stack map");

	text_printf(text, ", %zu %s", map->entries,
		stacks		    ? map->entries == 1 ? "stack" : "stacks"
		: map->entries == 1 ? "entry"
				    : "entries");
	if (map->key_len)
		text_printf(text, ", keys of %zu bytes", map->key_len);
	if (map->value_len)
		text_printf(text, ", values of %zu bytes", map->value_len);
}

/* Returns the length of the longest field name that has at most 40 bytes. */
static int name_width(const struct explained_map *map)
{
	size_t width = 0;

	vec_each(field, &map->fields) {
		size_t len = strlen(field->name);

		width = len > width && len <= 40 ? len : width;
	}
	return (int)width;
}

static void add_fields(struct text *text, const struct explained_map *map)
{
	int width = name_width(map);

	vec_each(field, &map->fields) {
		struct text name = {};

		text_add_escaped_string(&name, field->name);
		text_printf_escaped(text, "  %-*s  %-8s  %s", width, name.data ?: "",
			field->role ?: "unused", field->evidence);
		text_add_char(text, '\n');
		text_deinit(&name);
	}
}

static void add_side(struct text *text, const struct explained_side *side)
{
	bool any = false;

	for (enum stack_state state = 0; state < STACK_STATE_COUNT; state++) {
		if (!side->entries[state])
			continue;
		text_printf(text, "%s%" PRIu64 " %s (weight %" PRIu64 ")", any ? ", " : "",
			side->entries[state],
			state == STACK_PRESENT ? "found" : stack_state_text(state),
			side->weight[state]);
		any = true;
	}
	if (!any)
		text_add_string(text, "none");
}

static void add_join(struct text *text, const struct explained_map *map)
{
	text_printf(text, "  joined: %" PRIu64 " %s, weight %" PRIu64 "\n", map->samples,
		map->samples == 1 ? "sample" : "samples", map->weight);
	text_add_string(text, "    user stacks:   ");
	add_side(text, &map->user);
	text_add_string(text, "\n    kernel stacks: ");
	add_side(text, &map->kernel);
	text_add_char(text, '\n');
}

static void add_map(struct text *text, const struct explained_map *map)
{
	text_printf_escaped(text, "%s: %s", map->name, map->kind);
	add_size(text, map);
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
	add_fields(text, map);
	if (map->joined)
		add_join(text, map);
}

/* ---- JSON ----------------------------------------------------------------------------------- */

static void add_json_fields(struct text *text, const struct explained_map *map)
{
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

static void add_json_side(struct text *text, const char *name, const struct explained_side *side)
{
	const char *comma = "";

	text_printf(text, ",\"%s\":{", name);
	for (enum stack_state state = 0; state < STACK_STATE_COUNT; state++) {
		if (!side->entries[state])
			continue;
		text_printf(text, "%s\"%s\":{\"entries\":%" PRIu64 ",\"weight\":%" PRIu64 "}",
			comma, stack_state_key(state), side->entries[state], side->weight[state]);
		comma = ",";
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
	if (map->fields.len)
		add_json_fields(text, map);
	if (map->joined) {
		text_printf(text, ",\"samples\":%" PRIu64 ",\"weight\":%" PRIu64, map->samples,
			map->weight);
		add_json_side(text, "user", &map->user);
		add_json_side(text, "kernel", &map->kernel);
	}
	text_add_string(text, "}\n");
}

/* Prints EXPLANATION as text, or with JSON as one object per line. */
static void explain_print(const struct explanation *explanation, bool json, FILE *file)
{
	struct text text = {};

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
	if (text.len)
		fwrite(text.data, 1, text.len, file);
	text_deinit(&text);
}

struct dumps {
	struct job job;
	struct input_stats stats;
	struct save_file save;
	struct spool spool;
	struct screen screen;
	sigset_t unblocked;		/* signal mask before the spool was opened */
	bool stream;			/* the input may have no end */
	uint64_t flushes;		/* number of flushes with samples */
	struct explanation explanation; /* for --explain */
};

/*
 * Begins to follow processes for a stream. Input that came at once is a dump, whose samples may be
 * older; changes of processes are recorded from the first time that the input is waited for.
 */
static void begin_following(struct dumps *dumps, size_t n, bool flush)
{
	struct symbolizer *symbolizer = dumps->job.symbolizer;
	const struct input_stats *stats = &dumps->stats;
	bool waited = dumps->flushes || (flush && n && !stats->ended && !stats->weighted);
	enum stream_kind kind = dumps->job.options->input.live.events ? STREAM_EVENTS
				: waited && !stats->weighted	      ? STREAM_SAMPLES
								      : STREAM_ENTRIES;

	if (flush && dumps->stream)
		symbolizer_hear(symbolizer);
	if (dumps->stream && (stats->events || waited))
		symbolizer_follow(symbolizer, NULL, kind);
}

/* Declares that the N samples of this flush are resolved and that more may come. */
static void mark(struct dumps *dumps, size_t n)
{
	const struct input_live *live = &dumps->job.options->input.live;

	dumps->flushes += n > 0;
	if (!live->interval)
		symbolizer_mark(dumps->job.symbolizer, !live->events);
}

static struct error *take_batch(void *context, const struct sample *samples, size_t n, bool flush)
{
	struct dumps *dumps = context;

	if (dumps->job.options->explain)
		return NULL;
	dumps->job.weighted = dumps->stats.weighted;
	dumps->job.finite = !dumps->stream;
	dumps->job.stream = dumps->stats.events || dumps->job.options->input.live.interval;
	/* streamed output is read from the file while it grows */
	if (n && dumps->stream && !dumps->stats.weighted)
		try(destination_publish(&dumps->job.options->destination));
	begin_following(dumps, n, flush);
	try(job_batch(&dumps->job, samples, n));
	if (flush && dumps->stream)
		mark(dumps, n);
	return NULL;
}

static void hold_signals(struct dumps *dumps)
{
	static const int signals[] = {SIGINT, SIGTERM, SIGHUP, SIGQUIT, SIGALRM, SIGPROF};
	sigset_t held;

	sigemptyset(&held);
	array_each(signal, signals, array_len(signals))
		sigaddset(&held, *signal);
	sigprocmask(SIG_BLOCK, &held, &dumps->unblocked);
}

/*
 * Prepares for entries to be deleted until the end of the round. All that was read before is
 * printed. Entries deleted from now on exist only in the spool until they are printed, so signals
 * are blocked, and the file of --save-dump is synced first.
 */
static struct error *begin_deleting(struct dumps *dumps)
{
	FILE *save = dumps->save.file;

	if (save && (fflush(save) || fsync(fileno(save))))
		return error_errno(errno, "cannot write %s", dumps->save.path);
	hold_signals(dumps);
	struct error *error = spool_open(&dumps->job.options->output, &dumps->spool);
	if (error)
		sigprocmask(SIG_SETMASK, &dumps->unblocked, NULL);
	else
		dumps->job.spool = &dumps->spool;
	return error;
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

static struct error *persist(void *context)
{
	struct dumps *dumps = context;

	if (stop_asked())
		return error_create(ERROR_INPUT, "stopped by a signal: nothing more is deleted");
	try(job_settle(&dumps->job));
	try(destination_publish(&dumps->job.options->destination));
	if (!dumps->job.spool)
		return begin_deleting(dumps);
	spool_empty(&dumps->spool);
	return NULL;
}

/* Ends a round. Addresses may have other meanings in the next one. */
static struct error *end_round(void *context)
{
	struct dumps *dumps = context;

	try(end_deleting(dumps, false));
	return job_next_round(&dumps->job);
}

/* Replaces standard input, which live maps do not read, by a pipe that is silent until Ctrl-C. */
static struct error *quiet_input(void)
{
	int ends[2];

	if (pipe2(ends, O_CLOEXEC) < 0)
		return error_errno(errno, "cannot create a pipe");
	dup2(ends[0], STDIN_FILENO);
	close(ends[0]);
	return NULL; /* the other end stays open as long as the program runs */
}

/* Returns true if the input may end only with Ctrl-C. Regular files end by themselves. */
static bool is_stream(const struct options *options)
{
	bool stream = live_wanted(options) || (!options->sources.len && !file_path_is_regular("-"));

	vec_each(source, &options->sources)
		stream |= !file_path_is_regular(source->path);
	return stream;
}

/* Shows rounds of a table on a terminal, unless entries that are printed are deleted then. */
static void open_screen(struct dumps *dumps, struct options *options)
{
	struct input_live *live = &options->input.live;

	if (!options->top || !live->interval || live->clear || options_want_json(options) ||
		!isatty(STDOUT_FILENO) || !screen_open(&dumps->screen))
		return;
	dumps->job.screen = &dumps->screen;
	live->wake = screen_wake;
	live->wake_context = &dumps->screen;
	live->wake_fd = dumps->screen.tty;
	live->wake_mask = &dumps->screen.mask;
}

static struct error *read_all(struct dumps *dumps, struct options *options)
{
	struct input_sink sink = {
		.batch = take_batch, .context = dumps, .round = end_round, .persist = persist};

	job_say_waiting_for(&dumps->job);
	if (options->save_dump)
		try(save_file_open(options->save_dump, S_IRUSR | S_IWUSR, &dumps->save));
	if (live_wanted(options) && !options->sources.len)
		try(quiet_input());
	options->input.live.save = dumps->save.file;
	options->input.live.waits = options->symbolize.recording;
	dumps->stream = is_stream(options);
	if (dumps->stream)
		ending_catch();
	open_screen(dumps, options);
	if (options->input.live.interval || options->input.live.events) {
		symbolizer_follow(dumps->job.symbolizer, NULL,
			options->input.live.events ? STREAM_EVENTS : STREAM_ENTRIES);
		try(destination_publish(&options->destination));
	}
	if (options->input.live.clear)
		signal(SIGPIPE, SIG_IGN); /* deleted entries must not be lost with the reader */
	return input_read(&options->input, &dumps->job.log, &sink, &dumps->stats);
}

/* Reads all dumps. Returns the first error; the log has what became of deleted entries. */
static struct error *read_dumps(struct dumps *dumps, struct options *options)
{
	struct error *error = read_all(dumps, options), *failed = NULL;

	/* unusable data is worth saving too */
	if (dumps->save.file && dumps->stats.live_read)
		failed = save_file_finish(&dumps->save);
	struct error *kept =
		end_deleting(dumps, !failed && !dumps->save.file && options->save_dump);

	save_file_deinit(&dumps->save);
	if (kept)
		log_add(&dumps->job.log, LOG_WARNING, 1, "%s", error_message(kept));
	error_destroy(kept);
	return error_first(error, failed);
}

int command_dumps(struct options *options)
{
	struct dumps dumps = {};

	struct error *error = job_init(options, &dumps.job);
	if (error)
		return job_fail(error);
	if (options->explain)
		options->input.explain = &dumps.explanation;
	error = read_dumps(&dumps, options);
	if (options->explain)
		explain_print(&dumps.explanation, options_want_json(options), stdout);
	dumps.job.failed = dumps.stats.failed_sources;
	int status = job_finish(&dumps.job, error);
	explanation_deinit(&dumps.explanation);
	job_deinit(&dumps.job);
	return ending_status(status);
}
