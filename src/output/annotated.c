// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * Annotated stacks, one block per sample, leaf first:
 *
 *	demo  pid 1234  tid 1240  weight 17
 *	  #0    0x000055d0c0de1149  inner (inlined)      demo.c:12:3  [demo]
 *	  #1                        middle+0x9           demo.c:20:2  [demo]
 *	  #2    0x00007f33aa0271ca  [libc.so.6+0x271ca]  -- stripped: no symbols and no debug info
 *
 * A single address that was looked up is printed without header and numbers.
 *
 * With options.merge, equal blocks are merged. A block is then a list of run numbers, and a run is
 * what is printed for one location. Each location has two runs: an exact one, and a common one
 * without what differs within a source line (address, offset, column). Blocks with the same process
 * and common runs are merged. Where their exact runs differ, the common run is printed.
 */
#include <inttypes.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "output/format.h"
#include "model/stack.h"
#include "output/label.h"
#include "util/arena.h"
#include "util/cleanup.h"
#include "util/table.h"
#include "util/number.h"
#include "util/sort.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* NOTED_MAX: source files whose note is remembered, since a stream may name any number. */
enum { NOTED_MAX = 1 << 16, RECENT_RUNS = 4096, NUMBER_WIDTH = 4 };

enum cell_kind {
	CELL_ADDRESS,
	CELL_NAME,
	CELL_PLACE,
	CELL_OBJECT,
	CELL_CALLER, /* what found the caller */
	CELL_REASON,
	CELL_NOTE,   /* alone in its row */
	CELL_SOURCE, /* a line of source, alone in its row */
	CELL_COUNT,
};

/* A cell wider than this does not widen its column. */
static const size_t width_max[CELL_COUNT] = {[CELL_ADDRESS] = 18,
	[CELL_NAME] = 48,
	[CELL_PLACE] = 40,
	[CELL_OBJECT] = 24,
	[CELL_CALLER] = 24};

static const char *const colors[CELL_COUNT] = {[CELL_ADDRESS] = "2",
	[CELL_NAME] = "1;32",
	[CELL_PLACE] = "36",
	[CELL_CALLER] = "2",
	[CELL_REASON] = "33",
	[CELL_NOTE] = "33"};

struct cell {
	size_t at;	     /* offset in `cells` */
	uint32_t len, width; /* in bytes; in terminal columns */
};

/* Cache entry: the runs of a location, by its serial. */
struct recent_runs {
	uint64_t key; /* serial * 2 + kernel; 0: unused */
	uint32_t exact, common;
};

struct frame_row {
	struct cell cells[CELL_COUNT];
	bool unnamed;
};

/* What is printed for a location, or the notes on a stack: N rows from FIRST on. */
struct row_run {
	size_t first, n;
};

struct block {
	uint64_t weight;
	uint32_t *runs; /* N run numbers, leaf first */
	size_t n;
	const char *comm;     /* NULL: unknown */
	int64_t pid, tid;     /* -1: unknown, or several */
	uint64_t first, last; /* earliest and latest sample time; 0: not all are known */
	size_t number;	      /* index in order of arrival */
};

/*
 * A block is first laid out in rows of cells, so that its columns can be aligned, then painted.
 * With options.merge the rows of each run are kept once, until the end.
 */
struct annotated {
	struct output_options options;
	struct text cells, raw; /* text of the cells; scratch */
	size_t ended;		/* bytes of `cells` that belong to a cell */
	struct VEC(struct frame_row) rows;
	/* number of `rows`, and bytes of `cells`, that runs keep */
	size_t kept_rows, kept;
	struct table run_numbers;	 /* content of a run → number */
	struct VEC(struct row_run) runs; /* by number */
	struct table noted;		 /* source files whose note was printed */
	/* with options.merge */
	struct table block_numbers;	 /* process, name and common runs → number */
	struct VEC(struct block) blocks; /* by number, until they are sorted */
	struct arena memory;		 /* of BLOCKS */
	/* notes on source files, to print after merged blocks */
	struct text remarks;
	struct VEC(uint32_t) exact, common; /* runs of the current block */
	struct recent_runs *recent;	    /* RECENT_RUNS entries */
	bool is_common;			    /* leave out what differs within a source line */
	bool begun; /* a block was printed: an empty line comes before the next header */
};

static void *annotated_create(const struct output_options *options)
{
	struct annotated *annotated = xnew(annotated);

	annotated->options = *options;
	if (options->merge)
		annotated->recent = xcalloc(RECENT_RUNS, sizeof(*annotated->recent));
	return annotated;
}

static void annotated_destroy(void *state)
{
	struct annotated *annotated = state;

	text_deinit(&annotated->cells);
	text_deinit(&annotated->raw);
	vec_deinit(&annotated->rows);
	table_deinit(&annotated->noted);
	table_deinit(&annotated->run_numbers);
	vec_deinit(&annotated->runs);
	table_deinit(&annotated->block_numbers);
	vec_deinit(&annotated->blocks);
	arena_deinit(&annotated->memory);
	text_deinit(&annotated->remarks);
	vec_deinit(&annotated->exact);
	vec_deinit(&annotated->common);
	free(annotated->recent);
	free(annotated);
}

/* Drops the rows that no run keeps. */
static void clear_rows(struct annotated *annotated)
{
	annotated->rows.len = annotated->kept_rows;
	annotated->cells.len = annotated->ended = annotated->kept;
}

/* Ends the cell KIND of the last row. Its text is what was added since the last cell. */
static void end_cell(struct annotated *annotated, enum cell_kind kind)
{
	struct cell *cell = &vec_last(&annotated->rows)->cells[kind];
	size_t at = annotated->ended;

	annotated->ended = annotated->cells.len;
	*cell = (struct cell){.at = at, .len = (uint32_t)(annotated->ended - at)};
	if (cell->len)
		cell->width = (uint32_t)text_columns(annotated->cells.data + at, cell->len);
}

static void fill_name(
	struct annotated *annotated, const struct location *location, const struct frame *frame)
{
	struct text *cells = &annotated->cells;
	size_t start = cells->len;

	vec_last(&annotated->rows)->unnamed = !frame->function;
	if (frame->function) {
		text_add_escaped_string(cells, label_name(frame, &annotated->options));
		if (location->status == FRAME_NAMED)
			label_end_name(cells, start);
		if (frame->has_offset && !annotated->is_common) {
			text_add_char(cells, '+');
			text_add_hex(cells, frame->offset);
		}
		if (frame->qualifier)
			text_printf_escaped(cells, " %s", frame->qualifier);
	} else {
		text_clear(&annotated->raw);
		label_add(&annotated->raw, location);
		text_add_escaped(cells, annotated->raw.data, annotated->raw.len);
	}
	if (frame->inlined)
		text_add_string(cells, " (inlined)");
	if (location->doubtful)
		text_add_string(cells, " ?");
	end_cell(annotated, CELL_NAME);
}

/* Adds "[libfoo.so]", "[kernel]" or "[kernel: nf_tables]"; nothing if the label contains it. */
static void fill_object(struct annotated *annotated, const struct location *location,
	const struct frame *frame, bool kernel)
{
	struct text *cells = &annotated->cells;
	const char *name = frame->function ? label_object(location) : NULL;

	if (kernel && location->kind == LOCATION_BPF && !name)
		name = "bpf";
	struct scan bare = label_bare(name ?: "");
	if (location->kind == LOCATION_LOST || (!kernel && !scan_left(&bare)))
		return;
	if (kernel && scan_equals(bare, "kernel"))
		bare.at = bare.end;
	text_add_string(cells, kernel ? "[kernel" : "[");
	if (kernel && scan_left(&bare))
		text_add_string(cells, ": ");
	text_add_escaped(cells, bare.at, scan_left(&bare));
	text_add_char(cells, ']');
	end_cell(annotated, CELL_OBJECT);
}

/* Adds the row of FRAME, one of LOCATION's. UNWOUND: what found the caller; NULL: unknown. */
static void add_frame(struct annotated *annotated, const struct location *location,
	const struct frame *frame, bool kernel, const struct unwound_frame *unwound)
{
	struct text *cells = &annotated->cells;
	bool lost = location->kind == LOCATION_LOST;

	vec_add(&annotated->rows);
	if (frame == location->frames && !lost) {
		if (annotated->is_common)
			text_add_string(cells, "...");
		else if (location->has_address)
			text_printf(cells, "0x%016" PRIx64, location->address);
		else if (location->has_file_offset)
			text_printf(cells, "+0x%" PRIx64, location->file_offset);
		end_cell(annotated, CELL_ADDRESS);
	}
	fill_name(annotated, location, frame);
	if (frame->file && *frame->file) {
		text_printf_escaped(cells, frame->line ? "%s:%u" : "%s:?",
			label_file(frame->file, &annotated->options), frame->line);
		if (frame->line && frame->column && !annotated->is_common)
			text_printf(cells, ":%u", frame->column);
		end_cell(annotated, CELL_PLACE);
	}
	fill_object(annotated, location, frame, kernel);
	if (frame + 1 < location->frames + location->n_frames)
		return;
	if (unwound && unwound->by != UNWOUND_BY_NOTHING) {
		text_printf(cells, "caller by %s", unwound_by_words[unwound->by].key);
		end_cell(annotated, CELL_CALLER);
	}
	if (location->status != FRAME_NAMED && !lost) {
		text_printf(cells, "-- %s", frame_status_words[location->status].text);
		end_cell(annotated, CELL_REASON);
	}
}

/*
 * Adds source lines: "  12  code", and "> 13  code" for the frame's own line. Adds the note on the
 * file, once per file.
 */
static void add_source(struct annotated *annotated, const struct frame *frame)
{
	const struct source_excerpt *source = frame->source;

	for (size_t i = 0; source && i < source->n; i++) {
		size_t number = source->first + i;

		vec_add(&annotated->rows);
		text_printf_escaped(&annotated->cells, "%c %5zu  %s",
			number == frame->line ? '>' : ' ', number, source->lines[i]);
		end_cell(annotated, CELL_SOURCE);
	}
	bool added;
	if (!source || !source->note)
		return;
	if (annotated->noted.len >= NOTED_MAX)
		table_deinit(&annotated->noted);
	(void)table_at(&annotated->noted, frame->file, strlen(frame->file), &added);
	if (!added)
		return;
	struct text *to = annotated->options.merge ? &annotated->remarks : &annotated->cells;
	text_printf_escaped(to, "%s: %s", source->note, frame->file);
	if (annotated->options.merge) {
		text_add_char(to, '\n');
	} else {
		vec_add(&annotated->rows);
		end_cell(annotated, CELL_NOTE);
	}
}

/* Adds the row of --why: the key of the status, details, and what would help. */
static void add_why(struct annotated *annotated, const struct location *location)
{
	bool lost = location->kind == LOCATION_LOST;
	const char *key = lost ? stack_state_words[location->lost].key
			       : frame_status_words[location->status].key;
	const char *fix = location_fix(location);

	if (location->status == FRAME_NAMED && !location->detail)
		return;
	vec_add(&annotated->rows);
	text_printf_escaped(&annotated->cells, location->detail ? "why: %s: %s" : "why: %s", key,
		location->detail);
	if (*fix)
		text_printf(&annotated->cells, "; fix: %s", fix);
	end_cell(annotated, CELL_NOTE);
}

static void __attribute__((format(printf, 2, 3)))
add_note(struct annotated *annotated, const char *format, ...)
{
	va_list args;

	vec_add(&annotated->rows);
	va_start(args, format);
	text_vprintf(&annotated->cells, format, args);
	va_end(args);
	end_cell(annotated, CELL_NOTE);
}

static void add_location(struct annotated *annotated, const struct location *location, bool kernel,
	const struct unwound_frame *unwound)
{
	array_each(frame, location->frames, location->n_frames) {
		add_frame(annotated, location, frame, kernel, unwound);
		for (uint32_t i = 0; i < frame->n_prototypes; i++) {
			vec_add(&annotated->rows);
			text_printf_escaped(&annotated->cells,
				frame->prototype_sure ? "%s" : "perhaps: %s", frame->prototypes[i]);
			end_cell(annotated, CELL_NOTE);
		}
		add_source(annotated, frame);
	}
	if (annotated->options.why)
		add_why(annotated, location);
	if (location->guessed && !annotated->options.why)
		add_note(annotated, "... %s", location->detail);
	if (location->lost_caller)
		add_note(annotated, "... caller missing: %s",
			lost_caller_words[location->lost_caller].text);
}

/*
 * Returns the number of the run that consists of the rows that are not kept yet. Keeps them if the
 * run is new.
 */
static uint32_t take_run(struct annotated *annotated)
{
	struct text *key = &annotated->raw;

	text_clear(key);
	for (size_t i = annotated->kept_rows; i < annotated->rows.len; i++) {
		const struct frame_row *row = &annotated->rows.data[i];

		array_each(cell, row->cells, CELL_COUNT)
			varint_add(key, cell->len);
		varint_add(key, row->unnamed);
	}
	text_add(key, annotated->cells.data + annotated->kept,
		annotated->cells.len - annotated->kept);
	uint64_t number = table_number(&annotated->run_numbers, key->data, key->len);
	if (number > annotated->runs.len) {
		vec_push(&annotated->runs, (struct row_run){annotated->kept_rows,
						   annotated->rows.len - annotated->kept_rows});
		annotated->kept_rows = annotated->rows.len;
		annotated->kept = annotated->cells.len;
	}
	clear_rows(annotated);
	return (uint32_t)(number - 1);
}

static void push_runs(struct annotated *annotated, uint32_t exact, uint32_t common)
{
	vec_push(&annotated->exact, exact);
	vec_push(&annotated->common, common);
}

static void push_location(struct annotated *annotated, const struct location *location, bool kernel,
	const struct unwound_frame *unwound)
{
	uint64_t key = unwound ? 0 : location->serial * 2 + kernel;
	struct recent_runs *recent = &annotated->recent[key % RECENT_RUNS];

	if (key <= 1 || recent->key != key) {
		add_location(annotated, location, kernel, unwound);
		uint32_t exact = take_run(annotated);
		annotated->is_common = true;
		add_location(annotated, location, kernel, unwound);
		annotated->is_common = false;
		*recent = (struct recent_runs){key > 1 ? key : 0, exact, take_run(annotated)};
	}
	push_runs(annotated, recent->exact, recent->common);
}

/* Adds the rows of one side or, if blocks are merged, its runs. */
static void add_side(struct annotated *annotated, const struct trace *trace, bool kernel)
{
	const struct location *const *locations = kernel ? trace->kernel : trace->user;
	const struct stack *stack = kernel ? &trace->sample->kernel : &trace->sample->user;
	const struct unwound *unwound = stack->unwound;
	size_t n = kernel ? trace->n_kernel : trace->n_user;
	size_t cut = kernel ? trace->kernel_health.cut : trace->user_health.cut;
	bool merge = annotated->options.merge;

	for (size_t i = 0; i < n; i++)
		(merge ? push_location : add_location)(
			annotated, locations[i], kernel, unwound ? &unwound->frames[i] : NULL);
	if (cut)
		add_note(annotated, "... cut: %zu slot%s after it %s", cut, cut == 1 ? "" : "s",
			cut == 1 ? "is no return address" : "are no return addresses");
	/* why the stack has no further frame */
	if (stack->truncated && n && unwound)
		add_note(annotated, "... %s (%zu bytes were copied)%s%s",
			unwound_end_words[unwound->end].text, unwound->copied,
			unwound->detail ? ": " : "", unwound->detail ?: "");
	else if (stack->truncated && n)
		add_note(annotated, "... truncated at %zu frame%s, the root may be missing",
			stack->depth, stack->depth == 1 ? "" : "s");
	if (!merge || annotated->rows.len == annotated->kept_rows)
		return;
	uint32_t notes = take_run(annotated);
	push_runs(annotated, notes, notes);
}

/* Returns true if ROW is not a frame, but a line about one. */
static bool is_alone(const struct frame_row *row)
{
	return row->cells[CELL_NOTE].len || row->cells[CELL_SOURCE].len;
}

static void paint(const struct annotated *annotated, struct text *text, const char *color,
	const char *s, size_t len)
{
	bool on = annotated->options.color && color;

	if (on)
		text_printf(text, "\033[%sm", color);
	text_add(text, s, len);
	if (on)
		text_add_string(text, "\033[0m");
}

static void pad(struct text *text, size_t n)
{
	while (n--)
		text_add_char(text, ' ');
}

/* BLANKS: number of blanks before the first cell. */
static void paint_row(const struct annotated *annotated, const struct frame_row *row,
	const size_t widths[CELL_COUNT], size_t blanks, struct text *text)
{
	for (size_t kind = 0; kind < CELL_COUNT; kind++) {
		const struct cell *cell = &row->cells[kind];
		bool unnamed = kind == CELL_NAME && row->unnamed;

		if (cell->len) {
			/* A reason is not aligned: it directly follows the last cell. */
			pad(text, kind == CELL_REASON ? 2 : blanks);
			paint(annotated, text, unnamed ? colors[CELL_REASON] : colors[kind],
				annotated->cells.data + cell->at, cell->len);
			blanks = 0;
		}
		if (is_alone(row) || (!cell->len && !widths[kind]))
			continue;
		blanks += (widths[kind] > cell->width ? widths[kind] - cell->width : 0) + 2;
	}
	text_add_char(text, '\n');
}

static void add_time(struct text *line, const char *word, uint64_t time)
{
	text_printf(
		line, "%s%" PRIu64 ".%09" PRIu64 "  ", word, time / 1000000000, time % 1000000000);
}

/*
 * Adds the known parts of the header, separated by two blanks. Omits a weight of 1. LAST: time of
 * the last merged sample.
 */
static void add_header(const struct annotated *annotated, const struct sample *sample,
	uint64_t last, struct text *text)
{
	auto_text struct text header = {};
	struct text *line = &header;
	if (sample->comm && *sample->comm)
		text_printf_escaped(line, "%s  ", sample->comm);
	if (sample->pid >= 0)
		text_printf(line, "pid %" PRId64 "  ", sample->pid);
	if (sample->tid >= 0)
		text_printf(line, "tid %" PRId64 "  ", sample->tid);
	if (sample->weight != 1)
		text_printf(line, "weight %" PRIu64 "  ", sample->weight);
	if (sample->time)
		add_time(line, "time ", sample->time);
	if (last > sample->time)
		add_time(line, "to ", last);
	if (!line->len)
		return;
	paint(annotated, text, "1", line->data, line->len - 2);
	text_add_char(text, '\n');
}

/* Paints N ROWS. SAMPLE: for the header, NULL for none. LAST: time of the last merged sample. */
static void paint_block(const struct annotated *annotated, const struct sample *sample,
	uint64_t last, const struct frame_row *rows, size_t n, struct text *text)
{
	size_t widths[CELL_COUNT] = {}, number = 0, indent = 0;

	if (sample)
		add_header(annotated, sample, last, text);
	/* each column is as wide as its widest cell that is not wider than width_max */
	array_each(row, rows, n) {
		for (size_t kind = 0; kind < CELL_COUNT; kind++) {
			size_t width = row->cells[kind].width;

			if (width > widths[kind] && width <= width_max[kind])
				widths[kind] = width;
		}
		if (sample && !is_alone(row))
			indent = NUMBER_WIDTH + 4;
	}
	/* where names begin, and the notes below them */
	if (widths[CELL_ADDRESS])
		indent += widths[CELL_ADDRESS] + 2;
	array_each(row, rows, n) {
		bool alone = is_alone(row);

		if (sample && !alone) { /* "  #12   " */
			char digits[24];
			int len = snprintf(digits, sizeof(digits), "#%zu", number++);

			pad(text, 2);
			paint(annotated, text, "2", digits, (size_t)len);
			pad(text, (len < NUMBER_WIDTH ? (size_t)(NUMBER_WIDTH - len) : 0) + 2);
		}
		paint_row(annotated, row, widths, alone ? indent : 0, text);
	}
	if (!n)
		text_add_string(text, "  (no stack)\n");
}

/* ---- merged blocks -------------------------------------------------------------------------- */

/* Adds SAMPLE as a block of the locations whose runs are in `exact` and `common`. */
static void add_block(struct annotated *annotated, const struct sample *sample)
{
	const uint32_t *exact = annotated->exact.data, *common = annotated->common.data;
	const size_t n = annotated->exact.len;
	struct text *key = &annotated->raw;

	text_clear(key);
	text_printf(key, "%" PRId64 " %s", sample->pid, sample->comm ?: "");
	text_add(key, "", 1);
	text_add(key, (const char *)common, n * sizeof(*common));
	uint64_t number = table_number(&annotated->block_numbers, key->data, key->len);
	if (number > annotated->blocks.len) {
		struct block new = {.n = n,
			.pid = sample->pid,
			.tid = sample->tid,
			.first = sample->time,
			.last = sample->time,
			.number = annotated->blocks.len};

		new.runs = arena_alloc(&annotated->memory, n * sizeof(*new.runs) + 1);
		memcpy(new.runs, exact, n * sizeof(*new.runs));
		if (sample->comm)
			new.comm = arena_string(&annotated->memory, sample->comm);
		vec_push(&annotated->blocks, new);
	}
	struct block *block = &annotated->blocks.data[number - 1];
	if (block->tid != sample->tid)
		block->tid = -1;
	if (!sample->time || !block->first) {
		block->first = block->last = 0;
	} else {
		block->first = sample->time < block->first ? sample->time : block->first;
		block->last = sample->time > block->last ? sample->time : block->last;
	}
	for (size_t i = 0; i < n; i++)
		if (block->runs[i] != exact[i])
			block->runs[i] = common[i];
	weight_add(&block->weight, sample->weight);
}

COMPARE(compare_blocks, struct block,
	order_of(b->weight, a->weight) ?: order_of(a->number, b->number))

static void annotated_trace(void *state, const struct trace *trace, struct text *text)
{
	struct annotated *annotated = state;
	const struct sample *sample = trace->sample;
	const struct stack *user = &sample->user, *kernel = &sample->kernel;
	/* a single address to look up, not a stack */
	bool lookup = (user->exact && user->depth == 1 && kernel->state == STACK_ABSENT) ||
		      (kernel->exact && kernel->depth == 1 && user->state == STACK_ABSENT);

	clear_rows(annotated);
	annotated->exact.len = annotated->common.len = 0;
	add_side(annotated, trace, true);
	add_side(annotated, trace, false);
	if (annotated->options.merge) {
		add_block(annotated, sample);
		return;
	}
	if (annotated->begun && !lookup)
		text_add_char(text, '\n');
	paint_block(annotated, lookup ? NULL : sample, sample->time, annotated->rows.data,
		annotated->rows.len, text);
	annotated->begun = true;
}

static size_t annotated_pieces(void *state)
{
	struct annotated *annotated = state;

	vec_sort(&annotated->blocks, compare_blocks);
	return annotated->blocks.len + (annotated->remarks.len > 0);
}

static void annotated_piece(const void *state, size_t i, struct text *text)
{
	const struct annotated *annotated = state;

	if (i == annotated->blocks.len) {
		text_printf(text, "\n%s", annotated->remarks.data);
		return;
	}
	const struct block *merged = &annotated->blocks.data[i];
	struct VEC(struct frame_row) rows = {};
	const struct sample sample = {.comm = merged->comm,
		.pid = merged->pid,
		.tid = merged->tid,
		.weight = merged->weight,
		.time = merged->first};

	array_each(run_number, merged->runs, merged->n) {
		const struct row_run *run = &annotated->runs.data[*run_number];

		vec_append(&rows, annotated->rows.data + run->first, run->n);
	}
	if (i)
		text_add_char(text, '\n');
	paint_block(annotated, &sample, merged->last, rows.data, rows.len, text);
	vec_deinit(&rows);
}

const struct format annotated_format = {
	annotated_create, annotated_destroy, annotated_trace, annotated_pieces, annotated_piece};
