#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Kernel frames of a Debian kernel under QEMU (make check-vm): KASLR on, stacks through modules, a
# stream over which a module comes and goes. What the machine saves is resolved here, and every
# distinct frame compared with llvm-symbolizer for vmlinux and binutils addr2line -j for modules,
# after arithmetic of our own.
#
# Needs qemu-system-x86, busybox-static, cpio, e2fsprogs, kmod, bpftool, llvm-19, and a Debian kernel
# with its debug package: linux-image-amd64, linux-image-amd64-dbg. S2L_VM_KEEP=DIR keeps what the
# machine saved, S2L_VM_SAVED=DIR compares that again.
# shellcheck source=../e2e/lib.sh
. "$(dirname "$0")/../e2e/lib.sh"
here=$top_srcdir/tests/vm
debug=/usr/lib/debug
release=${S2L_VM_RELEASE:-$(find $debug/lib/modules -mindepth 1 -maxdepth 1 -printf '%f\n' 2>/dev/null | tail -n 1)}
need_command qemu-system-x86_64 busybox cpio mkfs.ext4 modprobe bpftool addr2line nm
symbolizer=$(command -v llvm-symbolizer-19 || command -v llvm-symbolizer)
if [ ! -e "/boot/vmlinuz-$release" ] || [ ! -e "$debug/boot/vmlinux-$release" ]; then
	skip_all_or_fail "no kernel $release with debug info"
fi
vmlinux=$debug/boot/vmlinux-$release

# What was kept before is compared anew without another run.
if [ -n "${S2L_VM_SAVED:-}" ]; then
	saved=$S2L_VM_SAVED
else
	saved=$tmp/saved
	# shellcheck source=machine.sh
	. "$here/machine.sh"
fi
# shellcheck source=compare.sh
. "$here/compare.sh"
finish
