/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * JSON output: one object a line, one line a sample, which input/lists/json_samples.h reads back. What is unknown is left out, never null.
 * Addresses and offsets in files are strings ("0x1a2b"), since numbers over 2^53 do not survive
 * most JSON readers; bytes that are not UTF-8 become U+FFFD. Members may be added without notice, a
 * changed meaning raises "schema".
 *
 * Sample:
 *   schema       number  1
 *   comm         string  name of the process or thread
 *   pid, tid     number  process and thread
 *   weight       number  how often the stack was seen, or what the dump counts; 1 without counts
 *   time         number  nanoseconds of the dump's clock
 *   place        string  where the sample stood in the input
 *   boot_id      string  the boot that addresses, pid and process_start are of
 *   process_start number when the process started whose mappings were looked at: clock ticks since
 *                        boot, field 22 of /proc/PID/stat
 *   user, kernel object  the two stacks
 *
 * Stack:
 *   state        string  present, absent, lost-collision, lost-full, lost-error, lost-id,
 *                        lost-ambiguous, lost-side
 *   id           number  the stack ID; left out when the stack stood inline
 *   error        number  the negative errno of lost-error
 *   truncated    bool    every slot was in use: the root may be missing
 *   exact        bool    true: every slot is an exact address, none a return address
 *   frames       array   leaf first; an inlined frame comes before the one it was inlined into.
 *                        A lost stack has one frame of kind "lost".
 *
 * Frame:
 *   address      string  as dumped; left out for build-ID slots
 *   kind         string  user, kernel, bpf, jit, lost
 *   object       string  path of the ELF file as the process sees it, or [vdso], [kernel], ...
 *   build_id     string  of that file, hex digits
 *   found_by     string  the finder that found it (man page, --without-finder)
 *   debug_file   string  the separate file that debug info came from
 *   file_offset  string  of the address in the object's file
 *   elf_address  string  the address as the file's own symbols count
 *   function_start string where a function without a name begins, as elf_address
 *   function     string  demangled
 *   linkage      string  the name in the symbol table
 *   qualifier    string  what tells the function from others of this name: "(file.c)",
 *                        "[module]" or "@0x1139"; left out where it needs none
 *   offset       number  of the address in the function
 *   prototype    string  the function's declaration in C (--prototypes)
 *   prototype_candidates array of strings: several functions have the name, one of these may be it
 *   file         string  source file
 *   line, column number  from 1
 *   inlined      bool    inlined into the next frame
 *   source       string  where the name came from: dwarf, symtab, dynsym, plt, gopclntab, kallsyms,
 *                        bpf, perf-map, fixed; left out without a name
 *   doubtful     bool    true: the name may be wrong; detail says why
 *   status       string  "named", or the key of what is missing (no-symbols, process-gone, ...)
 *   reason       string  the same as a sentence
 *   detail       string  more about it, e.g. a system error
 *   fix          string  what would help
 */
#pragma once

#include "output/format.h"

extern const struct format json_format;
