// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/gopclntab.h"

#include <stdlib.h>
#include <string.h>

#include "debug/dwarf/cursor.h"
#include "debug/go_layout.h"
#include "debug/image_words.h"
#include "util/xalloc.h"

/*
 * A chain of more inlined calls is broken, and so is a table whose programs take more steps for
 * one address.
 */
enum { CHAIN_MAX = 128, STEPS_MAX = 1 << 17 };
enum { PCDATA_INLINED = 2, FUNCDATA_INLINED = 3 };

struct gopclntab {
	struct image_words words;
	struct go_layout layout;
	bool inlines, lines;
	size_t steps; /* that programs may still take for this address */
};

/* A function's own record (runtime._func). */
struct record {
	struct slice bytes; /* from its start on */
	uint64_t entry;
	uint32_t names, files, lines, n_pcdata, unit; /* offsets into the parts of the table */
	size_t pcdata_at; /* offset in BYTES of the numbers of pcdata, then funcdata */
	uint8_t n_funcdata;
};

struct gopclntab *gopclntab_create(
	const struct elf_image *image, const struct debug_options *options)
{
	if (image->ehdr.e_ident[EI_DATA] != ELFDATA2LSB || image->ehdr.e_type == ET_REL)
		return NULL;
	struct gopclntab *table = xcalloc(1, sizeof(*table));
	image_words_init(&table->words, image);
	table->inlines = options->inlines;
	table->lines = options->lines;
	if (go_layout_find(&table->words, &table->layout))
		return table;
	gopclntab_destroy(table);
	return NULL;
}

void gopclntab_destroy(struct gopclntab *table)
{
	if (!table)
		return;
	image_words_deinit(&table->words);
	free(table);
}

/* Bytes of an entry of the table of functions: an address or offset, and an offset. */
static unsigned field_size(const struct gopclntab *table)
{
	return table->layout.version >= GO_1_18 ? 4 : table->layout.word;
}

/* Where the table of functions begins in the part FUNCTIONS. */
static unsigned functions_begin(const struct gopclntab *table)
{
	return table->layout.version == GO_1_2 ? 8 + table->layout.word : 0;
}

/* The address where function INDEX begins; that of n_functions is the end of the last. */
static bool function_entry(const struct gopclntab *table, uint64_t index, uint64_t *ret)
{
	const struct go_layout *layout = &table->layout;
	uint64_t at = functions_begin(table) + 2 * index * field_size(table);

	if (layout->version < GO_1_18)
		return image_word_at(
			&table->words, layout->address + layout->functions_at + at, ret);
	struct cursor cursor = cursor_at(layout->functions, at);
	uint32_t offset = cursor_u32(&cursor);
	if (!cursor.failed)
		*ret = layout->text + offset;
	return !cursor.failed;
}

/* The last function that begins at or below ADDRESS; false: ADDRESS is before or behind all. */
static bool search(const struct gopclntab *table, uint64_t address, uint64_t *index_ret)
{
	uint64_t low = 0, high = table->layout.n_functions, entry, end;

	if (!function_entry(table, high, &end) || address >= end)
		return false;
	while (low < high) {
		uint64_t middle = low + (high - low) / 2;

		if (!function_entry(table, middle, &entry))
			return false;
		if (entry <= address)
			low = middle + 1;
		else
			high = middle;
	}
	*index_ret = low - 1;
	return low;
}

static bool read_record(const struct gopclntab *table, uint64_t index, struct record *ret)
{
	const struct go_layout *layout = &table->layout;
	unsigned size = field_size(table);
	struct cursor cursor =
		cursor_at(layout->functions, functions_begin(table) + (2 * index + 1) * size);
	uint64_t at = cursor_number(&cursor, size);
	struct record record = {};

	cursor = cursor_at(layout->functions, at);
	if (cursor.failed || !function_entry(table, index, &record.entry))
		return false;
	record.bytes = (struct slice){cursor.at, cursor_left(&cursor)};
	cursor_skip(&cursor, size);
	record.names = cursor_u32(&cursor);
	cursor_skip(&cursor, 3 * 4); /* args, deferreturn, pcsp */
	record.files = cursor_u32(&cursor);
	record.lines = cursor_u32(&cursor);
	record.n_pcdata = cursor_u32(&cursor);
	record.unit = layout->version >= GO_1_16 ? cursor_u32(&cursor) : 0;
	cursor_skip(&cursor, layout->version >= GO_1_20 ? 4 + 3 : 3); /* startLine, funcID … */
	record.n_funcdata = cursor_u8(&cursor);
	record.pcdata_at = (size_t)(cursor.at - record.bytes.data);
	if (!cursor.failed)
		*ret = record;
	return !cursor.failed;
}

/*
 * Runs the program at OFFSET, which is pairs of differences of a value and of an address, up to
 * ADDRESS. -1: it has no value there.
 */
static int32_t value_at(struct gopclntab *table, const struct record *record, uint32_t offset,
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

static const char *function_name(const struct gopclntab *table, uint32_t offset)
{
	return string_at(table->layout.names, offset);
}

/* The path of file NUMBER, as the unit of RECORD counts them. NULL: there is none. */
static const char *file_name(
	const struct gopclntab *table, const struct record *record, int32_t number)
{
	const struct go_layout *layout = &table->layout;
	bool old = layout->version == GO_1_2;
	uint64_t index = (uint64_t)(uint32_t)number + (old ? 0 : record->unit);
	struct cursor cursor = cursor_at(old ? layout->files : layout->units, index * 4);
	uint32_t offset = cursor_u32(&cursor);

	if (number < 0 || cursor.failed || offset == UINT32_MAX)
		return NULL;
	return string_at(old ? layout->table : layout->files, offset);
}

static void set_line(struct gopclntab *table, const struct record *record,
	uint64_t address, struct frame *frame)
{
	int32_t file = value_at(table, record, record->files, address);
	int32_t line = value_at(table, record, record->lines, address);

	frame->file = file_name(table, record, file);
	frame->line = frame->file && line > 0 ? (uint32_t)line : 0;
}

/* Where the inlined calls of RECORD are described; false: there are none. */
static bool inlined_calls(
	const struct gopclntab *table, const struct record *record, struct slice *ret)
{
	struct cursor cursor = cursor_at(record->bytes,
		record->pcdata_at + 4 * ((uint64_t)record->n_pcdata + FUNCDATA_INLINED));
	uint32_t offset = cursor_u32(&cursor);

	if (!table->inlines || !table->layout.gofunc || cursor.failed ||
		record->n_pcdata <= PCDATA_INLINED || record->n_funcdata <= FUNCDATA_INLINED ||
		offset == UINT32_MAX)
		return false;
	*ret = image_bytes(table->words.image, table->layout.gofunc + offset);
	return ret->len;
}

static int32_t inlined_index(
	struct gopclntab *table, const struct record *record, uint64_t address)
{
	struct cursor cursor =
		cursor_at(record->bytes, record->pcdata_at + 4 * (uint64_t)PCDATA_INLINED);

	return value_at(table, record, cursor_u32(&cursor), address);
}

/* An inlined call (runtime.inlinedCall). */
struct call {
	const char *name;    /* of the function that was inlined */
	const char *file;    /* where it was called; NULL: unknown */
	uint32_t line;
	int32_t parent;      /* the call that holds this one, -1: none */
	uint64_t parent_pc;  /* an address whose line is the call's */
};

static bool read_call_1_18(const struct gopclntab *table, const struct record *record,
	struct slice calls, int32_t index, struct call *ret)
{
	struct cursor cursor = cursor_at(calls, (uint64_t)index * 20);
	struct call call = {.parent = (int16_t)cursor_u16(&cursor)};

	cursor_skip(&cursor, 2); /* funcID, padding */
	int32_t file = (int32_t)cursor_u32(&cursor);
	int32_t line = (int32_t)cursor_u32(&cursor);
	call.name = function_name(table, cursor_u32(&cursor));
	if (cursor.failed || !call.name)
		return false;
	call.file = file_name(table, record, file);
	call.line = call.file && line > 0 ? (uint32_t)line : 0;
	*ret = call;
	return true;
}

static bool read_call_1_20(struct gopclntab *table, const struct record *record,
	struct slice calls, int32_t index, struct call *ret)
{
	struct cursor cursor = cursor_at(calls, (uint64_t)index * 16);
	struct call call = {};
	struct frame frame = {};

	cursor_skip(&cursor, 4); /* funcID, padding */
	call.name = function_name(table, cursor_u32(&cursor));
	call.parent_pc = record->entry + cursor_u32(&cursor);
	if (cursor.failed || !call.name)
		return false;
	set_line(table, record, call.parent_pc, &frame);
	call.file = frame.file;
	call.line = frame.line;
	call.parent = inlined_index(table, record, call.parent_pc);
	*ret = call;
	return true;
}

/* The inlined calls at ADDRESS, innermost first; returns how many. */
static size_t read_chain(struct gopclntab *table, const struct record *record,
	uint64_t address, struct call chain[CHAIN_MAX])
{
	struct slice calls;
	size_t n = 0;

	if (!inlined_calls(table, record, &calls))
		return 0;
	int32_t index = inlined_index(table, record, address);
	for (; index >= 0 && n < CHAIN_MAX; index = chain[n++].parent) {
		bool good = table->layout.version >= GO_1_20
				    ? read_call_1_20(table, record, calls, index, &chain[n])
				    : read_call_1_18(table, record, calls, index, &chain[n]);

		/* Part of a chain would name the wrong callers. */
		if (!good)
			return 0;
	}
	return index >= 0 ? 0 : n;
}

bool gopclntab_find(struct gopclntab *table, uint64_t address, struct arena *frames,
	struct libdw_answer *ret)
{
	struct record record;
	struct call chain[CHAIN_MAX];
	uint64_t index;

	table->steps = STEPS_MAX;
	if (!search(table, address, &index) || !read_record(table, index, &record))
		return false;
	const char *name = function_name(table, record.names);
	if (!name)
		return false;
	size_t n = read_chain(table, &record, address, chain);
	struct frame *all = arena_alloc(frames, (n + 1) * sizeof(*all));
	memset(all, 0, (n + 1) * sizeof(*all));
	if (table->lines)
		set_line(table, &record, address, &all[0]);
	for (size_t i = 0; i < n; i++) {
		all[i].function = chain[i].name;
		all[i].inlined = true;
		if (!table->lines)
			continue;
		all[i + 1].file = chain[i].file;
		all[i + 1].line = chain[i].line;
	}
	all[n].function = name;
	*ret = (struct libdw_answer){
		.frames = all, .n_frames = n + 1, .has_function = true, .entry = record.entry};
	return true;
}
