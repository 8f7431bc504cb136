// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/elf_image.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/vfs.h>
#include <unistd.h>

#include "door/medium.h"
#include "object/byte_order.h"
#include "object/elf_check.h"
#include "object/elf_notes.h"
#include "object/elf_section.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/limits.h"
#include "util/xalloc.h"

/* more program headers than any linker writes; e_phnum can claim 2^32 with PN_XNUM */
enum { LOADS_MAX = 4096 };

void elf_image_destroy(struct elf_image *image)
{
	if (!image)
		return;
	fault_guard_remove(&image->guard);
	elf_end(image->elf);
	cleanup_fd(&image->fd);
	free(image->memory);
	free(image->path);
	free(image->real);
	free(image->loads);
	free(image->bases);
	free(image);
}

void elf_image_cleanup(struct elf_image **image)
{
	elf_image_destroy(*image);
}

static struct error *broken(const struct elf_image *image, const char *what)
{
	return error_create(ERROR_INPUT, "%s: %s", image->path, what);
}

static struct error *read_loads(struct elf_image *image)
{
	size_t n;

	if (elf_getphdrnum(image->elf, &n))
		return broken(image, "broken ELF program headers");
	if (n > LOADS_MAX)
		return broken(image, "too many ELF program headers");
	image->loads = xcalloc(n, sizeof(*image->loads));
	for (size_t i = 0; i < n; i++) {
		GElf_Phdr phdr;

		if (!gelf_getphdr(image->elf, (int)i, &phdr))
			return broken(image, "broken ELF program headers");
		if (phdr.p_type == PT_LOAD)
			image->loads[image->n_loads++] = phdr;
		else if (phdr.p_type == PT_GNU_EH_FRAME && !image->eh_frame_hdr.p_type)
			image->eh_frame_hdr = phdr;
	}
	return NULL;
}

/* Sections larger than this get no base. */
static const uint64_t SECTION_MAX = 1ULL << 31;
enum { BASE_ALIGN = 4096, FIRST_BASE = 1 << 16 };

/* Gives each loaded section a base, in the order of the section headers, with a gap after each. */
static struct error *lay_out_sections(struct elf_image *image)
{
	uint64_t base = FIRST_BASE;
	size_t n;

	if (elf_getshdrnum(image->elf, &n))
		return broken(image, "broken ELF section headers");
	image->loads = xcalloc(n, sizeof(*image->loads));
	image->bases = xcalloc(n, sizeof(*image->bases));
	image->n_bases = n;
	for (struct elf_section section = {}; elf_section_next(image->elf, &section);) {
		const GElf_Shdr shdr = section.header;
		size_t index = elf_ndxscn(section.scn);

		if (!(shdr.sh_flags & SHF_ALLOC) || shdr.sh_size > SECTION_MAX || index >= n ||
			image->n_loads == n)
			continue;
		image->bases[index] = base;
		image->loads[image->n_loads++] = (GElf_Phdr){
			.p_type = PT_LOAD,
			.p_flags = shdr.sh_flags & SHF_EXECINSTR ? PF_R | PF_X : PF_R,
			.p_offset = shdr.sh_offset,
			.p_vaddr = base,
			.p_filesz = shdr.sh_type == SHT_NOBITS ? 0 : shdr.sh_size,
			.p_memsz = shdr.sh_size,
		};
		base += (shdr.sh_size + 2 * BASE_ALIGN - 1) & -(uint64_t)BASE_ALIGN;
	}
	return NULL;
}

static struct error *read_headers(struct elf_image *image)
{
	if (!image->elf || elf_kind(image->elf) != ELF_K_ELF)
		return broken(image, "not an ELF file");
	if (!gelf_getehdr(image->elf, &image->ehdr))
		return broken(image, "broken ELF header");
	if (image->ehdr.e_type != ET_EXEC && image->ehdr.e_type != ET_DYN &&
		image->ehdr.e_type != ET_REL)
		return broken(image, "neither a program, a library nor an object file");
	if (elf_image_is_relocatable(image))
		try(lay_out_sections(image));
	else
		try(read_loads(image));
	image->build_id = elf_notes_build_id(image->elf, image->fd);
	return NULL;
}

static struct elf_image *image_create(int fd, void *memory, const char *path)
{
	struct elf_image *image = xcalloc(1, sizeof(*image));

	elf_version(EV_CURRENT);
	image->fd = fd;
	image->memory = memory;
	image->path = xstrdup(path);
	return image;
}

/* Opens the file with libelf, which maps it and reads its header at once. */
static void begin_mapped(struct elf_image *image)
{
	size_t size = 0;

	errno = 0;
	fault_guard_add_anywhere(&image->guard);
	image->elf = elf_begin(image->fd, ELF_C_READ_MMAP, NULL);
	fault_guard_remove(&image->guard);
	if (!image->elf)
		limits_check(errno);
	const char *start = image->elf ? elf_rawfile(image->elf, &size) : NULL;
	if (start)
		fault_guard_add(&image->guard, start, size);
	/* If mmap() failed, libelf has read the file into an unaligned buffer instead. */
	image->pages = start && (uintptr_t)start % (uintptr_t)getpagesize() == 0;
}

void elf_image_release(const struct elf_image *image)
{
	size_t size = 0;
	char *start = image->pages ? elf_rawfile(image->elf, &size) : NULL;

	if (start)
		madvise(start, size, MADV_DONTNEED);
}

static char *real_path(int fd)
{
	char link[64], real[PATH_MAX];

	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, real, sizeof(real));
	return len > 0 && *real == '/' ? xstrndup(real, (size_t)len) : NULL;
}

/* Closes the descriptor if the file is mapped, as it can be read without it. */
static void close_mapped(struct elf_image *image)
{
	image->real = real_path(image->fd);
	if (!image->guard.link || elf_cntl(image->elf, ELF_C_FDDONE))
		return;
	close(take_fd(image->fd));
}

struct error *elf_image_open(int fd, const char *path, struct elf_image **ret)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = image_create(fd, NULL, path);
	struct statfs fs;

	if (fstat(fd, &image->stat))
		return error_errno(errno, "%s", path);
	if (!S_ISREG(image->stat.st_mode))
		return broken(image, "not a regular file");
	image->writers = writers_of_file(fd);
	if (!fstatfs(fd, &fs))
		image->fs_type = (uint64_t)fs.f_type;
	const char *odd = elf_check(fd, &image->stat);
	if (odd)
		return broken(image, odd);
	begin_mapped(image);
	try(read_headers(image));
	if (image->guard.cut)
		return broken(image, "was cut short while it was read");
	close_mapped(image);
	*ret = take(image);
	return NULL;
}

struct error *elf_image_from_memory(
	void *memory, size_t size, const char *name, struct elf_image **ret)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = image_create(-1, memory, name);

	image->elf = elf_memory(memory, size);
	try(read_headers(image));
	*ret = take(image);
	return NULL;
}

bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *ret)
{
	const GElf_Phdr *best = NULL;

	for (size_t i = 0; i < image->n_loads; i++) {
		const GElf_Phdr *load = &image->loads[i];

		if (offset < load->p_offset || offset - load->p_offset >= load->p_filesz)
			continue;
		if (!best || (!(best->p_flags & PF_X) && load->p_flags & PF_X))
			best = load;
	}
	if (!best)
		return false;
	*ret = offset - best->p_offset + best->p_vaddr;
	return true;
}

/* Returns the first segment with all of FLAGS that ADDRESS is in, or NULL. */
static const GElf_Phdr *segment_at(const struct elf_image *image, uint64_t address, GElf_Word flags)
{
	for (size_t i = 0; i < image->n_loads; i++) {
		const GElf_Phdr *load = &image->loads[i];

		if ((load->p_flags & flags) == flags && address >= load->p_vaddr &&
			address - load->p_vaddr < load->p_memsz)
			return load;
	}
	return NULL;
}

/* Returns the first segment whose file content includes ADDRESS, or NULL. */
static const GElf_Phdr *load_at(const struct elf_image *image, uint64_t address)
{
	for (size_t i = 0; i < image->n_loads; i++) {
		const GElf_Phdr *load = &image->loads[i];

		if (address >= load->p_vaddr && address - load->p_vaddr < load->p_filesz)
			return load;
	}
	return NULL;
}

bool elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *ret)
{
	const GElf_Phdr *load = load_at(image, address);

	if (!load)
		return false;
	*ret = address - load->p_vaddr + load->p_offset;
	return true;
}

static bool memory_bytes(Elf *elf, uint64_t offset, char *buffer, size_t len)
{
	size_t size;
	const char *base = elf_rawfile(elf, &size);

	if (!base || offset > size || len > size - offset)
		return false;
	memcpy(buffer, base + offset, len);
	return true;
}

bool elf_image_raw(const struct elf_image *image, uint64_t offset, void *buffer, size_t len)
{
	return image->fd >= 0 ? file_read_at(image->fd, buffer, len, offset) == len
			      : memory_bytes(image->elf, offset, buffer, len);
}

bool elf_image_bytes(const struct elf_image *image, uint64_t address, void *buffer, size_t len)
{
	for (char *at = buffer; len;) {
		const GElf_Phdr *load = load_at(image, address);

		if (!load)
			return false;
		uint64_t skip = address - load->p_vaddr, left = load->p_filesz - skip;
		size_t n = left < len ? (size_t)left : len;
		if (!elf_image_raw(image, load->p_offset + skip, at, n))
			return false;
		at += n;
		address += n;
		len -= n;
	}
	return true;
}

bool elf_image_section(const struct elf_image *image, const char *name, uint64_t *ret)
{
	struct elf_section section;

	if (!elf_section_find(image->elf, name, &section))
		return false;
	*ret = section.header.sh_addr + elf_image_base(image, elf_ndxscn(section.scn));
	return true;
}

bool elf_image_is_go(const struct elf_image *image)
{
	uint64_t address;

	return elf_image_section(image, ".gopclntab", &address) ||
	       elf_image_section(image, ".data.rel.ro.gopclntab", &address);
}

uint64_t elf_image_base(const struct elf_image *image, size_t index)
{
	return index < image->n_bases ? image->bases[index] : 0;
}

bool elf_image_is_relocatable(const struct elf_image *image)
{
	return image->ehdr.e_type == ET_REL;
}

bool elf_image_is_fixed(const struct elf_image *image)
{
	return image->ehdr.e_type == ET_EXEC;
}

bool elf_image_is_program(const struct elf_image *image)
{
	enum { ENTRIES_MAX = 1 << 10 };
	const unsigned word = elf_image_word(image);
	const bool big = image->ehdr.e_ident[EI_DATA] == ELFDATA2MSB;
	GElf_Phdr dynamic = {};
	uint8_t entry[16];
	size_t next = 0;

	if (!elf_segment_next(image->elf, PT_DYNAMIC, &next, &dynamic))
		return elf_image_is_fixed(image);
	for (size_t i = 0; i < ENTRIES_MAX && (i + 1) * 2 * word <= dynamic.p_filesz; i++) {
		if (!elf_image_raw(image, dynamic.p_offset + i * 2 * word, entry, 2 * word))
			break;
		if (byte_order_read(entry, word, big) == DT_FLAGS_1 &&
			byte_order_read(entry + word, word, big) & DF_1_PIE)
			return true;
	}
	return elf_image_is_fixed(image);
}

uint64_t elf_image_section_offset(const struct elf_image *image, uint64_t address)
{
	uint64_t base = 0;

	for (size_t i = 0; i < image->n_bases; i++)
		if (image->bases[i] <= address && image->bases[i] > base)
			base = image->bases[i];
	return address - base;
}

bool elf_image_is_code(const struct elf_image *image, uint64_t address)
{
	return segment_at(image, address, PF_X);
}

bool elf_image_is_in_section(const struct elf_image *image, uint64_t address, uint64_t flags)
{
	struct elf_section section = {};
	bool any = false;

	for (flags |= SHF_ALLOC; elf_section_next(image->elf, &section); any = true) {
		const GElf_Shdr *header = &section.header;
		uint64_t start = header->sh_addr + elf_image_base(image, elf_ndxscn(section.scn));

		if ((header->sh_flags & (flags | SHF_TLS)) == flags && address >= start &&
			address - start < header->sh_size)
			return true;
	}
	return !any;
}

bool elf_image_has_address(const struct elf_image *image, uint64_t address)
{
	return !image->n_loads || segment_at(image, address, 0);
}

bool elf_image_same_layout(const struct elf_image *a, const struct elf_image *b)
{
	uint64_t left, right;

	if (!elf_image_is_relocatable(a) && !elf_image_is_relocatable(b))
		return !elf_image_section(a, ".text", &left) ||
		       !elf_image_section(b, ".text", &right) || left == right;
	if (a->ehdr.e_type != b->ehdr.e_type || a->n_loads != b->n_loads)
		return false;
	for (size_t i = 0; i < a->n_loads; i++)
		if (a->loads[i].p_memsz != b->loads[i].p_memsz ||
			a->loads[i].p_flags != b->loads[i].p_flags)
			return false;
	return true;
}

bool elf_image_code_offset(
	const struct elf_image *image, uint64_t offset, bool first, uint64_t *ret)
{
	const GElf_Phdr *found = NULL;

	for (size_t i = 0; elf_image_is_relocatable(image) && i < image->n_loads; i++) {
		const GElf_Phdr *load = &image->loads[i];

		if (!(load->p_flags & PF_X) || offset >= load->p_memsz)
			continue;
		if (found && !first)
			return false;
		if (!found)
			found = load;
	}
	if (!found)
		return false;
	*ret = found->p_vaddr + offset;
	return true;
}
