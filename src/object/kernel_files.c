// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/kernel_files.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <fts.h>
#include <string.h>

#include "object/elf_image.h"
#include "object/elf_section.h"
#include "object/identity.h"
#include "object/locate.h"
#include "object/unpack.h"
#include "process/procfs.h"
#include "util/cleanup.h"
#include "door/door.h"
#include "door/writers.h"
#include "util/file.h"
#include "util/text.h"
#include "util/xalloc.h"

/* limits for hostile directories; a distribution has some 5,000 modules */
enum { RELEASES_MAX = 64, FILES_MAX = 1 << 18, DEPTH_MAX = 16 };

void kernel_files_deinit(struct kernel_files *files)
{
	vec_deinit(&files->releases);
	vec_deinit(&files->roots);
	vec_deinit(&files->files);
	table_deinit(&files->by_name);
	arena_deinit(&files->strings);
}

/* ---- releases ------------------------------------------------------------------------------- */

static void add_release(struct kernel_files *files, const char *release)
{
	if (!*release || *release == '.' || strchr(release, '/') ||
		files->releases.len == RELEASES_MAX)
		return;
	vec_each(known, &files->releases)
		if (!strcmp(*known, release))
			return;
	vec_push(&files->releases, arena_string(&files->strings, release));
}

/* Adds the entries of DIR that begin with PREFIX, without the prefix. */
static void add_releases_of(struct kernel_files *files, const char *dir, const char *prefix)
{
	scope_guard(procfs_close_dir) DIR *open = opendir(dir);
	struct dirent *entry;

	while (open && (entry = readdir(open)))
		if (!strncmp(entry->d_name, prefix, strlen(prefix)))
			add_release(files, entry->d_name + strlen(prefix));
}

/* Returns debug directory NUMBER, then the root directory of the system, then NULL. */
static const char *top_of(const struct kernel_files *files, size_t number)
{
	const struct find_options *find = files->objects->find;

	if (number < find->debug_dirs.len)
		return find->debug_dirs.data[number];
	return number == find->debug_dirs.len ? find->sysroot ?: "" : NULL;
}

static void list(struct kernel_files *files)
{
	static const char *const places[] = {"/lib/modules", "/usr/lib/modules"};
	const char *top;

	if (files->listed)
		return;
	files->listed = true;
	auto_free char *own = xasprintf("%s/sys/kernel/osrelease", files->objects->find->proc_root);
	auto_text struct text release = {};
	if (!procfs_read(AT_FDCWD, own, &release) && release.len) {
		release.data[strcspn(release.data, "\n")] = '\0';
		add_release(files, release.data);
		files->own_release = files->releases.len;
	}
	for (size_t i = 0; (top = top_of(files, i)); i++) {
		auto_free char *modules = xasprintf("%s/lib/modules", top);
		auto_free char *boot = xasprintf("%s/boot", top);

		add_releases_of(files, modules, "");
		add_releases_of(files, boot, "vmlinux-");
	}
	vec_each(known, &files->releases)
		for (size_t i = 0; (top = top_of(files, i / 2)); i++)
			vec_push(&files->roots, arena_printf(&files->strings, "%s%s/%s", top,
							places[i % 2], *known));
}

/* ---- opening and verifying ------------------------------------------------------------------ */

/* The build ID that is searched for, and the best files found so far. */
struct kernel_search {
	struct kernel_files *files;
	const struct build_id *id;
	/* verified, without and with debug info; NULL: not found yet */
	struct elf_image *plain, *debug;
	const char *wrong; /* path of the first file with another build ID; NULL: none */
	/* the files are of another release, and expected to have other build IDs */
	bool other_release;
	/* path of the last file that another user could have written; NULL: none */
	const char *by_others;
};

static struct elf_image *open_image(
	struct object_cache *objects, const char *path, struct writers *links_ret)
{
	auto_fd int fd = door_open(AT_FDCWD, path, 0, links_ret);
	auto_error struct error *error = NULL;
	struct elf_image *image = NULL;
	void *memory;
	size_t size;

	if (fd < 0)
		return NULL;
	if (!unpack_is_packed(fd))
		return image_of_fd(objects, take_fd(fd), path, &error);
	if (!unpack_file(fd, &memory, &size) ||
		(error = elf_image_from_memory(memory, size, path, &image)))
		return NULL;
	image->writers = writers_of_file(fd);
	vec_push(&objects->images, image);
	return image;
}

/* Verifies the file at PATH. Returns true if the search can end. */
static bool try_path(struct kernel_search *search, const char *path)
{
	struct object_cache *objects = search->files->objects;
	const char *cache = objects->find->debuginfod_cache, *top;
	struct search opened = {};
	struct elf_image *image = open_image(objects, path, &opened.links);

	/* the directory chosen by the user that it is in */
	for (size_t i = 0; !opened.base && (top = top_of(search->files, i)); i++)
		if (*top && mountinfo_below(path, top))
			opened.base = top;
	if (!opened.base && cache && mountinfo_below(path, cache))
		opened.base = cache;
	if (!image)
		return false;
	if (rule_of(EVIDENCE_KERNEL, identity_provenance(&opened, image), objects->find->trust)
			.answer == RULE_NO) {
		search->by_others = arena_string(&search->files->strings, path);
		return false;
	}
	if (!build_id_equal(&image->build_id, search->id)) {
		if (!search->wrong && !search->other_release)
			search->wrong = arena_string(&search->files->strings, path);
		return false;
	}
	if (elf_image_has_dwarf(image))
		search->debug = image;
	else if (!search->plain)
		search->plain = image;
	return search->debug;
}

static bool visit_path(void *search, const char *path, const char *base)
{
	(void)base;
	return try_path(search, path);
}

static struct object *object_called(
	struct kernel_files *files, const char *label, struct elf_image *image)
{
	struct object *object = object_of_image(files->objects, label, image);

	object->label.debug_path = image->path;
	return object;
}

/*
 * Returns the object for the best file, or NULL if there is none. Unless a file with debug info was
 * FOUND, searches by build ID first. Downloads the debug file, unless a plain file is on disk: for
 * that, debug/ searches for a debug file as for any other object, on servers too.
 */
static struct object *best(struct kernel_search *search, bool found, const char *label)
{
	struct kernel_files *files = search->files;
	const struct find_options *find = files->objects->find;
	struct fetcher *fetcher = files->objects->fetcher;
	struct fetch *fetch = NULL;

	found = found || debug_folder_visit(&find->debug_dirs, find->debuginfod_cache, search->id,
				 visit_path, search);
	if (!found && (!search->plain || search->plain->memory))
		fetch = fetcher_start(fetcher, DEBUGINFOD_DEBUGINFO, search->id, NULL, label);
	if (fetch) {
		fetcher_wait(fetcher, fetch);
		if (fetch->path)
			(void)try_path(search, fetch->path);
		else
			files->failed = fetch;
	}
	struct elf_image *image = search->debug ? search->debug : search->plain;
	return image ? object_called(files, label, image) : NULL;
}

/* ---- the kernel ----------------------------------------------------------------------------- */

static bool try_releases(struct kernel_search *search)
{
	/* parts of the path before and after the release */
	static const char *const places[][2] = {{"lib/modules/", "/build/vmlinux"},
		{"boot/vmlinux-", ""}, {"lib/modules/", "/vmlinux"},
		{"usr/lib/modules/", "/vmlinux"}, {"boot/vmlinux-", ".debug"},
		{"lib/modules/", "/vmlinux.debug"}, {"vmlinux-", ""}};
	const struct kernel_files *files = search->files;
	const char *top;
	bool found = false;

	for (size_t r = 0; r < files->releases.len; r++) {
		search->other_release = r >= files->own_release;
		for (size_t t = 0; (top = top_of(files, t)); t++)
			for (size_t i = 0; !found && i < array_len(places); i++) {
				auto_free char *path = xasprintf("%s/%s%s%s", top, places[i][0],
					files->releases.data[r], places[i][1]);

				found = try_path(search, path);
			}
	}
	search->other_release = false;
	return found;
}

static struct object *given_vmlinux(
	struct kernel_files *files, const struct build_id *id, const char **detail_ret)
{
	struct elf_image *image = open_image(files->objects, files->vmlinux, NULL);
	const char *wrong =
		!image ? "cannot be read as ELF" : "has another build ID than the kernel";

	if (image && (!id->len || build_id_equal(&image->build_id, id)))
		return object_called(files, "[kernel]", image);
	*detail_ret = arena_printf(&files->strings, "%s %s", files->vmlinux, wrong);
	return NULL;
}

struct object *kernel_files_vmlinux(
	struct kernel_files *files, const struct build_id *id, const char **detail_ret)
{
	struct kernel_search search = {.files = files, .id = id};

	*detail_ret = NULL;
	files->failed = NULL;
	if (files->vmlinux)
		return given_vmlinux(files, id, detail_ret);
	if (!id->len)
		return NULL;
	list(files);
	struct object *object = best(&search, try_releases(&search), "[kernel]");
	auto_text struct text text = {};
	if (search.by_others)
		text_printf(&text,
			"; %s: another user could have written it, and only --vmlinux names it",
			search.by_others);
	if (search.wrong)
		text_printf(&text, "; %s has another build ID than the kernel", search.wrong);
	if (files->failed)
		text_printf(&text, "; debuginfod: %s", fetch_outcome(files->failed));
	if (!object && text.len)
		*detail_ret = arena_string(&files->strings, text.data + strlen("; "));
	return object;
}

/* ---- modules -------------------------------------------------------------------------------- */

/*
 * Returns the module name as the kernel spells it (snd_pcm for snd-pcm.ko), malloc'ed, or NULL if
 * FILE is not a module.
 */
static char *module_of_file(const char *file)
{
	static const char *const endings[] = {".ko", ".ko.debug", ".ko.xz", ".ko.zst", ".ko.gz"};
	size_t len = strlen(file);

	for (size_t i = 0; i < array_len(endings); i++) {
		size_t ending = strlen(endings[i]);

		if (len <= ending || strcmp(file + len - ending, endings[i]) != 0)
			continue;
		char *name = xstrndup(file, len - ending);
		for (char *c = name; *c; c++)
			*c = *c == '-' ? '_' : *c;
		return name;
	}
	return NULL;
}

/* Symbolic links are not followed: "build" and "source" lead out of the tree. */
static void scan_root(struct kernel_files *files, const char *root)
{
	char *const paths[] = {(char *)(uintptr_t)root, NULL};
	FTS *tree = fts_open(paths, FTS_PHYSICAL | FTS_NOSTAT | FTS_NOCHDIR, NULL);
	FTSENT *entry;

	while (tree && (entry = fts_read(tree)) && files->files.len < FILES_MAX) {
		if (entry->fts_level > DEPTH_MAX)
			fts_set(tree, entry, FTS_SKIP);
		if (entry->fts_info != FTS_NSOK && entry->fts_info != FTS_F)
			continue;
		auto_free char *name = module_of_file(entry->fts_name);
		if (!name)
			continue;
		const char *path = arena_string(&files->strings, entry->fts_path);
		uint64_t *first = table_at(&files->by_name, name, strlen(name), NULL);
		vec_push(&files->files, (struct kernel_module_file){path, *first});
		*first = files->files.len;
	}
	if (tree)
		fts_close(tree);
}

static bool try_files(struct kernel_search *search, const char *name)
{
	const struct kernel_files *files = search->files;
	const uint64_t *first = table_find(&files->by_name, name, strlen(name));

	for (size_t i = first ? *first : 0; i; i = files->files.data[i - 1].next)
		if (try_path(search, files->files.data[i - 1].path))
			return true;
	return false;
}

struct object *kernel_files_module(
	struct kernel_files *files, const char *name, const struct build_id *id)
{
	struct kernel_search search = {.files = files, .id = id};
	auto_free char *label = xasprintf("[%s]", name);

	files->failed = NULL;
	if (!id->len)
		return NULL;
	list(files);
	bool found = try_files(&search, name);
	while (!found && files->scanned < files->roots.len) {
		scan_root(files, files->roots.data[files->scanned++]);
		found = try_files(&search, name);
	}
	return best(&search, found, label);
}

/* ---- BTF of --btf ---------------------------------------------------------------------------- */

enum { BTF_MAX = 256 << 20 };

/* Adds the BTF of IMAGE to RET. Returns why there is none, or NULL. */
static const char *read_section(const struct elf_image *image, struct s2l_btf_file *ret)
{
	struct elf_section btf, base;

	if (!elf_section_find(image->elf, ".BTF", &btf))
		return "an ELF file without BTF (section .BTF)";
	const GElf_Shdr section = btf.header;
	if (section.sh_type == SHT_NOBITS)
		return "its BTF is in the file that it was split from";
	if (section.sh_flags & SHF_COMPRESSED)
		return "its section .BTF is compressed";
	/* Such BTF refers to types of whichever kernel the module is loaded into. */
	if (elf_section_find(image->elf, ".BTF.base", &base))
		return "its BTF does not belong to one kernel (.BTF.base): pass the one in "
		       "/sys/kernel/btf";
	if (section.sh_size > BTF_MAX)
		return "its section .BTF is too large";
	const uint8_t *bytes = elf_image_raw(image, section.sh_offset, section.sh_size);
	if (!bytes)
		return "its section .BTF is cut off";
	text_add(&ret->bytes, (const char *)bytes, section.sh_size);
	ret->of_program = image->ehdr.e_machine == EM_BPF;
	return NULL;
}

/* Reads the BTF from FD, which may be a pipe, and takes ownership of FD. */
static struct error *read_fd(int fd, struct s2l_btf_file *ret)
{
	auto_fd int opened = fd;
	scope_guard(elf_image_cleanup) struct elf_image *image = NULL;
	char magic[SELFMAG];
	void *memory;
	size_t size;

	if (pread(fd, magic, SELFMAG, 0) == SELFMAG && !memcmp(magic, ELFMAG, SELFMAG)) {
		try(elf_image_open(take_fd(opened), ret->path, &image));
	} else if (unpack_is_packed(fd)) {
		if (!unpack_file(fd, &memory, &size))
			return error_create(ERROR_INPUT, "cannot be unpacked");
		try(elf_image_from_memory(memory, size, ret->path, &image));
	} else {
		int failed = file_read_all(fd, BTF_MAX, &ret->bytes);
		if (failed)
			return error_errno(-failed, "cannot be read");
		text_add(&ret->bytes, "", 0);
		size = ret->bytes.len;
		if (size < SELFMAG || memcmp(ret->bytes.data, ELFMAG, SELFMAG) != 0)
			return NULL;
		memory = text_take(&ret->bytes);
		try(elf_image_from_memory(memory, size, ret->path, &image));
	}
	const char *why = read_section(image, ret);
	return why ? error_create(ERROR_INPUT, "%s", why) : NULL;
}

struct error *btf_file_read(const char *path, struct s2l_btf_file *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ret->path = path;
	if (fd < 0)
		return error_errno(errno, "--btf %s", path);
	return error_context(read_fd(fd, ret), "--btf %s", path);
}
