// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/section_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "door/door.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* The note is first. .strtab directly precedes .symtab, whose sh_link refers to it. */
static const char *const names[] = {".note.gnu.build-id", ".debug_info", ".debug_abbrev",
	".debug_line", ".debug_str", ".debug_line_str", ".debug_ranges", ".debug_rnglists",
	".debug_addr", ".debug_str_offsets", ".debug_aranges", ".gnu_debugaltlink", ".strtab",
	".symtab"};

enum { N_NAMES = array_len(names), NOTE = 0, INFO = 1, ABBREV = 2 };
/* Limit on the length of all section names together, in bytes. */
enum { NAMES_MAX = 1 << 20 };

struct fetched_section {
	const struct fetch *fetch;
	uint8_t *data; /* mapped; NULL if missing */
	size_t len;
};

struct parts {
	struct fetched_section all[N_NAMES];
};

static void parts_deinit(struct parts *parts)
{
	for (size_t i = 0; i < N_NAMES; i++)
		if (parts->all[i].data)
			munmap(parts->all[i].data, parts->all[i].len);
}

static void part_open(struct fetched_section *part)
{
	auto_fd int fd = door_open(AT_FDCWD, part->fetch->path, 0, NULL);
	struct stat st;

	if (fd < 0 || fstat(fd, &st) || !st.st_size)
		return;
	void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	if (data == MAP_FAILED) {
		xmap_check((size_t)st.st_size);
		return;
	}
	part->data = data;
	part->len = (size_t)st.st_size;
}

static void parts_fetch(
	struct parts *parts, const struct elf_image *image, const struct debug_options *options)
{
	for (size_t i = 0; i < N_NAMES; i++) {
		auto_free char *label = xasprintf("%s %s", image->path, names[i]);

		parts->all[i].fetch = fetcher_start(
			options->fetcher, DEBUGINFOD_SECTION, &image->build_id, names[i], label);
	}
	for (size_t i = 0; i < N_NAMES; i++) {
		fetcher_wait(options->fetcher, parts->all[i].fetch);
		if (parts->all[i].fetch->path)
			part_open(&parts->all[i]);
	}
}

/* Returns true if PART is an NT_GNU_BUILD_ID note with ID: three words, "GNU", the ID. */
static bool is_note_of(const struct fetched_section *part, const struct build_id *id)
{
	GElf_Nhdr note;
	const size_t start = sizeof(note) + 4;

	if (part->len < start + id->len)
		return false;
	memcpy(&note, part->data, sizeof(note));
	return note.n_namesz == 4 && note.n_descsz == id->len && note.n_type == NT_GNU_BUILD_ID &&
	       !memcmp(part->data + sizeof(note), "GNU", 4) &&
	       !memcmp(part->data + start, id->bytes, id->len);
}

/* Returns what is missing or wrong, malloc'ed; NULL if nothing is. */
static char *verify(const struct parts *parts, const struct elf_image *image)
{
	if (!parts->all[NOTE].data)
		return xasprintf("its sections cannot be verified, .note.gnu.build-id: %s",
			fetch_outcome(parts->all[NOTE].fetch));
	if (!is_note_of(&parts->all[NOTE], &image->build_id))
		return xstrdup("its sections are of another build");
	for (size_t i = INFO; i <= ABBREV; i++)
		if (!parts->all[i].data)
			return xasprintf("%s: %s", names[i], fetch_outcome(parts->all[i].fetch));
	return NULL;
}

/*
 * Returns true if PART looks compressed. Sections are served as they are in the file, but without
 * their flags.
 */
static bool is_compressed(const struct fetched_section *part, bool is_64)
{
	size_t header = is_64 ? sizeof(Elf64_Chdr) : sizeof(Elf32_Chdr);
	uint32_t type;

	if (part->len < header + 4)
		return false;
	memcpy(&type, part->data, sizeof(type));
	const uint8_t *packed = part->data + header;
	if (type == ELFCOMPRESS_ZLIB)
		return (packed[0] & 15) == 8 && (packed[0] << 8 | packed[1]) % 31 == 0;
	/* ELFCOMPRESS_ZSTD, and the magic number of RFC 8878 */
	return type == 2 && !memcmp(packed, "\x28\xb5\x2f\xfd", 4);
}

/*
 * Appends a section of SIZE bytes. BYTES (NULL: no content) must outlive ELF. Returns NULL on
 * failure.
 */
static Elf_Scn *new_section(Elf *elf, void *bytes, size_t size)
{
	Elf_Scn *scn = elf_newscn(elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;

	if (!data)
		return NULL;
	*data = (Elf_Data){.d_buf = bytes,
		.d_size = size,
		.d_type = ELF_T_BYTE,
		.d_align = 1,
		.d_version = EV_CURRENT};
	return scn;
}

static bool add_section(
	Elf *elf, size_t number, const struct fetched_section *part, size_t name, bool is_64)
{
	Elf_Scn *scn = new_section(elf, part->data, part->len);
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr))
		return false;
	shdr.sh_name = (GElf_Word)name;
	shdr.sh_type = number == NOTE ? SHT_NOTE : SHT_PROGBITS;
	if (!strcmp(names[number], ".strtab"))
		shdr.sh_type = SHT_STRTAB;
	if (!strcmp(names[number], ".symtab")) {
		shdr.sh_type = SHT_SYMTAB;
		shdr.sh_link = (GElf_Word)elf_ndxscn(scn) - 1;
		shdr.sh_entsize = is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	} else if (!strncmp(names[number], ".debug_", 7) && is_compressed(part, is_64)) {
		shdr.sh_flags = SHF_COMPRESSED;
	}
	return gelf_update_shdr(scn, &shdr);
}

/* Adds a section header of IMAGE without content, because symbols refer to sections by index. */
static bool add_header(Elf *elf, const GElf_Shdr *from, size_t name)
{
	Elf_Scn *scn = new_section(elf, NULL, from->sh_size);
	GElf_Shdr shdr = *from;

	if (!scn)
		return false;
	shdr.sh_name = (GElf_Word)name;
	shdr.sh_type = SHT_NOBITS;
	shdr.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
	shdr.sh_link = shdr.sh_info = 0;
	return gelf_update_shdr(scn, &shdr);
}

static bool add_headers(Elf *elf, const struct elf_image *image, struct text *strings)
{
	size_t from;

	if (elf_getshdrstrndx(image->elf, &from))
		return true;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(image->elf, scn));) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr)
					   ? elf_strptr(image->elf, from, shdr.sh_name)
					   : NULL;

		if (!name || strings->len > NAMES_MAX || !add_header(elf, &shdr, strings->len))
			return false;
		text_add(strings, name, strlen(name) + 1);
	}
	return true;
}

/* Adds the table of section names, as the last section. */
static bool add_names(Elf *elf, struct text *strings)
{
	Elf_Scn *scn = new_section(elf, strings->data, strings->len);
	GElf_Shdr shdr;

	if (!scn || !gelf_getshdr(scn, &shdr))
		return false;
	shdr.sh_name = 0;
	shdr.sh_type = SHT_STRTAB;
	return gelf_update_shdr(scn, &shdr);
}

static bool is_wanted(const struct parts *parts, size_t number)
{
	/* .symtab and .strtab are useless alone */
	bool both = parts->all[N_NAMES - 1].data && parts->all[N_NAMES - 2].data;

	return number >= N_NAMES - 2 ? both : !!parts->all[number].data;
}

static bool write_file(const struct parts *parts, const struct elf_image *image, int fd)
{
	bool is_64 = image->ehdr.e_ident[EI_CLASS] == ELFCLASS64;
	scope_guard(text_deinit) struct text strings = {};
	Elf *elf = elf_begin(fd, ELF_C_WRITE, NULL);
	GElf_Ehdr ehdr;

	bool good =
		elf && gelf_newehdr(elf, image->ehdr.e_ident[EI_CLASS]) && gelf_getehdr(elf, &ehdr);
	text_add_char(&strings, '\0');
	good = good && add_headers(elf, image, &strings);
	for (size_t i = 0; good && i < N_NAMES; i++) {
		if (!is_wanted(parts, i))
			continue;
		good = add_section(elf, i, &parts->all[i], strings.len, is_64);
		text_add(&strings, names[i], strlen(names[i]) + 1);
	}
	if (good && (good = add_names(elf, &strings))) {
		size_t n;

		ehdr.e_ident[EI_DATA] = image->ehdr.e_ident[EI_DATA];
		ehdr.e_type = image->ehdr.e_type;
		ehdr.e_machine = image->ehdr.e_machine;
		ehdr.e_version = EV_CURRENT;
		good = !elf_getshdrnum(elf, &n);
		ehdr.e_shstrndx = (GElf_Half)(n - 1);
		good = good && gelf_update_ehdr(elf, &ehdr) && elf_update(elf, ELF_C_WRITE) > 0;
	}
	elf_end(elf);
	return good;
}

static struct elf_image *join(
	const struct parts *parts, const struct elf_image *image, const char *cache)
{
	auto_fd int fd = open(cache, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	auto_free char *path = xasprintf("%s (sections)", parts->all[INFO].fetch->path);
	struct elf_image *joined = NULL;

	if (fd < 0)
		fd = memfd_create("sections", MFD_CLOEXEC);
	if (fd < 0 || !write_file(parts, image, fd))
		return NULL;
	error_destroy(elf_image_open(take_fd(fd), path, &joined));
	return joined;
}

struct elf_image *section_file_fetch(const struct elf_image *image,
	const struct debug_options *options, char **outcome_ret, uint64_t *bytes_ret)
{
	scope_guard(parts_deinit) struct parts parts = {};
	struct elf_image *joined = NULL;

	if (image->ehdr.e_type == ET_REL) {
		*outcome_ret = xstrdup("single sections of an object file cannot be relocated");
		return NULL;
	}
	parts_fetch(&parts, image, options);
	*outcome_ret = verify(&parts, image);
	if (*outcome_ret)
		return NULL;
	*bytes_ret = 0;
	for (size_t i = 0; i < N_NAMES; i++)
		*bytes_ret += parts.all[i].len;
	joined = join(&parts, image, options->cache);
	if (!joined)
		*outcome_ret = xstrdup("its sections cannot be put together");
	return joined;
}
