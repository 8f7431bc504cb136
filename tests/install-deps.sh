#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Installs what stack2line needs: install-deps.sh build|demo|test|all
#
#	build	to build it
#	demo	for tests/demo.sh: also what samples with BPF
#	test	for tests/run-all.sh
#	all	for tests/run-all.sh --all
#
# Does nothing, quickly, if all is there. Installs with apt (Debian 12 or newer), as root or by sudo. Names in
# one line what this system's archive lacks; on systems without apt, what to install. The status is 0 if what
# the build needs is there: without the rest, the demo shows less and tests are skipped, with the reason.
set -eu
export LC_ALL=C

build=(gcc libc6-dev make autoconf automake pkg-config libdw-dev libelf-dev libiberty-dev libzstd-dev liblzma-dev
	zlib1g-dev libbpf-dev libisal-dev libpcre2-dev)
# The demo samples with BPF; libc6-dbg names what the C library calls main from.
demo=("${build[@]}" clang bpftool libc6-dbg)
test=("${demo[@]}" g++ check binutils elfutils llvm shellcheck clang-format-14 python3 dwz pahole
	squashfs-tools btrfs-progs e2fsprogs xz-utils zstd gzip debuginfod linux-perf bubblewrap fuse-overlayfs
	systemd systemd-container zsh fish man-db mandoc jq)
all=("${test[@]}" clang-tidy libclang-rt-dev bpftrace libbpf-tools golang-go chromium debootstrap libbinutils-dbg)

case ${1:-} in
build) packages=("${build[@]}") ;;
demo) packages=("${demo[@]}") ;;
test) packages=("${test[@]}") ;;
all) packages=("${all[@]}") ;;
*)
	echo "usage: $0 build|demo|test|all" >&2
	exit 64
	;;
esac

has_rustc() {
	PATH=$PATH:${HOME:-/root}/.cargo/bin rustc --version >/dev/null 2>&1
}

case $1 in
test | all) [ "$(uname -m)" != x86_64 ] || packages+=(gcc-multilib) ;; # 32-bit programs
esac
[ "$1" != all ] || has_rustc || packages+=(rustc)
# Node.js from another archive brings its own npm and conflicts with Debian's.
[ "$1" != all ] || command -v npm >/dev/null || packages+=(npm)

# Prints those of the packages that are not installed, sorted.
missing() {
	comm -13 <(dpkg-query -W -f '${Package} ${db:Status-Status}\n' 2>/dev/null | sed -n 's/ installed$//p' | sort -u) \
		<(printf '%s\n' "$@" | sort)
}

# Prints those that this system's archive has, sorted.
available() {
	apt-cache policy "$@" 2>/dev/null | awk '
		/^[^ ].*:$/ { name = substr($1, 1, length($1) - 1) }
		$1 == "Candidate:" && $2 != "(none)" { print name }' | sort
}

as_root=()
# Finds how to become root. sudo asks for a password only on a terminal.
can_be_root() {
	[ "$(id -u)" -ne 0 ] || return 0
	as_root=(sudo)
	[ -t 2 ] || as_root+=(-n)
	command -v sudo >/dev/null && "${as_root[@]}" true 2>/dev/null
}

# Prints what apt-get said only if it failed.
apt_get() {
	local output
	output=$("${as_root[@]}" env DEBIAN_FRONTEND=noninteractive apt-get -qq -o DPkg::Lock::Timeout=300 "$@" \
		</dev/null 2>&1) || {
		printf '%s\n' "$output" | tail -n 20 >&2
		echo "$0: apt-get $1 failed" >&2
		return 1
	}
}

# Installs the packages one by one: one that conflicts with what is installed must not cost the others.
install_each() {
	local package
	for package; do
		apt_get install -y --no-install-recommends "$package" || echo "Left out: $package"
	done
}

install_by_apt() {
	local -a absent wanted left_out
	mapfile -t absent < <(missing "${packages[@]}")
	[ "${#absent[@]}" -gt 0 ] || return 0
	if ! can_be_root; then
		echo "Not installed, as this needs root or sudo: ${absent[*]}"
		return 0
	fi
	# Lists of the last hour are new enough.
	[ "$(find /var/lib/apt/lists/partial -prune -mmin -60 2>/dev/null)" ] &&
		apt-cache show libc6-dev >/dev/null 2>&1 || apt_get update || return 0
	mapfile -t wanted < <(available "${absent[@]}")
	mapfile -t left_out < <(comm -23 <(printf '%s\n' "${absent[@]}") <(printf '%s\n' "${wanted[@]}"))
	[ "${#left_out[@]}" -eq 0 ] || echo "Not in this system's archive, left out: ${left_out[*]}"
	[ "${#wanted[@]}" -gt 0 ] || return 0
	echo "Installing: ${wanted[*]}"
	apt_get install -y --no-install-recommends "${wanted[@]}" || install_each "${wanted[@]}"
}

# Prints what to install, by the names that this distribution has for what the demo needs.
name_packages() {
	local -a theirs
	if command -v dnf >/dev/null; then
		theirs=(dnf install gcc make autoconf automake pkgconf-pkg-config elfutils-devel elfutils-libelf-devel
			binutils-devel libzstd-devel pcre2-devel xz-devel zlib-devel isa-l-devel
			libbpf-devel clang bpftool)
	elif command -v zypper >/dev/null; then
		theirs=(zypper install gcc make autoconf automake pkg-config libdw-devel libelf-devel
			binutils-devel libzstd-devel pcre2-devel xz-devel zlib-devel isa-l-devel libbpf-devel clang bpftool)
	elif command -v apk >/dev/null; then
		theirs=(apk add build-base autoconf automake pkgconf elfutils-dev argp-standalone binutils-dev zstd-dev
			pcre2-dev xz-dev zlib-dev isa-l-dev libbpf-dev linux-headers clang bpftool)
	else
		theirs=("${demo[@]}" "(Debian's names)")
	fi
	echo "There is no apt here, and nothing was installed. The demo needs: ${theirs[*]}"
	case $1 in
	test | all) echo "Tests need as well (Debian's names): ${packages[*]:${#demo[@]}}" ;;
	esac
}

# Prints what the build lacks, whoever installed what is there.
lacks() {
	local name
	for name in gcc make autoconf automake pkg-config; do
		command -v "$name" >/dev/null || echo "$name"
	done
	for name in 'libdw >= 0.188' 'libelf >= 0.188' libzstd liblzma zlib; do
		pkg-config --exists "$name" 2>/dev/null || echo "${name%% *}"
	done
	echo 'int main(void) { return 0; }' |
		gcc -include libiberty/demangle.h -x c - -liberty -o /dev/null 2>/dev/null || echo libiberty
}

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
	install_by_apt
else
	name_packages "$1"
fi
lacking=$(lacks)
if [ "$lacking" ]; then
	echo "$0: this system lacks what the build needs: ${lacking//$'\n'/ }" >&2
	exit 1
fi
