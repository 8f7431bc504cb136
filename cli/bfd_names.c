// SPDX-License-Identifier: GPL-2.0-or-later
#include "bfd_names.h"

#include <fnmatch.h>
#include <libiberty/demangle.h>
#include <stddef.h>

#include "util/vec.h"

/* from bfd/targets.c and bfd/config.bfd 2.40: those of Linux and of no machine */
static const char *const targets[] = {"default", "elf32-big", "elf32-bigarm", "elf32-bigmips",
	"elf32-csky-*", "elf32-hppa-linux", "elf32-i386", "elf32-iamcu", "elf32-little",
	"elf32-littlearc", "elf32-littlearm", "elf32-littlemips", "elf32-littleriscv",
	"elf32-loongarch", "elf32-m68k", "elf32-microblaze*", "elf32-*nios2", "elf32-or1k",
	"elf32-powerpc", "elf32-powerpcle", "elf32-s390", "elf32-sh-linux", "elf32-shbig-linux",
	"elf32-sparc", "elf32-tradbigmips", "elf32-tradlittlemips", "elf32-ntradbigmips",
	"elf32-ntradlittlemips", "elf32-x86-64", "elf32-xtensa-?e", "elf64-alpha", "elf64-big",
	"elf64-bigaarch64", "elf64-bpf?e", "elf64-hppa-linux", "elf64-ia64-little", "elf64-little",
	"elf64-littleaarch64", "elf64-littleriscv", "elf64-loongarch", "elf64-powerpc",
	"elf64-powerpcle", "elf64-s390", "elf64-sparc", "elf64-tradbigmips", "elf64-tradlittlemips",
	"elf64-x86-64", "[a-z]*-linux", "[a-z]*-linux-[a-z]*"};

bool bfd_names_has_target(const char *name)
{
	array_each(target, targets, array_len(targets))
		if (!fnmatch(*target, name, 0))
			return true;
	return false;
}

bool bfd_names_has_style(const char *name)
{
	return cplus_demangle_name_to_style(name) != unknown_demangling;
}
