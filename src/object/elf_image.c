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

#include "object/elf_section.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/limits.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* more program headers than any linker writes; e_phnum can claim 2^32 with PN_XNUM */
enum { LOADS_MAX = 4096 };

void elf_image_destroy(struct elf_image *image)
{
	if (!image)
		return;
	fault_guard_remove(&image->guard);
	elf_end(image->elf);
	free(image->memory);
	free(image->path);
	free(image->real);
	free(image->loads);
	free(image->bases);
	free(image);
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

/* ---- the build ID --------------------------------------------------------------------------- */

/*
 * Limits on the notes that are read, in bytes and in segments and sections. In real files the build
 * ID is in the first page or two.
 */
enum { NOTES_MAX = 64 << 10, PLACES_MAX = 64 };

/* Returns the bytes of the file at OFFSET, and reduces LEN to those that the file has. */
static const uint8_t *raw_bytes(const struct elf_image *image, uint64_t offset, uint64_t *len)
{
	size_t size = 0;
	const char *file = elf_rawfile(image->elf, &size);
	const uint64_t left = file && offset < size ? size - offset : 0;

	*len = *len < left ? *len : left;
	return (const uint8_t *)file + (left ? offset : 0);
}

/* Returns the first build ID in the SIZE bytes of notes at OFFSET, or len 0. */
static struct build_id id_in(
	const struct elf_image *image, uint64_t offset, uint64_t size, uint64_t align)
{
	uint64_t len = size < NOTES_MAX ? size : NOTES_MAX;
	const uint8_t *notes = raw_bytes(image, offset, &len);

	return build_id_of_notes(notes, len, align, elf_image_is_big(image));
}

/* libdwelf reads notes up to the end that the file claims. */
static struct build_id find_build_id(const struct elf_image *image)
{
	unsigned left = PLACES_MAX;
	struct build_id id = {};
	GElf_Phdr note;

	for (size_t next = 0;
		!id.len && left && elf_segment_next(image->elf, PT_NOTE, &next, &note); left--)
		id = id_in(image, note.p_offset, note.p_filesz, note.p_align);
	/* Go's linker puts the build ID in no segment. */
	for (struct elf_section section = {};
		!id.len && left && elf_section_next_of(image->elf, SHT_NOTE, &section); left--)
		id = id_in(image, section.header.sh_offset, section.header.sh_size,
			section.header.sh_addralign);
	return id;
}

/* ---- opening -------------------------------------------------------------------------------- */

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
	image->build_id = find_build_id(image);
	return NULL;
}

static struct elf_image *image_create(void *memory, const char *path)
{
	struct elf_image *image = xnew(image);

	elf_version(EV_CURRENT);
	image->memory = memory;
	image->path = xstrdup(path);
	return image;
}

void elf_image_release(const struct elf_image *image)
{
	size_t size = 0;
	char *start = image->pages ? elf_rawfile(image->elf, &size) : NULL;

	if (start)
		madvise(start, size, MADV_DONTNEED);
}

bool elf_image_is_overwritten(const struct elf_image *image)
{
	const struct stat *then = &image->stat;
	const uintptr_t page = (uintptr_t)getpagesize();
	size_t size = 0;
	uintptr_t start = image->pages ? (uintptr_t)elf_rawfile(image->elf, &size) : 0;
	char link[64];
	struct stat now;

	/* the link, which needs a capability, leads to the file even if it was deleted */
	snprintf(link, sizeof(link), "/proc/self/map_files/%zx-%zx", (size_t)start,
		(size_t)((start + size + page - 1) & -page));
	if (stat(link, &now) && (!image->real || stat(image->real, &now)))
		return false;
	return now.st_dev == then->st_dev && now.st_ino == then->st_ino &&
	       !file_same_content(&now, then);
}

struct error *elf_image_open(int fd_taken, const char *path, struct elf_image **ret)
{
	auto_fd int fd = fd_taken;
	scope_guard(elf_image_cleanup) struct elf_image *image = image_create(NULL, path);
	char link[64], real[PATH_MAX];
	struct statfs fs;
	size_t size = 0;

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
	errno = 0;
	/* libelf maps the file and reads its header at once */
	fault_guard_add(&image->guard, NULL, SIZE_MAX);
	image->elf = elf_begin(fd, ELF_C_READ_MMAP, NULL);
	fault_guard_remove(&image->guard);
	if (!image->elf)
		limits_check(errno);
	const char *start = image->elf ? elf_rawfile(image->elf, &size) : NULL;
	if (start)
		fault_guard_add(&image->guard, start, size);
	/* If mmap() failed, libelf has read the file into an unaligned buffer instead. */
	image->pages = start && (uintptr_t)start % (uintptr_t)getpagesize() == 0;
	try(read_headers(image));
	if (image->guard.cut)
		return broken(image, "was cut short while it was read");
	if (!image->guard.link)
		return broken(image, "cannot be read into memory");
	(void)elf_cntl(image->elf, ELF_C_FDDONE);
	snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
	ssize_t len = readlink(link, real, sizeof(real));
	if (len > 0 && *real == '/')
		image->real = xstrndup(real, (size_t)len);
	*ret = take(image);
	return NULL;
}

struct error *elf_image_from_memory(
	void *memory, size_t size, const char *name, struct elf_image **ret)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = image_create(memory, name);

	image->elf = elf_memory(memory, size);
	try(read_headers(image));
	*ret = take(image);
	return NULL;
}

bool elf_image_address(const struct elf_image *image, uint64_t offset, uint64_t *ret)
{
	const GElf_Phdr *best = NULL;

	array_each(load, image->loads, image->n_loads) {
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

/*
 * Returns the first segment with all of FLAGS that ADDRESS is in, or NULL. IN_FILE: its content in
 * the file must include ADDRESS.
 */
static const GElf_Phdr *segment_at(
	const struct elf_image *image, uint64_t address, GElf_Word flags, bool in_file)
{
	array_each(load, image->loads, image->n_loads)
		if ((load->p_flags & flags) == flags && address >= load->p_vaddr &&
			address - load->p_vaddr < (in_file ? load->p_filesz : load->p_memsz))
			return load;
	return NULL;
}

bool elf_image_offset(const struct elf_image *image, uint64_t address, uint64_t *ret)
{
	const GElf_Phdr *load = segment_at(image, address, 0, true);

	if (!load)
		return false;
	*ret = address - load->p_vaddr + load->p_offset;
	return true;
}

const uint8_t *elf_image_raw(const struct elf_image *image, uint64_t offset, uint64_t len)
{
	const uint64_t wanted = len;
	const uint8_t *bytes = raw_bytes(image, offset, &len);

	return len == wanted ? bytes : NULL;
}

bool elf_image_bytes(const struct elf_image *image, uint64_t address, void *buffer, size_t len)
{
	for (char *at = buffer; len;) {
		const GElf_Phdr *load = segment_at(image, address, 0, true);

		if (!load)
			return false;
		uint64_t skip = address - load->p_vaddr, left = load->p_filesz - skip;
		size_t n = left < len ? (size_t)left : len;
		const uint8_t *bytes = elf_image_raw(image, load->p_offset + skip, n);
		if (!bytes)
			return false;
		memcpy(at, bytes, n);
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

bool elf_image_has_dwarf(const struct elf_image *image)
{
	struct elf_section section;

	return (elf_section_find(image->elf, ".debug_info", &section) ||
		       elf_section_find(image->elf, ".zdebug_info", &section)) &&
	       section.header.sh_type != SHT_NOBITS && section.header.sh_size;
}

uint64_t elf_image_base(const struct elf_image *image, size_t index)
{
	return index < image->n_bases ? image->bases[index] : 0;
}

bool elf_image_is_program(const struct elf_image *image)
{
	enum { ENTRIES_MAX = 1 << 10 };
	GElf_Phdr header = {};
	GElf_Dyn entry;
	size_t next = 0;

	if (!elf_segment_next(image->elf, PT_DYNAMIC, &next, &header))
		return elf_image_is_fixed(image);
	errno = 0;
	Elf_Data *dynamic = elf_getdata_rawchunk(
		image->elf, (int64_t)header.p_offset, header.p_filesz, ELF_T_DYN);
	if (!dynamic)
		limits_check(errno);
	for (int i = 0; i < ENTRIES_MAX && gelf_getdyn(dynamic, i, &entry); i++)
		if (entry.d_tag == DT_FLAGS_1 && entry.d_un.d_val & DF_1_PIE)
			return true;
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
	return segment_at(image, address, PF_X, false);
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
	return !image->n_loads || segment_at(image, address, 0, false);
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
		if (!found)
			found = load;
		else if (!first)
			return false;
	}
	if (!found)
		return false;
	*ret = found->p_vaddr + offset;
	return true;
}
