// SPDX-License-Identifier: GPL-2.0-or-later
/*
 * hostile_elf KIND FILE: makes of a 64-bit little-endian ELF file one that claims a terabyte, most of
 * it in a hole. KIND: notes (its note segments), sections (the number of its sections), or the name
 * of a section (its size; it moves into the hole). KIND bomb: all of its debug sections share one
 * stream of 2 MB that inflates to 2 GB.
 */
#include <elf.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

static const uint64_t TERABYTE = 1ULL << 40;

static void stretch_notes(uint8_t *file, uint64_t end)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)file;
	Elf64_Phdr *phdrs = (Elf64_Phdr *)(file + ehdr->e_phoff);

	for (int i = 0; i < ehdr->e_phnum; i++)
		if (phdrs[i].p_type == PT_NOTE) {
			phdrs[i].p_offset = (end + 4095) & -4096ULL;
			phdrs[i].p_filesz = TERABYTE / 2;
		}
}

static void stretch_section(uint8_t *file, uint64_t end, const char *name)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)file;
	Elf64_Shdr *shdrs = (Elf64_Shdr *)(file + ehdr->e_shoff);
	const char *names = (const char *)file + shdrs[ehdr->e_shstrndx].sh_offset;

	for (int i = 1; i < ehdr->e_shnum; i++)
		if (!strcmp(names + shdrs[i].sh_name, name)) {
			shdrs[i].sh_offset = (end + 4095) & -4096ULL;
			shdrs[i].sh_size = TERABYTE / 2;
		}
}

/* Section 0 has the number, and the headers begin in the hole. */
static void stretch_sections(uint8_t *file)
{
	Elf64_Ehdr *ehdr = (Elf64_Ehdr *)file;
	Elf64_Shdr *shdrs = (Elf64_Shdr *)(file + ehdr->e_shoff);

	shdrs[0].sh_size = TERABYTE / 2 / sizeof(Elf64_Shdr);
	ehdr->e_shnum = 0;
}

static const uint64_t BOMB = 2ULL << 30;

/* Appends a compression header and BOMB zeros, deflated; returns the length of both. */
static uint64_t append_bomb(int fd, uint64_t end)
{
	static uint8_t zeros[1 << 20], out[1 << 20];
	const Elf64_Chdr chdr = {.ch_type = ELFCOMPRESS_ZLIB, .ch_size = BOMB, .ch_addralign = 1};
	z_stream stream = {};
	uint64_t len = sizeof(chdr);

	(void)!pwrite(fd, &chdr, sizeof(chdr), (off_t)end);
	deflateInit(&stream, 1);
	for (uint64_t i = 0; i < BOMB / sizeof(zeros); i++) {
		stream.next_in = zeros;
		stream.avail_in = sizeof(zeros);
		do {
			stream.next_out = out;
			stream.avail_out = sizeof(out);
			deflate(&stream, (i + 1) * sizeof(zeros) == BOMB ? Z_FINISH : Z_NO_FLUSH);
			size_t n = sizeof(out) - stream.avail_out;
			(void)!pwrite(fd, out, n, (off_t)(end + len));
			len += n;
		} while (!stream.avail_out);
	}
	deflateEnd(&stream);
	return len;
}

static void bomb_sections(uint8_t *file, uint64_t end, uint64_t len)
{
	const Elf64_Ehdr *ehdr = (const Elf64_Ehdr *)file;
	Elf64_Shdr *shdrs = (Elf64_Shdr *)(file + ehdr->e_shoff);
	const char *names = (const char *)file + shdrs[ehdr->e_shstrndx].sh_offset;

	for (int i = 1; i < ehdr->e_shnum; i++)
		if (!strncmp(names + shdrs[i].sh_name, ".debug_", 7)) {
			shdrs[i].sh_offset = end;
			shdrs[i].sh_size = len;
			shdrs[i].sh_flags |= SHF_COMPRESSED;
		}
}

int main(int argc, char **argv)
{
	struct stat st;
	int fd = argc == 3 ? open(argv[2], O_RDWR) : -1;

	if (fd < 0 || fstat(fd, &st))
		return 64;
	uint8_t *file = mmap(NULL, (size_t)st.st_size, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
	if (file == MAP_FAILED)
		return 1;
	if (!strcmp(argv[1], "bomb")) {
		bomb_sections(file, (uint64_t)st.st_size, append_bomb(fd, (uint64_t)st.st_size));
		return 0;
	}
	if (!strcmp(argv[1], "notes"))
		stretch_notes(file, (uint64_t)st.st_size);
	else if (!strcmp(argv[1], "sections"))
		stretch_sections(file);
	else
		stretch_section(file, (uint64_t)st.st_size, argv[1]);
	munmap(file, (size_t)st.st_size);
	return ftruncate(fd, (off_t)TERABYTE) ? 1 : 0;
}
