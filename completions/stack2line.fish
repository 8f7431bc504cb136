# SPDX-License-Identifier: GPL-2.0-or-later
# Completion of stack2line for fish.

set -l roles pid tid pid_tgid user kernel stack comm time

# Reading dumps
complete -c stack2line -l stacks -r -F -d "Dump of a stack map"
complete -c stack2line -l user-stacks -r -F -d "Stack map of user stack IDs"
complete -c stack2line -l kernel-stacks -r -F -d "Stack map of kernel stack IDs"
complete -c stack2line -l counts -r -F -d "Map keyed by stack ID"
complete -c stack2line -l key -x -d "Fields of the count map" \
    -a "(__fish_append , $(string join ' ' -- $roles=) weight=)"
complete -c stack2line -l key-layout -x -d "Key of a map without BTF"
complete -c stack2line -l value-layout -x -d "Value of a map without BTF"
complete -c stack2line -l event-layout -x -d "Events of event_pipe"
complete -c stack2line -l columns -x -d "Columns of a stack ID table" \
    -a "(__fish_append , $roles count)"
complete -c stack2line -l build-id-map -d "Stack maps hold build-ID records"
complete -c stack2line -l address-map -d "Stack maps hold 8-byte addresses"
complete -c stack2line -l explain -d "Print how each map is read, and why"
complete -c stack2line -l per-cpu -x -a "sum max min" -d "Weight of an entry of a per-CPU map"

# Reading maps of the running kernel
complete -c stack2line -l map -x -a "id: name: pinned: prog:" -d "Read a map of the running kernel"
complete -c stack2line -l clear -d "Delete from the maps what was printed"
complete -c stack2line -l interval -x -d "Read the maps again every SECONDS[:N]"
complete -c stack2line -l events -x -a "id: name: pinned: prog:" -d "Read events of a ring buffer or perf event array"
complete -c stack2line -l save-dump -r -F -d "Write what was read as a dump"

# Resolving
complete -c stack2line -s e -l exe -r -F -d "Resolve addresses of a file"
complete -c stack2line -s j -l section -x -d "Addresses are offsets in this section"
complete -c stack2line -s p -l pid -x -a "(__fish_complete_pids)" -d "Resolve addresses of a process"
complete -c stack2line -s k -l kernel -d "Resolve kernel addresses"
complete -c stack2line -s b -l build-id -x -d "Resolve addresses of the file with this build ID"
complete -c stack2line -l recording -r -F -d "Processes that are gone are in this recording"
complete -c stack2line -l debug-dir -x -a "(__fish_complete_directories)" -d "Look for debug files there"
complete -c stack2line -l vmlinux -r -F -d "Debug info of the kernel is there"
complete -c stack2line -l modules -r -F -d "A copy of /proc/modules or /sys/module"
complete -c stack2line -l btf -r -F -d "Prototypes are in this copy of a file of /sys/kernel/btf"
complete -c stack2line -l kallsyms -r -F -d "Kernel symbols are in this copy of /proc/kallsyms"
complete -c stack2line -l debuginfod -f -d "Fetch what is not here from these servers"
complete -c stack2line -l no-debuginfod -d "Fetch nothing"
complete -c stack2line -l debuginfod-timeout -x -d "What a server may take for a file"
complete -c stack2line -l debuginfod-budget -x -d "What all downloads may take together"
complete -c stack2line -l debuginfod-max -x -d "Largest file that is fetched as a whole" -a "64M 256M 1G"
complete -c stack2line -l proc -x -a "(__fish_complete_directories)" -d "Read processes from there"
complete -c stack2line -l qualify -x -a "auto always never" -d "Tell functions of one name apart"
complete -c stack2line -l reader -x -a "own libdw" -d "What reads DWARF"
complete -c stack2line -l sys -x -a "(__fish_complete_directories)" -d "Read the kernel from there"
complete -c stack2line -l pid-ns -x -a "(__fish_complete_pids)" -d "Process IDs are those of its PID namespace"
complete -c stack2line -l substitute-path -x -d "Look for files below FROM below TO: FROM=TO"
complete -c stack2line -l sysroot -x -a "(__fish_complete_directories)" -d "Look for files of processes below it"
complete -c stack2line -l trust -x -a "normal strict any" -d "What makes a file the right one"
complete -c stack2line -l without-finder -x -a "map_files root exe path mountinfo overlay substitute sysroot debug-dir perf-cache debuginfod-cache debuginfod" -d "Do not look for files this way"
complete -c stack2line -l no-demangle -d "Print symbols as they are in the file"
complete -c stack2line -l no-inlines -d "Leave inlined frames out"

# Printing
complete -c stack2line -l format -x -d "Output format" -a "
    folded\t'Folded stacks'
    annotated\t'One frame a line'
    json\t'One JSON object a line'
    build-id\t'Portable stacks'
    addr2line\t'Be binutils addr2line'"
complete -c stack2line -l folded -d "Folded stacks for flame graphs"
complete -c stack2line -l annotated -d "One frame a line"
complete -c stack2line -l json -d "One JSON object a line"
complete -c stack2line -l prefix -x -d "First frame of folded stacks" -a "
    comm\t'Name of the process'
    pid\tcomm-pid
    tid\tcomm-pid/tid
    none\t'No such frame'"
complete -c stack2line -s d -l delimited -d "Folded: - between user and kernel"
complete -c stack2line -l annotations -d "Folded: mark kernel, inlined and JIT frames"
complete -c stack2line -l with-lines -d "Folded: file and line in each frame"
complete -c stack2line -l with-objects -d "Folded: the object in each frame"
complete -c stack2line -l prototypes -d "The C prototype of kernel and BPF functions"
complete -c stack2line -s s -l basenames -d "File names without directories"
complete -c stack2line -l source -f -d "Annotated: source lines around each frame"
complete -c stack2line -l path-strip -x -a "(__fish_complete_directories)" -d "Take this prefix off file names"
complete -c stack2line -l color -f -d "Annotated: colours" -a "auto always never"
complete -c stack2line -l why -d "Reasons for what is missing"

# Other
complete -c stack2line -l strict -d "Exit status 1 when a frame was left unresolved"
complete -c stack2line -s q -l quiet -d "Say nothing of what is lost or unnamed"
complete -c stack2line -s v -l verbose -d "Say what was read and what was odd"
complete -c stack2line -s "?" -l help -d "Print the list of options"
complete -c stack2line -l usage -d "Print a short usage message"
complete -c stack2line -s V -l version -d "Print the version"

# stack2line record: beside these it has -p, --proc, --sys and --help as above
set -l record "__fish_seen_subcommand_from record"
complete -c stack2line -n $record -s a -l all -d "Record every process"
complete -c stack2line -n $record -l only-cgroup -r -F -d "Only processes in this cgroup"
complete -c stack2line -n $record -l only-pid-tree -x -d "Only this process and its descendants" \
    -a "(__fish_complete_pids)"
complete -c stack2line -n $record -s o -l output -r -F -d "Write to"
complete -c stack2line -n $record -s d -l duration -x -d "Stop after so many seconds"
complete -c stack2line -n $record -l once -d "Record what is there now, and stop"
complete -c stack2line -n $record -l buffer-size -x -d "KiB for the events of each CPU"
complete -c stack2line -n $record -l no-kernel -d "Leave the kernel's symbols out"
complete -c stack2line -n $record -l max-size -x -d "Keep what was recorded last, in so many bytes"
complete -c stack2line -n $record -l max-age -x -d "Delete what is older"
complete -c stack2line -n $record -l print -r -F -d "Print this recording as text"
