// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/sframe/sframe.h"

#include "util/number.h"
#include "util/vec.h"

enum {
	MAGIC = 0xdee2,
	HEADER_LEN = 28,
	ATTRIBUTE_LEN = 5,
	/* functions searched in an unsorted table, which only .o files have */
	UNSORTED_MAX = 1 << 16,
	/* rows of one function; version 3 stores the number in 16 bits */
	ROWS_MAX = 1 << 16,
	WORDS_MAX = 15,
	/* size of PLT stubs on AMD64 and AArch64; version 1 does not store it */
	BLOCK_DEFAULT = 16,
	/* s390x stores the CFA offset in units of 8 bytes, less the 160 bytes of the ABI */
	S390X_BIAS = 160,
	S390X_SCALE = 8,
};

/* Returns the number of SIZE bytes, at most 8, at P. */
static uint64_t number(const struct sframe *sframe, const uint8_t *p, unsigned size)
{
	return byte_order_read(p, size, sframe->big_endian);
}

static int64_t signed_number(const struct sframe *sframe, const uint8_t *p, unsigned size)
{
	uint64_t value = number(sframe, p, size), sign = 1ULL << (8 * size - 1);

	return (int64_t)((value ^ sign) - sign);
}

static unsigned function_len(const struct sframe *sframe)
{
	return sframe->version == 1 ? 17 : sframe->version == 2 ? 20 : 16;
}

/* ---- the header ---- */

const char *sframe_open(const uint8_t *bytes, size_t len, uint64_t address, struct sframe *ret)
{
	static const uint8_t flags[] = {0, SFRAME_SORTED | SFRAME_FRAME_POINTER,
		SFRAME_SORTED | SFRAME_FRAME_POINTER | SFRAME_PCREL, SFRAME_SORTED | SFRAME_PCREL};
	struct sframe sframe = {.address = address, .bytes = bytes};

	if (!len)
		return "it has no SFrame section";
	if (len < HEADER_LEN)
		return "its SFrame section is too short";
	sframe.big_endian = bytes[0] == MAGIC >> 8;
	if (number(&sframe, bytes, 2) != MAGIC)
		return "its SFrame section has no magic number";
	sframe.version = bytes[2];
	sframe.flags = bytes[3];
	sframe.from_field = sframe.flags & SFRAME_PCREL;
	sframe.abi = bytes[4];
	sframe.fixed_fp = (int8_t)bytes[5];
	sframe.fixed_ra = (int8_t)bytes[6];
	sframe.aux_len = bytes[7];
	sframe.n_functions = (uint32_t)number(&sframe, bytes + 8, 4);
	sframe.n_rows = (uint32_t)number(&sframe, bytes + 12, 4);
	sframe.rows_len = (uint32_t)number(&sframe, bytes + 16, 4);
	if (sframe.version < 1 || sframe.version > 3)
		return "its SFrame version is not known";
	if (sframe.flags & ~flags[sframe.version])
		return "its SFrame header has unknown flags";
	if (sframe.abi < SFRAME_AARCH64_BE || sframe.abi > SFRAME_S390X)
		return "its SFrame section is for an unknown machine";
	if ((sframe.abi == SFRAME_AARCH64_BE || sframe.abi == SFRAME_S390X) != sframe.big_endian)
		return "its SFrame section has the wrong byte order";
	/* offsets count from the end of the header */
	uint64_t functions = number(&sframe, bytes + 20, 4), rows = number(&sframe, bytes + 24, 4);
	size_t header_len = HEADER_LEN + sframe.aux_len, left = len - header_len;
	if (len < header_len || functions > left ||
		(uint64_t)sframe.n_functions * function_len(&sframe) > left - functions ||
		rows > left || sframe.rows_len > left - rows)
		return "its SFrame section is too short";
	sframe.functions = bytes + header_len + functions;
	sframe.rows = bytes + header_len + rows;
	*ret = sframe;
	return NULL;
}

/* ---- functions ---- */

static uint64_t function_start(const struct sframe *sframe, const uint8_t *entry)
{
	int64_t offset = signed_number(sframe, entry, sframe->version == 3 ? 8 : 4);
	uint64_t from = sframe->from_field ? (uint64_t)(entry - sframe->bytes) : 0;

	return sframe->address + from + (uint64_t)offset;
}

/* Reads the info byte, which all versions have. Returns false if the size of rows is unknown. */
static bool read_info(struct sframe_function *function, uint8_t info, uint8_t block)
{
	static const uint8_t sizes[] = {1, 2, 4};

	if ((info & 0xf) >= sizeof(sizes))
		return false;
	function->row_size = sizes[info & 0xf];
	function->key_b = info & 0x20;
	if (info & 0x10)
		function->block = block ?: BLOCK_DEFAULT;
	return true;
}

bool sframe_function(const struct sframe *sframe, uint32_t i, struct sframe_function *ret)
{
	bool good;

	if (i >= sframe->n_functions)
		return false;
	const uint8_t *entry = sframe->functions + (size_t)i * function_len(sframe);
	const uint8_t *rest = entry + (sframe->version == 3 ? 8 : 4);
	struct sframe_function function = {
		.start = function_start(sframe, entry),
		.size = (uint32_t)number(sframe, rest, 4),
		.rows = (uint32_t)number(sframe, rest + 4, 4),
	};
	if (sframe->version == 3) { /* fields that precede the rows, rather than in the index */
		if (sframe->rows_len < ATTRIBUTE_LEN ||
			function.rows > sframe->rows_len - ATTRIBUTE_LEN)
			return false;
		const uint8_t *attribute = sframe->rows + function.rows;
		function.rows += ATTRIBUTE_LEN;
		function.n_rows = (uint32_t)number(sframe, attribute, 2);
		function.signal_frame = attribute[2] & 0x80;
		function.flexible = (attribute[3] & 0x1f) == 1;
		function.unknown = (attribute[3] & 0x1f) > 1;
		good = read_info(&function, attribute[2], attribute[4]);
	} else {
		function.n_rows = (uint32_t)number(sframe, entry + 12, 4);
		good = read_info(&function, entry[16], sframe->version == 2 ? entry[17] : 0);
	}
	if (!good || function.start + function.size < function.start ||
		function.n_rows > sframe->n_rows || function.n_rows > ROWS_MAX ||
		function.rows > sframe->rows_len)
		return false;
	*ret = function;
	return true;
}

static bool holds(const struct sframe_function *function, uint64_t address)
{
	return address >= function->start && address - function->start < function->size;
}

/*
 * Finds the function that contains ADDRESS. In an unsorted table, only the first UNSORTED_MAX
 * functions are searched.
 */
static bool find_function(
	const struct sframe *sframe, uint64_t address, struct sframe_function *ret)
{
	if (!(sframe->flags & SFRAME_SORTED)) {
		for (uint32_t i = 0; i < sframe->n_functions && i < UNSORTED_MAX; i++)
			if (sframe_function(sframe, i, ret) && holds(ret, address))
				return true;
		return false;
	}
	size_t n = partition_point(i, 0, sframe->n_functions,
		function_start(sframe, sframe->functions + i * function_len(sframe)) <= address);
	return n && sframe_function(sframe, (uint32_t)n - 1, ret) && holds(ret, address);
}

/* ---- rows ---- */

/* The data words of a row. */
struct sframe_words {
	const struct sframe *sframe;
	const uint8_t *at;
	unsigned size, left; /* size of a word in bytes; words left */
};

static int64_t next_word(struct sframe_words *words)
{
	int64_t word = signed_number(words->sframe, words->at, words->size);

	words->at += words->size;
	words->left--;
	return word;
}

static int64_t cfa_offset(const struct sframe *sframe, int64_t word)
{
	return sframe->abi == SFRAME_S390X ? word * S390X_SCALE + S390X_BIAS : word;
}

/* Returns the place of a value that has no data word. */
static struct sframe_place silent(int8_t fixed)
{
	return (struct sframe_place){.kind = fixed ? SFRAME_FIXED : SFRAME_SAME};
}

/* Reads where a register was saved from the next word, unless the header has a FIXED offset. */
static struct sframe_place saved(struct sframe_words *words, int8_t fixed)
{
	struct sframe_place place = {SFRAME_PLACE, SFRAME_CFA, 0, true, 0};

	if (fixed || !words->left)
		return silent(fixed);
	place.offset = next_word(words);
	if (!place.offset)
		return (struct sframe_place){.kind = SFRAME_PADDING};
	/* version 2: the value was saved in a register, not on the stack */
	if (words->sframe->abi == SFRAME_S390X && words->sframe->version == 2 && place.offset & 1)
		place = (struct sframe_place){
			SFRAME_PLACE, SFRAME_REGISTER, (uint8_t)(place.offset >> 1), false, 0};
	return place;
}

/*
 * Reads a control word and an offset, or a single zero word. Returns false if the offset is
 * missing.
 */
static bool read_pair(struct sframe_words *words, int8_t fixed, struct sframe_place *ret)
{
	/* DWARF numbers, by ABI */
	static const uint8_t sp[] = {0, 31, 31, 7, 15}, fp[] = {0, 29, 29, 6, 11};

	*ret = silent(fixed);
	if (!words->left)
		return true;
	uint64_t control = number(words->sframe, words->at, words->size), reg = control >> 3;
	next_word(words);
	if (!control) {
		ret->kind = SFRAME_PADDING;
		return true;
	}
	if (!words->left || reg > UINT8_MAX)
		return false;
	ret->kind = SFRAME_PLACE;
	ret->base = !(control & 1)		    ? SFRAME_CFA
		    : reg == sp[words->sframe->abi] ? SFRAME_SP
		    : reg == fp[words->sframe->abi] ? SFRAME_FP
						    : SFRAME_REGISTER;
	ret->reg = (uint8_t)reg;
	ret->deref = control & 2;
	ret->offset = next_word(words);
	return true;
}

struct sframe_rows sframe_rows(const struct sframe *sframe, const struct sframe_function *function)
{
	return (struct sframe_rows){
		sframe, function, function->rows, function->unknown ? 0 : function->n_rows, false};
}

/* Returns false for rows without words in version 1, which has none. */
static bool read_row(struct sframe_rows *rows, struct sframe_row *row)
{
	static const uint8_t sizes[] = {1, 2, 4, 0};
	const struct sframe *sframe = rows->sframe;
	unsigned head = rows->function->row_size + 1U;

	if (sframe->rows_len - rows->at < head)
		return false;
	const uint8_t *at = sframe->rows + rows->at;
	uint8_t info = at[head - 1];
	struct sframe_words words = {
		sframe, at + head, sizes[info >> 5 & 3], info >> 1 & WORDS_MAX};
	unsigned len = head + words.size * words.left;
	if (!words.size || sframe->rows_len - rows->at < len)
		return false;
	rows->at += len;
	row->start = (uint32_t)number(sframe, at, rows->function->row_size);
	bool aarch64 = sframe->abi == SFRAME_AARCH64_BE || sframe->abi == SFRAME_AARCH64_LE;
	row->mangled = info & 0x80 && aarch64;
	row->outermost = !words.left;
	if (!words.left)
		return sframe->version > 1;
	if (rows->function->flexible) {
		if (!read_pair(&words, 0, &row->cfa) || row->cfa.kind != SFRAME_PLACE ||
			row->cfa.base == SFRAME_CFA)
			return false;
		row->cfa.offset = cfa_offset(sframe, row->cfa.offset);
		return read_pair(&words, sframe->fixed_ra, &row->ra) &&
		       read_pair(&words, sframe->fixed_fp, &row->fp);
	}
	row->cfa = (struct sframe_place){.kind = SFRAME_PLACE,
		.base = info & 1 ? SFRAME_SP : SFRAME_FP,
		.offset = cfa_offset(sframe, next_word(&words))};
	row->ra = saved(&words, sframe->fixed_ra);
	row->fp = saved(&words, sframe->fixed_fp);
	return true;
}

bool sframe_rows_next(struct sframe_rows *rows, struct sframe_row *ret)
{
	struct sframe_row row = {};

	if (!rows->left)
		return false;
	rows->left--;
	rows->broken = !read_row(rows, &row);
	if (rows->broken)
		rows->left = 0;
	else
		*ret = row;
	return !rows->broken;
}

/*
 * Finds the row for ADDRESS, which must be in FUNCTION, and the ELF addresses [START_RET, END_RET)
 * that it covers. Returns false if there is no row, or if the rows are broken before it.
 */
static bool find_row(const struct sframe *sframe, const struct sframe_function *function,
	uint64_t address, struct sframe_row *ret, uint64_t *start_ret, uint64_t *end_ret)
{
	struct sframe_rows rows = sframe_rows(sframe, function);
	uint64_t offset = address - function->start;
	uint64_t within = function->block ? offset % function->block : offset;
	uint64_t end = function->block ?: function->size;
	struct sframe_row row, found = {.outermost = true};
	/* in version 3, a function without rows has no caller */
	bool any = sframe->version == 3 && !function->n_rows && !function->flexible &&
		   !function->unknown;

	while (sframe_rows_next(&rows, &row)) {
		if (row.start > within) {
			end = row.start < end ? row.start : end;
			break;
		}
		/* rows must ascend */
		if (any && row.start < found.start)
			return false;
		found = row;
		any = true;
	}
	if (!any || rows.broken)
		return false;
	uint64_t origin = address - within, last = function->start + function->size;
	*ret = found;
	*start_ret = origin + found.start;
	*end_ret = end > last - origin ? last : origin + end;
	return true;
}

/* ---- rules ---- */

/*
 * Converts FROM. FIXED: offset from the CFA, in bytes, to use if the row has no place; 0 for none:
 * the value is in its register. Returns false if a rule has no such register.
 */
static bool to_place(const struct sframe_place *from, int8_t fixed,
	const struct unwind_machine *machine, struct unwind_place *ret)
{
	if (from->kind != SFRAME_PLACE) {
		*ret = (struct unwind_place){.kind = fixed ? UNWIND_MEMORY : UNWIND_SAME,
			.base = UNWIND_CFA,
			.offset = fixed};
		return true;
	}
	uint8_t base = from->base == SFRAME_SP	  ? machine->sp
		       : from->base == SFRAME_FP  ? machine->fp
		       : from->base == SFRAME_CFA ? (uint8_t)UNWIND_CFA
						  : from->reg;
	*ret = (struct unwind_place){.kind = from->deref ? UNWIND_MEMORY : UNWIND_VALUE,
		.base = base,
		.offset = from->offset};
	return base < UNWIND_REGISTERS || from->base == SFRAME_CFA;
}

const char *sframe_rule(
	const struct sframe *sframe, uint16_t machine, uint64_t address, struct unwind_rule *ret)
{
	const struct unwind_machine *known = unwind_machine(machine);
	struct unwind_rule rule = {.source = UNWIND_SFRAME, .machine = machine};
	struct sframe_function function;
	struct sframe_row row;

	if (!find_function(sframe, address, &function))
		return "its SFrame section does not cover this code";
	if (function.unknown)
		return "its SFrame section has no usable entry for this address";
	if (!find_row(sframe, &function, address, &row, &rule.start, &rule.end))
		return "its SFrame rows for this code are broken";
	rule.signal_frame = function.signal_frame;
	rule.stub = function.block;
	rule.mangled_ra = row.mangled;
	for (unsigned i = 0; i < UNWIND_REGISTERS; i++)
		rule.registers[i] = (struct unwind_place){.kind = UNWIND_UNDEFINED};
	rule.ra = rule.cfa = rule.registers[known->sp];
	if (!row.outermost) {
		rule.registers[known->sp] = (struct unwind_place){
			.kind = UNWIND_VALUE, .base = UNWIND_CFA, .offset = -known->below_cfa};
		if (!to_place(&row.cfa, 0, known, &rule.cfa) ||
			!to_place(&row.ra, sframe->fixed_ra, known, &rule.ra) ||
			!to_place(&row.fp, sframe->fixed_fp, known, &rule.registers[known->fp]))
			return "its SFrame rows have a register that is not known";
	}
	*ret = rule;
	return NULL;
}
