#!/usr/bin/env bash
# SPDX-License-Identifier: GPL-2.0-or-later
# Prints COUNT random addresses inside the functions of an ELF file's symbol table. The seed is
# fixed, so that runs can be compared.
#
#   tests/bench/addresses.sh FILE COUNT
set -u
nm -S --defined-only "${1:?FILE}" 2>/dev/null |
	# awk counts in doubles: the upper half of an address is kept as text.
	awk -v count="${2:?COUNT}" 'function hex(s,  i, n) {
			n = 0
			for (i = 1; i <= length(s); i++)
				n = n * 16 + index("0123456789abcdef", substr(s, i, 1)) - 1
			return n
		}
		NF == 4 && $3 ~ /^[tTwW]$/ && hex($2) > 0 && hex(substr($1, 9)) + hex($2) < 2 ^ 32 {
			upper[n] = substr($1, 1, 8)
			start[n] = hex(substr($1, 9))
			size[n++] = hex($2)
		}
		END {
			srand(42)
			for (i = 0; n && i < count; i++) {
				j = int(rand() * n)
				printf "0x%s%08x\n", upper[j], start[j] + int(rand() * size[j])
			}
		}'
