#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# An environment with today's tools: a chroot of Debian sid with bpftool, bpftrace, perf, libbpf-tools and gcc.
# Made once and reused: environment.sh make. Where it is: environment.sh path. Without it both say why
# and end with status 77. With "trixie" behind it: one of Debian 13, with bpftool and bpftrace.
#
#	S2L_MODERN		its directory; default ${XDG_CACHE_HOME:-/var/cache}/stack2line-modern
#	S2L_MODERN_MIRROR	default http://deb.debian.org/debian
set -u
suite=${2:-sid}
root=${S2L_MODERN:-${XDG_CACHE_HOME:-/var/cache}/stack2line-modern}
mirror=${S2L_MODERN_MIRROR:-http://deb.debian.org/debian}
packages=bpftool,bpftrace
if [ "$suite" = sid ]; then
	packages+=,linux-perf,libbpf-tools,gcc,libc6-dev
else
	root+=-$suite
fi

without() {
	echo "no environment with today's tools: $*" >&2
	exit 77
}

is_there() {
	[ -x "$root/usr/sbin/bpftool" ] && [ -x "$root/usr/bin/bpftrace" ]
}

# Beside its place first: what is there is whole.
make_it() {
	local part=$root.part.$$

	[ "$(id -u)" -eq 0 ] || without "making it needs root"
	command -v debootstrap >/dev/null || without "debootstrap is not installed"
	mkdir -p "$(dirname "$root")" || without "$(dirname "$root") cannot be made"
	echo "Making $root: some 750 MB, some minutes"
	if ! debootstrap --variant=minbase --include="$packages" "$suite" "$part" "$mirror" >"$part.log" 2>&1; then
		rm -rf "$part"
		without "debootstrap failed: $(tail -n 1 "$part.log"); all of it: $part.log"
	fi
	rm -f "$part.log"
	rm -rf "$part"/var/cache/apt/archives/*.deb
	mv -T "$part" "$root" 2>/dev/null || rm -rf "$part" # somebody else was faster
}

case ${1:-} in
make) is_there || make_it ;;
path)
	is_there || without "there is none in $root (make check-modern makes it)"
	echo "$root"
	;;
*)
	echo "usage: $0 make|path [trixie]" >&2
	exit 64
	;;
esac
