// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/go/gopclntab.h"

#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/cursor.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Limits on broken tables: inlined calls in a chain, and program steps for one address. */
enum { CHAIN_MAX = 128, STEPS_MAX = 1 << 17 };
/* more funcdata than a function of any Go version has */
enum { FUNCDATA_MAX = 16 };

/* The table's record of a function (runtime._func). */
struct func_record {
	struct slice bytes; /* from the record's start to the end of the table */
	uint64_t entry;
	/* Offsets into parts of the table; N_PCDATA is a count, UNIT an index. */
	uint32_t names, files, lines, n_pcdata, unit;
	size_t pcdata_at; /* offset in BYTES of the pcdata offsets, which funcdata follow */
	uint32_t n_funcdata;
	uint8_t flags; /* FLAG_…, since Go 1.17 */
	bool wide;     /* N_FUNCDATA was a whole word (before Go 1.12) */
};

/* runtime.funcFlag: outermost function of a stack; function that writes the stack pointer */
enum { FLAG_TOP_FRAME = 1, FLAG_WRITES_SP = 2 };

struct gopclntab *gopclntab_create(
	const struct elf_image *image, const struct debug_options *options)
{
	if (elf_image_is_big(image) || elf_image_is_relocatable(image))
		return NULL;
	struct gopclntab *table = xnew(table);
	image_words_init(&table->words, image);
	table->inlines = options->inlines;
	if (go_layout_find(&table->words, &table->layout))
		return table;
	gopclntab_destroy(table);
	return NULL;
}

void gopclntab_destroy(struct gopclntab *table)
{
	if (!table)
		return;
	vec_deinit(&table->words);
	free(table);
}

struct slice gopclntab_names(const struct gopclntab *table)
{
	const struct slice names = table->layout.names, units = table->layout.units;

	if (table->layout.version < GO_1_16 || units.data < names.data ||
		units.data > names.data + names.len)
		return (struct slice){};
	return (struct slice){names.data, (size_t)(units.data - names.data), false};
}

/*
 * Reads the entry point of function INDEX (ELF address). Index n_functions gives the end of the
 * last function. Returns false if the table is too short.
 */
static bool function_entry(const struct gopclntab *table, uint64_t index, uint64_t *ret)
{
	const struct go_layout *layout = &table->layout;
	uint64_t at = layout->first + 2 * index * layout->field;

	if (layout->version < GO_1_18)
		return image_word_at(
			&table->words, layout->address + layout->functions_at + at, ret);
	struct cursor cursor = cursor_at(layout->functions, at);
	uint32_t offset = cursor_u32(&cursor);
	if (!cursor.failed)
		*ret = layout->text + offset;
	return !cursor.failed;
}

/*
 * Finds the function that covers ADDRESS. Returns false if ADDRESS is before the first or after the
 * last function, or if the table is too short.
 */
static bool find_record(const struct gopclntab *table, uint64_t address, struct func_record *ret)
{
	const struct go_layout *layout = &table->layout;
	uint64_t n = layout->n_functions, entry, end;

	if (!function_entry(table, n, &end) || address >= end)
		return false;
	n = partition_point(i, 0, n, function_entry(table, i, &entry) && entry <= address);
	if (!n)
		return false;
	uint64_t index = n - 1;
	struct cursor cursor =
		cursor_at(layout->functions, layout->first + (2 * index + 1) * layout->field);
	uint64_t at = cursor_number(&cursor, layout->field);
	struct func_record record = {};

	cursor = cursor_at(layout->functions, at);
	if (cursor.failed || !function_entry(table, index, &record.entry))
		return false;
	record.bytes = (struct slice){cursor.at, cursor_left(&cursor), false};
	cursor_skip(&cursor, layout->field);
	record.names = cursor_u32(&cursor);
	cursor_skip(&cursor, 3 * 4); /* args, deferreturn, pcsp */
	record.files = cursor_u32(&cursor);
	record.lines = cursor_u32(&cursor);
	record.n_pcdata = cursor_u32(&cursor);
	record.unit = layout->version >= GO_1_16 ? cursor_u32(&cursor) : 0;
	cursor_skip(&cursor, layout->version >= GO_1_20 ? 4 : 0); /* startLine */
	/*
	 * Since Go 1.12 the number of funcdata is the last byte, after funcID and flags. A function
	 * of Go 1.12 to 1.15 without funcdata looks like an older one here; the pointers that it
	 * then seems to have fail the checks of form_of().
	 */
	uint32_t number = cursor_u32(&cursor);
	record.wide = layout->version == GO_1_2 && number <= FUNCDATA_MAX;
	record.n_funcdata = record.wide ? number : number >> 24;
	record.flags = record.wide ? 0 : (uint8_t)(number >> 8);
	record.pcdata_at = (size_t)(cursor.at - record.bytes.data);
	if (!cursor.failed)
		*ret = record;
	return !cursor.failed;
}

/*
 * Returns the value at ADDRESS of the program at OFFSET, -1 if there is none. A program is a
 * sequence of pairs: difference of the value, difference of the address.
 */
static int32_t value_at(struct gopclntab *table, const struct func_record *record, uint32_t offset,
	uint64_t address)
{
	struct cursor cursor = cursor_at(table->layout.programs, offset);
	uint64_t pc = record->entry;
	uint32_t value = UINT32_MAX;

	for (bool first = true; offset && table->steps && !cursor.failed; first = false) {
		uint32_t delta = (uint32_t)cursor_uleb(&cursor);

		table->steps--;
		if (!delta && !first)
			break;
		value += delta & 1 ? ~(delta >> 1) : delta >> 1;
		pc += cursor_uleb(&cursor) * table->layout.quantum;
		if (address < pc)
			return cursor.failed ? -1 : (int32_t)value;
	}
	return -1;
}

static const char *string_at(struct slice strings, uint64_t offset)
{
	struct cursor cursor = cursor_at(strings, offset);
	const char *s = cursor_string(&cursor);

	return cursor.failed || !*s ? NULL : s;
}

/* Returns the path of file NUMBER in RECORD's unit, NULL if there is none. */
static const char *file_name(
	const struct gopclntab *table, const struct func_record *record, int32_t number)
{
	const struct go_layout *layout = &table->layout;
	bool old = layout->version == GO_1_2; /* files count from 1, after their number */
	uint64_t index = (uint64_t)(uint32_t)number + (old ? 0 : record->unit);
	struct cursor cursor = cursor_at(old ? layout->files : layout->units, index * 4);
	uint32_t offset = cursor_u32(&cursor);

	if (number < (old ? 1 : 0) || cursor.failed || offset == UINT32_MAX)
		return NULL;
	return string_at(old ? layout->table : layout->files, offset);
}

static void set_line(struct gopclntab *table, const struct func_record *record, uint64_t address,
	struct frame *frame)
{
	int32_t file = value_at(table, record, record->files, address);
	int32_t line = value_at(table, record, record->lines, address);

	frame->file = file_name(table, record, file);
	frame->line = frame->file && line > 0 ? (uint32_t)line : 0;
}

/* Formats of an inlined call (runtime.inlinedCall). */
enum call_form {
	CALL_NONE,
	CALL_1_9,  /* parent, file, line, name */
	CALL_1_12, /* parent (16 bits), funcID, 0; file, line, name, parentPc */
	CALL_1_20, /* funcID, 0; name, parentPc, startLine */
};

static const unsigned call_sizes[] = {[CALL_1_9] = 16, [CALL_1_12] = 20, [CALL_1_20] = 16};

struct calls {
	enum call_form form;
	struct slice bytes;
	unsigned pcdata; /* index of the program that gives the innermost call at an address */
};

/* Returns the bytes from funcdata NUMBER of RECORD's function on, empty if there are none. */
static struct slice funcdata(
	const struct gopclntab *table, const struct func_record *record, unsigned number)
{
	const struct go_layout *layout = &table->layout;
	uint64_t at = record->pcdata_at + 4 * (uint64_t)record->n_pcdata, target;

	if (number >= record->n_funcdata)
		return (struct slice){};
	if (layout->version >= GO_1_18) {
		struct cursor cursor = cursor_at(record->bytes, at + 4 * number);
		uint32_t offset = cursor_u32(&cursor);

		if (cursor.failed || offset == UINT32_MAX || !layout->gofunc)
			return (struct slice){};
		return image_bytes(table->words.image, layout->gofunc + offset);
	}
	at += layout->address + (uint64_t)(record->bytes.data - layout->table.data);
	at = (at + layout->word - 1) / layout->word * layout->word + number * layout->word;
	if (!image_word_at(&table->words, at, &target) || !target)
		return (struct slice){};
	return image_bytes(table->words.image, target);
}

/*
 * Returns the format of the inlined calls in BYTES, CALL_NONE if BYTES hold something else. Before
 * Go 1.20 the first call is recognized by its parent, -1: other funcdata begin with a count.
 */
static enum call_form form_of(
	const struct gopclntab *table, const struct func_record *record, struct slice bytes)
{
	struct cursor cursor = cursor_at(bytes, 0);
	uint32_t first = cursor_u32(&cursor);

	if (cursor.failed)
		return CALL_NONE;
	if (table->layout.version >= GO_1_20)
		return first <= UINT8_MAX ? CALL_1_20 : CALL_NONE;
	if (table->layout.version == GO_1_2 && record->wide)
		return first == UINT32_MAX ? CALL_1_9 : CALL_NONE;
	return (first & 0xff00ffff) == UINT16_MAX ? CALL_1_12 : CALL_NONE;
}

/*
 * Returns the inlined calls of RECORD's function, with CALL_NONE if there are none or they cannot
 * be read. NUMBERS are those since Go 1.16, since Go 1.13 and since Go 1.9.
 */
static struct calls find_calls(const struct gopclntab *table, const struct func_record *record)
{
	static const struct {
		unsigned pcdata, funcdata;
	} numbers[] = {{2, 3}, {2, 4}, {1, 2}};
	bool old = table->layout.version == GO_1_2;
	struct calls calls = {.pcdata = UINT_MAX};

	for (size_t i = old ? 1 : 0; i < (old ? 3 : 1); i++) {
		calls.bytes = funcdata(table, record, numbers[i].funcdata);
		calls.form = form_of(table, record, calls.bytes);
		if (calls.form || !old)
			calls.pcdata = numbers[i].pcdata;
		if (calls.form)
			break;
	}
	return calls;
}

static int32_t inlined_index(struct gopclntab *table, const struct func_record *record,
	const struct calls *calls, uint64_t address)
{
	struct cursor cursor =
		cursor_at(record->bytes, record->pcdata_at + 4 * (uint64_t)calls->pcdata);

	if (calls->pcdata >= record->n_pcdata)
		return -1;
	return value_at(table, record, cursor_u32(&cursor), address);
}

/*
 * Reads the inlined calls at ADDRESS, innermost first: the names of their functions, and file and
 * line of the calls. A call stores its file and line, or since Go 1.20 an address that has them.
 * Returns false if one is broken: part of a chain would name the wrong callers.
 */
static bool read_chain(struct gopclntab *table, const struct func_record *record, uint64_t address,
	struct frame chain[CHAIN_MAX], size_t *n_ret)
{
	const struct calls calls = find_calls(table, record);
	int32_t index = inlined_index(table, record, &calls, address);
	size_t n = 0;

	if (index >= 0 && !calls.form)
		return false;
	for (; index >= 0 && n < CHAIN_MAX; n++) {
		struct frame *call = &chain[n];
		struct cursor cursor =
			cursor_at(calls.bytes, (uint64_t)(uint32_t)index * call_sizes[calls.form]);
		uint32_t first = cursor_u32(&cursor);

		if (calls.form == CALL_1_20) {
			call->function = string_at(table->layout.names, cursor_u32(&cursor));
			uint64_t parent_pc = record->entry + cursor_u32(&cursor);
			if (cursor.failed || !call->function)
				return false;
			set_line(table, record, parent_pc, call);
			index = inlined_index(table, record, &calls, parent_pc);
			continue;
		}
		int32_t file = (int32_t)cursor_u32(&cursor), line = (int32_t)cursor_u32(&cursor);
		call->function = string_at(table->layout.names, cursor_u32(&cursor));
		call->file = file_name(table, record, file);
		call->line = (uint32_t)line;
		int32_t parent = calls.form == CALL_1_12 ? (int16_t)first : (int32_t)first;
		/* parents precede their calls */
		if (cursor.failed || !call->function || !call->file || line < 0 || parent >= index)
			return false;
		index = parent;
	}
	*n_ret = n;
	return index < 0;
}

bool gopclntab_find(
	struct gopclntab *table, uint64_t address, struct arena *frames, struct reader_answer *ret)
{
	struct func_record record;
	struct frame chain[CHAIN_MAX];

	table->steps = STEPS_MAX;
	if (!find_record(table, address, &record))
		return false;
	const char *name = string_at(table->layout.names, record.names);
	if (!name)
		return false;
	*ret = (struct reader_answer){.has_function = true, .entry = record.entry};
	size_t n = 0;
	if (table->inlines && !read_chain(table, &record, address, chain, &n))
		ret->gap = GAP_GO;
	reader_answer_begin(ret, n + 1, frames);
	struct frame *all = ret->frames;
	set_line(table, &record, address, &all[0]);
	for (size_t i = 0; i < n; i++) {
		all[i].function = chain[i].function;
		all[i].inlined = true;
		all[i + 1].file = chain[i].file;
		all[i + 1].line = chain[i].line;
	}
	all[n].function = name;
	return true;
}

const char *gopclntab_correct_rule(
	const struct gopclntab *table, uint64_t address, struct unwind_rule *rule)
{
	/* runtime functions that have no flags before Go 1.17 */
	static const struct {
		const char *name;
		uint8_t flags;
	} known[] = {
		{"runtime.goexit", FLAG_TOP_FRAME},
		{"runtime.mstart", FLAG_TOP_FRAME},
		{"runtime.rt0_go", FLAG_TOP_FRAME},
		{"runtime.mcall", FLAG_WRITES_SP},
		{"runtime.gogo", FLAG_WRITES_SP},
		{"runtime.systemstack", FLAG_WRITES_SP},
		{"runtime.morestack", FLAG_WRITES_SP},
		{"runtime.asmcgocall", FLAG_WRITES_SP},
	};
	struct func_record record;

	if (!find_record(table, address, &record))
		return NULL;
	const char *name = string_at(table->layout.names, record.names);
	uint8_t flags = record.flags;
	for (size_t i = 0; name && i < array_len(known); i++)
		if (!strcmp(name, known[i].name))
			flags |= known[i].flags;
	if (flags & FLAG_TOP_FRAME)
		rule->ra.kind = UNWIND_UNDEFINED;
	else if (flags & FLAG_WRITES_SP)
		return "the Go runtime changes stacks here";
	return NULL;
}
