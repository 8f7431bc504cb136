// SPDX-License-Identifier: GPL-2.0-or-later
#include "resolve/kernel_halves.h"

#include <fcntl.h>
#include <sys/utsname.h>

#include "arch/arch.h"
#include "door/door.h"
#include "object/elf_image.h"
#include "util/cleanup.h"

/* Lowest address of a 64-bit kernel that shares its address space (5-level page tables). */
#define LOW_END (1ULL << 57)
/* Lowest address of 32-bit kernels (arch/x86/Kconfig, arch/arm/Kconfig), with ARM's modules. */
#define NARROW_MIN 0x3f000000ULL
#define NARROW_STEP (16ULL << 20)

static const struct address_halves separate = {.separate = true};

struct address_halves kernel_halves_from(uint64_t floor, bool narrow)
{
	/* round down: other modules and BPF programs may be lower */
	uint64_t start = floor & (narrow ? ~(NARROW_STEP - 1) : ~0ULL << 60);

	if (floor < (narrow ? NARROW_MIN : LOW_END))
		return separate;
	return (struct address_halves){.kernel_start = floor >= KERNEL_HIGH ? 0 : start};
}

static struct address_halves by_symbols(struct kernel *kernel)
{
	const struct kallsyms *symbols = kernel_symbols(kernel);

	if (symbols->status != KALLSYMS_READ || symbols->floor == UINT64_MAX)
		return (struct address_halves){};
	return kernel_halves_from(symbols->floor, symbols->narrow);
}

static struct address_halves by_image(const struct elf_image *image)
{
	const struct arch *arch = arch_of(image->ehdr.e_machine);
	uint64_t floor = UINT64_MAX;

	if (!arch->kernel_min)
		return separate;
	for (size_t i = 0; i < image->n_loads; i++)
		if (image->loads[i].p_flags & PF_X && image->loads[i].p_vaddr < floor)
			floor = image->loads[i].p_vaddr;
	/* cannot tell from a file whose addresses start at 0 */
	if (floor == UINT64_MAX || floor < NARROW_STEP)
		return (struct address_halves){};
	return kernel_halves_from(
		floor - arch->modules_below, image->ehdr.e_ident[EI_CLASS] == ELFCLASS32);
}

static struct address_halves by_vmlinux(const char *path)
{
	scope_guard(elf_image_cleanup) struct elf_image *image = NULL;
	auto_fd int fd = door_open(AT_FDCWD, path, 0, NULL);

	/* the user of the file reports the error */
	if (fd < 0)
		return (struct address_halves){};
	error_destroy(elf_image_open(take_fd(fd), path, &image));
	return image ? by_image(image) : (struct address_halves){};
}

static struct address_halves by_this_machine(struct kernel *kernel)
{
	struct utsname system = {};

	(void)uname(&system);
	const struct arch *arch = arch_by_uname(system.machine);
	if (arch)
		return kernel_halves_from(arch->kernel_min, false);
	/* the start of a 32-bit kernel is configurable */
	return sizeof(void *) == 4 ? by_symbols(kernel) : (struct address_halves){};
}

struct address_halves kernel_halves(struct kernel *kernel, const char *vmlinux)
{
	if (kernel->saved || (kernel->recording && kernel->recording->foreign &&
				     kernel->recording->kallsyms.len))
		return by_symbols(kernel);
	return vmlinux ? by_vmlinux(vmlinux) : by_this_machine(kernel);
}
