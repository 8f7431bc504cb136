// SPDX-License-Identifier: GPL-2.0-or-later
#include "go_table.h"

#include <string.h>

#include "bytes.h"
#include "elf_builder.h"

enum { OUTER = 1, INNER = 7, FILES_AT = 1, HEADER_WORDS = 8, MODULE_WORDS = 41 };

static const uint32_t magics[] = {0xfffffffb, 0xfffffffa, 0xfffffff0, 0xfffffff1};

/* Pairs of differences: of a value, zigzag; of the address. */
static const uint8_t programs[] = {0,
	2, 0x20, 2, 0x10, 1, 0x10, 0,                   /* at 1: files 0, 1, 0 */
	22, 0x20, 0x86, 0x01, 0x10, 0x81, 0x01, 0x10, 0, /* at 8: lines 10, 77, 12 */
	0, 0x20, 2, 0x10, 1, 0x10, 0};                  /* at 17: inlined call 0 in the middle */
enum { LINES_AT = 8, INLINED_AT = 17 };

struct parts {
	size_t names, units, files, programs, functions;
};

static void add_part(struct text *bytes, const void *p, size_t len, size_t *at_ret)
{
	while (bytes->len % 8)
		text_add_char(bytes, 0);
	*at_ret = bytes->len;
	text_add(bytes, p, len);
}

static void add_record(struct text *bytes, enum go_version version, const struct parts *parts)
{
	/* In the oldest format all offsets count from the header. */
	size_t names = version == GO_1_2 ? parts->names : 0;
	size_t base = version == GO_1_2 ? parts->programs : 0;

	add_number(bytes, version >= GO_1_18 ? 0 : GO_TEXT, version >= GO_1_18 ? 4 : 8);
	add_number(bytes, names + OUTER, 4);
	for (int i = 0; i < 3; i++) /* args, deferreturn, pcsp */
		add_number(bytes, 0, 4);
	add_number(bytes, base + FILES_AT, 4);
	add_number(bytes, base + LINES_AT, 4);
	add_number(bytes, 3, 4);
	if (version >= GO_1_16)
		add_number(bytes, 0, 4);
	if (version >= GO_1_20)
		add_number(bytes, 9, 4);
	add_bytes(bytes, 0, 0, 0, 4);
	add_number(bytes, 0, 4);
	add_number(bytes, 0, 4);
	add_number(bytes, base + INLINED_AT, 4);
	for (int i = 0; i < 3; i++)
		add_number(bytes, UINT32_MAX, 4);
	add_number(bytes, 0, 4);
}

static void set_number(struct text *bytes, size_t at, uint64_t number, size_t size)
{
	memcpy(bytes->data + at, &number, size);
}

static void add_call(struct text *bytes, enum go_version version)
{
	if (version >= GO_1_20) {
		add_number(bytes, 0, 4);
		add_number(bytes, INNER, 4);
		add_number(bytes, 0x34, 4); /* its line is that of the call: 12 */
		add_number(bytes, 5, 4);
		return;
	}
	add_number(bytes, UINT16_MAX, 4);
	add_number(bytes, 0, 4);
	add_number(bytes, 12, 4);
	add_number(bytes, INNER, 4);
	add_number(bytes, 0x34, 4);
}

/* runtime.moduledata, as far as it is read, and the call that its gofunc points to. */
static void add_module(struct text *bytes, enum go_version version, const struct parts *parts)
{
	size_t at, gofunc = version >= GO_1_20 ? 40 : 38;
	static const uint64_t words[MODULE_WORDS];

	add_part(bytes, words, sizeof(words), &at);
	set_number(bytes, at, GO_TABLE, 8);
	set_number(bytes, at + 8, GO_TABLE + parts->names, 8);
	set_number(bytes, at + 22 * 8, GO_TEXT, 8);
	set_number(bytes, at + gofunc * 8, GO_TABLE + bytes->len, 8);
	add_call(bytes, version);
}

static void set_header(struct text *bytes, enum go_version version, const struct parts *parts)
{
	size_t at = version >= GO_1_18 ? 32 : 24; /* behind counts, and textStart */

	set_number(bytes, 8, 1, 8);
	set_number(bytes, 16, 2, 8);
	set_number(bytes, at, parts->names, 8);
	set_number(bytes, at + 8, parts->units, 8);
	set_number(bytes, at + 16, parts->files, 8);
	set_number(bytes, at + 24, parts->programs, 8);
	set_number(bytes, at + 32, parts->functions, 8);
}

/* The table of one function and the end, and the record behind it. */
static void add_functions(struct text *bytes, enum go_version version, struct parts *parts)
{
	size_t size = version >= GO_1_18 ? 4 : 8, base;
	uint64_t start = version >= GO_1_18 ? 0 : GO_TEXT;

	add_part(bytes, "", 0, &parts->functions);
	base = version == GO_1_2 ? 0 : parts->functions;
	add_number(bytes, start, size);
	add_number(bytes, bytes->len + 2 * size - base, size);
	add_number(bytes, start + 0x40, size);
	add_record(bytes, version, parts);
}

/* The oldest: functions first, then where the files are. */
static void make_1_2(struct text *bytes)
{
	struct parts parts = {};

	add_number(bytes, 1, 8);
	add_number(bytes, GO_TEXT, 8);
	size_t record_at = bytes->len;
	add_number(bytes, 0, 8);
	add_number(bytes, GO_TEXT + 0x40, 8);
	size_t files_at = bytes->len;
	add_number(bytes, 0, 4);
	add_part(bytes, "\0outer\0inner", 13, &parts.names);
	add_part(bytes, programs, sizeof(programs), &parts.programs);
	add_part(bytes, "a.go\0b.go", 10, &parts.files);
	set_number(bytes, files_at, bytes->len, 4);
	/* The first number is the count; files count from 0 in the programs here. */
	add_number(bytes, parts.files, 4);
	add_number(bytes, parts.files + 5, 4);
	set_number(bytes, record_at, bytes->len, 8);
	add_record(bytes, GO_1_2, &parts);
}

void go_table_make(enum go_version version, struct text *ret)
{
	static const uint8_t units[] = {1, 0, 0, 0, 6, 0, 0, 0};
	struct parts parts;

	text_clear(ret);
	add_number(ret, magics[version], 4);
	add_bytes(ret, 0, 0, 1, 8);
	if (version == GO_1_2) {
		make_1_2(ret);
		return;
	}
	for (int i = 0; i < HEADER_WORDS; i++)
		add_number(ret, 0, 8);
	add_part(ret, "\0outer\0inner", 13, &parts.names);
	add_part(ret, units, sizeof(units), &parts.units);
	add_part(ret, "\0a.go\0b.go", 11, &parts.files);
	add_part(ret, programs, sizeof(programs), &parts.programs);
	add_functions(ret, version, &parts);
	set_header(ret, version, &parts);
	add_module(ret, version, &parts);
}

void *go_file_make(const void *bytes, size_t len, size_t *size_ret)
{
	struct elf_builder builder = {};

	builder_section(&builder, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, GO_TEXT, NULL, 0x40);
	builder_section(&builder, ".gopclntab", SHT_PROGBITS, SHF_ALLOC, GO_TABLE, bytes, len);
	builder.loads[0] = (Elf64_Phdr){.p_type = PT_LOAD,
		.p_flags = PF_R | PF_W,
		.p_offset = builder.sections[2].sh_offset,
		.p_vaddr = GO_TABLE,
		.p_filesz = len,
		.p_memsz = len};
	return builder_finish(&builder, size_ret);
}
