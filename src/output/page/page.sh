#!/bin/sh
# SPDX-License-Identifier: GPL-2.0-or-later
# page.sh DIR: prints DIR/page.html, with the style and the scripts beside it, as C: page_head, what comes
# before the data, and page_tail, what comes after. The page's policy names style and script by their SHA-256,
# so nothing else runs in it. The same files make the same bytes.
set -eu
cd "$1"

# The parts are one script. Their first lines are SPDX lines, of which one is enough.
script() {
	cat data.js
	for part in stacks tree color draw details state page; do
		sed 1d "$part.js"
	done
}

# hash: of standard input, as the policy wants it.
hash() {
	# shellcheck disable=SC2059 # the bytes as octal escapes
	printf "$(sha256sum | awk '{
		for (i = 1; i <= 64; i += 2) {
			high = index("0123456789abcdef", substr($1, i, 1)) - 1
			low = index("0123456789abcdef", substr($1, i + 1, 1)) - 1
			printf "\\%03o", high * 16 + low
		}
	}')" | base64
}

# What is between the tags begins with a newline.
style_hash=$({ echo; cat page.css; } | hash)
script_hash=$({ echo; script; } | hash)
echo "/* Made by page.sh. */"
echo "static const char page_head[] ="
while IFS= read -r line; do
	case $line in
	@STYLE@) cat page.css ;;
	@SCRIPT@) script ;;
	*) printf '%s\n' "$line" ;;
	esac
done <page.html | sed -e "s|@STYLE_HASH@|$style_hash|; s|@SCRIPT_HASH@|$script_hash|" \
	-e 's/\\/\\\\/g; s/"/\\"/g; s/??/?\\?/g; s/^/	"/; s/$/\\n"/' \
	-e 's/^	"@DATA@\\n"$/	;\nstatic const char page_tail[] =/'
echo "	;"
