// SPDX-License-Identifier: GPL-2.0-or-later
#include "arch/arch.h"

#include <elf.h>
#include <string.h>

#include "util/text.h"
#include "util/vec.h"

const struct arch arch_riscv = {EM_RISCV, .kernel_min = KERNEL_HIGH, .relative = R_RISCV_RELATIVE};

/*
 * 64-bit PowerPC. In ELFv1 (all big-endian Linux but musl's) a pointer to a function, and so its
 * symbol, is the address of a descriptor in .opd: the code's address, the TOC, the environment, 8
 * bytes each (64-bit PowerPC ELF ABI Supplement, 3.2.1). ELFv2 has no .opd.
 */
static const struct arch_relocation ppc64_relocations[] = {
	{R_PPC64_NONE, RELOCATION_NONE},
	{R_PPC64_ADDR64, RELOCATION_ABSOLUTE_64},
	{R_PPC64_ADDR32, RELOCATION_ABSOLUTE_32},
	{R_PPC64_REL64, RELOCATION_RELATIVE_64},
	{R_PPC64_REL32, RELOCATION_RELATIVE_32},
	{R_PPC64_DTPREL64, RELOCATION_NONE},
	{R_PPC64_TOC, RELOCATION_NONE}, /* the second word of a function's descriptor */
	{},
};

const struct arch arch_ppc64 = {EM_PPC64, .descriptors = true, .kernel_min = 0xc000000000000000ULL,
	.uname = "ppc64", .relocations = ppc64_relocations, .relative = R_PPC64_RELATIVE};

/*
 * s390x. Kernel and processes have separate address spaces, so one number can be an address in
 * both: the kernel image is at 1 MiB without KASLR, since Linux 6.10 below 2^53.
 */
static const struct arch_relocation s390_relocations[] = {
	{R_390_NONE, RELOCATION_NONE},
	{R_390_32, RELOCATION_ABSOLUTE_32},
	{R_390_64, RELOCATION_ABSOLUTE_64},
	{R_390_PC32, RELOCATION_RELATIVE_32},
	{R_390_PC64, RELOCATION_RELATIVE_64},
	{},
};

const struct arch arch_s390 = {
	EM_S390, .kernel_min = 0, .uname = "s390", .relocations = s390_relocations};

#define X(name) &arch_##name,
static const struct arch *const all[] = {ARCH_MACHINES(X)};
#undef X

enum { N = array_len(all) };

const struct arch *arch_of(uint16_t machine)
{
	static const struct arch other = {EM_NONE, .kernel_min = KERNEL_HIGH};

	array_each(arch, all, N)
		if ((*arch)->machine == machine)
			return *arch;
	return &other;
}

const struct arch *arch_by_uname(const char *machine)
{
	array_each(arch, all, N) {
		const char *name = (*arch)->uname;

		if (name && !strncmp(machine, name, strlen(name)))
			return *arch;
	}
	return NULL;
}

enum marker marker_of(const char *name, size_t len)
{
	static const struct {
		const char *name;
		bool is_prefix;
		enum marker marker;
	} markers[] = {{".L", true, MARKER_INSIDE}, {"L0\001", true, MARKER_INSIDE},
		{".annobin_", true, MARKER_BORDER}, {"__crc_", true, MARKER_BORDER},
		{"gcc2_compiled.", false, MARKER_BORDER}, {"Letext0", false, MARKER_BORDER},
		{"_etext", false, MARKER_BORDER}, {"_einittext", false, MARKER_BORDER}};
	const struct scan text = {name, name + len};

	array_each(marker, markers, array_len(markers))
		if (scan_starts(text, marker->name) &&
			(marker->is_prefix || len == strlen(marker->name)))
			return marker->marker;
	/* mapping symbols mark the kind of bytes that follow: "$d", "$d.12", on RISC-V "$xrv64i2p1" */
	bool mapping = len > 1 && name[0] == '$' && strchr("adtxm", name[1]) &&
		       (len == 2 || name[2] == '.' || scan_starts(text, "$xrv"));
	return !len || mapping ? MARKER_INSIDE : MARKER_NONE;
}
