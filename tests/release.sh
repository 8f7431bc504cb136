#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Makes what a release consists of, in the folder release, and checks it: release.sh [SUITE]…
#
# All that names the version agrees. The tarball and the packages are made twice and are equal; lintian and rpmlint
# find nothing; the package is installed, used and removed in clean machines of Debian 12, 13 and sid (or SUITE…).
# Afterwards, tests/run-all.sh --all is to be run, and the commit can be tagged.
set -eu
cd "$(dirname "$0")/.."
export LC_ALL=C
top=$PWD
suites=("$@")
[ $# -gt 0 ] || suites=(bookworm trixie sid)
version=$(sed -nE 's/^AC_INIT\(\[stack2line\], \[([0-9.]+)\].*/\1/p' configure.ac)

fail() {
	echo "release.sh: $*" >&2
	exit 1
}

# Prints files that name another version.
other_versions() {
	head -n 1 NEWS | grep -qE "^stack2line $version \([0-9-]{10}\)$" || echo NEWS
	head -n 1 packaging/debian/changelog | grep -q "^stack2line ($version-" || echo packaging/debian/changelog
	grep -q "^Version: *$version$" packaging/stack2line.spec || echo packaging/stack2line.spec
	grep -L -E "^\.Os stack2line $version$|^\.TH .* \"stack2line $version\"" man/*
}

# make_in FOLDER TARGET…: in a clone of what is committed.
make_in() {
	git clone -q "$top" "$1"
	(cd "$1" && autoreconf -fi && ./configure --quiet && make "${@:2}") >"$1.log" 2>&1 || fail "see $1.log"
}

others=$(other_versions)
[ -z "$others" ] || fail "another version than configure.ac's $version is in: ${others//$'\n'/ }"
git diff --quiet HEAD || fail "there are changes that are not committed"
[ ! -e release ] || fail "the folder release exists"
mkdir release
rpm=(rpm)
rpm -q elfutils-devel >/dev/null 2>&1 || rpm+=(RPMBUILD_FLAGS=--nodeps) # where packages are Debian's
make_in "$top/release/one" "${rpm[@]}"
make_in "$top/release/other/folder" "${rpm[@]}"
cd release
(cd one && find . -name '*.tar.xz' -o -name '*.rpm') | while read -r file; do
	cmp "one/$file" "other/folder/$file"
done
find one -name '*.tar.xz' -o -name '*.rpm' | grep -v SOURCES | xargs -I{} cp {} .
rpmlint --rpmlintrc ../packaging/stack2line.rpmlintrc ../packaging/stack2line.spec
cd ..
S2L_FRESH_PACKAGES=$top/release tests/fresh.sh "${suites[@]/%/-package}"
ls -l release
