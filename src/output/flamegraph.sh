#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# flamegraph.sh DIR: prints DIR/flamegraph.html, with the style and the script beside it, as C: page_head,
# what comes before the data, and page_tail, what comes after. The page's policy names style and script by
# their SHA-256, so nothing else runs in it. The same files make the same bytes.
set -eu
dir=$1

# hash FILE: as the policy wants it, of what stands between the tags: a newline and the file.
hash() {
	# shellcheck disable=SC2059 # the bytes as octal escapes
	printf "$({ echo; cat "$1"; } | sha256sum | awk '{
		for (i = 1; i <= 64; i += 2) {
			high = index("0123456789abcdef", substr($1, i, 1)) - 1
			low = index("0123456789abcdef", substr($1, i + 1, 1)) - 1
			printf "\\%03o", high * 16 + low
		}
	}')" | base64
}

style=$(hash "$dir/flamegraph.css")
script=$(hash "$dir/flamegraph.js")
echo "/* Made by flamegraph.sh. */"
echo "static const char page_head[] ="
while IFS= read -r line; do
	case $line in
	@STYLE@) cat "$dir/flamegraph.css" ;;
	@SCRIPT@) cat "$dir/flamegraph.js" ;;
	*) printf '%s\n' "$line" ;;
	esac
done <"$dir/flamegraph.html" | sed -e "s|@STYLE_HASH@|$style|; s|@SCRIPT_HASH@|$script|" \
	-e 's/\\/\\\\/g; s/"/\\"/g; s/^/	"/; s/$/\\n"/' \
	-e 's/^	"@DATA@\\n"$/	;\nstatic const char page_tail[] =/'
echo "	;"
