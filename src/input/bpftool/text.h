/* SPDX-License-Identifier: GPL-2.0-or-later */
/*
 * Reads the plain text that bpftool prints for maps without BTF (tools/bpf/bpftool/map.c, and
 * fprint_hex() in main.c): two digits per byte, two spaces after 8 bytes, a newline after 16.
 *
 *	25: hash  name counts  flags 0x0        only if a name matches several maps
 *	key: 01 00 00 00  value: 05 00 00 00 00 00 00 00
 *	key:                                    key and value have more than 24 bytes in all
 *	01 00 00 00
 *	value (CPU 00): 05 00 00 00 00 00 00 00
 *	value:
 *	<no entry>                              has vanished; or an error message
 *	inner_map_id: 27                        instead of the value, if it is a map
 *	Found 2 elements
 *	Not found                               from map lookup
 *	value: 05 00 00 00                      without key, from map peek, pop and dequeue
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>

#include "input/dump.h"

/* Returns true if LINE starts a dump of this kind. */
bool bpftool_text_starts(struct scan line);
/* Reads the map at the source's `at`, up to its "Found" line or to a line of another kind. */
void bpftool_text_read(struct dump *dump);
/*
 * Reads "key: 80 85 …  value: <no entry>", in one or more lines, at the source's `at`. Passes the
 * error to the collector. Returns false if the source ends too early.
 */
bool bpftool_text_read_failed(struct dump *dump);
