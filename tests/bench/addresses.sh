#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints COUNT random addresses, each inside a function of an ELF file's symbol table. The same SEED (42) draws the
# same ones, so that runs can be compared; it is printed on standard error.
#
#   tests/bench/addresses.sh FILE COUNT [SEED]
set -u
echo "addresses.sh: seed ${3:-42}" >&2
nm -S --defined-only "${1:?FILE}" 2>/dev/null |
	# awk counts in doubles: the upper half of an address is kept as text.
	awk -v count="${2:?COUNT}" -v seed="${3:-42}" 'function hex(s,  i, n) {
			n = 0
			for (i = 1; i <= length(s); i++)
				n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return n
		}
		BEGIN { functions = 0 }
		NF == 4 && $3 ~ /^[tTwW]$/ && hex($2) > 0 && hex(substr($1, 9)) + hex($2) < 2 ^ 32 {
			upper[functions] = substr($1, 1, 8)
			start[functions] = hex(substr($1, 9))
			size[functions++] = hex($2)
		}
		END {
			srand(seed)
			for (i = 0; functions && i < count; i++) {
				j = int(rand() * functions)
				printf "0x%s%08x\n", upper[j], start[j] + int(rand() * size[j])
			}
		}'
