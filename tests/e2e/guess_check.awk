# SPDX-License-Identifier: GPL-2.0-or-later
# awk -f guess_check.awk TRUTH FOLDED: prints each frame that was not on the stack, and of guessed ones each line that
# is not the call's, and what called between a guess and its leaf. At the end, how many samples there were, and how many had a guess, with and without a line.
FILENAME == ARGV[1] { kind[$1] = $2; at[$1] = $3; next }
{
	weight = $NF
	sub(/ [0-9]+$/, "")
	n = split($0, frame, ";")
	last = ""
	guess = ""
	was_guess = 0
	for (i = 1; i <= n; i++) {
		split(frame[i], part, ":")
		name = part[1]
		guessed = sub(/\?$/, "", name)
		# What calls all of them; of the C library nothing is known here.
		if (!(name in kind)) {
			if (guessed && /;main[:;]/ && (name != "start" || i == n))
				print "unknown guess", $0
			continue
		}
		if (last != "") {
			split(last, before, "_")
			split(name, after, "_")
			if (before[1] != after[1] || before[2] + 0 >= after[2] + 0)
				print "order", $0
			if (kind[last] ~ /jump/)
				print "not on the stack:", last, "in", $0
			for (j = before[2] + 1; was_guess && j < after[2] + 0; j++)
				if (kind[after[1] "_" j] !~ /jump/)
					print "between:", after[1] "_" j, "in", $0
		}
		last = name
		was_guess = guessed
		if (!guessed)
			continue
		guess = part[3]
		if (i == n)
			print "a guess is no leaf", $0
		if (part[3] && part[3] != at[name])
			print "line", part[3], "not", at[name], $0
		if (part[3] && kind[name] != "call")
			print "line of no call", $0
		guesses += weight
		lines += part[3] ? weight : 0
	}
	all += weight
}
END { print "# samples", all + 0, "guessed", guesses + 0, "with a line", lines + 0 >"/dev/stderr" }
