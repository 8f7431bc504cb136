# SPDX-License-Identifier: GPL-2.0-or-later
# Compares annotated stacks with known chains. First file: chains, as chains() of lib.sh prints
# them. Second: stack2line's annotated output. -v file=NAME: the source whose frames count; frames
# of other files (the C library, the language's runtime) and frames without a mark are left out.
# Prints what does not agree, nothing when all does.

BEGIN { FS = "\t" }

NR == FNR {
	chain = ++n_chains
	# Leaf first, as stacks are printed.
	for (i = NF; i >= 2; i--) {
		split($i, part, "|")
		if (part[2] == "")
			continue
		k = ++length_of[chain]
		name[chain, k] = part[1]
		place[chain, k] = file ":" part[2]
		inlined[chain, k] = part[3] != ""
	}
	leaf = name[chain, 1]
	next
}

# A line of the form "...FILE:LINE..." is a frame of the program. The leaf begins a stack.
index($0, file ":") {
	if (index($0, leaf))
		stack_end()
	frames[++depth] = $0
}

END {
	stack_end()
	for (c = 1; c <= n_chains; c++)
		if (!seen[c])
			print "no stack is chain " c " (leaf " name[c, 1] ", root " name[c, length_of[c]] ")"
}

function frame_matches(c, k, text, at, after) {
	if (!index(text, name[c, k]))
		return 0
	at = index(text, place[c, k])
	if (!at)
		return 0
	after = substr(text, at + length(place[c, k]), 1)
	if (after ~ /[0-9]/)
		return 0
	return (index(text, "(inlined)") > 0) == inlined[c, k]
}

function chain_matches(c, k) {
	if (length_of[c] != depth)
		return 0
	for (k = 1; k <= depth; k++)
		if (!frame_matches(c, k, frames[k]))
			return 0
	return 1
}

function stack_end(c, k) {
	if (!depth)
		return
	for (c = 1; c <= n_chains; c++)
		if (chain_matches(c))
			break
	if (c <= n_chains) {
		seen[c] = 1
	} else {
		print "not a known chain:"
		for (k = 1; k <= depth; k++)
			print "  " frames[k]
	}
	depth = 0
}
