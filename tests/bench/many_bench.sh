#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Many processes that have the same files mapped, an address in each: CPU, memory, system calls by strace. Files with and
# without build ID, each process with addresses of its own or (fork) its parent's, here and in a mount namespace with
# an overlay. BEFORE names another stack2line to compare with. Needs root.
#
#	many_bench.sh [PROCESSES [FILES]]
set -u
processes=${1:-1000} files=${2:-200}
here=$(dirname "$0")
tmp=$(mktemp -d) || exit 1
trap 'rm -rf "$tmp"' EXIT
# shellcheck disable=SC2086 # CC may be several words
${CC:-cc} -O1 -Wl,--build-id=sha1 "$here/../e2e/many.c" -o "$tmp/many" || exit 1

# measure PROGRAM
measure() {
	"$(type -P time)" -o "$tmp/time" -f '%U s user, %S s system, %M KiB' "$1" --folded "$tmp/list" >"$tmp/out" 2>/dev/null
	printf '  %s: %s\n' "$1" "$(cat "$tmp/time")"
	command -v strace >/dev/null || return
	strace -f -c -o "$tmp/calls" "$1" --folded "$tmp/list" >/dev/null 2>&1
	sort -k 4,4nr "$tmp/calls" |
		awk '{ printf "%s%s %s", (NR > 1 ? ", " : "    "), $4, $NF } NR == 7 { exit } END { print "" }'
}

# row WHERE OPTION…
row() {
	local where=$1 inside=() line many many_out many_in
	shift
	mkdir -p "$tmp"/{lower,files} && mount -t tmpfs none "$tmp/lower" && mkdir "$tmp"/lower/{l,u,w} || exit 1
	# shellcheck disable=SC2016 # the inner shell's
	[ "$where" != overlay ] || inside=(unshare --mount sh -c 'mount -t overlay -o "lowerdir=$0/lower/l,upperdir=$0/lower/u,workdir=$0/lower/w" \
		none "$0/files" && exec "$@"' "$tmp")
	coproc MANY { exec "${inside[@]}" "$tmp/many" "$tmp/files" "$files" "$processes" "$@"; }
	exec {many_out}<&"${MANY[0]}" {many_in}>&"${MANY[1]}"
	many=$MANY_PID
	eval "exec ${MANY[1]}>&-"
	while read -r line <&"$many_out" && [ "$line" != "# ready" ]; do
		echo "$line"
	done >"$tmp/list"
	echo "$processes processes, $files files${*:+, $*}${where:+, $where}"
	for program in ${BEFORE:-} "${STACK2LINE:-./stack2line}"; do
		measure "$program"
	done
	exec {many_in}>&- {many_out}<&-
	wait "$many"
	umount -l "$tmp/lower"
	rm -rf "$tmp/files"
}

row ''
row '' fork
row '' no-id
row overlay
row overlay no-id
