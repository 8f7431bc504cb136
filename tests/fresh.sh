#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Runs README's two commands on fresh machines, and prints a table: fresh.sh [--demo|--brief] [--list] [SUITE|ROW]…
#
# A row is a machine: a new copy of a minimal Debian (12, 13 or sid), with root and without git, in which
# tests/demo.sh and tests/run-all.sh run (--demo: only the first; --brief: only the first, in few rows).
#
#	SUITE-clone		from the files that git knows
#	SUITE-tarball		from what `make dist` packs
#	SUITE-container		without privileges, as Docker starts a container (tests/e2e/confine.c)
#	SUITE-no-PACKAGE	the archive has no such package; no-libraries: none that the program can be built without
#	SUITE-no-apt		there is no apt, but the packages are there
#	SUITE-package		the Debian package, built in one machine and installed in another one, then removed
#	SUITE-sudo		an ordinary user, with sudo
#	SUITE-no-sudo		an ordinary user, without sudo; the packages are there
#	SUITE-arm64		built by a cross compiler; unit tests in qemu-user
#
# Needs root, debootstrap and Debian's archive; otherwise it says so and ends with status 77. The status is 1 if
# a command failed. Logs, minimal systems and downloaded packages stay in the cache. Several runs may use it at once:
# a run waits for a minimal system, or a row, that another run is making.
#
#	S2L_FRESH		the cache; default ${XDG_CACHE_HOME:-/var/cache}/stack2line-fresh
#	S2L_FRESH_PACKAGES	a folder for the packages that were made, SUITE/*.deb; default: none
#	S2L_FRESH_MIRROR	default http://deb.debian.org/debian
set -u
cd "$(dirname "$0")/.." || exit 1
top=$PWD
cache=${S2L_FRESH:-${XDG_CACHE_HOME:-/var/cache}/stack2line-fresh}
mirror=${S2L_FRESH_MIRROR:-http://deb.debian.org/debian}
export LC_ALL=C
PATH=$PATH:/usr/sbin:/sbin

rows() {
	local suite kind
	for suite in bookworm trixie sid; do
		for kind in clone tarball container package; do
			echo "$suite-$kind"
		done
	done
	for kind in no-bpftool no-clang no-libraries no-bpftrace no-apt sudo no-sudo; do
		echo "bookworm-$kind"
	done
	echo trixie-arm64 # its qemu-user knows openat2()
}

commands=(demo tests)
selected=()
for word in "$@"; do
	case $word in
	--list)
		rows
		exit
		;;
	--demo) commands=(demo) ;;
	--brief)
		commands=(demo)
		selected=(bookworm-tarball trixie-container sid-clone bookworm-no-bpftool trixie-arm64)
		;;
	*)
		mapfile -t -O "${#selected[@]}" selected < <(rows | grep -xE "$word(-.*)?")
		rows | grep -qxE "$word(-.*)?" || {
			echo "usage: $0 [--demo|--brief] [--list] [SUITE|ROW]…" >&2
			exit 64
		}
		;;
	esac
done
[ "${#selected[@]}" -gt 0 ] || mapfile -t selected < <(rows)

skip() {
	echo "no fresh machines: $*"
	exit 77
}

[ "$(id -u)" -eq 0 ] || skip "they need root"
command -v debootstrap >/dev/null || skip "debootstrap is not installed"
unshare --mount true 2>/dev/null || skip "mount namespaces are not allowed"
mkdir -p "$cache/logs" || skip "$cache cannot be made"
work=$(mktemp -d "$cache/work.XXXXXX") || exit 1
# Mounts are in namespaces that have ended; a file system that is mounted all the same is not entered.
trap 'rm -rf --one-file-system "$work"' EXIT

# lock NAME: waits until no other run has the lock. It ends when descriptor 9 is closed.
lock() {
	exec 9>"$cache/$1.lock"
	flock --nonblock 9 || {
		echo "Waiting for another run, which has $cache/$1.lock" >&2
		flock 9
	}
}

# base SUITE: makes the minimal system, once. What has the name is whole.
base() (
	part=$work/base.$1
	lock "$1"
	[ ! -d "$cache/$1" ] || exit 0
	echo "Making $cache/$1 by debootstrap" >&2
	debootstrap --variant=minbase "$1" "$part" "$mirror" >"$cache/logs/$1.debootstrap.log" 2>&1 9>&- || exit
	rm -f "$part"/var/cache/apt/archives/*.deb
	mv -T "$part" "$cache/$1"
)

# link_packages FROM TO: links the packages in FROM into TO. apt locks the folder that it uses, so each run has its own.
link_packages() {
	mkdir -p "$1" "$2" && find "$1" -maxdepth 1 -name '*.deb' -exec cp -lft "$2" {} + 2>/dev/null
}

# tree KIND: prints the folder with the files of a clone or of a tarball; makes it if it is not there yet.
tree() {
	case $1 in
	clone)
		[ -d "$work/clone" ] || {
			git -C "$top" rev-parse --git-dir >/dev/null 2>&1 || return
			mkdir "$work/clone" &&
				git -C "$top" ls-files -z --cached --others --exclude-standard |
				tar -C "$top" --null -T - --ignore-failed-read -cf - 2>/dev/null |
					tar -C "$work/clone" -xf -
		}
		;;
	tarball)
		[ -d "$work/tarball" ] || {
			mkdir "$work/dist" "$work/tarball" && cp -a "$(tree clone || echo "$top")/." "$work/dist" &&
				(cd "$work/dist" && autoreconf -fi && ./configure && make dist) >"$work/dist.log" 2>&1 &&
				tar -C "$work/tarball" --strip-components=1 -xf "$work"/dist/stack2line-*.tar.xz
		}
		;;
	esac >&2
	[ -e "$work/$1/README.md" ] && echo "$work/$1"
}

# inside ROOT COMMAND ARG…: runs the command in a machine, with this system's processes and privileges. Packages
# that were downloaded for another machine are taken from the cache.
# shellcheck disable=SC2016 # for the inner shell; called by name
inside() {
	timeout 5400 unshare --mount --propagation private bash -euc '
		root=$1 archives=$2
		shift 2
		mount --bind "$root" "$root"
		for tree in proc sys dev; do
			mount --rbind "/$tree" "$root/$tree"
		done
		mount --bind "$archives" "$root/var/cache/apt/archives"
		cd "$root"
		exec chroot . env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin "$@"
		' inside "$1" "$archives" "${@:2}" </dev/null
}

# The same in a container: namespaces of its own, /sys for reading, few devices.
# shellcheck disable=SC2016
inside_container() {
	timeout 5400 unshare --mount --pid --ipc --uts --fork --kill-child --propagation private bash -euc '
		root=$1 archives=$2
		shift 2
		mount --bind "$root" "$root"
		mount -t proc proc "$root/proc"
		mount --bind -o ro /proc/sys "$root/proc/sys"
		mount --bind /sys "$root/sys"
		mount -o remount,bind,ro "$root/sys"
		mount -t tmpfs tmpfs "$root/dev"
		mkdir "$root/dev/pts" "$root/dev/shm"
		for device in null zero full random urandom tty; do
			touch "$root/dev/$device"
			mount --bind "/dev/$device" "$root/dev/$device"
		done
		mount -t devpts -o newinstance,ptmxmode=666 devpts "$root/dev/pts"
		mount -t tmpfs tmpfs "$root/dev/shm"
		ln -s pts/ptmx "$root/dev/ptmx"
		ln -s /proc/self/fd "$root/dev/fd"
		for number in 0 1 2; do
			ln -s "/proc/self/fd/$number" "$root/dev/$(echo stdin stdout stderr | cut -d " " -f $((number + 1)))"
		done
		mount --bind "$archives" "$root/var/cache/apt/archives"
		cd "$root"
		exec chroot . env -i HOME=/root TERM=dumb PATH=/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin \
			confine "$@"' inside "$1" "$archives" "${@:2}" </dev/null
}

# as_user ROOT COMMAND: an ordinary user's shell.
as_user() {
	inside "$1" su - user -c "cd stack2line && $2"
}

as_root() {
	inside "$1" bash -c "cd /root/stack2line && $2"
}

in_container() {
	inside_container "$1" bash -c "cd /root/stack2line && $2"
}

# packages ROOT: as somebody else installed them before.
packages() {
	local for=test
	[ "${#commands[@]}" -gt 1 ] || for=demo
	inside "$1" bash -c "cd /root/stack2line && tests/install-deps.sh $for"
}

# What builds the package, twice in different folders and at different times, and compares.
# shellcheck disable=SC2016
build_package='
	apt-get -qq update
	apt-get -qq install -y --no-install-recommends build-essential lintian >/dev/null
	cd /root/stack2line
	cp -R packaging/debian .
	apt-get -qq build-dep -y --no-install-recommends . >/dev/null
	rm -r debian
	cp -a . /srv/another-folder
	./configure --quiet
	make deb
	cd /srv/another-folder
	./configure --quiet
	DEB_BUILD_OPTIONS=nocheck make deb
	cd /root/stack2line
	for file in packages/deb/*.deb packages/deb/*.tar.xz packages/deb/*.dsc; do
		cmp "$file" "/srv/another-folder/$file"
	done
	# overrides that other releases need
	lintian --pedantic --suppress-tags unused-override --fail-on error,warning,info,pedantic packages/deb/*.changes'

# What remains of the package after it was removed.
# shellcheck disable=SC2016
remove_package='
	files=$(dpkg -L stack2line)
	if systemctl is-enabled stack2line-record 2>/dev/null; then
		exit 1
	fi
	apt-get -qq purge -y stack2line >/dev/null
	for file in $files; do
		[ -d "$file" ] || [ ! -e "$file" ]
	done
	! dpkg -s stack2line 2>/dev/null'

# package SUITE ROOT: builds the package in a machine of its own, and installs it in ROOT.
package() {
	local builder=$work/$1-builder
	cp -a --reflink=auto "$2" "$builder" &&
		inside "$builder" bash -euxc "$build_package" &&
		cp "$builder"/root/stack2line/packages/deb/stack2line_*.deb "$2/root/" &&
		if [ -n "${S2L_FRESH_PACKAGES:-}" ]; then
			mkdir -p "$S2L_FRESH_PACKAGES/$1" &&
				find "$builder/root/stack2line/packages/deb" -maxdepth 1 -type f -exec cp -t "$S2L_FRESH_PACKAGES/$1" {} +
		fi &&
		rm -rf --one-file-system "$builder" &&
		inside "$2" bash -euxc 'apt-get -qq update && apt-get -qq install -y /root/stack2line_*.deb && stack2line --version'
}

# prepare ROOT KIND: makes the machine what its kind says. Sets `how`, which runs commands in it.
prepare() {
	local root=$1 kind=$2 name
	how=as_root
	case $kind in
	container)
		how=in_container
		gcc -static -D_GNU_SOURCE "$top/tests/e2e/confine.c" -o "$root/usr/local/bin/confine"
		;;
	sudo | no-sudo)
		how=as_user
		inside "$root" useradd -m -s /bin/bash user &&
			if [ "$kind" = sudo ]; then
				inside "$root" sh -c 'apt-get update && apt-get install -y --no-install-recommends sudo' &&
					echo 'user ALL=(ALL) NOPASSWD: ALL' >"$root/etc/sudoers.d/user"
			else
				packages "$root"
			fi &&
			mv "$root/root/stack2line" "$root/home/user/" &&
			inside "$root" chown -R user: /home/user
		;;
	package) package "$suite" "$root" ;;
	no-apt)
		packages "$root" && for name in apt apt-get apt-cache dpkg dpkg-query; do
			mv "$root/usr/bin/$name" "$root/usr/bin/$name.away" || return
		done
		;;
	no-*)
		[ "$kind" != no-libraries ] || kind='libbpf-dev libisal-dev libpcre2-dev'
		printf 'Package: %s\nPin: release *\nPin-Priority: -1\n' "${kind#no-}" >"$root/etc/apt/preferences.d/hidden"
		;;
	esac
}

# The seconds in the first line of LOG that PATTERN, an ERE with one group, matches.
seconds() {
	sed -nE "s/$2/\1/p" "$1" | head -n 1
}

# What a cross compiler makes, and unit tests in qemu-user.
# shellcheck disable=SC2016
arm64='set -e
	dpkg --add-architecture arm64
	apt-get -qq update
	apt-get -qq install -y --no-install-recommends gcc make autoconf automake pkg-config gcc-aarch64-linux-gnu \
		libc6-dev-arm64-cross qemu-user libdw-dev:arm64 libelf-dev:arm64 libiberty-dev:arm64 libisal-dev:arm64 \
		libzstd-dev:arm64 libpcre2-dev:arm64 liblzma-dev:arm64 zlib1g-dev:arm64 libbpf-dev:arm64 check:arm64 >/dev/null
	echo "=== built by aarch64-linux-gnu-gcc ($SECONDS s)"
	export PKG_CONFIG_LIBDIR=/usr/lib/aarch64-linux-gnu/pkgconfig:/usr/share/pkgconfig
	[ -x configure ] || autoreconf -fi
	./configure --quiet --enable-werror --host=aarch64-linux-gnu
	make -k -s -j"$(nproc)" stack2line unit-tests
	mkdir /opt/cross
	ln -s /usr/bin/aarch64-linux-gnu-objdump /opt/cross/objdump # which a test calls
	PATH=/opt/cross:$PATH make -k -j"$(nproc)" check-TESTS TESTS="\$(unit_tests)" AM_LOG_FLAGS="900 qemu-aarch64" || status=$?
	for log in $(grep -lE "^:test-result: (FAIL|ERROR)" -r tests --include="*.trs"); do
		tail -n 20 "${log%.trs}.log"
	done
	echo "$(grep -lE "^:test-result: PASS" -r tests --include="*.trs" | wc -l) passed, $(
		grep -lE "^:test-result: (FAIL|ERROR)" -r tests --include="*.trs" | wc -l) failed"
	exit ${status:-0}'

# row NAME: prints its line of the table.
row() {
	local suite=${1%%-*} kind=${1#*-} root=$work/$1 logs=$cache/logs/$1 how verdict=ok files start command
	local packages=0 demo=- tests=- tally=-
	archives=$work/$suite.archives
	rm -f "$logs".*.log
	link_packages "$cache/$suite.archives" "$archives"
	mkdir -p "$archives/partial"
	case $kind in
	clone | tarball) files=$kind ;;
	package) files=tarball ;;
	*) files=clone ;;
	esac
	if ! base "$suite"; then
		verdict="no machine: see $cache/logs/$suite.debootstrap.log"
	elif ! files=$(tree "$files"); then
		cp "$work/dist.log" "$logs.dist.log"
		verdict="no files: see $logs.dist.log"
	elif ! { cp -a --reflink=auto "$cache/$suite" "$root" && cp -a "$files" "$root/root/stack2line" &&
		cp /etc/resolv.conf "$root/etc/resolv.conf" &&
		echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/old-mirror" && prepare "$root" "$kind"; } >"$logs.prepare.log" 2>&1; then
		verdict="not prepared: see $logs.prepare.log"
	else
		local -a todo=("${commands[@]}")
		[ "$kind" != arm64 ] || todo=(tests)
		for command in "${todo[@]}"; do
			start=$SECONDS
			case $command:$kind in
			demo:package) as_root "$root" 'STACK2LINE=/usr/bin/stack2line tests/demo.sh' ;;
			tests:package) inside "$root" bash -euxc "$remove_package" ;;
			demo:*) "$how" "$root" tests/demo.sh ;;
			tests:arm64) "$how" "$root" "$arm64" ;;
			tests:*) "$how" "$root" tests/run-all.sh ;;
			esac >"$logs.$command.log" 2>&1 || verdict="FAILED: see $logs.$command.log"
			if [ "$command" = demo ]; then
				start=$((start + $(seconds "$logs.demo.log" '^ *([0-9]+) s  Configuring.*' | grep . || echo 0)))
				packages=$(seconds "$logs.demo.log" '^ *([0-9]+) s  Configuring.*')
				demo=$((SECONDS - start))
			else
				local more
				more=$(seconds "$logs.tests.log" '^=== .*\(([0-9]+) s\)')
				packages=$((${packages:-0} + ${more:-0}))
				tests=$((SECONDS - start - ${more:-0}))
				tally=$(grep -E '^[0-9]+ passed, [0-9]+ failed' "$logs.tests.log" | tail -n 1)
			fi
		done
	fi
	print_row "$1" "${packages:-?}" "$demo" "$tests" "${tally:--}" "$verdict"
	rm -rf --one-file-system "$root"
	link_packages "$archives" "$cache/$suite.archives"
	[ "$verdict" = ok ]
}

print_row() {
	printf '%-24s %10s %7s %8s  %-40s %s\n' "$@"
}

failed=0
print_row row "packages s" "demo s" "tests s" tally verdict
for name in "${selected[@]}"; do
	lock "logs/$name"
	row "$name" 9>&- || failed=1
done
exit "$failed"
