// SPDX-License-Identifier: GPL-2.0-or-later
#include "debug/files/debug_file.h"

#include <elfutils/libdwelf.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>
#include <zlib.h>

#include "debug/files/companions.h"
#include "door/door.h"
#include "object/elf_section.h"
#include "object/find/debug_folder.h"
#include "util/cleanup.h"
#include "util/stop.h"
#include "util/vec.h"
#include "util/xalloc.h"

/* Downloads single sections of a debug file that is too large to download whole. */

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

static void parts_deinit(struct fetched_section (*parts)[N_NAMES])
{
	array_each(part, *parts, N_NAMES)
		if (part->data)
			munmap(part->data, part->len);
}

/* Returns what is missing or wrong, malloc'ed; NULL if nothing is. */
static char *verify(const struct fetched_section parts[N_NAMES], const struct elf_image *image)
{
	const struct fetched_section *note = &parts[NOTE];
	const struct build_id id =
		build_id_of_notes(note->data, note->len, 4, elf_image_is_big(image));

	if (!note->data)
		return xasprintf("its sections cannot be verified, .note.gnu.build-id: %s",
			fetch_outcome(note->fetch));
	if (!build_id_equal(&id, &image->build_id))
		return xstrdup("its sections are of another build");
	for (size_t i = INFO; i <= ABBREV; i++)
		if (!parts[i].data)
			return xasprintf("%s: %s", names[i], fetch_outcome(parts[i].fetch));
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

static bool write_file(
	const struct fetched_section parts[N_NAMES], const struct elf_image *image, int fd)
{
	struct joined_file file = {.elf = elf_begin(fd, ELF_C_WRITE, NULL), .image = image};
	/* .symtab and .strtab are useless alone */
	const bool both = parts[STRTAB].data && parts[SYMTAB].data;
	bool good = file.elf && gelf_newehdr(file.elf, image->ehdr.e_ident[EI_CLASS]);
	GElf_Ehdr ehdr;
	size_t n;

	text_add_char(&file.strings, '\0');
	/* the image's section headers without content, because symbols refer to them by index */
	for (struct elf_section section = {}; good && elf_section_next(image->elf, &section);) {
		GElf_Shdr shdr = section.header;

		shdr.sh_type = SHT_NOBITS;
		shdr.sh_flags &= ~(GElf_Xword)SHF_COMPRESSED;
		shdr.sh_link = shdr.sh_info = 0;
		good = add_section(
			&file, shdr, elf_section_name(image->elf, &section), NULL, shdr.sh_size);
	}
	for (size_t i = 0; good && i < N_NAMES; i++)
		if (i >= STRTAB ? both : parts[i].data != NULL)
			good = add_part(&file, i, &parts[i]);
	/* the table of section names is the last section */
	good = good &&
	       add_section(&file, (GElf_Shdr){.sh_type = SHT_STRTAB}, "", file.strings.data,
		       file.strings.len) &&
	       gelf_getehdr(file.elf, &ehdr) && !elf_getshdrnum(file.elf, &n);
	if (good) {
		ehdr.e_ident[EI_DATA] = image->ehdr.e_ident[EI_DATA];
		ehdr.e_type = image->ehdr.e_type;
		ehdr.e_machine = image->ehdr.e_machine;
		ehdr.e_version = EV_CURRENT;
		ehdr.e_shstrndx = (GElf_Half)(n - 1);
		good = gelf_update_ehdr(file.elf, &ehdr) && elf_update(file.elf, ELF_C_WRITE) > 0;
	}
	elf_end(file.elf);
	text_deinit(&file.strings);
	return good;
}

/*
 * Downloads the needed sections of IMAGE's debug file, all at once, waits for them, and joins them
 * into an ELF file with no other content; the result is the caller's to destroy. The file has no
 * name: it is in the cache's directory, or in memory if it cannot be created there. The build ID in
 * the downloaded .note.gnu.build-id must match; the other sections cannot be verified, but come
 * from the same servers. Returns NULL on failure, with the reason in OUTCOME_RET (malloc'ed).
 * FETCH, the download of the whole file, is told the number of bytes.
 */
static struct elf_image *section_file_fetch(const struct elf_image *image,
	const struct debug_options *options, struct fetch *fetch, char **outcome_ret)
{
	scope_guard(parts_deinit) struct fetched_section parts[N_NAMES] = {};
	struct elf_image *joined = NULL;

	if (image->ehdr.e_type == ET_REL) {
		*outcome_ret = xstrdup("single sections of an object file cannot be relocated");
		return NULL;
	}
	for (size_t i = 0; i < N_NAMES; i++) {
		auto_free char *label = xasprintf("%s %s", image->path, names[i]);

		parts[i].fetch = fetcher_start(
			options->fetcher, DEBUGINFOD_SECTION, &image->build_id, names[i], label);
	}
	array_each(part, parts, N_NAMES) {
		struct stat st;

		fetcher_wait(options->fetcher, part->fetch);
		auto_fd int in =
			part->fetch->path ? door_open(AT_FDCWD, part->fetch->path, 0, NULL) : -1;
		if (in < 0 || fstat(in, &st) || !st.st_size)
			continue;
		void *data = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, in, 0);
		if (data == MAP_FAILED) {
			xmap_check((size_t)st.st_size);
			continue;
		}
		part->data = data;
		part->len = (size_t)st.st_size;
	}
	*outcome_ret = verify(parts, image);
	if (*outcome_ret)
		return NULL;
	auto_free char *path = xasprintf("%s (sections)", parts[INFO].fetch->path);
	auto_fd int fd = open(options->cache, O_TMPFILE | O_RDWR | O_CLOEXEC, 0600);
	if (fd < 0)
		fd = memfd_create("sections", MFD_CLOEXEC);
	if (fd >= 0 && write_file(parts, image, fd))
		error_destroy(elf_image_open(take_fd(fd), path, &joined));
	if (!joined)
		*outcome_ret = xstrdup("its sections cannot be put together");
	for (size_t i = 0; joined && i < N_NAMES; i++)
		fetch->sections += parts[i].len;
	return joined;
}

struct debug_search {
	const struct elf_image *image; /* the file whose debug file is wanted */
	const struct debug_options *options;
	struct text *tried;
	const char *root;	 /* where paths are looked up now, as in struct wanted_file */
	const char *link;	 /* the name in .gnu_debuglink; NULL: looks by build ID */
	uint32_t crc;		 /* the CRC beside it */
	struct elf_image *found; /* a match with debug info */
	struct elf_image *spare; /* a match without DWARF, which has symbols at most */
};

static bool same_file(const struct elf_image *a, const struct elf_image *b)
{
	return a->stat.st_ino == b->stat.st_ino && a->stat.st_dev == b->stat.st_dev;
}

/* Largest debug file without build ID to compute the CRC of, in bytes. */
static const uint64_t CRC_MAX = 4ULL << 30;
enum { CRC_STEP = 1 << 24 };

/* The CRC of .gnu_debuglink is zlib's. */
static bool crc_matches(const struct elf_image *image, uint32_t wanted)
{
	size_t size;
	const unsigned char *file = (const unsigned char *)elf_rawfile(image->elf, &size);
	unsigned long crc = 0;

	if (!file || size > CRC_MAX)
		return false;
	for (size_t at = 0; at < size && !stop_asked(); at += CRC_STEP)
		crc = crc32_z(crc, file + at, size - at < CRC_STEP ? size - at : CRC_STEP);
	return crc == wanted && !stop_asked();
}

/* Returns why CANDIDATE is not the wanted file; NULL if it is. */
static const char *differs(const struct debug_search *search, const struct elf_image *candidate)
{
	const struct build_id *id = &search->image->build_id;

	if (!search->link || (id->len && candidate->build_id.len))
		return build_id_equal(id, &candidate->build_id) ? NULL : "of another build";
	/* a CRC of 32 bits alone can match by chance or on purpose */
	if (!same_code_sections(search->image, candidate))
		return "its code sections differ";
	if (crc_matches(candidate, search->crc))
		return NULL;
	return (uint64_t)candidate->stat.st_size > CRC_MAX
		       ? "has no build ID, and is too large for a CRC check"
		       : "its CRC differs";
}

/*
 * Tries the file PATH below the root. BASE: the directory that contains it, if we or the user chose
 * that; NULL if the program names the path. Returns true if the search is over.
 */
static bool try_path(void *context, const char *path, const char *base)
{
	struct debug_search *search = context;
	auto_free char *why = NULL;
	scope_guard(elf_image_cleanup) struct elf_image *candidate = wanted_open_elf(
		&(struct wanted_file){search->root, path, search->image, base}, &why);

	if (candidate && search->link && same_file(candidate, search->image))
		return false;
	const char *outcome = candidate ? differs(search, candidate) : why;
	if (!outcome && elf_image_has_dwarf(candidate)) {
		search->found = take(candidate);
		return true;
	}
	if (!outcome && !search->spare)
		search->spare = take(candidate);
	if (search->tried)
		text_printf(search->tried, "%s%s%s: %s", search->tried->len ? "; " : "",
			search->root, path, outcome ?: "has no debug info");
	return false;
}

/* Looks in the debug directories DIRS below ROOT, and in CACHE (NULL: none). */
static bool find_by_id(struct debug_search *search, const char *root, const struct string_vec *dirs,
	const char *cache)
{
	search->root = root;
	search->link = NULL;
	return debug_folder_visit(dirs, cache, &search->image->build_id, try_path, search);
}

/* Looks at the files that the user named with -e: one may be the debug file of another program. */
static bool find_given(struct debug_search *search)
{
	const struct build_id *id = &search->image->build_id;

	if (!id->len)
		return false;
	vec_each_value(file, &search->options->files) {
		scope_guard(elf_image_cleanup) struct elf_image *given =
			wanted_open_elf(&(struct wanted_file){.root = "", .path = file}, NULL);

		if (given && build_id_equal(&given->build_id, id) &&
			!same_file(given, search->image) && elf_image_has_dwarf(given)) {
			search->found = take(given);
			return true;
		}
	}
	return false;
}

/*
 * Tries the link's name in DIR + BELOW. BASE: that directory or one above it, if we or the user
 * chose it; NULL if it comes from the program.
 */
static bool try_link(
	struct debug_search *search, const char *dir, const char *below, const char *base)
{
	auto_free char *path = xasprintf("%s%s/%s", dir, below, search->link);

	return try_path(search, path, base);
}

/*
 * Looks where gdb does: beside the file at PATH, in .debug/ beside it, and below each debug
 * directory; in our root also directly in each debug directory. If the target has another root,
 * looks beside the file only in that.
 */
static bool find_by_link(struct debug_search *search, const char *root, const char *path)
{
	bool beside = *root || !*search->options->root;

	search->root = root;
	search->link = dwelf_elf_gnu_debuglink(search->image->elf, &search->crc);
	if (!search->link || !*search->link || strchr(search->link, '/'))
		return false;
	path = path_below_root(path, root);
	const char *slash = strrchr(path, '/');
	auto_free char *dir = slash ? xstrndup(path, (size_t)(slash - path)) : xstrdup(".");
	bool found = beside &&
		     (try_link(search, dir, "", NULL) || try_link(search, dir, "/.debug", NULL));
	auto_free char *whole = *dir && *dir != '/' && !*root ? realpath(dir, NULL) : NULL;
	const char *below = whole ?: dir;
	auto_free char *in_dir = xasprintf("%s%s", *below && *below != '/' ? "/" : "", below);
	vec_each_value(d, &search->options->debug_dirs) {
		/* few have files directly in them: TRIED lists no others */
		auto_free char *directly = xasprintf("%s/%s", d, search->link);

		found = found || try_link(search, d, in_dir, d) ||
			(!*root && !access(directly, F_OK) && try_path(search, directly, d));
	}
	return found;
}

struct elf_image *debug_file_find(
	const struct elf_image *image, const struct debug_options *options, struct text *tried)
{
	struct debug_search search = {.image = image, .options = options, .tried = tried};
	const struct string_vec none = {}, *dirs = &options->debug_dirs;
	const char *root = options->root;

	bool found = find_given(&search) || (*root && find_by_id(&search, root, dirs, NULL)) ||
		     find_by_id(&search, "", dirs, NULL) ||
		     (*root && find_by_link(&search, root, options->path ?: image->path)) ||
		     find_by_link(&search, "", image->path);
	search.link = NULL;
	if (!found && options->folders)
		found = debug_folders_visit(
			options->folders, dirs, &image->build_id, try_path, &search);
	if (!found && !find_by_id(&search, "", &none, options->cache))
		return search.spare;
	elf_image_destroy(search.spare);
	return search.found;
}

struct elf_image *debug_file_fetched(const struct elf_image *image,
	const struct debug_options *options, struct fetch *fetch, char **outcome_ret)
{
	auto_free char *why = NULL;

	fetcher_wait(options->fetcher, fetch);
	*outcome_ret = xstrdup(fetch_outcome(fetch));
	if (fetch->path)
		return wanted_open_elf(
			&(struct wanted_file){.root = "", .path = fetch->path}, NULL);
	if (!fetch->too_large)
		return NULL;
	struct elf_image *joined = section_file_fetch(image, options, fetch, &why);
	free(*outcome_ret);
	*outcome_ret =
		xasprintf("%s; %s", fetch_outcome(fetch), joined ? "fetched by sections" : why);
	return joined;
}
