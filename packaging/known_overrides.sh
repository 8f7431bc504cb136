#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# known_overrides.sh FILE…: removes from files of lintian's overrides the tags that this system's lintian does not know,
# because to override these is an error (alien-tag), and each release of Debian has other tags. Without lintian, all stay.
set -eu
command -v lintian-explain-tags >/dev/null || exit 0
for file in "$@"; do
	while IFS= read -r line; do
		case $line in
		'' | '#'*) ;;
		*) lintian-explain-tags "${line%% *}" >/dev/null 2>&1 || continue ;;
		esac
		printf '%s\n' "$line"
	done <"$file" >"$file.known"
	mv "$file.known" "$file"
done
