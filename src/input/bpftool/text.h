/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * What bpftool prints as plain text for maps without BTF (tools/bpf/bpftool/map.c, fprint_hex() in
 * main.c): two digits a byte, two spaces after 8 bytes, a new line after 16.
 *
 *	25: hash  name counts  flags 0x0        only where a name matches several maps
 *	key: 01 00 00 00  value: 05 00 00 00 00 00 00 00
 *	key:                                    more than 24 bytes together: one line each
 *	01 00 00 00
 *	value (CPU 00): 05 00 00 00 00 00 00 00
 *	value:
 *	<no entry>                              vanished meanwhile, or the text of an errno
 *	inner_map_id: 27                        in place of the value: it is a map
 *	Found 2 elements
 *	Not found                               by map lookup
 *	value: 05 00 00 00                      without key: by map peek, pop and dequeue
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"

/* Whether LINE starts a dump of this kind. */
bool bpftool_text_starts(struct scan line);
/* Reads the map that the source stands at, to its "Found" line or the next other thing. */
void bpftool_text_read(struct dump *dump);
/*
 * Reads the "key: 80 85 …  value: <no entry>" that the source stands at, in whatever number of
 * lines, and gives the collector the error. False at the end of the source.
 */
bool bpftool_text_read_failed(struct dump *dump);
