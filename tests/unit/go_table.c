// SPDX-License-Identifier: GPL-2.0-or-later
#include "go_table.h"

#include <string.h>

#include "bytes.h"
#include "elf_builder.h"

enum { OUTER = 1, INNER = 7, FILES_AT = 1, HEADER_WORDS = 8, MODULE_WORDS = 50 };

/* Differences of the table between Go versions. */
struct era {
	uint32_t magic;
	unsigned n_pcdata, n_funcdata; /* of a function */
	unsigned inlined, calls;       /* their numbers for inlined calls, 0: it has none */
	unsigned map;		       /* number of another table, 0: none */
	unsigned gofunc;	       /* word of runtime.moduledata, 0: functions have pointers */
};

static const struct era eras[] = {
	[GO_ERA_1_2] = {0xfffffffb, 1, 2, 0, 0, 0, 0},
	[GO_ERA_1_9] = {0xfffffffb, 2, 3, 1, 2, 0, 0},
	[GO_ERA_1_12] = {0xfffffffb, 3, 5, 1, 2, 4, 0},
	[GO_ERA_1_13] = {0xfffffffb, 3, 5, 2, 4, 2, 0},
	[GO_ERA_1_16] = {0xfffffffa, 3, 4, 2, 3, 1, 0},
	[GO_ERA_1_18] = {0xfffffff0, 3, 4, 2, 3, 1, 38},
	[GO_ERA_1_20] = {0xfffffff1, 3, 4, 2, 3, 1, 40},
	[GO_ERA_1_26] = {0xfffffff1, 3, 4, 2, 3, 1, 40},
	[GO_ERA_1_27] = {0xfffffff1, 3, 4, 2, 3, 1, 43},
};

/* Pairs of differences: of a value, zigzag; of the address. */
static const uint8_t programs[] = {0, 2, 0x20, 2, 0x10, 1, 0x10, 0, /* at 1: files 0, 1, 0 */
	22, 0x20, 0x86, 0x01, 0x10, 0x81, 0x01, 0x10, 0,	    /* at 8: lines 10, 77, 12 */
	0, 0x20, 2, 0x10, 1, 0x10, 0}; /* at 17: inlined call 0 in the middle */
static const char names[] = "\0outer\0inner";
enum { LINES_AT = 8, INLINED_AT = 17 };

struct parts {
	size_t names, units, files, programs, functions;
	size_t calls, map; /* what functions point at */
};

static void add_part(struct text *bytes, const void *p, size_t len, size_t *at_ret)
{
	while (bytes->len % 8)
		text_add_char(bytes, 0);
	*at_ret = bytes->len;
	text_add(bytes, p, len);
}

static bool is_1_2(enum go_era era)
{
	return era <= GO_ERA_1_13;
}

/* The numbers of n_funcdata tables, offsets or pointers; behind them what is no table. */
static void add_funcdata(struct text *bytes, enum go_era era, const struct parts *parts)
{
	const struct era *e = &eras[era];
	bool pointers = !e->gofunc;

	while (pointers && bytes->len % 8)
		text_add_char(bytes, 0);
	for (unsigned i = 0; i < e->n_funcdata; i++) {
		uint64_t at = i && i == e->calls ? parts->calls : i && i == e->map ? parts->map : 0;

		if (pointers)
			add_number(bytes, at ? GO_TABLE + at : 0, 8);
		else
			add_number(bytes, at ? at - parts->calls : UINT32_MAX, 4);
	}
}

static void add_record(struct text *bytes, enum go_era era, const struct parts *parts)
{
	const struct era *e = &eras[era];
	/* In the oldest format all offsets count from the header. */
	size_t base = is_1_2(era) ? parts->programs : 0;

	add_number(bytes, e->gofunc ? 0 : GO_TEXT, e->gofunc ? 4 : 8);
	add_number(bytes, (is_1_2(era) ? parts->names : 0) + OUTER, 4);
	for (int i = 0; i < 3; i++) /* args, deferreturn, pcsp */
		add_number(bytes, 0, 4);
	add_number(bytes, base + FILES_AT, 4);
	add_number(bytes, base + LINES_AT, 4);
	add_number(bytes, e->n_pcdata, 4);
	if (era >= GO_ERA_1_16)
		add_number(bytes, 0, 4);
	if (era >= GO_ERA_1_20)
		add_number(bytes, 9, 4);
	add_number(bytes, era >= GO_ERA_1_12 ? e->n_funcdata << 24 : e->n_funcdata, 4);
	for (unsigned i = 0; i < e->n_pcdata; i++)
		add_number(bytes, i && i == e->inlined ? base + INLINED_AT : 0, 4);
	add_funcdata(bytes, era, parts);
}

static void set_number(struct text *bytes, size_t at, uint64_t number, size_t size)
{
	memcpy(bytes->data + at, &number, size);
}

static void add_call(struct text *bytes, enum go_era era, const struct parts *parts)
{
	bool old = is_1_2(era);

	if (era >= GO_ERA_1_20) {
		add_number(bytes, 0, 4);
		add_number(bytes, INNER, 4);
		add_number(bytes, 0x34, 4); /* its line is that of the call: 12 */
		add_number(bytes, 5, 4);
		return;
	}
	add_number(bytes, era == GO_ERA_1_9 ? UINT32_MAX : UINT16_MAX, 4);
	add_number(bytes, old ? 1 : 0, 4);
	add_number(bytes, 12, 4);
	add_number(bytes, INNER + (old ? parts->names : 0), 4);
	if (era != GO_ERA_1_9)
		add_number(bytes, 0x34, 4);
}

/* What functions point to: the inlined call, and stack maps, which begin with their number. */
static void add_tables(struct text *bytes, enum go_era era, struct parts *parts)
{
	add_part(bytes, "", 0, &parts->calls);
	add_call(bytes, era, parts);
	add_part(bytes, "\1\0\0\0\1\0\0\0\1", 9, &parts->map);
}

/* runtime.moduledata, as far as it is read. */
static void add_module(struct text *bytes, enum go_era era, const struct parts *parts)
{
	size_t at, gofunc = eras[era].gofunc;
	static const uint64_t words[MODULE_WORDS];

	add_part(bytes, words, sizeof(words), &at);
	set_number(bytes, at, GO_TABLE, 8);
	set_number(bytes, at + 8, GO_TABLE + parts->names, 8);
	set_number(bytes, at + 22 * 8, GO_TEXT, 8);
	set_number(bytes, at + gofunc * 8, GO_TABLE + parts->calls, 8);
	if (era >= GO_ERA_1_26)
		set_number(bytes, at + (gofunc + 1) * 8, GO_TABLE + at, 8);
	if (era == GO_ERA_1_27)
		set_number(bytes, at + 40 * 8, 0x20, 8); /* an offset, and a size */
}

static void set_header(struct text *bytes, enum go_era era, const struct parts *parts)
{
	size_t at = eras[era].gofunc ? 32 : 24; /* behind counts, and textStart */

	set_number(bytes, 8, 1, 8);
	set_number(bytes, 16, 2, 8);
	if (era == GO_ERA_1_18 || era == GO_ERA_1_20)
		set_number(bytes, 24, GO_TEXT, 8);
	set_number(bytes, at, parts->names, 8);
	set_number(bytes, at + 8, parts->units, 8);
	set_number(bytes, at + 16, parts->files, 8);
	set_number(bytes, at + 24, parts->programs, 8);
	set_number(bytes, at + 32, parts->functions, 8);
}

/* The table of one function and the end, and the record behind it. */
static void add_functions(struct text *bytes, enum go_era era, struct parts *parts)
{
	size_t size = eras[era].gofunc ? 4 : 8;
	uint64_t start = eras[era].gofunc ? 0 : GO_TEXT;

	add_part(bytes, "", 0, &parts->functions);
	add_number(bytes, start, size);
	add_number(bytes, 4 * size, size);
	add_number(bytes, start + 0x40, size);
	add_number(bytes, 0, size);
	if (eras[era].gofunc)
		add_tables(bytes, era, parts); /* offsets count from the first of them */
	set_number(bytes, parts->functions + size, bytes->len - parts->functions, size);
	add_record(bytes, era, parts);
}

/* The oldest: functions first, then where the files are. */
static void make_1_2(struct text *bytes, enum go_era era)
{
	struct parts parts = {};

	add_number(bytes, 1, 8);
	add_number(bytes, GO_TEXT, 8);
	size_t record_at = bytes->len;
	add_number(bytes, 0, 8);
	add_number(bytes, GO_TEXT + 0x40, 8);
	size_t files_at = bytes->len;
	add_number(bytes, 0, 4);
	add_part(bytes, names, sizeof(names), &parts.names);
	add_part(bytes, programs, sizeof(programs), &parts.programs);
	set_number(bytes, parts.programs + FILES_AT, 4, 1); /* files 1, 2, 1 */
	add_part(bytes, "a.go\0b.go", 10, &parts.files);
	add_tables(bytes, era, &parts);
	set_number(bytes, files_at, bytes->len, 4);
	add_number(bytes, 3, 4);
	add_number(bytes, parts.files, 4);
	add_number(bytes, parts.files + 5, 4);
	while (bytes->len % 8)
		text_add_char(bytes, 0);
	set_number(bytes, record_at, bytes->len, 8);
	add_record(bytes, era, &parts);
}

void go_table_make(enum go_era era, struct text *ret)
{
	static const uint8_t units[] = {1, 0, 0, 0, 6, 0, 0, 0};
	struct parts parts = {};

	text_clear(ret);
	add_number(ret, eras[era].magic, 4);
	add_bytes(ret, 0, 0, 1, 8);
	if (is_1_2(era)) {
		make_1_2(ret, era);
		return;
	}
	for (int i = 0; i < HEADER_WORDS; i++)
		add_number(ret, 0, 8);
	add_part(ret, names, sizeof(names), &parts.names);
	add_part(ret, units, sizeof(units), &parts.units);
	add_part(ret, "\0a.go\0b.go", 11, &parts.files);
	add_part(ret, programs, sizeof(programs), &parts.programs);
	if (era == GO_ERA_1_16)
		add_tables(ret, era, &parts);
	add_functions(ret, era, &parts);
	set_header(ret, era, &parts);
	if (eras[era].gofunc)
		add_module(ret, era, &parts);
}

void *go_file_make(const void *bytes, size_t len, size_t *size_ret)
{
	struct elf_builder builder = {};

	builder_section(
		&builder, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, GO_TEXT, NULL, 0x40);
	builder_section(&builder, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, GO_TABLE, bytes, len);
	builder.loads[0] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_offset = builder.sections[2].sh_offset,
		.p_vaddr = GO_TABLE,
		.p_filesz = len,
		.p_memsz = len};
	return builder_finish(&builder, size_ret);
}
