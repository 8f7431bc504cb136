# SPDX-License-Identifier: GPL-2.0-or-later
# complete.zsh FOLDER TEXT…: with the completions in FOLDER, each line as it is after TEXT and tab.
# Completion works on a terminal only: an interactive zsh runs on a pseudo terminal.
zmodload zsh/zpty || exit
zpty shell zsh -f -i
# Quotes keep the words that are waited for out of the terminal's echo.
zpty -w shell "PS1=; fpath=(${(q)1} \$fpath); autoload -Uz compinit; compinit -u -D"
zpty -w shell 'show() { zle -I; print -r -- "<""<$BUFFER>"">"; BUFFER= }; zle -N show'
zpty -w shell 'bindkey "^Xs" show; print re"ady"'
zpty -r shell out '*ready*'
shift
for line; do
	zpty -w -n shell "$line"$'\t\C-Xs'
	zpty -r shell out '*<<*>>*'
	print -r -- "${${out##*<<}%%>>*}"
done
zpty -d shell
