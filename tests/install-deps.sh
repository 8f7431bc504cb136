#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what stack2line needs, on Debian 12 or newer: install-deps.sh build|demo|test
# Does nothing, quickly, if all is there. Needs root or sudo otherwise.
set -eu

build=(gcc libc6-dev make autoconf automake pkg-config libdw-dev libelf-dev libiberty-dev
	libisal-dev libzstd-dev libdebuginfod-dev liblzma-dev zlib1g-dev libbpf-dev)
# The demo samples with BPF; libc6-dbg names what the C library calls main from.
demo=("${build[@]}" clang bpftool libc6-dbg)
test=("${demo[@]}" g++ check binutils elfutils llvm shellcheck clang-format clang-tidy linux-perf libbinutils-dbg
	dwz pahole libyajl-dev libmount-dev uthash-dev squashfs-tools btrfs-progs e2fsprogs xz-utils zstd gzip debuginfod bpftrace libbpf-tools bubblewrap fuse-overlayfs
	systemd systemd-container golang-go zsh fish man-db)
# 32-bit programs
[ "$(uname -m)" != x86_64 ] || test+=(gcc-multilib)

case ${1:-} in
build) packages=("${build[@]}") ;;
demo) packages=("${demo[@]}") ;;
test) packages=("${test[@]}") ;;
*)
	echo "usage: $0 build|demo|test" >&2
	exit 64
	;;
esac

has_rustc() {
	PATH=$PATH:${HOME:-/root}/.cargo/bin rustc --version >/dev/null 2>&1
}

if [ "$1" = test ] && ! has_rustc; then
	packages+=(rustc)
fi

as_root() {
	if [ "$(id -u)" -eq 0 ]; then
		"$@"
	elif command -v sudo >/dev/null; then
		sudo "$@"
	else
		echo "$0: needs root or sudo for: $*" >&2
		return 1
	fi
}

apt_get() {
	as_root env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
		</dev/null >/dev/null
}

# install PACKAGE…: those that are not installed yet
install() {
	local package status missing=()
	for package in "$@"; do
		status=$(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) || status=
		[ "$status" = installed ] || missing+=("$package")
	done
	[ "${#missing[@]}" -gt 0 ] || return 0
	echo "Installing: ${missing[*]}"
	apt_get update
	apt_get install -y --no-install-recommends "${missing[@]}"
}

install "${packages[@]}"
if [ "$1" = test ]; then
	# What clang's sanitizers link with has clang's version in its name.
	version=$(clang -dumpversion)
	install "libclang-rt-${version%%.*}-dev"
fi
