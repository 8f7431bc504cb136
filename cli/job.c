// SPDX-License-Identifier: GPL-2.0-or-later
#include "job.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "destination.h"
#include "options.h"
#include "output/fidelity.h"
#include "spool.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

static const char program[] = "stack2line: ";

static struct error *open_symbolizer(struct job *job)
{
	const struct symbolize_options *options = &job->options->symbolize;

	try(symbolizer_create(options, &job->symbolizer));
	const struct symbolizer_facts facts = symbolizer_facts(job->symbolizer);
	job->input.halves = facts.halves;
	job->input.processes = facts.processes;
	job->input.boot = (struct boot){.id = facts.boot_id, .assumed = options->recording != NULL};
	return NULL;
}

void job_deinit(struct job *job)
{
	log_deinit(&job->log);
	symbolizer_destroy(job->symbolizer);
	output_destroy(job->output);
	selection_destroy(job->selection);
	summary_destroy(job->summary);
	health_report_destroy(job->health);
	free(job->system);
}

void job_say_waiting(const struct options *options, const char *what)
{
	if (!options->quiet && isatty(STDIN_FILENO) && isatty(STDERR_FILENO))
		fprintf(stderr,
			"%sreading %s from the terminal; end with Ctrl-D (options: stack2line --help)\n",
			program, what);
}

static void choose_printing(struct job *job)
{
	const struct options *options = job->options;
	struct output_options *printing = &job->printing;

	*printing = options->output;
	printing->boot_id = job->input.boot.id;
	/* events are printed at once, unmerged */
	printing->merge = options->order == ORDER_WEIGHT ||
			  (options->order == ORDER_AUTO && job->weighted && !job->stream);
	if (options->top || (job->kept && !options->format_given)) {
		printing->format = OUTPUT_TOP;
		printing->top.json = options_want_json(options);
	} else if (!options->format_given) {
		printing->format = job->weighted ? OUTPUT_FOLDED : OUTPUT_ANNOTATED;
	}
	if (job->screen) {
		/* the rows that fit; only wide terminals get bars */
		struct winsize size = screen_size();
		size_t rows = (size_t)size.ws_row - SCREEN_OTHER_LINES;

		if (!printing->top.rows || printing->top.rows > rows)
			printing->top.rows = rows;
		printing->color &= size.ws_col >= 110;
	}
}

static bool wants_lines(const struct job *job)
{
	const struct output_options *printing = &job->printing;
	const struct select_options *select = &job->options->select;

	vec_each(rule, &select->rules)
		if (rule->kind == SELECT_FILE)
			return true;
	/* the report recognizes assembly by its source files */
	if (job->options->health || job->options->symbolize.qualify == QUALIFY_ALWAYS)
		return true;
	if (printing->format == OUTPUT_TOP && printing->top.by == TOP_BY_LINE)
		return true;
	/* without inlined functions, graphs use the names of symbol tables, as folded stacks do */
	if (output_is_graph(printing->format) && !job->options->symbolize.inlines)
		return printing->with_lines;
	return printing->with_lines ||
	       (printing->format != OUTPUT_FOLDED && printing->format != OUTPUT_TOP);
}

/*
 * Chooses the style of names: formats for people to look at have short ones by default. Patterns
 * also need short names, whatever is printed. LINES: frames need file and line.
 */
static void choose_names(struct job *job, bool lines)
{
	const struct output_options *printing = &job->printing;
	bool table = printing->format == OUTPUT_TOP && !printing->top.json;
	enum name_style names = NAMES_FULL;

	if (job->options->names >= 0)
		names = (enum name_style)job->options->names;
	else if (printing->format == OUTPUT_FOLDED || table || output_is_graph(printing->format))
		names = NAMES_SHORT;
	job->printing.whole_names = names == NAMES_FULL || names == NAMES_MANGLED;
	vec_each(rule, &job->options->select.rules)
		if (names == NAMES_FULL && rule->kind == SELECT_FUNCTION)
			names = NAMES_SHORT;
	symbolizer_want(job->symbolizer, names, lines);
}

/* Returns the ID in os-release(5), such as "debian"; "" if unknown. For the caller to free. */
static char *system_id(void)
{
	auto_text struct text file = {};
	struct scan line, lines;

	(void)file_read_regular(AT_FDCWD, "/etc/os-release", 1 << 16, &file);
	lines = text_scan(&file);
	while (scan_line(&lines, &line))
		if (scan_literal(&line, "ID=")) {
			(void)scan_char(&line, '"');
			return xstrndup(line.at, strcspn(line.at, "\"\n"));
		}
	return xstrdup("");
}

struct error *job_init(const struct options *options, struct job *ret)
{
	*ret = (struct job){.options = options, .input = options->input, .messages = stderr};
	finding_check(options, &ret->log);
	struct error *error = open_symbolizer(ret);
	if (error) {
		log_deinit(&ret->log);
		return error;
	}
	/* functions given by name instead of address are looked up before there is output */
	choose_printing(ret);
	choose_names(ret, options->symbolize.lines);
	ret->summary = summary_create();
	ret->system = options->health ? system_id() : NULL;
	ret->health = health_report_create(ret->system);
	ret->selection = selection_create(&options->select);
	array_each(source, options->input.sources, options->input.n_sources)
		if (!strcmp(source->path, "-"))
			job_say_waiting(options, "a dump");
	return NULL;
}

/*
 * Starts the pager if the output has an end. Merged output is paged once it is complete, so that
 * until then Ctrl-C ends the input.
 */
static void page(struct job *job)
{
	const struct options *options = job->options;
	bool ends = job->printing.merge ? !options->input.live.clear : job->finite && !job->stream;

	if (ends && !options->health && job->printing.format == OUTPUT_ANNOTATED)
		destination_page(options);
}

/* Chooses the format anew and prints an empty line if its lines are not self-contained. */
static void separate_rounds(struct job *job)
{
	choose_printing(job);
	enum output_format format = job->printing.format;
	if (job->separates && !job->screen &&
		(format == OUTPUT_FOLDED || format == OUTPUT_ANNOTATED ||
			(format == OUTPUT_TOP && !job->printing.top.json)))
		fputc('\n', stdout);
	job->separates = false;
}

static void open_output(struct job *job)
{
	if (job->output)
		return;
	separate_rounds(job);
	choose_names(job, wants_lines(job));
	if (job->kept)
		return;
	if (!job->printing.merge)
		page(job);
	if (job->screen)
		job->page.file = open_memstream(&job->page.data, &job->page.size);
	job->output = output_create(&job->printing, job->page.file ?: stdout, job->summary);
}

struct error *job_batch(struct job *job, const struct sample *samples, size_t n)
{
	job->weighted = job->stats.weighted;
	job->stream = job->stats.events || job->options->input.live.interval;
	if (!n && !job->output) {
		if (job->separates) /* a round without samples */
			separate_rounds(job);
		return NULL; /* a stream has no sample yet, so its format is unknown */
	}
	open_output(job);
	ending_resolves(true);
	const struct trace *traces = symbolizer_batch(job->symbolizer, samples, n);
	ending_resolves(false);
	if (job->spool)
		spool_add(job->spool, traces, n);
	array_each(read, traces, n) {
		const struct trace *trace =
			job->selection ? selection_apply(job->selection, read) : read;

		if (!trace)
			continue;
		summary_count(job->summary, trace, job->options->symbolize.unnamed);
		health_report_count(job->health, trace);
		if (job->kept)
			diff_traces_add(job->kept, job->side, trace);
		else if (!job->options->health)
			output_trace(job->output, trace);
	}
	return job->kept ? NULL : output_flush(job->output);
}

/* Returns true if the table of --why is printed below the frames. */
static bool summary_is_below(const struct job *job)
{
	return job->printing.why && job->printing.format == OUTPUT_ANNOTATED;
}

static struct error *end_output(struct job *job)
{
	if (job->settled && !job->output)
		return NULL; /* no new sample: an empty table would hide the last one */
	open_output(job);
	try(output_end(job->output));
	output_destroy(take(job->output));
	if (job->page.file)
		fclose(take(job->page.file));
	if (summary_is_below(job))
		summary_begin_table(job->summary);
	return NULL;
}

struct error *job_settle(struct job *job)
{
	struct pollfd out = {.fd = fileno(stdout), .events = POLLOUT};

	try(end_output(job));
	job->settled = true;
	/* the reader of a pipe has exited, maybe without reading earlier output */
	if (poll(&out, 1, 0) >= 0 && out.revents & POLLERR)
		return error_errno(EPIPE, "cannot write the output");
	/* terminals and pipes cannot be synced */
	if (fsync(out.fd) && (errno == EIO || errno == ENOSPC || errno == EDQUOT))
		return error_errno(errno, "cannot write the output");
	return NULL;
}

static bool summary_is_wanted(const struct job *job)
{
	const struct options *options = job->options;
	bool shown = options->verbose || (!options->quiet && isatty(STDERR_FILENO));

	return job->summary->losses.len && (options->output.why || shown);
}

/* Prints LINE and END; for a diff, after the name of the side. Empties LINE. */
static void print_line(const struct job *job, struct text *line, const char *end)
{
	static const char *const sides[DIFF_SIDES] = {"OLD: ", "NEW: "};

	if (line->len)
		fprintf(job->messages, "%s%s%s%s\n", program, job->kept ? sides[job->side] : "",
			line->data, end);
	text_clear(line);
}

/* Prints the fidelity line, except for addresses, which are printed with their reasons. */
static void print_fidelity(const struct job *job)
{
	const struct options *options = job->options;
	const struct fidelity_options how = {
		.weighted = job->weighted, .hint = !options->output.why && !summary_is_wanted(job)};
	auto_text struct text line = {};

	if (options->addresses || (options->quiet && !fidelity_failed(job->summary)))
		return;
	fidelity_add(&line, job->summary, &how);
	print_line(job, &line, "");
}

static void print_message(FILE *file, const char *message, uint64_t count)
{
	auto_text struct text line = {};

	text_printf_escaped(
		&line, count > 1 ? "%s%s (%" PRIu64 " times)" : "%s%s", program, message, count);
	fprintf(file, "%s\n", line.data);
}

void job_print_log(FILE *file, const struct log *log, size_t first, unsigned int hidden)
{
	for (size_t i = first; i < log->entries.len; i++) {
		const struct log_entry *entry = &log->entries.data[i];

		if (!(hidden & 1U << entry->level))
			print_message(file, entry->text, entry->count);
	}
	if (log->dropped)
		fprintf(file, "%s%" PRIu64 " more message%s not shown\n", program, log->dropped,
			log->dropped == 1 ? "" : "s");
}

/* Prints the entries added since the last round. FAILED: errors say why nothing was read. */
static void print_log(struct job *job, bool failed)
{
	const struct options *options = job->options;
	bool came = job->summary->resolved + job->summary->unresolved > 0;
	unsigned int hidden = !options->verbose << LOG_DETAIL;

	hidden |= (unsigned int)summary_is_wanted(job) << LOG_LOSS;
	/* later, a map whose stacks are looked up may have others */
	if (failed || came || job->kept || options->explain || options->input.live.events)
		hidden |= 1U << LOG_EMPTY;
	job_print_log(job->messages, &job->log, job->logged, hidden);
	job->logged = job->log.entries.len;
	job->log.dropped = 0;
}

struct error *job_next_round(struct job *job)
{
	char *messages = NULL;
	size_t size;

	try(end_output(job));
	fflush(stdout);
	job->settled = false;
	job->separates = true;
	if (job->screen)
		job->messages = open_memstream(&messages, &size);
	print_fidelity(job);
	summary_begin_round(job->summary);
	symbolizer_notes(job->symbolizer, &job->log);
	if (!job->options->quiet)
		print_log(job, false);
	if (job->screen) {
		fclose(job->messages);
		job->messages = stderr;
		screen_show(job->screen, take(job->page.data), messages);
	}
	struct symbolizer *old = job->symbolizer;
	try(open_symbolizer(job));
	symbolizer_follow(job->symbolizer, old, STREAM_ENTRIES);
	symbolizer_mark(job->symbolizer, false);
	symbolizer_destroy(old);
	return NULL;
}

struct error *job_write(const char *data, size_t len)
{
	if (fwrite(data, 1, len, stdout) < len || fflush(stdout) || ferror(stdout))
		return error_errno(errno, "cannot write the output");
	return NULL;
}

int job_fail(struct error *error)
{
	int status = error_kind(error) == ERROR_USAGE ? EXIT_USAGE : EXIT_UNREADABLE;

	print_message(stderr, error_message(error), 1);
	error_destroy(error);
	return status;
}

/* Prints what there is to say of all stacks. */
static void print_sums(const struct job *job)
{
	const struct options *options = job->options;
	const struct summary *summary = job->summary;
	auto_text struct text text = {};

	if (options->health) {
		health_report_add(job->health, options_want_json(options), &text);
		fwrite(text.data, 1, text.len, stdout);
		text_clear(&text);
	}
	if (!options->quiet && job->selection) {
		selection_add_line(job->selection, &text);
		print_line(job, &text, "");
	}
	print_fidelity(job);
	if (!options->quiet && !options->health) {
		health_report_add_line(job->health, &text);
		print_line(job, &text, "; --health says what helps");
	}
	if (options->verbose)
		fprintf(stderr, "%s%" PRIu64 " frame%s resolved, %" PRIu64 " unresolved\n", program,
			summary->resolved, summary->resolved == 1 ? "" : "s", summary->unresolved);
	if (summary_is_wanted(job) && !summary_is_below(job))
		summary_print(summary, stderr, program);
}

int job_finish(struct job *job, struct error *error)
{
	if (job->output && job->printing.merge)
		page(job);
	struct error *failed = job->output ? output_end(job->output) : NULL;
	if (job->page.file) {
		fclose(take(job->page.file));
		screen_show(job->screen, take(job->page.data), NULL);
	}
	if (job->screen)
		screen_close(job->screen);
	destination_page_end();
	symbolizer_notes(job->symbolizer, &job->log);
	/* the log explains failures, so it is printed despite --quiet */
	if (!job->options->quiet || job->options->addresses || job->stats.failed_sources || error ||
		failed)
		print_log(job, error || failed);
	print_sums(job);
	error = error_first(error, failed);
	int status = error ? job_fail(error) : 0;
	if (!status && job->options->strict && job->summary->unresolved)
		status = EXIT_UNRESOLVED;
	if (!status && job->stats.failed_sources)
		status = EXIT_UNREADABLE;
	return status;
}
