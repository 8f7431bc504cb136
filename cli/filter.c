// SPDX-License-Identifier: GPL-2.0-or-later
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "options.h"
#include "input/text/text_log.h"
#include "job.h"
#include "output/insertion.h"
#include "util/arena.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

enum { RELEASE_MAX = 4096, FORMS_MAX = 1 << 20 /* bytes */ };
/* Lowest addresses of movable programs and of libraries in Valgrind (coregrind/m_ume/elf.c). */
enum { VALGRIND_PROGRAM = 0x108000, VALGRIND_LIBRARIES = 0x4000000 };
#define KERNEL_START 0xff00000000000000ULL /* first kernel address */

/* Why a frame is not changed: an enum frame_status, or one of these. */
enum { NO_FUNCTION = FRAME_STATUS_COUNT, NO_LINE, REASON_COUNT };

/*
 * A frame of the text and the stack to resolve for it: the frame alone, or after the frame before
 * it, if it is the caller of that.
 */
struct frame_slot {
	struct text_frame frame; /* its scans are valid in its piece */
	const char *comm;	 /* process name in the text; NULL: none */
	uint64_t time;
	int64_t pid;
	bool kernel, doubtful;
	bool gone;		  /* the process named by the text has exited */
	bool left_out;		  /* do not name this frame */
	enum frame_status status; /* FRAME_NAMED: can be resolved; else why not */
	/* of the frame before, if it is the callee, and of this frame */
	uint64_t values[2];
	struct stack_origin origins[2];
	size_t depth;  /* of the stack; 0: nothing to resolve */
	size_t sample; /* index of the sample with the stack */
};

struct filter {
	struct job job;
	struct forms *forms;
	const struct options *options;
	/* of the slots of this piece, and of the last piece before it that had frames */
	struct arena memory[2];
	struct VEC(struct frame_slot *) slots; /* of this piece's frames */
	struct frame_slot *last;	       /* of the last frame so far; NULL: none */
	struct VEC(struct sample) samples;
	struct text out, inserted, release;
	uint64_t named, unnamed, left[REASON_COUNT];
};

/* ---- questions ------------------------------------------------------------------------------- */

/*
 * Sets SLOT's process to the one that the line above the stack names, if a process with this ID and
 * comm runs or is recorded and has code at the address. The text may be old or of another machine.
 */
static void ask_owner(struct filter *filter, struct frame_slot *slot)
{
	const struct frame_owner *owner = &slot->frame.owner;
	const struct input_processes *processes = filter->job.input.processes;
	const struct stack user = {
		.state = STACK_PRESENT, .id = -1, .values = &slot->values[1], .depth = 1};
	int64_t pid = owner->pid;

	if (owner->tid < 0)
		return;
	if (pid < 0)
		pid = process_of_thread(processes, owner->tid);
	slot->comm = *owner->comm ? owner->comm : NULL;
	slot->time = owner->time;
	if (process_of_thread(processes, pid) < 0)
		slot->gone = true;
	else if (processes->fit(processes->context, pid, &user, slot->comm) == PROCESS_FITS)
		slot->pid = pid;
}

/* Sets what is known of a frame in user space, or at an address that may be the kernel's. */
static void ask_user(struct filter *filter, struct frame_slot *slot)
{
	const struct options *options = filter->options;
	struct text_frame *frame = &slot->frame;
	struct stack_file *file = &frame->file;
	struct stack_origin *origin = &slot->origins[1];
	/* unless there is a recording, or -p confirms it, the process ID may have been reused */
	bool known = frame->pid >= 0 && frame->address &&
		     (options->symbolize.recording || options->input.pid == frame->pid);

	slot->pid = known ? frame->pid : options->input.pid;
	if (file->base != STACK_FILE_ADDRESS) {
		if (known)
			slot->values[1] = frame->address;
		else if (file->base == STACK_FILE_START && !file->path)
			origin->build_id = file->build_id;
		else
			origin->file = file;
		return;
	}
	slot->kernel = frame->value >= KERNEL_START;
	if (!known && frame->pid >= 0)
		slot->pid = -1;
	if (!slot->kernel && slot->pid < 0 && !options->kernel)
		ask_owner(filter, slot);
	if (!slot->kernel && slot->pid < 0)
		origin->file = file;
	if (frame->form == TEXT_VALGRIND && frame->value < VALGRIND_LIBRARIES)
		file->load = VALGRIND_PROGRAM;
}

static struct frame_slot *ask(struct filter *filter, const struct text_frame *frame)
{
	struct frame_slot *slot = arena_alloc(&filter->memory[0], sizeof(*slot));
	bool in_file;

	*slot = (struct frame_slot){
		.frame = *frame, .values = {0, frame->value}, .pid = -1, .status = FRAME_NAMED};
	if (frame->form == TEXT_KERNEL) {
		const struct named_start found =
			symbolizer_find_kernel(filter->job.symbolizer, &slot->frame.file, &in_file);

		slot->status = found.status;
		slot->doubtful = found.doubtful;
		slot->values[1] += found.start;
		slot->kernel = !in_file;
		if (in_file)
			slot->origins[1].file = &slot->frame.file;
	} else {
		ask_user(filter, slot);
	}
	slot->doubtful |= slot->kernel && frame->other_kernel;
	/* -k: open no file that the text names */
	slot->left_out = filter->options->kernel && frame->form != TEXT_KERNEL && !slot->kernel;
	return slot;
}

/* Adds the sample of SLOT, which comes after the last slot. */
static void add_sample(struct filter *filter, struct frame_slot *slot)
{
	const struct frame_slot *before = filter->last; /* may be a signal frame */
	bool is_caller = before && slot->frame.follows && !slot->frame.exact &&
			 before->status == FRAME_NAMED && !before->frame.unreliable &&
			 !before->left_out && before->kernel == slot->kernel &&
			 before->pid == slot->pid && before->frame.form == slot->frame.form;
	size_t first = is_caller ? 0 : 1; /* of the values in the stack */

	if (slot->status != FRAME_NAMED || slot->left_out)
		return;
	if (is_caller) {
		slot->values[0] = before->values[1];
		slot->origins[0] = before->origins[1];
	}
	slot->depth = 2 - first;
	slot->sample = filter->samples.len;
	struct sample sample = {.pid = slot->pid,
		.tid = -1,
		.comm = slot->comm,
		.weight = 1,
		.time = slot->time,
		.perf_clock = slot->time > 0};
	*(slot->kernel ? &sample.kernel : &sample.user) = (struct stack){.state = STACK_PRESENT,
		.id = -1,
		.depth = slot->depth,
		.values = slot->values + first,
		.origins = slot->kernel ? NULL : slot->origins + first,
		.exact = slot->frame.exact,
		.callers = !slot->frame.exact};
	vec_push(&filter->samples, sample);
}

/* ---- answers --------------------------------------------------------------------------------- */

static bool is_function(const struct location *location, const char *name)
{
	const struct frame *frame = &location->frames[location->n_frames - 1];
	size_t len = frame->function ? strlen(frame->function) : 0;

	if (!frame->function || (frame->linkage && !strcmp(frame->linkage, name)))
		return true;
	/* the text may have parameters or a suffix */
	return !strncmp(name, frame->function, len) &&
	       (!name[len] || name[len] == '(' || name[len] == '.' || name[len] == '@');
}

/*
 * Returns true if the text contradicts LOCATION: for an offset by another function name, for an
 * address in a process by another file name. Only some forms compare names, because Java prints
 * that of the exported function before.
 */
static bool disagrees(const struct frame_slot *slot, const struct location *location)
{
	const char *there = location->object ? location->object->name : NULL;
	const struct text_frame *frame = &slot->frame;

	if (frame->file.base == STACK_FILE_ADDRESS)
		return slot->pid >= 0 && there && frame->file.path &&
		       strcmp(file_base_name(frame->file.path), there) != 0;
	return (frame->form == TEXT_SANITIZER || frame->form == TEXT_SYSTEMD) && frame->symbol &&
	       !is_function(location, frame->symbol);
}

/* Sets RET to what is known of the frame. If that does not help, counts it and returns false. */
static bool answer_of(struct filter *filter, const struct trace *traces,
	const struct frame_slot *slot, struct insertion_frame *ret)
{
	enum frame_status status = slot->status;
	const struct text_frame *frame = &slot->frame;

	if (slot->left_out)
		return false;
	if (slot->depth) {
		const struct trace *trace = &traces[slot->sample];
		const struct location *location =
			/* NOLINTNEXTLINE(clang-analyzer-core.NullDereference): with a depth it has a trace */
			(slot->kernel ? trace->kernel : trace->user)[slot->depth - 1];
		enum frame_source source = location->source;
		bool found = location->frames[location->n_frames - 1].function != NULL;

		*ret = (struct insertion_frame){.location = location,
			/* kernel symbols may have several names for one function */
			.named = found && frame->symbol &&
				 (frame->form == TEXT_KERNEL ||
					 is_function(location, frame->symbol)),
			.doubtful = slot->doubtful || (found && disagrees(slot, location))};
		if (found && insertion_is_useful(ret)) {
			filter->named++;
			return true;
		}
		if (found) {
			bool by_symbol =
				source == SOURCE_SYMTAB || source == SOURCE_DYNSYM ||
				(source == SOURCE_KALLSYMS && location->kind == LOCATION_KERNEL);

			filter->left[NO_LINE]++;
			if (by_symbol)
				summary_count_lines(filter->job.summary, location);
			return false;
		}
		status = location->status;
		if (slot->gone && status == FRAME_NO_PID)
			status = FRAME_PROCESS_GONE;
	}
	filter->unnamed++;
	if (frame->file.symbol && status == FRAME_OUTSIDE_SYMBOLS)
		filter->left[NO_FUNCTION]++;
	else
		filter->left[status == FRAME_NAMED ? FRAME_OUTSIDE_SYMBOLS : status]++;
	return false;
}

/* Adds blanks as wide as BEFORE, the text before a frame. */
static void add_indentation(struct text *out, struct scan before)
{
	for (; before.at < before.end; before.at++)
		if (*before.at == '\t')
			text_add_char(out, '\t');
		else if ((*before.at & 0xc0) != 0x80)
			text_add_char(out, ' ');
}

/* Adds the piece's bytes from AT to the frame's end, with ANSWER. Returns the frame's end. */
static const char *add_frame(struct filter *filter, const char *at, const struct text_frame *frame,
	const struct insertion_frame *answer)
{
	enum insertion how = (enum insertion)filter->options->insertion;
	struct text *out = &filter->out, *inserted = &filter->inserted;
	const struct scan *place = &frame->text;
	const char *module = frame->file.module ?: "";

	if (how == INSERT_LINES && (frame->quoted || at > frame->line.at))
		how = INSERT_SUFFIX;
	if (how == INSERT_LINES) {
		text_add(out, at, (size_t)(frame->line.at - at));
		at = frame->line.at;
		for (size_t i = 0; i + 1 < answer->location->n_frames; i++) {
			add_indentation(out, (struct scan){at, place->at});
			insertion_add_line(out, answer, i, &filter->options->output);
			text_add_string(out, *frame->line.end == '\r' ? "\r\n" : "\n");
		}
	}
	const char *from = how == INSERT_REPLACE ? place->at : place->end;
	text_add(out, at, (size_t)(from - at));
	text_clear(inserted);
	insertion_add(inserted, how, answer, &filter->options->output);
	if (how == INSERT_REPLACE && *module) {
		text_add_string(inserted, " [");
		text_add_escaped(inserted, module, strlen(module));
		text_add_char(inserted, ']');
	}
	if (frame->quoted)
		text_add_json(out, inserted->data, inserted->len);
	else
		text_add(out, inserted->data, inserted->len);
	return place->end;
}

static struct error *write_piece(struct filter *filter, const struct text_log_piece *piece)
{
	const char *at = piece->data;
	const struct trace *traces = NULL;
	struct insertion_frame answer;

	text_clear(&filter->out);
	if (filter->samples.len) {
		ending_resolves(true);
		traces = symbolizer_batch(
			filter->job.symbolizer, filter->samples.data, filter->samples.len);
		ending_resolves(false);
	}
	vec_each(slot, &filter->slots)
		if (answer_of(filter, traces, *slot, &answer))
			at = add_frame(filter, at, &(*slot)->frame, &answer);
	if (filter->out.len)
		try(job_write(filter->out.data, filter->out.len));
	return job_write(at, (size_t)(piece->data + piece->len - at));
}

static struct error *filter_text(struct filter *filter, int fd, const char *name)
{
	scope_guard(text_log_cleanup) struct text_log *log = text_log_create(
		fd, name, filter->forms, filter->release.len ? filter->release.data : NULL);
	struct text_log_piece piece;

	for (;;) {
		try(text_log_next(log, &filter->memory[0], &piece));
		if (!piece.len)
			return NULL;
		filter->samples.len = filter->slots.len = 0;
		array_each(frame, piece.frames, piece.n_frames) {
			struct frame_slot *slot = ask(filter, frame);

			add_sample(filter, slot);
			vec_push(&filter->slots, slot);
			filter->last = slot;
		}
		try(write_piece(filter, &piece));
		if (piece.n_frames) {
			struct arena memory = filter->memory[0];

			filter->memory[0] = filter->memory[1];
			filter->memory[1] = memory;
		}
		arena_clear(&filter->memory[0]);
	}
}

/*
 * Filters all files; "-" is standard input. A file that cannot be read is skipped, as in sed.
 * Returns the exit status.
 */
static int filter_all(struct filter *filter)
{
	const char *const *paths = filter->options->arguments.data;
	size_t n = filter->options->arguments.len;
	int status = 0;

	for (size_t i = 0; i < (n ? n : 1); i++) {
		bool is_input = !n || !strcmp(paths[i], "-");
		auto_fd int opened = is_input ? -1 : open(paths[i], O_RDONLY | O_CLOEXEC);
		struct error *error;

		if (is_input)
			error = filter_text(filter, STDIN_FILENO, "standard input");
		else if (opened < 0)
			error = error_errno(errno, "%s", paths[i]);
		else
			error = filter_text(filter, opened, paths[i]);
		if (error)
			status = job_fail(error);
	}
	return status;
}

/* ---- summary --------------------------------------------------------------------------------- */

/* Prints `stack2line: 12 frames named; not changed: 3 (no such file), 1 (…)`. */
static void print_summary(const struct filter *filter)
{
	auto_text struct text line = {};
	const char *separator = "; not changed: ";

	text_printf(&line, "stack2line: %" PRIu64 " frame%s named", filter->named,
		filter->named == 1 ? "" : "s");
	for (int i = 0; i < REASON_COUNT; i++) {
		const char *reason;

		if (!filter->left[i])
			continue;
		if (i == FRAME_NO_PID)
			reason =
				"the process of the address is unknown: use -p PID or --recording FILE";
		else if (i == FRAME_FILE_ABSENT)
			reason = "the file is not here, or only its name is known: use -e FILE";
		else if (i == NO_FUNCTION)
			reason = "no function with this name, or several and none of this length";
		else if (i == NO_LINE)
			reason = "no line is known";
		else
			reason = frame_status_words[i].text;
		text_printf(&line, "%s%" PRIu64 " (%s)", separator, filter->left[i], reason);
		separator = ", ";
	}
	fprintf(stderr, "%s\n", line.data);
	summary_print(filter->job.summary, stderr, "stack2line: ");
	if (forms_given_up(filter->forms))
		fprintf(stderr,
			"stack2line: a pattern was given up in %" PRIu64
			" parts of lines, because it took too many steps: simplify --filter-form\n",
			forms_given_up(filter->forms));
}

/* ---- forms ----------------------------------------------------------------------------------- */

static struct error *add_file(struct forms *forms, const char *path)
{
	auto_text struct text text = {};
	auto_fd int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct scan line;

	int error = fd < 0 ? errno : -file_read_all(fd, FORMS_MAX, &text);
	if (error)
		return error_errno(error, "--filter-form: %s", path);
	struct scan rest = text_scan(&text);
	for (uint64_t number = 1; scan_line(&rest, &line); number++) {
		/* empty lines are comments, and `#` alone or before a blank begins one */
		if (!scan_left(&line) || scan_equals(line, "#") || scan_starts(line, "# ") ||
			scan_starts(line, "#\t"))
			continue;
		auto_free char *pattern = xstrndup(line.at, scan_left(&line));
		auto_free char *where = xasprintf("%s:%" PRIu64, path, number);

		try(forms_add(forms, where, pattern));
	}
	return NULL;
}

/* Prints the table of forms. Returns the exit status. */
static int list_forms(void)
{
	size_t n;
	const struct text_form *table = forms_table(&n);

	array_each(form, table, n)
		printf("%s\n\texample  %s\n\tyields   %s\n\tliteral  %s\n\tpattern  %s\n",
			form->name, form->example, form->yields, form->literal, form->pattern);
	struct error *error = job_write("", 0);
	return error ? job_fail(error) : 0;
}

/* ---- the command ----------------------------------------------------------------------------- */

/* Reads the release of the kernel whose symbols are read; empty if unknown: saved symbols. */
static void read_release(const struct options *options, struct text *ret)
{
	auto_free char *path =
		xasprintf("%s/sys/kernel/osrelease", options->symbolize.find.proc_root);

	if (options->symbolize.kallsyms || file_read_regular(AT_FDCWD, path, RELEASE_MAX, ret))
		text_clear(ret);
	if (ret->len && ret->data[ret->len - 1] == '\n')
		ret->data[--ret->len] = '\0';
}

int command_filter(const struct options *options)
{
	if (patterns_missing())
		return job_fail(error_create(ERROR_USAGE, "--filter: %s", patterns_missing()));
	if (options->insertion == FILTER_LISTS)
		return list_forms();
	static struct filter filter; /* what it points to lives as long as the program */
	struct error *error = job_init(options, &filter.job);

	filter.options = options;
	filter.forms = forms_create();

	for (size_t i = 0; i < options->filter_forms.len && !error; i++) {
		const char *arg = options->filter_forms.data[i];

		error = *arg == '@' ? add_file(filter.forms, arg + 1)
				    : forms_add(filter.forms, "--filter-form", arg);
	}
	if (error)
		return job_fail(error);
	if (!options->arguments.len)
		job_say_waiting(options, "text");
	ending_catch();
	read_release(options, &filter.release);
	int status = filter_all(&filter);
	symbolizer_notes(filter.job.symbolizer, &filter.job.log);
	if (!options->quiet) {
		job_print_log(stderr, &filter.job.log, 0, !options->verbose << LOG_DETAIL);
		print_summary(&filter);
	}
	job_deinit(&filter.job);
	if (!status && options->strict && filter.unnamed)
		status = EXIT_UNRESOLVED;
	return ending_status(status);
}
