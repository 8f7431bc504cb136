// SPDX-License-Identifier: GPL-2.0-or-later
#include "elf_builder.h"

#include <string.h>

#include "util/xalloc.h"

enum { DATA_START = sizeof(Elf64_Ehdr) + 2 * sizeof(Elf64_Phdr) };

static uint32_t add_name(struct elf_builder *builder, const char *name)
{
	if (!builder->names_len)
		builder->names_len = 1;
	uint32_t at = (uint32_t)builder->names_len;
	strcpy(builder->names + at, name);
	builder->names_len += strlen(name) + 1;
	return at;
}

size_t builder_section(struct elf_builder *builder, const char *name, uint32_t type, uint64_t flags,
	uint64_t address, const void *data, size_t size)
{
	if (!builder->n_sections)
		builder->n_sections = 1;
	builder->data_len = (builder->data_len + 7) & ~(size_t)7;
	Elf64_Shdr *shdr = &builder->sections[builder->n_sections];
	*shdr = (Elf64_Shdr){
		.sh_name = add_name(builder, name),
		.sh_type = type,
		.sh_flags = flags,
		.sh_addr = address,
		.sh_offset = DATA_START + builder->data_len,
		.sh_size = size,
		.sh_addralign = type == SHT_NOTE ? 4 : 1,
	};
	if (data)
		memcpy(builder->data + builder->data_len, data, size);
	builder->data_len += data ? size : 0;
	return builder->n_sections++;
}

void builder_build_id(struct elf_builder *builder, uint8_t value, size_t len)
{
	struct {
		Elf64_Nhdr header;
		char name[4];
		uint8_t id[64];
	} note = {.header = {4, (Elf64_Word)len, NT_GNU_BUILD_ID}, .name = "GNU"};

	memset(note.id, value, len);
	builder_section(builder, ".note.gnu.build-id", SHT_NOTE, SHF_ALLOC, 0x200, &note,
		sizeof(note.header) + 4 + len);
}

void builder_debuglink(struct elf_builder *builder, const char *name, uint32_t crc)
{
	char data[64] = {};
	size_t crc_at = (strlen(name) + 4) & ~(size_t)3;

	strcpy(data, name);
	memcpy(data + crc_at, &crc, sizeof(crc));
	builder_section(builder, ".gnu_debuglink", SHT_PROGBITS, 0, 0, data, crc_at + sizeof(crc));
}

void *builder_finish(struct elf_builder *builder, size_t *size_ret)
{
	char *names = builder->names;
	size_t index = builder_section(
		builder, ".shstrtab", SHT_STRTAB, 0, 0, names, sizeof(builder->names));
	size_t shoff = DATA_START + ((builder->data_len + 7) & ~(size_t)7);
	size_t shsize = builder->n_sections * sizeof(Elf64_Shdr);
	Elf64_Ehdr ehdr = {
		.e_ident = {ELFMAG0, ELFMAG1, ELFMAG2, ELFMAG3, ELFCLASS64, ELFDATA2LSB,
			EV_CURRENT},
		.e_type = ET_DYN,
		.e_machine = builder->machine ? builder->machine : EM_X86_64,
		.e_version = EV_CURRENT,
		.e_phoff = sizeof(Elf64_Ehdr),
		.e_shoff = shoff,
		.e_ehsize = sizeof(Elf64_Ehdr),
		.e_phentsize = sizeof(Elf64_Phdr),
		.e_phnum = 2,
		.e_shentsize = sizeof(Elf64_Shdr),
		.e_shnum = (Elf64_Half)builder->n_sections,
		.e_shstrndx = (Elf64_Half)index,
	};
	char *file = xcalloc(1, shoff + shsize);

	memcpy(file, &ehdr, sizeof(ehdr));
	memcpy(file + sizeof(ehdr), builder->loads, sizeof(builder->loads));
	memcpy(file + DATA_START, builder->data, builder->data_len);
	/* The names grew by one since they were copied. */
	memcpy(file + builder->sections[index].sh_offset, names, sizeof(builder->names));
	memcpy(file + shoff, builder->sections, shsize);
	*size_ret = shoff + shsize;
	return file;
}

struct elf_image *builder_image(struct elf_builder *builder, const char *path)
{
	struct elf_image *image = NULL;
	size_t size;
	void *file = builder_finish(builder, &size);

	error_destroy(elf_image_from_memory(file, size, path, &image));
	return image;
}
