// SPDX-License-Identifier: GPL-2.0-or-later
/* Names by the tables of an ELF file: symbols, and stubs of the PLT. */
#include <check.h>
#include <string.h>

#include "debug/debug.h"
#include "debug/symbols/symtab.h"
#include "elf_builder.h"
#include "run.h"
#include "util/cleanup.h"
#include "util/vec.h"

#define auto_image scope_guard(elf_image_cleanup)

static const struct debug_options options = {.root = "", .demangle = true};

struct test_symbol {
	const char *name;
	uint64_t value, size;
	unsigned char bind, type;
};

/* A file with .text at [0x1000, 0x1400) and the given symbols in it. */
static struct elf_image *image_with_symbols(const struct test_symbol *symbols, size_t n)
{
	struct elf_builder builder = {};
	Elf64_Sym table[48] = {};
	char strings[512] = "";
	size_t len = 1;

	builder_section(
		&builder, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL, 0x400);
	for (size_t i = 0; i < n; i++) {
		strcpy(strings + len, symbols[i].name);
		table[i + 1] = (Elf64_Sym){.st_name = (Elf64_Word)len,
			.st_info = ELF64_ST_INFO(symbols[i].bind, symbols[i].type),
			.st_shndx = symbols[i].type == STT_FILE ? SHN_ABS : 1,
			.st_value = symbols[i].value,
			.st_size = symbols[i].size};
		len += strlen(symbols[i].name) + 1;
	}
	builder_section(&builder, ".symtab", SHT_SYMTAB, 0, 0, table, (n + 1) * sizeof(table[0]));
	builder.sections[2].sh_link = 3;
	builder.sections[2].sh_entsize = sizeof(Elf64_Sym);
	while (builder.sections[2].sh_info < n &&
		symbols[builder.sections[2].sh_info].bind == STB_LOCAL)
		builder.sections[2].sh_info++;
	builder.sections[2].sh_info++;
	builder_section(&builder, ".strtab", SHT_STRTAB, 0, 0, strings, len);
	return builder_image(&builder, "x");
}

static const char *symbol_at(const struct symtab *symtab, uint64_t address)
{
	const struct symbol *symbol = symtab_find(symtab, address);

	return symbol ? symbol->name : "";
}

static struct symtab *all_symbols(struct elf_image *image)
{
	struct symtab *symtab = symtab_create(image, NULL);
	size_t n;

	symtab_symbols(symtab, &n);
	ck_assert(n && !symtab_empty(symtab));
	return symtab;
}

START_TEST(symbols_respect_bounds)
{
	static const struct test_symbol symbols[] = {
		{"a.c", 0, 0, STB_LOCAL, STT_FILE},
		{"sized", 0x1000, 0x10, STB_LOCAL, STT_FUNC},
		{"exported", 0x1000, 0, STB_GLOBAL, STT_NOTYPE},
		{"thunk", 0x1004, 0, STB_GLOBAL, STT_NOTYPE},
		{"thunk2", 0x1004, 0, STB_GLOBAL, STT_NOTYPE},
		{"inside", 0x1008, 0, STB_LOCAL, STT_NOTYPE},
		{"asm1", 0x1100, 0, STB_GLOBAL, STT_NOTYPE},
		{"asm2", 0x1180, 0, STB_GLOBAL, STT_FUNC},
		{".Lprivate", 0x1190, 0, STB_LOCAL, STT_NOTYPE},
		{"after", 0x1200, 0x20, STB_GLOBAL, STT_FUNC},
		{"last", 0x13f0, 0x1000, STB_GLOBAL, STT_FUNC},
		{"data", 0x1300, 0x10, STB_GLOBAL, STT_OBJECT},
	};
	auto_image struct elf_image *image =
		image_with_symbols(symbols, sizeof(symbols) / sizeof(symbols[0]));
	struct symtab *symtab = all_symbols(image);

	ck_assert_str_eq(symbol_at(symtab, 0x1000), "sized");
	ck_assert_str_eq(symbol_at(symtab, 0x1004), "thunk");
	ck_assert_str_eq(symbol_at(symtab, 0x1005), "sized");
	ck_assert_str_eq(symbol_at(symtab, 0x1008), "sized");
	ck_assert_str_eq(symbol_at(symtab, 0x100f), "sized");
	ck_assert_str_eq(symtab_find(symtab, 0x100f)->file, "a.c");
	ck_assert_str_eq(symbol_at(symtab, 0x1010), "");
	ck_assert_str_eq(symbol_at(symtab, 0x117f), "asm1");
	ck_assert_str_eq(symbol_at(symtab, 0x1190), "asm2");
	ck_assert_str_eq(symbol_at(symtab, 0x11ff), "asm2");
	ck_assert_str_eq(symbol_at(symtab, 0x1200), "after");
	ck_assert_ptr_null(symtab_find(symtab, 0x1200)->file);
	ck_assert_str_eq(symbol_at(symtab, 0x1220), "");
	ck_assert_str_eq(symbol_at(symtab, 0x1300), "");
	ck_assert_str_eq(symbol_at(symtab, 0x13ff), "last");
	ck_assert_str_eq(symbol_at(symtab, 0x1400), "");
	symtab_destroy(symtab);
}
END_TEST

START_TEST(symbols_choose_an_alias)
{
	static const struct test_symbol symbols[] = {
		{"local", 0x1000, 0x10, STB_LOCAL, STT_FUNC},
		{"weak", 0x1000, 0x10, STB_WEAK, STT_FUNC},
		{"__global", 0x1000, 0x10, STB_GLOBAL, STT_FUNC},
		{"_global_long", 0x1000, 0x10, STB_GLOBAL, STT_FUNC},
		{"_global", 0x1000, 0x10, STB_GLOBAL, STT_FUNC},
		{"label_long", 0x1100, 0, STB_GLOBAL, STT_NOTYPE},
		{"label", 0x1100, 0, STB_GLOBAL, STT_NOTYPE},
	};
	auto_image struct elf_image *image =
		image_with_symbols(symbols, sizeof(symbols) / sizeof(symbols[0]));
	struct symtab *symtab = all_symbols(image);

	ck_assert_str_eq(symbol_at(symtab, 0x1004), "_global");
	ck_assert_str_eq(symbol_at(symtab, 0x1104), "label");
	symtab_destroy(symtab);
}
END_TEST

/*
 * Symbols named like markers are functions if they have that type; a marker of a border ends the
 * function before.
 */
START_TEST(symbols_are_told_from_markers)
{
	static const struct test_symbol symbols[] = {
		{"before", 0x1000, 0, STB_LOCAL, STT_NOTYPE},
		{"$x", 0x1008, 0, STB_LOCAL, STT_NOTYPE},
		{"$d.7", 0x100a, 0, STB_LOCAL, STT_NOTYPE},
		{"$xrv64i2p1", 0x100c, 0, STB_LOCAL, STT_NOTYPE},
		{"L0\001", 0x100e, 0, STB_LOCAL, STT_NOTYPE},
		{"$s4main3fooyyF", 0x1010, 0x10, STB_GLOBAL, STT_FUNC},
		{"$d", 0x1020, 0x10, STB_GLOBAL, STT_FUNC},
		{"$start", 0x1040, 0, STB_GLOBAL, STT_NOTYPE},
		{".annobin_a.c", 0x1050, 0, STB_LOCAL, STT_NOTYPE},
		{"after", 0x1060, 0, STB_LOCAL, STT_NOTYPE},
		{"Letext0", 0x1070, 0, STB_LOCAL, STT_NOTYPE},
		{"gcc2_compiled.", 0x1088, 0, STB_LOCAL, STT_NOTYPE},
		{"at_border", 0x1080, 0, STB_LOCAL, STT_NOTYPE},
		{"__stop_text", 0x1090, 0, STB_GLOBAL, STT_NOTYPE},
		{"__start_more", 0x1090, 0, STB_GLOBAL, STT_NOTYPE},
		{"__stop_tty", 0x10a0, 0x10, STB_GLOBAL, STT_FUNC},
		{"__crc_f", 0x10c0, 0, STB_GLOBAL, STT_NOTYPE},
		{"_etext", 0x10d0, 0, STB_GLOBAL, STT_NOTYPE},
		{"_einittext", 0x10e0, 0, STB_GLOBAL, STT_NOTYPE},
	};
	static const struct {
		uint64_t address;
		const char *name;
	} wanted[] = {{0x1004, "before"}, {0x100f, "before"}, {0x1010, "$s4main3fooyyF"},
		{0x1020, "$d"}, {0x1030, ""}, {0x1044, "$start"}, {0x1050, ""}, {0x1060, "after"},
		{0x1078, ""}, {0x1084, "at_border"}, {0x108c, ""}, {0x1090, ""},
		{0x10a4, "__stop_tty"}, {0x10c4, ""}, {0x10d4, ""}, {0x10e4, ""}};
	auto_image struct elf_image *image = image_with_symbols(symbols, array_len(symbols));
	struct symtab *all = all_symbols(image), *few = symtab_create(image, NULL);

	for (size_t i = 0; i < array_len(wanted); i++) {
		symtab_want(few, &wanted[i].address, 1);
		ck_assert_str_eq(symbol_at(few, wanted[i].address), wanted[i].name);
		ck_assert_str_eq(symbol_at(all, wanted[i].address), wanted[i].name);
	}
	symtab_destroy(few);
	symtab_destroy(all);
}
END_TEST

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16;
}

/* Symbols that nest, overlap, have the same start, no size, or too large a size. */
static struct elf_image *image_with_random_symbols(unsigned *state)
{
	static const char *const names[] = {"a", "_a", "bb", "__bb", "ccc", "d", "_dddd", "e"};
	static const unsigned char bindings[] = {STB_LOCAL, STB_GLOBAL, STB_WEAK};
	struct test_symbol symbols[40];
	unsigned n = 1 + next_random(state) % 40;

	for (unsigned i = 0; i < n; i++)
		symbols[i] = (struct test_symbol){names[next_random(state) % 8],
			0x1000 + next_random(state) % 64 * 16,
			next_random(state) % 3 ? next_random(state) % 100 : 0,
			bindings[next_random(state) % 3], STT_FUNC};
	return image_with_symbols(symbols, n);
}

/* A sweep for a few addresses finds what the table of all symbols has. */
START_TEST(symbols_of_a_sweep)
{
	unsigned state = (unsigned)_i;
	auto_image struct elf_image *image = image_with_random_symbols(&state);
	struct symtab *all = all_symbols(image), *few = symtab_create(image, NULL);
	uint64_t wanted[8], at = 0xff0;
	size_t n;

	for (n = 0; n < 8; n++)
		wanted[n] = at += 1 + next_random(&state) % 300;
	symtab_want(few, wanted, n);
	while (n--) {
		const struct symbol *a = symtab_find(all, wanted[n]);
		const struct symbol *b = symtab_find(few, wanted[n]);

		ck_assert_int_eq(!a, !b);
		ck_assert(!a || (a->name == b->name && a->start == b->start));
	}
	symtab_destroy(all);
	symtab_destroy(few);
}
END_TEST

/* A file of MACHINE with CODE in SECTION at 0x1000 and a relocation of SLOT by "ext". */
static struct elf_image *image_with_plt(
	uint16_t machine, const char *section, const void *code, size_t size, uint64_t slot)
{
	struct elf_builder builder = {.machine = machine};
	Elf64_Sym symbols[2] = {{}, {.st_name = 1}};
	bool arm = machine == EM_AARCH64;
	Elf64_Rela rela = {
		slot, ELF64_R_INFO(1, arm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT), 0};

	builder_section(
		&builder, section, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, size);
	builder.sections[1].sh_entsize = 16;
	builder_section(&builder, ".rela.plt", SHT_RELA, SHF_ALLOC, 0x400, &rela, sizeof(rela));
	builder.sections[2].sh_link = 3;
	builder.sections[2].sh_entsize = sizeof(rela);
	builder_section(
		&builder, ".dynsym", SHT_DYNSYM, SHF_ALLOC, 0x500, symbols, sizeof(symbols));
	builder.sections[3].sh_link = 4;
	builder.sections[3].sh_entsize = sizeof(symbols[0]);
	builder_section(&builder, ".dynstr", SHT_STRTAB, SHF_ALLOC, 0x600, "\0_Z3extv", 9);
	return builder_image(&builder, "plt");
}

static void check_stub(struct elf_image *image, uint64_t address, const char *expected)
{
	struct debug *debug = debug_create(image, &options);
	struct debug_answer answer;
	struct arena frames = {};

	debug_resolve(debug, &address, 1, &frames, &answer);
	if (expected) {
		ck_assert_str_eq(answer.frames[0].function, expected);
		ck_assert_int_eq(answer.source, SOURCE_PLT);
	} else {
		ck_assert_ptr_null(answer.frames[0].function);
	}
	arena_deinit(&frames);
	debug_destroy(debug);
}

START_TEST(plt_names_x86_stubs)
{
	/* endbr64; jmp *0x1ff6(%rip); nops: the slot is at 0x100a + 0x1ff6. */
	static const uint8_t second[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0xff, 0x25, 0xf6, 0x1f, 0, 0};
	/* endbr64; push $0; … */
	static const uint8_t lazy[16] = {0xf3, 0x0f, 0x1e, 0xfa, 0x68, 0, 0, 0, 0};
	auto_image struct elf_image *image =
		image_with_plt(EM_X86_64, ".plt.sec", second, sizeof(second), 0x3000);
	auto_image struct elf_image *other =
		image_with_plt(EM_X86_64, ".plt.sec", second, sizeof(second), 0x3008);
	auto_image struct elf_image *pushing =
		image_with_plt(EM_X86_64, ".plt", lazy, sizeof(lazy), 0x3000);

	check_stub(image, 0x100f, "ext()@plt");
	check_stub(image, 0x1010, NULL);
	check_stub(other, 0x100f, NULL);
	check_stub(pushing, 0x1000, "ext()@plt");
}
END_TEST

START_TEST(plt_names_aarch64_stubs)
{
	/* A header; adrp x16, +2 pages; ldr x17, [x16, #8]; add x16, x16, #8; br x17. */
	static const uint32_t code[] = {
		0xa9bf7bf0, 0xd503201f, 0xd0000010, 0xf9400611, 0x91002210, 0xd61f0220};
	auto_image struct elf_image *image =
		image_with_plt(EM_AARCH64, ".plt", code, sizeof(code), 0x3008);

	check_stub(image, 0x1004, NULL);
	check_stub(image, 0x1008, "ext()@plt");
	check_stub(image, 0x1017, "ext()@plt");
}
END_TEST

static void add_start(void *context, const struct symbol *symbol)
{
	text_printf(context, " %llx", (unsigned long long)symbol->start);
}

static void check_symbols(
	struct debug *debug, const char *name, enum symbol_form form, const char *expected)
{
	struct text found = {};

	symbol_search_each(debug_symtab(debug), name, form, add_start, &found);
	ck_assert_str_eq(found.data ? found.data : "", expected);
	text_deinit(&found);
}

START_TEST(debug_finds_and_names_symbols)
{
	static const struct test_symbol symbols[] = {
		{"_ZN2ns1fEi", 0x1000, 0x10, STB_GLOBAL, STT_FUNC},
		{"plain", 0x1020, 0x10, STB_GLOBAL, STT_FUNC},
		{"plain.isra.0", 0x1030, 0x10, STB_LOCAL, STT_FUNC},
		{"plain.constprop.0.cold", 0x1040, 0x10, STB_LOCAL, STT_FUNC},
		{"plain.isra.0", 0x1050, 0x10, STB_LOCAL, STT_FUNC},
	};
	static const uint64_t addresses[] = {0x1004, 0x1018, 0x1020};
	auto_image struct elf_image *image = image_with_symbols(symbols, 5);
	struct debug *debug = debug_create(image, &options);
	struct debug_answer answers[3];
	struct arena frames = {};

	debug_resolve(debug, addresses, 3, &frames, answers);
	ck_assert_str_eq(answers[0].frames[0].function, "ns::f(int)");
	ck_assert_str_eq(answers[0].frames[0].linkage, "_ZN2ns1fEi");
	ck_assert_uint_eq(answers[0].frames[0].offset, 4);
	ck_assert_int_eq(answers[0].source, SOURCE_SYMTAB);
	ck_assert_int_eq(answers[1].status, FRAME_OUTSIDE_SYMBOLS);
	ck_assert_ptr_null(answers[1].frames[0].function);
	ck_assert_uint_eq(answers[1].n_frames, 1);
	ck_assert_str_eq(answers[2].frames[0].function, "plain");
	check_symbols(debug, "ns::f(int)", SYMBOL_AS_IN_FILE, "");
	check_symbols(debug, "ns::f(int)", SYMBOL_DEMANGLED, " 1000");
	check_symbols(debug, "plain", SYMBOL_AS_IN_FILE, " 1020");
	check_symbols(debug, "plain", SYMBOL_CLONE, " 1030 1050");
	check_symbols(debug, "plai", SYMBOL_AS_IN_FILE, "");
	arena_deinit(&frames);
	debug_destroy(debug);
}
END_TEST

/* The answers for all addresses of .text, so many AT_ONCE. */
static void resolve_all(
	struct debug *debug, size_t at_once, struct arena *frames, struct debug_answer *ret)
{
	for (size_t i = 0; i < 0x400; i += at_once) {
		uint64_t addresses[0x400];

		for (size_t j = 0; j < at_once; j++)
			addresses[j] = 0x1000 + i + j;
		debug_resolve(debug, addresses, at_once, frames, ret + i);
	}
}

/* Most of many addresses get the answer that another address of the same symbol got. */
START_TEST(names_alone_are_the_same_again)
{
	static const struct test_symbol symbols[] = {
		{"a.c", 0, 0, STB_LOCAL, STT_FILE},
		{"same", 0x1000, 0x30, STB_LOCAL, STT_FUNC},
		{"b.c", 0, 0, STB_LOCAL, STT_FILE},
		{"same", 0x1030, 0x30, STB_LOCAL, STT_FUNC},
		{"_ZN2ns1fEi", 0x1080, 0x80, STB_GLOBAL, STT_FUNC},
		{"inner", 0x10a0, 0x10, STB_GLOBAL, STT_FUNC},
		{"label", 0x1200, 0, STB_GLOBAL, STT_NOTYPE},
		{"far", 0x1000 + (1 << 16), 0x10, STB_GLOBAL, STT_FUNC},
	};
	uint64_t last_names = 7;
	struct debug_options many = options;
	auto_image struct elf_image *image = image_with_symbols(symbols, 8);
	struct debug_answer one[0x400], all[0x400], again[0x400];
	struct arena frames = {};

	many.last_names = &last_names;
	struct debug *alone = debug_create(image, &options), *debug = debug_create(image, &many);
	resolve_all(alone, 1, &frames, one);
	resolve_all(debug, 0x400, &frames, all);
	resolve_all(debug, 0x200, &frames, again);
	for (size_t i = 0; i < 0x400; i++) {
		const struct frame *a = one[i].frames, *b = all[i].frames, *c = again[i].frames;

		ck_assert_int_eq(one[i].status, all[i].status);
		ck_assert_int_eq(one[i].source, all[i].source);
		ck_assert_pstr_eq(a->function, b->function);
		ck_assert_pstr_eq(a->linkage, b->linkage);
		ck_assert_pstr_eq(a->qualifier, b->qualifier);
		ck_assert_uint_eq(a->offset, b->offset);
		ck_assert_uint_eq(a->has_offset, b->has_offset);
		ck_assert_mem_eq(b, c, sizeof(*b));
		ck_assert_uint_eq(all[i].names, again[i].names);
		ck_assert_uint_eq(all[i].names > 7, one[i].status == FRAME_NAMED);
		if (i && all[i].names && all[i].names == all[i - 1].names)
			ck_assert_ptr_eq(b->linkage, all[i - 1].frames->linkage);
	}
	ck_assert_str_eq(all[0x2f].frames->qualifier, "(a.c)");
	ck_assert_str_eq(all[0x30].frames->qualifier, "(b.c)");
	ck_assert_uint_ne(all[0x2f].names, all[0x30].names);
	ck_assert_uint_eq(all[0x80].names, all[0xff].names);
	ck_assert_uint_eq(last_names, 12);
	arena_deinit(&frames);
	debug_destroy(alone);
	debug_destroy(debug);
}
END_TEST

int main(void)
{
	TCase *tc = tcase_create("symtab");

	tcase_add_test(tc, symbols_respect_bounds);
	tcase_add_test(tc, symbols_choose_an_alias);
	tcase_add_test(tc, symbols_are_told_from_markers);
	tcase_add_loop_test(tc, symbols_of_a_sweep, 0, 200);
	tcase_add_test(tc, plt_names_x86_stubs);
	tcase_add_test(tc, plt_names_aarch64_stubs);
	tcase_add_test(tc, debug_finds_and_names_symbols);
	tcase_add_test(tc, names_alone_are_the_same_again);
	return tests_run(tc);
}
