// SPDX-License-Identifier: GPL-2.0-or-later
#include "kernel/build_ids.h"

#include <elf.h>
#include <fcntl.h>
#include <string.h>

#include "util/cleanup.h"
#include "util/file.h"
#include "util/xalloc.h"

enum { NOTES_MAX = 1 << 20 };

static size_t aligned(uint32_t size)
{
	return ((size_t)size + 3) & ~(size_t)3;
}

/*
 * Finds the GNU build ID in the ELF notes in BYTES (native byte order). Returns false if there is
 * none.
 */
static bool parse_notes(const char *bytes, size_t len, struct build_id *ret)
{
	while (len > sizeof(Elf64_Nhdr)) {
		Elf64_Nhdr note;

		memcpy(&note, bytes, sizeof(note));
		size_t name = aligned(note.n_namesz), size = name + aligned(note.n_descsz);
		bytes += sizeof(note);
		len -= sizeof(note);
		if (name + note.n_descsz > len)
			return false;
		if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == sizeof("GNU") &&
			!memcmp(bytes, "GNU", sizeof("GNU"))) {
			*ret = build_id_make(bytes + name, note.n_descsz);
			return ret->len > 0;
		}
		if (size > len)
			return false;
		bytes += size;
		len -= size;
	}
	return false;
}

bool kernel_build_id_read_file(const char *path, struct build_id *ret)
{
	scope_guard(text_deinit) struct text notes = {};

	return !file_read_regular(AT_FDCWD, path, NOTES_MAX, &notes) && notes.len &&
	       parse_notes(notes.data, notes.len, ret);
}

bool kernel_build_id_read(const char *sys_root, const char *module, struct build_id *ret)
{
	auto_free char *path =
		module ? xasprintf("%s/module/%s/notes/.note.gnu.build-id", sys_root, module)
		       : xasprintf("%s/kernel/notes", sys_root);

	return kernel_build_id_read_file(path, ret);
}
