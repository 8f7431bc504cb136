// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/symbols/symtab.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "arch/arch.h"
#include "debug/names/shown_names.h"
#include "debug/range_map.h"
#include "debug/symbols/symbol_table.h"
#include "util/arena.h"
#include "util/sort.h"
#include "util/vec.h"
#include "object/elf_section.h"

/*
 * WORK_MAX limits the relocations and stubs read, because many section headers can refer to the
 * same bytes.
 */
enum { WORK_MAX = 1 << 24, STUBS_MAX = 1 << 18, NAME_MAX_SHOWN = 1024 };

/* A GOT slot set by a relocation. */
struct slot {
	uint64_t address; /* first, as sort key */
	const char *name; /* NULL: no symbol, ADDEND is the address of an IFUNC resolver */
	uint64_t addend;
};

struct plt {
	struct VEC(struct slot) slots;
	struct VEC(uint64_t) jumps; /* slot addresses in the order of .rela.plt */
	struct VEC(struct symbol) stubs;
	struct symtab *symtab; /* names resolvers; may be NULL */
	struct range_map map;  /* values are indices into STUBS */
	struct arena arena;
	const struct arch *arch;
	size_t work; /* relocations and stubs read so far */
};

static void read_relocations(
	struct plt *plt, const struct elf_image *image, const struct elf_section *section)
{
	const GElf_Shdr *shdr = &section->header;
	const struct symbol_table symbols = symbol_table_open(image, SHT_DYNSYM);
	Elf_Data *data = elf_section_data(section->scn);
	bool jumps = !strcmp(elf_section_name(image->elf, section), ".rela.plt");
	size_t n = shdr->sh_entsize ? shdr->sh_size / shdr->sh_entsize : 0;

	for (size_t i = 0; data && i < n && plt->work++ < WORK_MAX; i++) {
		GElf_Rela rela;
		const char *name = NULL;

		if (!gelf_getrela(data, (int)i, &rela))
			return;
		if (jumps)
			vec_push(&plt->jumps, rela.r_offset);
		unsigned type = (unsigned)GELF_R_TYPE(rela.r_info);
		if (type != plt->arch->jump_slot && type != plt->arch->glob_dat &&
			type != plt->arch->irelative)
			continue;
		size_t number = GELF_R_SYM(rela.r_info);
		if (number && number < symbols.n && shdr->sh_link == symbols.section) {
			const GElf_Sym sym = symbol_table_get(&symbols, number);
			name = symbol_table_name(&symbols, &sym);
		}
		vec_push(&plt->slots, (struct slot){rela.r_offset, name, (uint64_t)rela.r_addend});
	}
}

static void add_stub(struct plt *plt, const struct plt_stub *stub)
{
	char name[NAME_MAX_SHOWN];

	if ((stub->indexed && stub->slot >= plt->jumps.len) || plt->stubs.len >= STUBS_MAX)
		return;
	uint64_t address = stub->indexed ? plt->jumps.data[stub->slot] : stub->slot;
	size_t at = sorted_count(plt->slots.data, plt->slots.len, .address < address);
	if (at == plt->slots.len || plt->slots.data[at].address != address)
		return;
	const struct slot *slot = &plt->slots.data[at];
	const char *function = slot->name && *slot->name ? slot->name : NULL;
	if (!function && plt->symtab) {
		size_t n;

		(void)symtab_symbols(plt->symtab, &n); /* allows lookups of any address */
		const struct symbol *resolver = symtab_find(plt->symtab, slot->addend);
		if (resolver && resolver->start == slot->addend)
			function = resolver->name;
	}
	if (function)
		snprintf(name, sizeof(name), "%s@plt", function);
	else
		snprintf(name, sizeof(name), "*ABS*+0x%" PRIx64 "@plt", slot->addend);
	vec_push(&plt->stubs, (struct symbol){.start = stub->start,
				      .end = stub->end,
				      .name = arena_string(&plt->arena, name),
				      .source = SOURCE_PLT,
				      .sized = true});
}

static void read_section(
	struct plt *plt, const struct elf_image *image, const struct elf_section *section)
{
	const GElf_Shdr *shdr = &section->header;
	const char *name = elf_section_name(image->elf, section);

	if (strcmp(name, ".plt") && strcmp(name, ".plt.sec") && strcmp(name, ".plt.got") &&
		strcmp(name, ".iplt"))
		return;
	Elf_Data *data = elf_section_data(section->scn);
	if (!data || !data->d_buf)
		return;
	struct plt_code code = {data->d_buf, data->d_size, shdr->sh_addr, shdr->sh_entsize};
	struct plt_stub stub;
	for (size_t at = 0, step; plt->work++ < WORK_MAX; at += step) {
		step = plt->arch->plt_stub(&code, at, &stub);
		if (!step)
			return;
		if (stub.end)
			add_stub(plt, &stub);
	}
}

struct plt *plt_create(const struct elf_image *image, struct symtab *symtab)
{
	struct plt *plt = xnew(plt);

	plt->arch = arch_of(image->ehdr.e_machine);
	if (!plt->arch->plt_stub || elf_image_is_big(image))
		return plt;
	plt->symtab = symtab;
	for (struct elf_section s = {}; elf_section_next_of(image->elf, SHT_RELA, &s);)
		if (s.header.sh_flags & SHF_ALLOC)
			read_relocations(plt, image, &s);
	radix_sort(plt->slots.data, plt->slots.len, sizeof(struct slot));
	for (struct elf_section s = {}; elf_section_next_of(image->elf, SHT_PROGBITS, &s);)
		if (s.header.sh_flags & SHF_ALLOC)
			read_section(plt, image, &s);
	for (size_t i = 0; i < plt->stubs.len; i++)
		range_map_add(&plt->map, plt->stubs.data[i].start, plt->stubs.data[i].end,
			(uint32_t)i, 0);
	range_map_finish(&plt->map);
	return plt;
}

void plt_destroy(struct plt *plt)
{
	if (!plt)
		return;
	vec_deinit(&plt->slots);
	vec_deinit(&plt->jumps);
	vec_deinit(&plt->stubs);
	vec_deinit(&plt->map);
	arena_deinit(&plt->arena);
	free(plt);
}

const struct symbol *plt_find(const struct plt *plt, uint64_t address)
{
	const struct range *range = range_map_find(&plt->map, address);

	return range ? &plt->stubs.data[range->value] : NULL;
}

void plt_each_named(const struct plt *plt, const char *name,
	void (*found)(void *context, uint64_t address), void *context)
{
	vec_each(stub, &plt->stubs)
		if (!strcmp(stub->name, name) || shown_name_is(stub->name, name))
			found(context, stub->start);
}
