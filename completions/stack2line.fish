# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of stack2line for fish.

# The words that an option takes; diff has all that do.
function __stack2line_words
    stack2line diff --words=$argv[1] 2>/dev/null
end

# Maps by ID and name, processes that hold some, and programs as bpftool lists them (as root).
function __stack2line_maps
    printf '%s\t%s\n' id: 'ID of a map' name: 'Name of a map' pinned: 'Path of a pinned map' prog: 'ID of a program' comm: 'Name of a process' pid: 'ID of a process'
    set -l maps (stack2line --list-maps 2>/dev/null)
    printf '%s\n' $maps | string replace -rf '^(\d+)  +(\S+)  +(\S+).*' 'id:$1\t$2\nname:$2\t$3'
    printf '%s\n' $maps | string replace -rf '^\d+ .*  (\S.*) (\d+), \d+ [a-z]+ .*' 'comm:$1\t$2\npid:$2\t$1' | sort -u
    bpftool prog list 2>/dev/null | string replace -rf '^(\d+): \S+ +name (\S+).*' 'prog:$1\t$2'
end

set -l roles pid tid pid_or_tid pid_tgid user kernel stack comm waker weight time length

# Reading dumps
complete -c stack2line -l stacks -r -F -d "Dump of a stack map"
complete -c stack2line -l user-stacks -r -F -d "Stack map of user stack IDs"
complete -c stack2line -l kernel-stacks -r -F -d "Stack map of kernel stack IDs"
complete -c stack2line -l counts -r -F -d "Count map, which refers to stacks by ID"
complete -c stack2line -l key -x -d "Assign roles to fields of the count map" \
    -a "(__fish_append , $(string join ' ' -- $roles=) weight= length=)"
complete -c stack2line -l key-layout -x -d "Declare the key of a map without BTF"
complete -c stack2line -l value-layout -x -d "Declare the value of a map without BTF"
complete -c stack2line -l event-layout -x -d "Declare the events"
complete -c stack2line -l columns -x -d "Name the columns of a stack ID table" \
    -a "(__fish_append , $roles count)"
complete -c stack2line -l build-id-map -d "Read stack maps as build-ID records"
complete -c stack2line -l address-map -d "Read stack maps as 8-byte addresses"
complete -c stack2line -l explain -d "Print how each map is read, and why"
complete -c stack2line -l per-cpu -x -a "(__stack2line_words per-cpu)" -d "Combine the values of a per-CPU map"

# Reading maps of the running kernel
complete -c stack2line -l map -x -a "(__stack2line_maps)" -d "Read a map of the running kernel"
complete -c stack2line -l list-maps -d "Print which maps can be read"
complete -c stack2line -l clear -d "Delete entries after they are printed"
complete -c stack2line -l interval -x -d "Read the maps every SECONDS, N times"
complete -c stack2line -l events -x -a "(__stack2line_maps)" -d "Read events of a ring buffer or perf event array"
complete -c stack2line -l save-dump -r -F -d "Also write the entries to a file"

# Resolving
complete -c stack2line -s e -l exe -r -F -d "Resolve addresses of a file"
complete -c stack2line -s j -l section -x -d "Addresses are offsets in this section"
complete -c stack2line -s p -l pid -x -a "(__fish_complete_pids)" -d "Resolve addresses of a process"
complete -c stack2line -s k -l kernel -d "Resolve kernel addresses"
complete -c stack2line -s b -l build-id -x -d "Resolve addresses of the file with this build ID"
complete -c stack2line -l recording -r -F -d "Look processes up in a recording"
complete -c stack2line -l debug-dir -x -a "(__fish_complete_directories)" -d "Search a directory for debug files"
complete -c stack2line -l vmlinux -r -F -d "Read kernel debug info from a file"
complete -c stack2line -l modules -r -F -d "Read a copy of /proc/modules or /sys/module"
complete -c stack2line -l btf -r -F -d "Read prototypes from a copy of a file in /sys/kernel/btf"
complete -c stack2line -l kept-files -x -a "(__fish_complete_directories)" \
    -d "Read the copies of record --keep-files from here"
complete -c stack2line -l kallsyms -r -F -d "Read kernel symbols from a copy of /proc/kallsyms"
complete -c stack2line -l debuginfod -f -d "Download missing files from these servers"
complete -c stack2line -l no-debuginfod -d "Download nothing"
complete -c stack2line -l debuginfod-timeout -x -d "Time limit for one file, in seconds"
complete -c stack2line -l debuginfod-budget -x -d "Time limit for all downloads, in seconds"
complete -c stack2line -l debuginfod-max -x -d "Download only sections of files larger than this" -a "64M 256M 1G"
complete -c stack2line -l proc -x -a "(__fish_complete_directories)" -d "Read processes from another directory than /proc"
complete -c stack2line -l qualify -x -a "(__stack2line_words qualify)" -d "Tell functions with the same name apart"
complete -c stack2line -l unwind -x -a "(__stack2line_words unwind)" -d "Unwind copies of stacks by"
complete -c stack2line -l sys -x -a "(__fish_complete_directories)" -d "Read kernel build IDs from another directory than /sys"
complete -c stack2line -l pid-ns -x -a "(__fish_complete_pids)" -d "Process IDs are those of the PID namespace of this process"
complete -c stack2line -l substitute-path -x -d "Also look below TO for files below FROM: FROM=TO"
complete -c stack2line -l sysroot -x -a "(__fish_complete_directories)" -d "Also look for files of processes below a directory"
complete -c stack2line -l trust -x -a "(__stack2line_words trust)" -d "What identifies a file as the mapped one"
complete -c stack2line -l without-finder -x -a "(__stack2line_words without-finder)" -d "Do not look for files in this way"
complete -c stack2line -l names -x -a "(__stack2line_words names)" -d "How much of function names to print"
complete -c stack2line -l no-demangle -d "Print symbols as they are in the file"
complete -c stack2line -l no-inlines -d "Leave out inlined functions"

# Printing
complete -c stack2line -l filter -f -d "Name the frames in text" -a "(__stack2line_words filter)"
complete -c stack2line -l filter-form -x -d "Frames of a form of your own"
complete -c stack2line -l format -x -a "(__stack2line_words format)" -d "Output format"
complete -c stack2line -l folded -d "Folded stacks for flame graphs"
complete -c stack2line -l annotated -d "One frame per line"
complete -c stack2line -l json -d "One JSON object per line"
complete -c stack2line -l only -x -a "(__stack2line_words only)" -d "Print only stacks that match KIND=PATTERN"
complete -c stack2line -l without -x -a "(__stack2line_words without)" -d "Leave out stacks that match KIND=PATTERN"
complete -c stack2line -l root -x -d "Begin stacks at this function"
complete -c stack2line -l collapse -x -d "Cut what this function or object calls"
complete -c stack2line -l user-only -d "Leave out kernel frames"
complete -c stack2line -l kernel-only -d "Leave out user frames"
complete -c stack2line -l merge-threads -d "Print stacks of threads as those of the process"
complete -c stack2line -l from -x -d "Leave out samples before this time"
complete -c stack2line -l until -x -d "Leave out samples from this time on"
complete -c stack2line -l top -f -d "Print a table of what takes most weight"
complete -c stack2line -l by -x -a "(__stack2line_words by)" -d "What the rows of the table are"
complete -c stack2line -l prefix -x -a "(__stack2line_words prefix)" -d "First frame of folded stacks"
complete -c stack2line -s d -l delimited -d "Folded: - between user and kernel frames"
complete -c stack2line -l annotations -d "Folded: mark kernel, inlined and JIT frames"
complete -c stack2line -l with-lines -d "Folded: add file and line to each frame"
complete -c stack2line -l with-objects -d "Folded: add the object to each frame"
complete -c stack2line -l prototypes -d "Print C prototypes of kernel and BPF functions"
complete -c stack2line -s s -l basenames -d "File names without directories"
complete -c stack2line -l source -f -d "Annotated: source lines around each frame"
complete -c stack2line -l path-strip -x -a "(__fish_complete_directories)" -d "Remove this prefix from file names"
complete -c stack2line -l color -f -d "Annotated: use colours" -a "(__stack2line_words color)"
complete -c stack2line -l mark-lost -d "Mark lost callers in folded stacks"
complete -c stack2line -l guess-callers -d "Insert lost callers of leaves, marked with ?"
complete -c stack2line -l health -d "Print what is wrong with the stacks instead"
complete -c stack2line -l why -d "Print why frames have no name"
complete -c stack2line -l no-pager -d "Use no pager on a terminal"
complete -c stack2line -l order -x -a "(__stack2line_words order)" -d "Annotated: by weight, or as in the input"
complete -c stack2line -s o -l output -r -F -d "Write to this file"

# Other
complete -c stack2line -l strict -d "Exit with status 1 if a frame is unresolved"
complete -c stack2line -s q -l quiet -d "Do not report lost stacks and unnamed frames"
complete -c stack2line -s v -l verbose -d "Report details of the input"
complete -c stack2line -s "?" -d "Print the list of options"
complete -c stack2line -l help -f -a all -d "Print the list of options"
complete -c stack2line -l usage -d "Print a short usage message"
complete -c stack2line -s V -l version -d "Print the version"

# stack2line diff: beside these it has all but those for live maps
complete -c stack2line -n "__fish_is_first_token" -a diff -d "Compare two dumps"
set -l diff "__fish_seen_subcommand_from diff"
complete -c stack2line -n $diff -l weights -x -a "(__stack2line_words weights)" -d "Compare weights as shares or as they are"
complete -c stack2line -n $diff -l widths -x -a "(__stack2line_words widths)" -d "Whose widths flame graphs have"
complete -c stack2line -n $diff -l ignore-objects -d "Functions of one name are the same"
complete -c stack2line -n $diff -l old -r -F -d "A part of the old dump"
complete -c stack2line -n $diff -l new -r -F -d "A part of the new dump"
complete -c stack2line -n $diff -l old-recording -r -F -d "Recording for the old dump"
complete -c stack2line -n $diff -l new-recording -r -F -d "Recording for the new dump"

# stack2line inspect: beside these it has -b, --json, --debug-dir and --help as above
complete -c stack2line -n "__fish_is_first_token" -a inspect -d "Say what a file offers for stacks"
set -l inspect "__fish_seen_subcommand_from inspect"
complete -c stack2line -n $inspect -l sframe -d "Print the rows of the SFrame section"
complete -c stack2line -n $inspect -l unwind -d "Print the unwind rule at an address"

# stack2line record: beside these it has -o, -p, --proc, --sys and --help as above
complete -c stack2line -n "__fish_is_first_token" -a record -d "Record the mappings of processes"
set -l record "__fish_seen_subcommand_from record"
complete -c stack2line -n $record -s a -l all -d "Record all processes"
complete -c stack2line -n $record -l only-cgroup -r -F -d "Only processes in this cgroup"
complete -c stack2line -n $record -l only-pid-tree -x -d "Only this process and its descendants" \
    -a "(__fish_complete_pids)"
complete -c stack2line -n $record -s d -l duration -x -d "Stop after this many seconds"
complete -c stack2line -n $record -l once -d "Record the current state and exit"
complete -c stack2line -n $record -l buffer-size -x -d "Event buffer of each CPU, in KiB"
complete -c stack2line -n $record -l no-kernel -d "Do not record kernel symbols"
complete -c stack2line -n $record -l max-size -x -d "Keep the newest bytes, in segments"
complete -c stack2line -n $record -l max-age -x -d "Delete segments older than this"
complete -c stack2line -n $record -l keep-files -x -a "(__fish_complete_directories)" \
    -d "Copy files that will be out of reach here"
complete -c stack2line -n $record -l keep-size -x -d "Limit the copies to this many bytes"
complete -c stack2line -n $record -l print -r -F -d "Print this recording as text"
