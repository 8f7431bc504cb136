// SPDX-License-Identifier: GPL-2.0-or-later
#include "object/btf_file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#include "object/elf_image.h"
#include "object/unpack.h"
#include "util/cleanup.h"
#include "util/file.h"
#include "object/elf_section.h"

enum { BTF_MAX = 256 << 20 };

static struct error *read_section(const struct elf_image *image, struct s2l_btf_file *ret)
{
	struct elf_section btf, base;

	if (!elf_section_find(image->elf, ".BTF", &btf))
		return error_create(ERROR_INPUT, "an ELF file without BTF (section .BTF)");
	const GElf_Shdr section = btf.header;
	if (section.sh_type == SHT_NOBITS)
		return error_create(ERROR_INPUT, "its BTF is in the file that it was split from");
	if (section.sh_flags & SHF_COMPRESSED)
		return error_create(ERROR_INPUT, "its section .BTF is compressed");
	/* Such BTF refers to types of whichever kernel the module is loaded into. */
	if (elf_section_find(image->elf, ".BTF.base", &base))
		return error_create(ERROR_INPUT,
			"its BTF does not belong to one kernel (.BTF.base): pass the one in "
			"/sys/kernel/btf");
	if (section.sh_size > BTF_MAX)
		return error_create(ERROR_INPUT, "its section .BTF is too large");
	const uint8_t *bytes = elf_image_raw(image, section.sh_offset, section.sh_size);
	if (!bytes)
		return error_create(ERROR_INPUT, "its section .BTF is cut off");
	text_add(&ret->bytes, (const char *)bytes, section.sh_size);
	ret->of_program = image->ehdr.e_machine == EM_BPF;
	return NULL;
}

static struct error *read_memory(void *memory, size_t size, struct s2l_btf_file *ret)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = NULL;

	try(elf_image_from_memory(memory, size, ret->path, &image));
	return read_section(image, ret);
}

static bool is_elf(const char *bytes, size_t len)
{
	return len >= SELFMAG && !memcmp(bytes, ELFMAG, SELFMAG);
}

/* Reads the BTF from FD, which may be a pipe, and takes ownership of FD. */
static struct error *read_fd(int fd, struct s2l_btf_file *ret)
{
	auto_fd int opened = fd;
	char magic[SELFMAG];
	void *memory;
	size_t size;

	if (pread(fd, magic, sizeof(magic), 0) == sizeof(magic) && is_elf(magic, sizeof(magic))) {
		scope_guard(elf_image_cleanup) struct elf_image *image = NULL;

		try(elf_image_open(take_fd(opened), ret->path, &image));
		return read_section(image, ret);
	}
	if (unpack_is_packed(fd))
		return unpack_file(fd, &memory, &size)
			       ? read_memory(memory, size, ret)
			       : error_create(ERROR_INPUT, "cannot be unpacked");
	int failed = file_read_all(fd, BTF_MAX, &ret->bytes);
	if (failed)
		return error_errno(-failed, "cannot be read");
	text_add(&ret->bytes, "", 0);
	if (!is_elf(ret->bytes.data, ret->bytes.len))
		return NULL;
	size = ret->bytes.len;
	return read_memory(text_take(&ret->bytes), size, ret);
}

struct error *btf_file_read(const char *path, struct s2l_btf_file *ret)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);

	ret->path = path;
	if (fd < 0)
		return error_errno(errno, "--btf %s", path);
	return error_context(read_fd(fd, ret), "--btf %s", path);
}
