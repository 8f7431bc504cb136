// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/section_file.h"

#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include "door/door.h"
#include "util/cleanup.h"
#include "util/text.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* The note is first. .strtab directly precedes .symtab, whose sh_link refers to it. */
static const char *const names[] = {".note.gnu.build-id", ".debug_info", ".debug_abbrev",
	".debug_line", ".debug_str", ".debug_line_str", ".debug_ranges", ".debug_rnglists",
	".debug_addr", ".debug_str_offsets", ".debug_aranges", ".gnu_debugaltlink", ".strtab",
	".symtab"};

enum { N_NAMES = array_len(names), NOTE = 0, INFO = 1, ABBREV = 2 };
enum { STRTAB = N_NAMES - 2, SYMTAB };
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
	array_each(part, parts->all, N_NAMES)
		if (part->data)
			munmap(part->data, part->len);
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
	array_each(part, parts->all, N_NAMES) {
		fetcher_wait(options->fetcher, part->fetch);
		if (part->fetch->path)
			part_open(part);
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

/* A file that is being put together. */
struct joined_file {
	Elf *elf;
	const struct elf_image *image;
	struct text strings; /* the names of its sections, after an empty one */
};

/*
 * Appends a section with the header SHDR and SIZE bytes. BYTES (NULL: no content) must outlive the
 * file.
 */
static bool add_section(
	struct joined_file *file, GElf_Shdr shdr, const char *name, void *bytes, size_t size)
{
	Elf_Scn *scn = elf_newscn(file->elf);
	Elf_Data *data = scn ? elf_newdata(scn) : NULL;

	if (!data || file->strings.len > NAMES_MAX)
		return false;
	*data = (Elf_Data){.d_buf = bytes,
		.d_size = size,
		.d_type = ELF_T_BYTE,
		.d_align = 1,
		.d_version = EV_CURRENT};
	shdr.sh_name = *name ? (GElf_Word)file->strings.len : 0;
	if (*name)
		text_add(&file->strings, name, strlen(name) + 1);
	return gelf_update_shdr(scn, &shdr);
}

static bool add_part(struct joined_file *file, size_t number, const struct fetched_section *part)
{
	const bool is_64 = elf_image_word(file->image) == 8;
	GElf_Shdr shdr = {.sh_type = number == NOTE	? SHT_NOTE
				     : number == STRTAB ? SHT_STRTAB
				     : number == SYMTAB ? SHT_SYMTAB
							: SHT_PROGBITS};
	size_t n;

	if (elf_getshdrnum(file->elf, &n))
		return false;
	if (number == SYMTAB) {
		shdr.sh_link = (GElf_Word)n - 1;
		shdr.sh_entsize = is_64 ? sizeof(Elf64_Sym) : sizeof(Elf32_Sym);
	} else if (!strncmp(names[number], ".debug_", 7) && is_compressed(part, is_64)) {
		shdr.sh_flags = SHF_COMPRESSED;
	}
	return add_section(file, shdr, names[number], part->data, part->len);
}

/*
 * Adds the section headers of the image without content, because symbols refer to sections by
 * index.
 */
static bool add_headers(struct joined_file *file)
{
	size_t strings;

	if (elf_getshdrstrndx(file->image->elf, &strings))
		return true;
	for (Elf_Scn *scn = NULL; (scn = elf_nextscn(file->image->elf, scn));) {
		GElf_Shdr shdr;
		const char *name = gelf_getshdr(scn, &shdr)
					   ? elf_strptr(file->image->elf, strings, shdr.sh_name)
					   : NULL;

		shdr.sh_type = SHT_NOBITS;
		shdr.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
		shdr.sh_link = shdr.sh_info = 0;
		if (!name || !add_section(file, shdr, name, NULL, shdr.sh_size))
			return false;
	}
	return true;
}

/* Adds the table of section names, as the last section, and writes the file. */
static bool finish(struct joined_file *file)
{
	const GElf_Ehdr *like = &file->image->ehdr;
	GElf_Ehdr ehdr;
	size_t n;

	if (!add_section(file, (GElf_Shdr){.sh_type = SHT_STRTAB}, "", file->strings.data,
		    file->strings.len) ||
		!gelf_getehdr(file->elf, &ehdr) || elf_getshdrnum(file->elf, &n))
		return false;
	ehdr.e_ident[EI_DATA] = like->e_ident[EI_DATA];
	ehdr.e_type = like->e_type;
	ehdr.e_machine = like->e_machine;
	ehdr.e_version = EV_CURRENT;
	ehdr.e_shstrndx = (GElf_Half)(n - 1);
	return gelf_update_ehdr(file->elf, &ehdr) && elf_update(file->elf, ELF_C_WRITE) > 0;
}

static bool is_wanted(const struct parts *parts, size_t number)
{
	/* .symtab and .strtab are useless alone */
	bool both = parts->all[STRTAB].data && parts->all[SYMTAB].data;

	return number >= STRTAB ? both : !!parts->all[number].data;
}

static bool write_file(const struct parts *parts, const struct elf_image *image, int fd)
{
	struct joined_file file = {.elf = elf_begin(fd, ELF_C_WRITE, NULL), .image = image};

	text_add_char(&file.strings, '\0');
	bool good = file.elf && gelf_newehdr(file.elf, image->ehdr.e_ident[EI_CLASS]) &&
		    add_headers(&file);
	for (size_t i = 0; good && i < N_NAMES; i++)
		good = !is_wanted(parts, i) || add_part(&file, i, &parts->all[i]);
	good = good && finish(&file);
	elf_end(file.elf);
	text_deinit(&file.strings);
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
	const struct debug_options *options, struct fetch *fetch, char **outcome_ret)
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
	joined = join(&parts, image, options->cache);
	if (!joined)
		*outcome_ret = xstrdup("its sections cannot be put together");
	for (size_t i = 0; joined && i < N_NAMES; i++)
		fetch->sections += parts.all[i].len;
	return joined;
}
