// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/libdw/unit.h"

#include <dwarf.h>
#include <stdlib.h>

#include "debug/dwarf/abbrev.h"
#include "util/vec.h"
#include "object/elf_section.h"

struct functions VEC(struct unit_function);
struct scopes VEC(struct unit_scope);

static void free_functions(struct dwarf_unit *unit)
{
	for (size_t i = 0; i < unit->n_functions; i++) {
		free(unit->functions[i].scopes);
		range_map_deinit(&unit->functions[i].inlines);
	}
	free(unit->functions);
	range_map_deinit(&unit->map);
}

void dwarf_unit_deinit(struct dwarf_unit *unit)
{
	free_functions(unit);
	*unit = (struct dwarf_unit){};
}

static Dwarf_Die die_at(const struct dwarf_unit *unit, void *address)
{
	return (Dwarf_Die){.addr = address, .cu = unit->die.cu};
}

static bool language_is_c(const Dwarf_Die *unit_die)
{
	Dwarf_Die die = *unit_die;

	switch (dwarf_srclang(&die)) {
	case DW_LANG_C89:
	case DW_LANG_C:
	case DW_LANG_C99:
	case DW_LANG_C11:
		return true;
	}
	return false;
}

/* What can have functions below it. C has none in its types. */
static bool holds_functions(int tag, bool is_c, bool deep)
{
	enum die_kind kind = die_kind_of((uint64_t)tag);

	return kind == DIE_NAMESPACE || (kind == DIE_TYPE ? !is_c : deep && kind != DIE_OTHER);
}

static void add_function(
	struct dwarf_unit *unit, struct functions *functions, Dwarf_Die *die, uint64_t *budget)
{
	struct die_ranges ranges = {die, budget, 0, 0};
	uint64_t start, end;
	bool first = true;

	while (die_ranges_next(&ranges, &start, &end)) {
		if (first)
			vec_push(functions,
				(struct unit_function){.die = die->addr, .entry = start});
		first = false;
		range_map_add(&unit->map, start, end, (uint32_t)(functions->len - 1), 0);
	}
	Dwarf_Addr entry;
	if (!first && !dwarf_entrypc(die, &entry))
		functions->data[functions->len - 1].entry = entry;
}

static void read_functions(struct dwarf_unit *unit, bool deep, uint64_t *budget)
{
	struct die_cursor cursor = {.die = unit->die};
	struct functions functions = {};
	bool is_c = language_is_c(&unit->die), enter = true;

	while (die_next(&cursor, enter) && cursor.depth) {
		int tag = dwarf_tag(&cursor.die);

		if (tag == DW_TAG_subprogram)
			add_function(unit, &functions, &cursor.die, budget);
		enter = holds_functions(tag, is_c, deep);
	}
	range_map_finish(&unit->map);
	unit->functions = functions.data;
	unit->n_functions = functions.len;
}

static struct unit_function *find_function(struct dwarf_unit *unit, uint64_t address)
{
	const struct range *range = range_map_find(&unit->map, address);

	return range ? &unit->functions[range->value] : NULL;
}

/*
 * Functions inside functions (GNU C, Ada, some local classes) are rare, and looking for them means
 * reading everything: that waits until an address has no function without them.
 */
struct unit_function *dwarf_unit_function(
	struct dwarf_unit *unit, uint64_t address, uint64_t *budget)
{
	if (!unit->die.addr)
		return NULL;
	if (unit->depth == UNIT_UNREAD) {
		read_functions(unit, false, budget);
		unit->depth = UNIT_SHALLOW;
	}
	struct unit_function *found = find_function(unit, address);
	if (found || unit->depth == UNIT_DEEP)
		return found;
	struct dwarf_unit deep = {.die = unit->die};
	read_functions(&deep, true, budget);
	free_functions(unit);
	unit->functions = deep.functions;
	unit->n_functions = deep.n_functions;
	unit->map = deep.map;
	unit->depth = UNIT_DEEP;
	return find_function(unit, address);
}

const struct names *dwarf_unit_names(struct dwarf_unit *unit, struct unit_function *function)
{
	if (!function->known) {
		Dwarf_Die die = die_at(unit, function->die);

		function->names = die_names(&die);
		function->known = true;
	}
	return &function->names;
}

static void add_scope(struct unit_function *function, struct scopes *scopes, Dwarf_Die *die,
	uint32_t parent, unsigned depth, uint64_t *budget)
{
	struct die_ranges ranges = {die, budget, 0, 0};
	uint64_t start, end;

	vec_push(scopes, (struct unit_scope){.die = die->addr, .parent = parent});
	while (die_ranges_next(&ranges, &start, &end))
		range_map_add(&function->inlines, start, end, (uint32_t)(scopes->len - 1), depth);
}

static bool holds_scopes(int tag)
{
	return tag == DW_TAG_inlined_subroutine || tag == DW_TAG_lexical_block ||
	       tag == DW_TAG_try_block || tag == DW_TAG_catch_block || tag == DW_TAG_with_stmt;
}

static void read_scopes(struct dwarf_unit *unit, struct unit_function *function, uint64_t *budget)
{
	struct die_cursor cursor = {.die = die_at(unit, function->die)};
	uint32_t parents[DIE_DEPTH_MAX + 2]; /* of the scopes at each depth */
	struct scopes scopes = {};
	bool enter = true;

	parents[1] = UNIT_NO_SCOPE;
	while (die_next(&cursor, enter) && cursor.depth) {
		int tag = dwarf_tag(&cursor.die);
		uint32_t parent = parents[cursor.depth];

		enter = holds_scopes(tag);
		if (tag == DW_TAG_inlined_subroutine) {
			add_scope(function, &scopes, &cursor.die, parent, cursor.depth, budget);
			parent = (uint32_t)(scopes.len - 1);
		}
		parents[cursor.depth + 1] = parent;
	}
	range_map_finish(&function->inlines);
	function->scopes = scopes.data;
}

uint32_t dwarf_unit_innermost(
	struct dwarf_unit *unit, struct unit_function *function, uint64_t address, uint64_t *budget)
{
	if (!function->walked) {
		read_scopes(unit, function, budget);
		function->walked = true;
	}
	const struct range *range = range_map_find(&function->inlines, address);
	return range ? range->value : UNIT_NO_SCOPE;
}

/* libdw calls an unknown file "???". */
static const char *known_file(const char *path)
{
	return path && *path && path[0] != '?' ? path : NULL;
}

static const char *call_file(struct dwarf_unit *unit, uint64_t index)
{
	size_t n;

	if (!unit->files_read) {
		unit->files_read = true;
		if (dwarf_getsrcfiles(&unit->die, &unit->files, &n))
			unit->files = NULL;
	}
	return unit->files ? known_file(dwarf_filesrc(unit->files, index, NULL, NULL)) : NULL;
}

const struct unit_scope *dwarf_unit_scope(
	struct dwarf_unit *unit, struct unit_function *function, uint32_t index)
{
	struct unit_scope *scope = &function->scopes[index];

	if (scope->known)
		return scope;
	Dwarf_Die die = die_at(unit, scope->die);
	scope->names = die_names(&die);
	if (dwarf_hasattr(&die, DW_AT_call_file))
		scope->call_file = call_file(unit, die_number(&die, DW_AT_call_file));
	scope->call_line = (uint32_t)die_number(&die, DW_AT_call_line);
	scope->call_column = (uint32_t)die_number(&die, DW_AT_call_column);
	scope->known = true;
	return scope;
}

/* How many rows have an address at or below ADDRESS; libdw has sorted them. */
static size_t count_rows(const struct dwarf_unit *unit, uint64_t address)
{
	Dwarf_Addr row;

	return partition_point(i, 0, unit->n_lines,
		!dwarf_lineaddr(dwarf_onesrcline(unit->lines, i), &row) && row <= address);
}

/* The address of row I, UINT64_MAX if it is broken. END_RET: it ends a sequence. */
static uint64_t row_address(const struct dwarf_unit *unit, size_t i, bool *end_ret)
{
	Dwarf_Line *row = dwarf_onesrcline(unit->lines, i);
	Dwarf_Addr address;

	*end_ret = false;
	return dwarf_lineaddr(row, &address) || dwarf_lineendsequence(row, end_ret) ? UINT64_MAX
										    : address;
}

/*
 * Functions that the linker discarded leave sequences of rows that begin at 0. libdw sorts the
 * rows of all sequences into one list, so a dead sequence that reaches up to real code hides among
 * its rows. Its end is told from theirs by not being the end of a range of the unit.
 */
static uint64_t dead_rows_end(struct dwarf_unit *unit, uint64_t *budget)
{
	struct die_ranges ranges = {&unit->skeleton, budget, 0, 0};
	struct range_map live = {};
	uint64_t start, stop, dead = 0;
	bool end;

	if (!unit->n_lines || row_address(unit, 0, &end) > 1)
		return 0;
	while (die_ranges_next(&ranges, &start, &stop))
		range_map_add(&live, start, stop, (uint32_t)live.len, 0);
	range_map_finish(&live);
	for (size_t i = 0; i < unit->n_lines; i++) {
		uint64_t address = row_address(unit, i, &end);
		const struct range *range = address ? range_map_find(&live, address - 1) : NULL;

		if (end && !(range && range->end == address))
			dead = address;
	}
	range_map_deinit(&live);
	return dead;
}

static Elf_Data *line_section(Elf *elf)
{
	struct elf_section section;

	return elf_section_find(elf, ".debug_line", &section) ||
			       elf_section_find(elf, ".zdebug_line", &section)
		       ? elf_rawdata(section.scn, NULL)
		       : NULL;
}

/*
 * libdw makes 64 bytes of each row, and a row of each byte of a program: a unit's is some hundred KB.
 * The length stands in front of it (DWARF 5, 6.2.4). A section that is compressed is bounded as a whole.
 */
static bool lines_are_too_long(struct dwarf_unit *unit)
{
	enum { LINES_MAX = 8 << 20 };
	Elf *elf = dwarf_getelf(dwarf_cu_getdwarf(unit->skeleton.cu));
	const Elf_Data *data = elf ? line_section(elf) : NULL;
	uint64_t at = die_number(&unit->skeleton, DW_AT_stmt_list);
	uint32_t len;

	if (!data || data->d_size <= LINES_MAX)
		return false;
	if (at > data->d_size - sizeof(len))
		return true;
	memcpy(&len, (const uint8_t *)data->d_buf + at, sizeof(len));
	if (elf_getident(elf, NULL)[EI_DATA] !=
		(__BYTE_ORDER__ == __ORDER_BIG_ENDIAN__ ? ELFDATA2MSB : ELFDATA2LSB))
		len = __builtin_bswap32(len);
	return len > LINES_MAX;
}

static void read_lines(struct dwarf_unit *unit, uint64_t *budget)
{
	if (unit->lines_read)
		return;
	unit->lines_read = true;
	unit->lines_too_long = lines_are_too_long(unit);
	if (unit->lines_too_long)
		return;
	if (dwarf_getsrclines(&unit->skeleton, &unit->lines, &unit->n_lines)) {
		unit->lines = NULL;
		unit->n_lines = 0;
	}
	unit->lines_from = dead_rows_end(unit, budget);
}

struct unit_line dwarf_unit_line(struct dwarf_unit *unit, uint64_t address, uint64_t *budget)
{
	int line = 0, column = 0;
	unsigned int discriminator = 0;
	bool end = true;

	read_lines(unit, budget);
	size_t n = address >= unit->lines_from ? count_rows(unit, address) : 0;
	Dwarf_Line *row = n ? dwarf_onesrcline(unit->lines, n - 1) : NULL;
	if (!row || dwarf_lineendsequence(row, &end) || end)
		return (struct unit_line){};
	dwarf_lineno(row, &line);
	dwarf_linecol(row, &column);
	dwarf_linediscriminator(row, &discriminator);
	return (struct unit_line){known_file(dwarf_linesrc(row, NULL, NULL)),
		line > 0 ? (uint32_t)line : 0, column > 0 ? (uint32_t)column : 0, discriminator};
}
