// SPDX-License-Identifier: GPL-2.0-or-later
#include "input/lists/lines.h"

#include <stdlib.h>

#include "input/processes.h"
#include "input/text/patterns.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/xalloc.h"

#define BARE_DIGITS_MIN 5 /* of an address without 0x */
#define BUILD_ID_DIGITS_MIN 16
#define FILE_FRAMES_MAX 4096 /* limit on frames of a stack with one frame per line */
#define SHOWN_MAX 60	     /* limit on quoted bytes of a line */
#define WARNINGS_MAX 8	     /* limit on quoted lines; the others are counted */

struct line_reader {
	const struct input_options *options;
	struct log *log;
	struct collector *collector;
	struct id_table table;
	struct VEC(struct scan) words;
	struct slots slots; /* scratch: slots of the current line */
	int warnings;
	struct file_list files;
	/* owned: position of the first line of the open stack in FILES; NULL if none is open */
	char *files_position;
};

struct error *line_reader_create(const struct input_options *options, struct log *log,
	struct collector *collector, struct line_reader **ret)
{
	scope_guard(line_reader_cleanup) struct line_reader *reader = xnew(reader);

	reader->options = options;
	reader->log = log;
	reader->collector = collector;
	if (options->columns)
		try(id_table_columns(&reader->table, options->columns, options->key_fields));
	*ret = take(reader);
	return NULL;
}

void line_reader_destroy(struct line_reader *reader)
{
	if (!reader)
		return;
	id_table_deinit(&reader->table);
	vec_deinit(&reader->words);
	slots_deinit(&reader->slots);
	file_list_deinit(&reader->files);
	free(reader->files_position);
	free(reader);
}

static void not_understood(
	struct line_reader *reader, struct scan line, const char *position, const char *remedy)
{
	struct text shown = {};
	size_t len = scan_left(&line);

	collector_no_counts(reader->collector, position, INPUT_ANY);
	collector_refuse(reader->collector);
	if (reader->warnings++ >= WARNINGS_MAX) {
		log_add(reader->log, LOG_WARNING, 1, "another line was not understood");
		return;
	}
	text_add_escaped(&shown, line.at, len < SHOWN_MAX ? len : SHOWN_MAX);
	log_add(reader->log, LOG_WARNING, 1, "%s: not understood: '%s%s'; %s", position, shown.data,
		len > SHOWN_MAX ? "…" : "", remedy);
	text_deinit(&shown);
}

static void split_words(struct line_reader *reader, struct scan line)
{
	reader->words.len = 0;
	while (line.at < line.end) {
		struct scan word = line;

		while (line.at < line.end && !line_separator(*line.at))
			line.at++;
		word.end = line.at;
		if (word.end > word.at)
			vec_push(&reader->words, word);
		if (line.at < line.end)
			line.at++;
	}
}

static bool has_prefix(struct scan word)
{
	return scan_starts(word, "0x") || scan_starts(word, "0X");
}

/* Reads a word of hex digits, with or without 0x. RET may change on failure. */
static bool word_hex(struct scan word, uint64_t *ret)
{
	if (has_prefix(word))
		word.at += 2;
	return scan_all_hex(word, ret);
}

static bool is_decimal(struct scan word)
{
	uint64_t number;

	return scan_all_decimal(word, &number);
}

/*
 * Reads a build ID, hex of at least 8 bytes. 16 digits may also be an address: they are one if it
 * is in the kernel's half, or if its upper 16 bits are 0.
 */
static bool word_build_id(struct scan word, struct build_id *ret)
{
	uint64_t number;
	size_t len = scan_left(&word);

	if (len < BUILD_ID_DIGITS_MIN || len > (size_t)2 * BUILD_ID_MAX)
		return false;
	if (len == 16 && word_hex(word, &number) &&
		(address_side(number) == SIDE_KERNEL || number >> 48 == 0))
		return false;
	return build_id_parse(word.at, len, ret);
}

/* Reads `BUILDID OFFSET`, or words that are BUILDID+OFFSET (at least one) or 0x addresses. */
static bool parse_places(struct line_reader *reader)
{
	struct slots *slots = &reader->slots;
	struct stack_origin origin = {}, none = {};
	struct scan id;
	uint64_t value;
	bool any = false;

	if (reader->words.len == 2 && word_build_id(reader->words.data[0], &origin.build_id) &&
		word_hex(reader->words.data[1], &value)) {
		slots_add(slots, value, origin);
		return true;
	}
	vec_each_value(word, &reader->words) {
		struct scan offset = word;

		if (scan_to(&offset, '+', &id) && word_build_id(id, &origin.build_id) &&
			word_hex(offset, &value)) {
			slots_add(slots, value, origin);
			any = true;
		} else if (has_prefix(word) && word_hex(word, &value)) {
			slots_add(slots, value, none);
		} else {
			return false;
		}
	}
	return any;
}

/*
 * Reads the words from FROM on as addresses: they have 0x, or too many digits for a count or an ID,
 * unless ANY_HEX is set. Returns false for a line of 5-digit decimal numbers only, which are more
 * likely stack IDs.
 */
static bool parse_addresses(struct line_reader *reader, size_t from, bool any_hex)
{
	bool sure = any_hex;
	uint64_t value;

	slots_clear(&reader->slots);
	for (size_t i = from; i < reader->words.len; i++) {
		struct scan word = reader->words.data[i];
		size_t len = scan_left(&word);

		if ((!any_hex && !has_prefix(word) && len < BARE_DIGITS_MIN) ||
			!word_hex(word, &value))
			return false;
		sure |= len > BARE_DIGITS_MIN || !is_decimal(word);
		vec_push(&reader->slots.values, value);
	}
	return sure && reader->slots.values.len;
}

static bool all_kernel(const struct line_reader *reader)
{
	const uint64_t *values = reader->slots.values.data;

	for (size_t i = 0; i < reader->slots.values.len; i++)
		if (address_side_in(&reader->options->halves, values[i]) != SIDE_KERNEL)
			return false;
	return true;
}

/* Adds the stack in SLOTS, whose values are addresses of SIDE unless some are in files. */
static struct error *give(struct line_reader *reader, const struct slots *slots, int64_t pid,
	enum address_side side, const char *position)
{
	struct sample sample = {.pid = pid, .tid = -1, .weight = 1, .position = position};
	scope_guard(arena_deinit) struct arena memory = {};
	size_t n = slots->values.len;

	/* zeros after the last address are no frames, but offsets may be 0 */
	if (!slots->in_files)
		n = address_trim(slots->values.data, n);
	const struct stack stack = slots_stack(slots, n);
	address_split(
		&memory, &reader->options->halves, &stack, side, &sample.user, &sample.kernel);
	return collector_sample(reader->collector, &sample);
}

static struct error *give_bare(struct line_reader *reader, const char *position)
{
	const struct input_options *options = reader->options;

	return give(reader, &reader->slots, options->pid,
		options->bare == INPUT_BARE_USER     ? SIDE_USER
		: options->bare == INPUT_BARE_KERNEL ? SIDE_KERNEL
						     : SIDE_UNKNOWN,
		position);
}

/* Adds the stack in FILES, if there is one. */
static struct error *give_files(struct line_reader *reader, const char *position)
{
	const struct slots *slots = &reader->files.slots;

	if (!slots->values.len)
		return NULL;
	struct error *error = give(reader, slots, reader->options->pid, SIDE_UNKNOWN, position);
	file_list_clear(&reader->files);
	return error;
}

/* Ends a stack with one frame per line. */
static struct error *end_files(struct line_reader *reader)
{
	auto_free char *position = take(reader->files_position);

	return position ? give_files(reader, position) : NULL;
}

/* Reads a line of a list of files and offsets. USED_RET: LINE is one. */
static struct error *read_files(
	struct line_reader *reader, struct scan line, const char *position, bool *used_ret)
{
	struct file_list *files = &reader->files;
	size_t before = files->slots.values.len, n;

	*used_ret = true;
	if (before >= FILE_FRAMES_MAX) {
		log_add(reader->log, LOG_WARNING, 1,
			"%s: a stack of more than %d frames: the rest, towards its root, "
			"becomes a separate stack",
			position, FILE_FRAMES_MAX);
		before = 0;
		try(end_files(reader));
	}
	if (reader->files_position && file_list_address(files, line))
		return NULL;
	n = file_list_line(files, line);
	*used_ret = n > 0;
	if (n == 1 && !reader->files_position)
		reader->files_position = xstrdup(position);
	if (n < 2)
		return NULL;
	/* several frames in one line are a stack of their own, so end the open one first */
	files->slots.values.len = files->slots.origins.len = before;
	try(end_files(reader));
	file_list_clear(files);
	(void)file_list_line(files, line);
	return give_files(reader, position);
}

static const char *remedy(struct line_reader *reader)
{
	size_t numbers = 0;

	if (parse_addresses(reader, 0, false))
		return "it is unknown what the address belongs to: pass -p PID, -e FILE or -k, "
		       "or write PID ADDR…";
	vec_each_value(word, &reader->words) {
		scan_char(&word, '-');
		numbers += is_decimal(word);
	}
	if (numbers >= 2 && numbers + 1 >= reader->words.len)
		return "if these are stack IDs, name the columns: "
		       "--columns pid,kernel,user,count,comm";
	return "expected a bpftool dump, what bpftrace, perf script, bcc, libbpf-tools or "
	       "Inspektor Gadget print, a table with a header line (or --columns), PID ADDR…, BUILDID OFFSET, or "
	       "PATH+0xOFFSET; to name the frames in a log or report: --filter";
}

static struct error *read_addresses(
	struct line_reader *reader, struct scan line, const char *position)
{
	const struct input_options *options = reader->options;
	uint64_t pid;
	bool used;

	try(read_files(reader, line, position, &used));
	if (used)
		return NULL;
	try(end_files(reader));
	split_words(reader, line);
	slots_clear(&reader->slots);
	if (parse_places(reader))
		return give(reader, &reader->slots, options->pid, SIDE_UNKNOWN, position);
	if (options->bare != INPUT_BARE_NOTHING && parse_addresses(reader, 0, true))
		return give_bare(reader, position);
	if (reader->words.len > 1 && scan_all_decimal(reader->words.data[0], &pid) &&
		pid <= PROCESS_ID_MAX && parse_addresses(reader, 1, false))
		return give(reader, &reader->slots, (int64_t)pid, SIDE_UNKNOWN, position);
	if (parse_addresses(reader, 0, false) && (options->pid >= 0 || all_kernel(reader)))
		return give_bare(reader, position);
	not_understood(reader, line, position, remedy(reader));
	return NULL;
}

struct error *line_reader_line(
	struct line_reader *reader, const char *line, size_t len, const char *position)
{
	struct field fields[ID_TABLE_COLUMNS_MAX];
	struct scan rest = {line, line + len};

	while (rest.end > rest.at && (rest.end[-1] == '\r' || rest.end[-1] == ' '))
		rest.end--;
	scan_blanks(&rest);
	if (rest.at == rest.end)
		return end_files(reader);
	if (*rest.at == '#')
		return NULL;
	if (reader->table.columns.len) {
		const struct row row = {fields, id_table_row(&reader->table, rest, fields)};

		if (row.n)
			return collector_row(reader->collector, &row, position);
		if (!id_table_header(&reader->table, rest))
			not_understood(reader, rest, position,
				"expected one cell per column, with numbers in all but comm");
		return NULL;
	}
	if (id_table_header(&reader->table, rest)) {
		/* until rows follow, the counts of this table are missing */
		collector_no_counts(reader->collector, position, INPUT_ANY);
		return NULL;
	}
	return read_addresses(reader, rest, position);
}

struct error *line_reader_end(struct line_reader *reader)
{
	/* all of it may be the text of another tool, whose addresses are no list */
	if (reader->warnings && patterns_missing())
		return error_create(
			ERROR_INPUT, "text that is not understood: %s", patterns_missing());
	return end_files(reader);
}
