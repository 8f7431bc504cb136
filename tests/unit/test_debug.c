// SPDX-License-Identifier: GPL-2.0-or-later
#include <check.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "debug/debug.h"
#include "debug/debug_file.h"
#include "debug/demangle.h"
#include "debug/open_file.h"
#include "debug/range_map.h"
#include "debug/source_path.h"
#include "debug/symtab.h"
#include "elf_builder.h"
#include "object/elf_image.h"
#include "util/cleanup.h"
#include "util/xalloc.h"

#define auto_image scope_guard(elf_image_cleanup)

static struct elf_image *image_of(struct elf_builder *builder, const char *name)
{
	struct elf_image *image = NULL;
	size_t size;
	void *file = builder_finish(builder, &size);

	ck_assert_ptr_null(elf_image_from_memory(file, size, name, &image));
	return image;
}

START_TEST(image_translates_offsets)
{
	struct elf_builder builder = {.loads = {
		{PT_LOAD, PF_R, 0, 0x10000, 0, 0x180, 0x200, 0x1000},
		{PT_LOAD, PF_R | PF_X, 0x100, 0x21100, 0, 0x100, 0x100, 0x1000},
	}};
	auto_image struct elf_image *image = image_of(&builder, "x");
	uint64_t value = 7;
	char bytes[4];

	ck_assert(elf_image_address(image, 0x40, &value));
	ck_assert_uint_eq(value, 0x10040);
	/* Both segments hold it: the executable one wins. */
	ck_assert(elf_image_address(image, 0x110, &value));
	ck_assert_uint_eq(value, 0x21110);
	ck_assert(!elf_image_address(image, 0x200, &value));
	ck_assert(elf_image_offset(image, 0x211ff, &value));
	ck_assert_uint_eq(value, 0x1ff);
	/* In memory, but not in the file. */
	ck_assert(!elf_image_offset(image, 0x10180, &value));
	ck_assert_uint_eq(value, 0x1ff);
	ck_assert(elf_image_bytes(image, 0x10000, bytes, 4));
	ck_assert_mem_eq(bytes, ELFMAG, 4);
	ck_assert(!elf_image_bytes(image, 0x1017e, bytes, 4));
}
END_TEST

START_TEST(image_refuses_broken_files)
{
	struct elf_builder builder = {};
	struct elf_image *image = NULL;
	size_t size;
	auto_free char *file = builder_finish(&builder, &size);

	for (size_t n = 0; n < sizeof(Elf64_Ehdr); n++) {
		auto_free char *cut = xmalloc(n);

		memcpy(cut, file, n);
		struct error *err = elf_image_from_memory(take(cut), n, "cut", &image);
		ck_assert_ptr_nonnull(err);
		ck_assert_ptr_nonnull(strstr(error_message(err), "cut: "));
		error_destroy(err);
	}
	((Elf64_Ehdr *)file)->e_type = ET_CORE;
	struct error *err = elf_image_from_memory(take(file), size, "core", &image);
	ck_assert_ptr_nonnull(err);
	error_destroy(err);
	err = elf_image_open(open("/", O_RDONLY), "/", &image);
	ck_assert_ptr_nonnull(err);
	error_destroy(err);
	err = elf_image_open(-1, "nothing", &image);
	ck_assert_ptr_nonnull(err);
	error_destroy(err);
}
END_TEST

START_TEST(image_reads_the_build_id)
{
	struct elf_builder builder = {};
	char hex[2 * BUILD_ID_MAX + 1];

	builder_build_id(&builder, 0xab, 8);
	auto_image struct elf_image *image = image_of(&builder, "x");
	build_id_format(&image->build_id, hex);
	ck_assert_str_eq(hex, "abababababababab");
}
END_TEST

static int at(const struct range_map *map, uint64_t address)
{
	const struct range *range = range_map_find(map, address);

	return range ? (int)range->value : -1;
}

START_TEST(ranges_nest_and_overlap)
{
	struct range_map map = {};

	range_map_add(&map, 10, 100, 1, 0);
	range_map_add(&map, 20, 30, 2, 0);
	range_map_add(&map, 20, 30, 3, 1);
	range_map_add(&map, 90, 120, 4, 0);
	range_map_add(&map, 50, 50, 5, 0);
	range_map_add(&map, UINT64_MAX - 1, UINT64_MAX, 6, 0);
	range_map_finish(&map);
	ck_assert_int_eq(at(&map, 9), -1);
	ck_assert_int_eq(at(&map, 10), 1);
	ck_assert_int_eq(at(&map, 20), 3);
	ck_assert_int_eq(at(&map, 29), 3);
	ck_assert_int_eq(at(&map, 30), 1);
	ck_assert_int_eq(at(&map, 50), 1);
	ck_assert_int_eq(at(&map, 90), 4);
	ck_assert_int_eq(at(&map, 119), 4);
	ck_assert_int_eq(at(&map, 120), -1);
	ck_assert_int_eq(at(&map, UINT64_MAX - 1), 6);
	ck_assert_uint_eq(range_map_next(&map, 0), 10);
	ck_assert_uint_eq(range_map_next(&map, UINT64_MAX), UINT64_MAX);
	range_map_deinit(&map);
}
END_TEST

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

	builder_section(&builder, ".text", SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, NULL,
		0x400);
	for (size_t i = 0; i < n; i++) {
		strcpy(strings + len, symbols[i].name);
		table[i + 1] = (Elf64_Sym){.st_name = (Elf64_Word)len,
			.st_info = ELF64_ST_INFO(symbols[i].bind, symbols[i].type),
			.st_shndx = symbols[i].type == STT_FILE ? SHN_ABS : 1,
			.st_value = symbols[i].value,
			.st_size = symbols[i].size};
		len += strlen(symbols[i].name) + 1;
	}
	builder_section(
		&builder, ".symtab", SHT_SYMTAB, 0, 0, table, (n + 1) * sizeof(table[0]));
	builder.sections[2].sh_link = 3;
	builder.sections[2].sh_entsize = sizeof(Elf64_Sym);
	builder_section(&builder, ".strtab", SHT_STRTAB, 0, 0, strings, len);
	return image_of(&builder, "x");
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

static unsigned next_random(unsigned *state)
{
	*state = *state * 1103515245 + 12345;
	return *state >> 16;
}

/* Symbols that nest, overlap, have one start, no size, or too much of it. */
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
	struct elf_builder builder = {};
	Elf64_Sym symbols[2] = {{}, {.st_name = 1}};
	bool arm = machine == EM_AARCH64;
	Elf64_Rela rela = {
		slot, ELF64_R_INFO(1, arm ? R_AARCH64_JUMP_SLOT : R_X86_64_JUMP_SLOT), 0};
	struct elf_image *image = NULL;
	size_t file_size;

	builder_section(
		&builder, section, SHT_PROGBITS, SHF_ALLOC | SHF_EXECINSTR, 0x1000, code, size);
	builder.sections[1].sh_entsize = 16;
	builder_section(&builder, ".rela.plt", SHT_RELA, SHF_ALLOC, 0x400, &rela, sizeof(rela));
	builder.sections[2].sh_link = 3;
	builder.sections[2].sh_entsize = sizeof(rela);
	builder_section(&builder, ".dynsym", SHT_DYNSYM, SHF_ALLOC, 0x500, symbols,
		sizeof(symbols));
	builder.sections[3].sh_link = 4;
	builder.sections[3].sh_entsize = sizeof(symbols[0]);
	builder_section(&builder, ".dynstr", SHT_STRTAB, SHF_ALLOC, 0x600, "\0_Z3extv", 9);
	void *file = builder_finish(&builder, &file_size);
	((Elf64_Ehdr *)file)->e_machine = machine;
	ck_assert_ptr_null(elf_image_from_memory(file, file_size, "plt", &image));
	return image;
}

static void check_stub(struct elf_image *image, uint64_t address, const char *expected)
{
	static const struct debug_options options = {.root = "", .demangle = true};
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
	static const uint32_t code[] = {0xa9bf7bf0, 0xd503201f, 0xd0000010, 0xf9400611,
		0x91002210, 0xd61f0220};
	auto_image struct elf_image *image =
		image_with_plt(EM_AARCH64, ".plt", code, sizeof(code), 0x3008);

	check_stub(image, 0x1004, NULL);
	check_stub(image, 0x1008, "ext()@plt");
	check_stub(image, 0x1017, "ext()@plt");
}
END_TEST

static const struct debug_options no_dwarf = {.root = "", .demangle = true};

START_TEST(debug_finds_and_names_symbols)
{
	static const struct test_symbol symbols[] = {
		{"_ZN2ns1fEi", 0x1000, 0x10, STB_GLOBAL, STT_FUNC},
		{"plain", 0x1020, 0x10, STB_GLOBAL, STT_FUNC},
	};
	static const uint64_t addresses[] = {0x1004, 0x1018, 0x1020};
	auto_image struct elf_image *image = image_with_symbols(symbols, 2);
	struct debug *debug = debug_create(image, &no_dwarf);
	struct debug_answer answers[3];
	struct arena frames = {};
	uint64_t address;

	debug_resolve(debug, addresses, 3, &frames, answers);
	ck_assert_str_eq(answers[0].frames[0].function, "ns::f(int)");
	ck_assert_str_eq(answers[0].frames[0].linkage, "_ZN2ns1fEi");
	ck_assert_uint_eq(answers[0].frames[0].offset, 4);
	ck_assert_int_eq(answers[0].source, SOURCE_SYMTAB);
	ck_assert_int_eq(answers[1].status, FRAME_OUTSIDE_SYMBOLS);
	ck_assert_ptr_null(answers[1].frames[0].function);
	ck_assert_uint_eq(answers[1].n_frames, 1);
	ck_assert_str_eq(answers[2].frames[0].function, "plain");
	ck_assert(debug_find_symbol(debug, "ns::f(int)", &address));
	ck_assert_uint_eq(address, 0x1000);
	ck_assert(debug_find_symbol(debug, "plain", &address));
	ck_assert_uint_eq(address, 0x1020);
	arena_deinit(&frames);
	ck_assert(!debug_find_symbol(debug, "plai", &address));
	debug_destroy(debug);
}
END_TEST

/* Debug files in a directory of their own, removed with everything in it. */
static char *make_directory(void)
{
	char template[] = "/tmp/test_debug.XXXXXX";

	ck_assert_ptr_nonnull(mkdtemp(template));
	return xstrdup(template);
}

static void remove_directory(char **dir)
{
	auto_free char *command = xasprintf("rm -rf '%s'", *dir);

	ck_assert_int_eq(system(command), 0);
	free(*dir);
}

#define auto_directory scope_guard(remove_directory)

static void make_parents(const char *path)
{
	auto_free char *copy = xstrdup(path);

	for (char *slash = strchr(copy + 1, '/'); slash; slash = strchr(slash + 1, '/')) {
		*slash = '\0';
		mkdir(copy, 0700);
		*slash = '/';
	}
}

/* Writes a debug file with a build ID of 8 bytes ID (0: none) to DIR/NAME. */
static void write_debug_file(const char *dir, const char *name, uint8_t id)
{
	struct elf_builder builder = {};
	auto_free char *path = xasprintf("%s/%s", dir, name);
	size_t size;

	builder_section(&builder, ".debug_info", SHT_PROGBITS, 0, 0, "x", 1);
	if (id)
		builder_build_id(&builder, id, 8);
	auto_free void *data = builder_finish(&builder, &size);
	make_parents(path);
	auto_file FILE *file = fopen(path, "w");
	ck_assert_ptr_nonnull(file);
	ck_assert_uint_eq(fwrite(data, 1, size, file), size);
}

/* An image at DIR/program that refers to prog.debug, with build ID ID (0: none). */
static struct elf_image *linked_image(const char *dir, const char *link, uint8_t id)
{
	struct elf_builder builder = {};
	auto_free char *path = xasprintf("%s/program", dir);

	builder_debuglink(&builder, link, 0x12345678);
	if (id)
		builder_build_id(&builder, id, 8);
	return image_of(&builder, path);
}

static void check_found(const struct elf_image *image, const char *root, const char *debug_dir,
	const char *dir, const char *expected)
{
	const char *dirs[] = {debug_dir, NULL};
	struct debug_options options = {.debug_dirs = dirs, .root = root, .separate = true};
	auto_image struct elf_image *found = debug_file_find(image, &options, NULL);

	if (!expected) {
		ck_assert_ptr_null(found);
		return;
	}
	auto_free char *path = xasprintf("%s/%s", dir, expected);
	ck_assert_ptr_nonnull(found);
	ck_assert_str_eq(found->path, path);
}

START_TEST(debug_file_passes_over_wrong_ones)
{
	auto_directory char *dir = make_directory();
	auto_image struct elf_image *image = linked_image(dir, "prog.debug", 1);
	auto_free char *fifo = xasprintf("%s/prog.debug", dir);

	check_found(image, "", "/nonexistent", dir, NULL);
	ck_assert_int_eq(mkfifo(fifo, 0600), 0);
	check_found(image, "", "/nonexistent", dir, NULL);
	ck_assert_int_eq(unlink(fifo), 0);
	write_debug_file(dir, "prog.debug", 2);
	check_found(image, "", "/nonexistent", dir, NULL);
	auto_free char *below = xasprintf("dirs%s/prog.debug", dir);
	auto_free char *dirs = xasprintf("%s/dirs", dir);
	write_debug_file(dir, below, 1);
	check_found(image, "", dirs, dir, below);
	write_debug_file(dir, ".debug/prog.debug", 1);
	check_found(image, "", dirs, dir, ".debug/prog.debug");
	write_debug_file(dir, "dirs/.build-id/01/01010101010101.debug", 3);
	check_found(image, "", dirs, dir, ".debug/prog.debug");
	write_debug_file(dir, "dirs/.build-id/01/01010101010101.debug", 1);
	check_found(image, "", dirs, dir, "dirs/.build-id/01/01010101010101.debug");
}
END_TEST

START_TEST(debug_file_prefers_the_targets_root)
{
	auto_directory char *dir = make_directory();
	auto_free char *root = xasprintf("%s/root", dir);
	auto_free char *ours = xasprintf("%s/d", dir);
	auto_free char *here = xasprintf("d/.build-id/01/01010101010101.debug");
	auto_free char *there = xasprintf("root%s/.build-id/01/01010101010101.debug", ours);
	auto_image struct elf_image *image = linked_image(dir, "prog.debug", 1);

	check_found(image, root, ours, dir, NULL);
	write_debug_file(dir, here, 1);
	check_found(image, root, ours, dir, here);
	write_debug_file(dir, there, 2);
	check_found(image, root, ours, dir, here);
	write_debug_file(dir, there, 1);
	check_found(image, root, ours, dir, there);
}
END_TEST

START_TEST(debug_file_says_what_it_tried)
{
	auto_directory char *dir = make_directory();
	auto_image struct elf_image *image = linked_image(dir, "prog.debug", 1);
	const char *dirs[] = {"/nonexistent", NULL};
	auto_free char *cache = xasprintf("%s/cache", dir);
	struct debug_options options = {.debug_dirs = dirs, .root = "", .cache = cache};
	struct text tried scope_guard(text_deinit) = {};

	write_debug_file(dir, "prog.debug", 2);
	ck_assert_ptr_null(debug_file_find(image, &options, &tried));
	auto_free char *expected = xasprintf(
		"/nonexistent/.build-id/01/01010101010101.debug: not there; "
		"%s/prog.debug: of another build; %s/.debug/prog.debug: not there; "
		"/nonexistent%s/prog.debug: not there; %s/0101010101010101/debuginfo: not there",
		dir, dir, dir, cache);
	ck_assert_str_eq(tried.data, expected);
	write_debug_file(dir, "cache/0101010101010101/debuginfo", 1);
	auto_image struct elf_image *found = debug_file_find(image, &options, NULL);
	ck_assert_ptr_nonnull(found);
}
END_TEST

START_TEST(debug_file_checks_the_crc_without_build_id)
{
	auto_directory char *dir = make_directory();
	auto_image struct elf_image *image = linked_image(dir, "prog.debug", 0);

	write_debug_file(dir, "prog.debug", 0);
	check_found(image, "", "/nonexistent", dir, NULL);
}
END_TEST

START_TEST(debug_file_refuses_paths_as_link)
{
	auto_directory char *dir = make_directory();
	auto_image struct elf_image *image = linked_image(dir, "../prog.debug", 1);
	auto_free char *sub = xasprintf("%s/sub", dir);

	write_debug_file(dir, "prog.debug", 1);
	free(image->path);
	image->path = xasprintf("%s/sub/program", dir);
	ck_assert_int_eq(mkdir(sub, 0700), 0);
	check_found(image, "", "/nonexistent", dir, NULL);
}
END_TEST

START_TEST(debug_file_stays_below_the_root)
{
	auto_directory char *dir = make_directory();
	auto_free char *root = xasprintf("%s/root", dir);
	auto_free char *link = xasprintf("%s/root/usr/prog.debug", dir);
	auto_free char *outside = xasprintf("%s/outside.debug", dir);
	auto_image struct elf_image *image = linked_image("/usr", "prog.debug", 1);

	write_debug_file(dir, "outside.debug", 1);
	make_parents(link);
	ck_assert_int_eq(symlink(outside, link), 0);
	check_found(image, root, "/nonexistent", root, NULL);
	ck_assert_int_eq(unlink(link), 0);
	ck_assert_int_eq(symlink("../../outside.debug", link), 0);
	check_found(image, root, "/nonexistent", root, NULL);
	ck_assert_int_eq(unlink(link), 0);
	write_debug_file(root, "usr/prog.debug", 1);
	check_found(image, root, "/nonexistent", root, "usr/prog.debug");
}
END_TEST

static const struct {
	const char *mangled, *expected; /* NULL: left alone */
} names[] = {
	{"_ZN2ns1fEi", "ns::f(int)"},
	{"_Z1fv.isra.0", "f() [clone .isra.0]"},
	{"_ZN4core3fmt9Formatter9write_str17h0123456789abcdefE",
		"core::fmt::Formatter::write_str"},
	{"_RNvCs4fqI2P2rA04_5crate4main", "crate::main"},
	{"_D9short", NULL},
	{"_Dmain", "D main"},
	{"_D3foo3barFiZv", "foo.bar(int)"},
	{"main", NULL},
	{"_Zfoo", NULL},
	{"_", NULL},
	{"", NULL},
	{"_Z", NULL},
};

START_TEST(demangle_table)
{
	auto_free char *s = demangle(names[_i].mangled);

	if (names[_i].expected)
		ck_assert_str_eq(s, names[_i].expected);
	else
		ck_assert_ptr_null(s);
}
END_TEST

START_TEST(demangle_is_bounded)
{
	auto_free char *huge = xmalloc(DEMANGLE_INPUT_MAX + 16);
	/* Each pair doubles what S_ stands for: 2^30 bytes if nobody stopped it. */
	auto_free char *bomb = xmalloc(4096);
	char *at_end = stpcpy(bomb, "_Z1f1AIiE");
	static const char digits[] = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

	memset(huge, 'a', DEMANGLE_INPUT_MAX + 15);
	huge[DEMANGLE_INPUT_MAX + 15] = '\0';
	memcpy(huge, "_Z", 2);
	ck_assert_ptr_null(demangle(huge));
	at_end = stpcpy(at_end, "S_IS0_S0_E");
	for (int i = 1; i < 34; i++)
		at_end += sprintf(at_end, "S_IS%c_S%c_E", digits[i], digits[i]);
	ck_assert_ptr_null(demangle(bomb));
}
END_TEST

START_TEST(paths_join_the_compilation_directory)
{
	struct source_paths paths = {};
	struct arena arena = {};

	ck_assert_str_eq(source_path(&paths, &arena, "/b/d", "../x.c"), "/b/d/../x.c");
	ck_assert_str_eq(source_path(&paths, &arena, "/b/d", "/x.c"), "/x.c");
	ck_assert_str_eq(source_path(&paths, &arena, NULL, "x.c"), "x.c");
	ck_assert_str_eq(source_path(&paths, &arena, "", "x.c"), "x.c");
	ck_assert_str_eq(source_path(&paths, &arena, "./d", "./d/x.c"), "./d/x.c");
	ck_assert_str_eq(source_path(&paths, &arena, "./d", "./dd/x.c"), "./d/./dd/x.c");
	ck_assert_ptr_null(source_path(&paths, &arena, "/b", NULL));
	source_paths_deinit(&paths);
	arena_deinit(&arena);
}
END_TEST

static Suite *make_suite(void)
{
	Suite *suite = suite_create("debug");
	TCase *tc = tcase_create("debug");

	tcase_add_test(tc, image_translates_offsets);
	tcase_add_test(tc, image_refuses_broken_files);
	tcase_add_test(tc, image_reads_the_build_id);
	tcase_add_test(tc, ranges_nest_and_overlap);
	tcase_add_test(tc, symbols_respect_bounds);
	tcase_add_test(tc, symbols_choose_an_alias);
	tcase_add_loop_test(tc, symbols_of_a_sweep, 0, 200);
	tcase_add_test(tc, plt_names_x86_stubs);
	tcase_add_test(tc, plt_names_aarch64_stubs);
	tcase_add_test(tc, debug_finds_and_names_symbols);
	tcase_add_test(tc, debug_file_passes_over_wrong_ones);
	tcase_add_test(tc, debug_file_prefers_the_targets_root);
	tcase_add_test(tc, debug_file_says_what_it_tried);
	tcase_add_test(tc, debug_file_checks_the_crc_without_build_id);
	tcase_add_test(tc, debug_file_refuses_paths_as_link);
	tcase_add_test(tc, debug_file_stays_below_the_root);
	tcase_add_loop_test(tc, demangle_table, 0, (int)(sizeof(names) / sizeof(names[0])));
	tcase_add_test(tc, demangle_is_bounded);
	tcase_add_test(tc, paths_join_the_compilation_directory);
	suite_add_tcase(suite, tc);
	return suite;
}

int main(void)
{
	SRunner *runner = srunner_create(make_suite());

	srunner_run_all(runner, CK_NORMAL);
	int failed = srunner_ntests_failed(runner);
	srunner_free(runner);
	return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
